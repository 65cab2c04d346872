// Package tesseract finds and runs the program tesseract, which recognises text in
// pictures.
//
// The program reads a PNG from standard input and writes to standard output; no file is
// written. It runs on one thread, for a limited time, in an environment that only says
// where its languages are. When the context ends, it is killed with everything it
// started.
//
// The program must be of version 4 or later. Another program can take its place: see
// [FindProgram].
package tesseract

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/child"
)

// Limits of a [Command].
const (
	// DefaultTimeout is up to twenty times as long on a slow machine.
	DefaultTimeout = 10 * time.Minute

	// MaxChildren is how many programs of one Command without Slots run at a time;
	// further calls wait.
	MaxChildren = 2

	// MaxPixels is the largest picture, width times height.
	MaxPixels = 100_000_000

	maxSide   = 32767    // pixels of a side of a picture: the program's own limit
	maxOutput = 32 << 20 // bytes of one answer
)

const howToInstall = "install tesseract (Debian: apt-get install tesseract-ocr; macOS: brew install tesseract; Windows: winget install UB-Mannheim.TesseractOCR)"

// A Command is the program, as found by [Find]. It is safe for concurrent use.
type Command struct {
	// Timeout is the longest run on one picture; zero means DefaultTimeout. It must not
	// change after the Command is in use.
	Timeout time.Duration

	// Slots bound how many programs run at a time. Before the Command is in use, they
	// may be replaced by shared ones.
	Slots *citekit.Slots

	path  string
	other bool // it is not tesseract: see [FindProgram]
}

// A Block is a block of text in a picture, such as a column or a heading, as the
// program recognises it. Blocks without words are left out.
type Block struct {
	Box citekit.Box

	// Text has a line for each of Lines, and an empty line between paragraphs.
	Text string

	// Confidence is the mean confidence of the words, weighted by their length, from 0
	// to 100.
	Confidence float64

	Lines []Line
}

// A Line is one line of a [Block].
type Line struct {
	Box        citekit.Box
	Text       string // its words, separated by single spaces
	Confidence float64
	Paragraph  int // index in the block, from 0
	Words      []Word
}

// A Word is one word of a [Line].
type Word struct {
	Box  citekit.Box // without area if the program gave none
	Text string
}

// Find returns the program at path, or the one on PATH if path is "". If there is none,
// the error matches [errors.ErrUnsupported] and says how to install it.
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
		return &Command{path: found, Slots: &citekit.Slots{Max: MaxChildren}}, nil
	case path != "":
		return nil, fmt.Errorf("recognising text needs tesseract, and the configured one cannot be run; correct its path or %s: %w", howToInstall, errors.ErrUnsupported)
	}
	return nil, fmt.Errorf("recognising text needs tesseract, which is not installed; %s: %w", howToInstall, errors.ErrUnsupported)
}

// Programs returns the version of the program at path, or of the one on PATH if path is
// "", by name. If there is none, its name is in missing.
func Programs(ctx context.Context, path string) (found map[string]string, missing []string) {
	const name = "tesseract"
	command, err := Find(path)
	if err != nil {
		return nil, []string{name}
	}
	version, _ := child.Version(ctx, command.path, "--version")
	return map[string]string{name: version}, nil
}

// Recognise returns the blocks of text in a picture, in reading order; a picture
// without text has none. Boxes are fractions of the picture. The picture must be a PNG,
// because the program takes text input as a list of files to open. Recognise calls
// picture when the program may run, so that waiting calls hold no picture; it returns
// an error of picture.
//
// Languages, which only tesseract takes, are the languages of the text, such as "eng" or "deu+eng", named as the
// program's language files; "" means its default, English. Errors match
// [citekit.ErrSyntax] for a malformed list of languages, [errors.ErrUnsupported] for a
// language that is not installed, [citekit.ErrTooLarge] above a limit,
// [os.ErrDeadlineExceeded] if the program is not done in time, and
// [citekit.ErrFormat] for an unreadable picture.
func (c *Command) Recognise(ctx context.Context, languages string, picture func(context.Context) ([]byte, error)) ([]Block, error) {
	if !validLanguages(languages) {
		return nil, fmt.Errorf("the languages of tesseract are names joined by plus signs, such as deu+eng: %w", citekit.ErrSyntax)
	}
	args := []string{"stdin", "stdout", "--psm", "3", "-c", "tessedit_create_tsv=1"}
	if languages != "" {
		args = append(args, "-l", languages)
	}
	out, err := c.run(ctx, args, picture)
	switch {
	case err != nil:
		return nil, err
	case c.other:
		return parseAny(out)
	}
	return parse(out)
}

// validLanguages reports whether s consists of names of language files, which may be in
// a folder: "eng", "deu+eng", "script/Latin".
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

// Confidence returns the mean confidence of blocks, weighted by the length of their
// texts, from 0 to 1; 0 without blocks.
func Confidence(blocks []Block) float64 {
	var all mean
	for _, b := range blocks {
		letters := float64(utf8.RuneCountInString(b.Text))
		all.add(mean{b.Confidence / 100 * letters, letters})
	}
	if all.letters == 0 {
		return 0
	}
	return all.value()
}
