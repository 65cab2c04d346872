package child

import (
	"context"
	"strings"
	"time"
	"unicode"
)

const (
	versionTime   = 2 * time.Minute
	versionOutput = 64 << 10 // bytes of output that are examined
	maxVersion    = 60       // bytes
)

// Version returns the version that the program at a path prints when it is run
// with an argument such as "--version": the first word with a digit in its
// first line. It returns "" if the program prints none in time.
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

// isStrange reports whether r cannot be part of a version.
func isStrange(r rune) bool { return r <= ' ' || r > '~' }
