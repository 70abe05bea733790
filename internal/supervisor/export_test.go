package supervisor

// Text is all that a state holds.
var Text = text
