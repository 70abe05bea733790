// Command site serves the fixture pages by hand, to look at them in a browser:
//
//	go run ./internal/cdptest/cmd/site -port 8080
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/usher-browser/usher/internal/cdptest"
)

func main() {
	port := flag.Int("port", 0, "http port; 0 takes a free one")
	flag.Parse()
	site, err := cdptest.OpenAt(*port)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("http  ", site.URL("/"))
	fmt.Println("cross ", site.Cross("/"))
	fmt.Println("https ", site.Secure("/"))
	fmt.Println("ca    ", site.CAFile())
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	<-interrupted
	site.Close()
}
