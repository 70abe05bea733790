package help

// Notation is [notation], for tests.
func Notation(name string) []string { return notation(name) }
