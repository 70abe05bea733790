package verb_test

import "github.com/usher-browser/usher/internal/program"

var table = program.Table()
