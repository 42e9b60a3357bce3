// Command transcript records the coding agent's session that the demo assembles
// and writes it into a directory, the demo's own by default:
//
//	go run ./internal/transcript
//	go run ./internal/transcript -o DIR -at REVISION
//
// What user and agent say is a script; what the functions answer is not. Every
// command really runs and every file is really read, in a clone of this
// repository in a temporary directory, so that what has not been committed
// plays no part and nothing here is changed. A command that ends otherwise than
// the script says ends the recording, because the story would no longer be true.
//
// transcript.json is the session with its function calls, transcript-later.json
// how it goes on in text alone. Both are arrays of messages, one a line.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"context-manager/internal/agent"
	"context-manager/internal/tokens"
)

func main() {
	out := flag.String("o", filepath.Join("cmd", "context-manager"), "directory to write to")
	at := flag.String("at", "HEAD", "revision to record")
	flag.Parse()
	if err := run(*out, *at); err != nil {
		fmt.Fprintf(os.Stderr, "transcript: %v\n", err)
		os.Exit(1)
	}
}

func run(out, revision string) (err error) {
	w, err := openWorkspace(revision)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	s := newSession(w)
	for _, turn := range []func(*session){readTheCode, readTheTests, breakIt, pinIt} {
		turn(s)
		fmt.Fprintf(os.Stderr, "recorded up to message %d\n", len(s.messages))
	}
	first := s.take()
	reviews(s)
	later := s.take()
	if s.err != nil {
		return s.err
	}
	if err := write(filepath.Join(out, "transcript.json"), first); err != nil {
		return err
	}
	return write(filepath.Join(out, "transcript-later.json"), later)
}

// write writes messages, one a line so that two recordings can be compared, and
// says how many tokens they are.
func write(name string, messages [][]byte) error {
	text := array(messages)
	list, err := agent.DecodeMessages(text)
	if err != nil {
		return fmt.Errorf("checking %s: %w", name, err)
	}
	var sum uint64
	for i := range list {
		sum += tokens.NewHeuristic(0).Message(&list[i])
	}
	fmt.Fprintf(os.Stderr, "%s: %d messages, %d bytes, %d tokens\n", name, len(list), len(text), sum)
	return os.WriteFile(name, text, 0o644)
}
