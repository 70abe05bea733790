// Command cmd compares the outline of package view with Chromium's accessibility
// tree, on the corpus of real pages and on a page for each rule of the
// specifications, and lists every disagreement by kind.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/usher-browser/usher/internal/view/agreement"
)

func main() {
	only := flag.String("only", "", "judge only pages whose name contains this")
	all := flag.Bool("all", false, "list every disagreement, not only the first five of a kind")
	noScripts := flag.Bool("no-scripts", false, "switch the scripts of pages off")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	agreed, err := agreement.Report(ctx, os.Stdout, agreement.Options{Only: *only, All: *all, NoScripts: *noScripts})
	if err != nil {
		fmt.Fprintln(os.Stderr, "agreement:", err)
		os.Exit(2)
	}
	if !agreed {
		os.Exit(1)
	}
}
