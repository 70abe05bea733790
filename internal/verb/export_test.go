package verb

// What the tests look at. They are in a package of their own, so that they can see the whole table.

func (t *Table) Family(name string) *Family { return t.family(name) }
func (c *Call) Values() map[string][]string { return c.values }
func (a *Arg) ArgPattern() string           { return a.pattern() }
func (f *Flag) FullDoc() string             { return f.doc() }
func LineFlags() []Flag                     { return lineFlags() }

const Longest = longest
