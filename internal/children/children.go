// Package children starts programs so that they can be ended with their own child processes: npx starts a shell that
// starts the program that was meant.
package children
