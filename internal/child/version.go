package child

import (
	"context"
	"strings"
	"time"
	"unicode"
)

const (
	versionTime   = 5 * time.Second
	versionOutput = 64 << 10 // bytes of what a program prints about itself
	maxVersion    = 60       // bytes
)

// Version returns the version that the program at a path says it is when it is
// given an argument such as "--version": the first word with a digit in its first
// line. It is "" if the program says none in time.
func Version(ctx context.Context, path, argument string) string {
	program := Program{
		Path:      path,
		Args:      []string{argument},
		Env:       Environment([]string{"LC_ALL=C"}),
		MaxOutput: versionOutput,
		Timeout:   versionTime,
	}
	result, err := program.Run(ctx)
	if err != nil {
		return ""
	}
	said := string(result.Output)
	if said == "" {
		said = result.Complaint
	}
	line, _, _ := strings.Cut(said, "\n")
	for _, word := range strings.Fields(line) {
		if len(word) <= maxVersion && strings.ContainsFunc(word, unicode.IsDigit) && !strings.ContainsFunc(word, isStrange) {
			return word
		}
	}
	return ""
}

// isStrange reports what no version has.
func isStrange(r rune) bool { return r <= ' ' || r > '~' }
