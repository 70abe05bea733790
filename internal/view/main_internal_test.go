package view

import "flag"

// rewrite stands beside the flag of the same meaning in package view_test.
var rewrite = flag.Bool("rewrite", false, "write the golden files of deltas and budgets anew")
