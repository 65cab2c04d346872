package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/citekit/citekit/internal/command/internal/term"
)

// canAsk reports whether a person can be asked: input and output are terminals.
func (s *session) canAsk() bool {
	return !s.json && term.IsTerminal(s.stdin) && term.IsTerminal(s.stderr)
}

// confirm asks the person a yes-or-no question. An empty answer means byDefault.
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

// readLine reads a line from the standard input until ctx is done. At the end of the
// input it returns an empty line.
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
			return "n", nil // nobody is there
		}
		return a.line, nil
	}
}
