// Package tesseract runs the program tesseract, which recognises the text in
// pictures, and finds it.
//
// The program gets a PNG on its standard input and answers on its standard
// output: no file is written. It runs on one thread, for a limited time, in an
// environment that says only where its languages are, and is killed with all
// it started when the context ends.
//
// Version 4 or a later one is needed.
package tesseract

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
)

// Limits of a [Command].
const (
	DefaultTimeout = 2 * time.Minute

	// MaxChildren is how many programs of one Command without Slots run at a
	// time; further calls wait.
	MaxChildren = 2

	// MaxPixels is the largest picture, width times height.
	MaxPixels = 100_000_000

	maxSide   = 32767    // of a picture, in pixels: the program's own limit
	maxOutput = 32 << 20 // bytes of one answer
)

const howToInstall = "install tesseract (Debian: apt-get install tesseract-ocr; macOS: brew install tesseract; Windows: winget install UB-Mannheim.TesseractOCR)"

// A Command is the program. [Find] makes it. It is safe for concurrent use.
type Command struct {
	// Timeout is the longest run on one picture; zero means DefaultTimeout.
	// It must not change once the Command is in use.
	Timeout time.Duration

	// Slots bound how many programs run at a time. They may be replaced by
	// shared ones before the Command is in use.
	Slots *citekit.Slots

	path string
}

// A Block is a block of text in a picture, such as a column or a heading, as
// the program sees them. Blocks without words are left out.
type Block struct {
	Box citekit.Box

	// Text is that of the lines, each on its own; an empty line stands
	// between paragraphs.
	Text string

	// Confidence is the mean of those of the words, weighted by their length.
	// They run from 0 to 100.
	Confidence float64

	Lines []Line
}

// A Line is one line of a [Block].
type Line struct {
	Box        citekit.Box
	Text       string // its words, with one space between them
	Confidence float64
	Paragraph  int // of the block, from 0
}

// Find returns the program at path, or the one on PATH if path is "". The
// error matches [errors.ErrUnsupported] if there is none, and says how to
// install it.
func Find(path string) (*Command, error) {
	name := path
	if name == "" {
		name = "tesseract"
	}
	found, err := exec.LookPath(name)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	switch {
	case err == nil:
		return &Command{path: found, Slots: citekit.NewSlots(MaxChildren)}, nil
	case path != "":
		return nil, fmt.Errorf("recognising text needs tesseract, and the configured one cannot be run; correct its path or %s: %w", howToInstall, errors.ErrUnsupported)
	}
	return nil, fmt.Errorf("recognising text needs tesseract, which is not installed; %s: %w", howToInstall, errors.ErrUnsupported)
}

// Programs returns the version of the program at path, or of the one on PATH if
// path is "", by its name, or its name as one that is missing.
func Programs(ctx context.Context, path string) (found map[string]string, missing []string) {
	const name = "tesseract"
	command, err := Find(path)
	if err != nil {
		return nil, []string{name}
	}
	return map[string]string{name: child.Version(ctx, command.path, "--version")}, nil
}

// Recognise returns the blocks of text in a picture, in reading order; a
// picture without text has none. Boxes are fractions of the picture. The
// picture must be a PNG, for the program takes text as a list of files to
// open. It is asked for when the program may run, so that no pictures wait;
// its error is returned.
//
// Languages are those of the text, such as "eng" or "deu+eng", by the names
// of the program's language files; "" means its default, English. Errors
// match [citekit.ErrSyntax] for a malformed list of languages,
// [errors.ErrUnsupported] for a language that is not installed,
// [citekit.ErrTooLarge] over a limit, and [citekit.ErrFormat] for a picture
// that cannot be read.
func (c *Command) Recognise(ctx context.Context, languages string, picture func(context.Context) ([]byte, error)) ([]Block, error) {
	if !validLanguages(languages) {
		return nil, fmt.Errorf("the languages of tesseract are names joined by plus signs, such as deu+eng: %w", citekit.ErrSyntax)
	}
	args := []string{"stdin", "stdout", "--psm", "3", "-c", "tessedit_create_tsv=1"}
	if languages != "" {
		args = append(args, "-l", languages)
	}
	out, err := c.run(ctx, args, picture)
	if err != nil {
		return nil, err
	}
	return parse(out)
}

// validLanguages reports whether s is names of language files, which may
// stand in a folder: "eng", "deu+eng", "script/Latin".
func validLanguages(s string) bool {
	if s == "" {
		return true
	}
	for _, name := range strings.Split(s, "+") {
		if name == "" || strings.Trim(name, "/") != name || strings.Trim(name, languageLetters) != "" {
			return false
		}
	}
	return !strings.HasPrefix(s, "-")
}

const languageLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/"
