package verb

// What the tests look at. They are in a package of their own, so that they can see the whole table.

func (c *Call) Values() map[string][]string { return c.values }

const Longest = longest

var CommonDevices = commonDevices
