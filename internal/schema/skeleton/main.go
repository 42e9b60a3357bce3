// Command skeleton prints the skeleton of a document of schemas:
//
//	go run ./internal/schema/skeleton FILE
//
// The skeleton goes to stdout, with a final newline; errors go to stderr. The
// exit status is 0 when done, 1 when the file cannot be read or is no such
// document, 2 for a wrong call. The contract test reads skeletons made this way.
package main

import (
	"fmt"
	"io"
	"os"

	"context-manager/internal/schema"
)

const usage = "usage: skeleton FILE"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, usage)
		return 2
	}
	if err := skeleton(args[0], stdout); err != nil {
		fmt.Fprintln(stderr, "skeleton:", err)
		return 1
	}
	return 0
}

func skeleton(path string, out io.Writer) error {
	document, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	bare, err := schema.Skeleton(document)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	_, err = fmt.Fprintf(out, "%s\n", bare)
	return err
}
