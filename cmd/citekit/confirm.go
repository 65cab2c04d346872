package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/citekit/citekit/internal/term"
)

// canAsk reports whether there is a person to ask: both ends are a terminal.
func (s *session) canAsk() bool {
	return !s.json && term.IsTerminal(s.stdin) && term.IsTerminal(s.stderr)
}

// confirm asks the person a question that is answered by yes or no. An empty
// answer is the default.
func (s *session) confirm(ctx context.Context, question string, byDefault bool) (bool, error) {
	s.out.Flush()
	choice := "[y/N]"
	if byDefault {
		choice = "[Y/n]"
	}
	for {
		fmt.Fprintf(s.stderr, "%s %s ", term.Line(question), choice)
		answer, err := s.readLine(ctx)
		if err != nil {
			fmt.Fprintln(s.stderr)
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		case "":
			return byDefault, nil
		}
		fmt.Fprintln(s.stderr, "Please answer yes or no.")
	}
}

// readLine reads a line from the standard input until ctx is done. The end of
// the input is an empty line.
func (s *session) readLine(ctx context.Context) (string, error) {
	type answer struct {
		line string
		err  error
	}
	if s.lines == nil {
		s.lines = bufio.NewReader(s.stdin)
	}
	read := make(chan answer, 1)
	go func() {
		line, err := s.lines.ReadString('\n')
		read <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case a := <-read:
		if a.err == io.EOF && a.line == "" {
			return "n", nil // no one is there
		}
		return a.line, nil
	}
}
