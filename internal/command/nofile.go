package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit"
)

// orNoFile returns an error for a word that names nothing. It mentions a file if the
// word looks like one, and suggests resources.
func orNoFile(ctx context.Context, lib *citekit.Library, word string, hasFragment bool, err error) error {
	if info, statErr := os.Stat(word); statErr == nil && info.IsDir() {
		return fmt.Errorf("'%s' is a directory; name a file in it: %w", word, citekit.ErrSyntax)
	}
	var whole, missing *citekit.NotFoundError
	errors.As(nodeName{resource: filepath.Base(word)}.check(ctx, lib), &whole)
	switch {
	case hasFragment, strings.ContainsAny(word, `/\`):
		return noFile(word, whole)
	case !errors.As(err, &missing):
		return err
	case missing.Kind == "resource":
		if len(missing.Suggestions) == 0 && whole != nil {
			missing = whole
		}
		return fmt.Errorf("%w (nor is there a file '%s')", missing, word)
	case len(missing.Suggestions) == 0 && looksLikeFile(word):
		return fmt.Errorf("%w (%v)", err, noFile(word, whole))
	}
	return err
}

// patternError returns the error for a file pattern, or nil if word is not a
// pattern. Without "*" a word is a pattern only if it matches something.
func (s *session) patternError(word string) error {
	pattern, _, _ := strings.Cut(word, "#")
	if s.storeURL != "" || !strings.ContainsAny(pattern, "*?[") {
		return nil
	}
	matches, err := filepath.Glob(filepath.Join(s.dir, pattern))
	if len(matches) == 0 {
		matches, err = filepath.Glob(pattern)
	}
	switch {
	case err == nil && len(matches) > 0:
		return fmt.Errorf("'%s' is a pattern, and resolve takes one file; it matches %s: %w", pattern, someOf(matches), citekit.ErrSyntax)
	case strings.Contains(pattern, "*"):
		return fmt.Errorf("'%s' is a pattern, and resolve takes one file or resource; 'citekit list' names the resources: %w", pattern, citekit.ErrSyntax)
	}
	return nil
}

// noFile returns the error for a file that does not exist, with suggested resources.
func noFile(name string, missing *citekit.NotFoundError) error {
	if missing == nil || len(missing.Suggestions) == 0 {
		return fmt.Errorf("no file '%s': %w", name, fs.ErrNotExist)
	}
	return fmt.Errorf("no file '%s'; did you mean the resource '%s'?%w", name, strings.Join(missing.Suggestions, "', '"), silent{fs.ErrNotExist})
}

// A silent error has no text; it is only matched.
type silent struct{ error }

func (silent) Error() string { return "" }

func (s silent) Unwrap() error { return s.error }

// looksLikeFile reports whether a word ends like a file name.
func looksLikeFile(word string) bool {
	ext := strings.TrimPrefix(filepath.Ext(word), ".")
	return len(ext) >= 2 && len(ext) <= 5 && !strings.ContainsFunc(ext, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}
