package child

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
)

const (
	versionTime   = 2 * time.Minute // which only a program that hangs needs
	versionOutput = 64 << 10        // bytes of output that are examined
	maxVersion    = 60              // bytes
)

// askVersion runs a program for its version.
func askVersion(ctx context.Context, path, argument string) (string, error) {
	program := Program{
		Path:      path,
		Args:      []string{argument},
		Env:       Environment([]string{"LC_ALL=C"}),
		MaxOutput: versionOutput,
		Timeout:   versionTime,
	}
	result, err := program.Run(ctx)
	if ctx.Err() != nil || errors.Is(err, ErrTimeout) {
		return "", err
	}
	if err != nil {
		return "", nil
	}
	said := string(result.Output)
	if said == "" {
		said = result.Complaint
	}
	return versionIn(said), nil
}

// versionIn returns the first word with a digit in the first line of a text, or "".
func versionIn(said string) string {
	line, _, _ := strings.Cut(said, "\n")
	for _, word := range strings.Fields(line) {
		if len(word) <= maxVersion && strings.ContainsFunc(word, unicode.IsDigit) && !strings.ContainsFunc(word, isStrange) {
			return word
		}
	}
	return ""
}

// isStrange reports whether r cannot be part of a version.
func isStrange(r rune) bool { return r <= ' ' || r > '~' }
