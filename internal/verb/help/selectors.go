package help

import "github.com/usher-browser/usher/internal/verb"

// selectors returns the notation of selectors, which the reference has, too.
func selectors() string { return "Selectors\n\n" + verb.SelectorNotation }
