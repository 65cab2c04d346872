package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
)

//go:embed testdata
var data embed.FS

// Kinds of questions.
const (
	inWords    = "words"      // in words of the source
	paraphrase = "paraphrase" // without the words of the source that carry its meaning
	inRow      = "row"        // about a row of a table, an entry of data or a line of a log
	speech     = "speech"     // about cues
	unanswered = "unanswered" // no file has an answer
)

var kinds = []string{inWords, paraphrase, inRow, speech, unanswered}

// A half of the questions.
type half string

const (
	open    half = "open"
	heldOut half = "held"
)

// A collection is files and questions about them.
type collection struct {
	files  []*file
	asked  []*question
	pinned map[string]pinned
}

// A file is one that a package has.
type file struct {
	Name    string `json:"name"`    // in the library
	Package string `json:"package"` // of Debian
	Path    string `json:"path"`    // in the package; unpacked if it ends in .gz and Name does not

	Lines [2]int `json:"lines"` // first and last line that is taken; zero takes all
	Cues  bool   `json:"cues"`  // the text is made into WebVTT, as if it was read aloud
}

// A question is one record of the collection.
type question struct {
	Text   string  `json:"question"`
	Kind   string  `json:"kind"`
	Places []place `json:"places"`
	Short  string  `json:"short"` // of a long question: the same without what is beside the point

	language string
}

// A place answers a question.
type place struct {
	File  string `json:"file"`
	Text  string `json:"text"`  // of the source; runs of white space count as one space
	Grade int    `json:"grade"` // 2 if it answers, which is the default, 1 if it helps
}

// half returns the half to which a question belongs. It is decided by a hash of its
// text, so that nobody chooses.
func (q *question) half() half {
	if sum := sha256.Sum256([]byte(q.Text)); sum[0]%2 == 1 {
		return heldOut
	}
	return open
}

// plainly returns the question without quotes and signs, or in short if it is long, and
// whether that is another text.
func (q *question) plainly() (string, bool) {
	if q.Short != "" {
		return q.Short, true
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return r
		}
		return ' '
	}, strings.TrimRight(q.Text, "?!.？。！"))
	text = strings.Join(strings.Fields(text), " ")
	return text, strings.ContainsFunc(strings.TrimRight(q.Text, "?!.？。！"), func(r rune) bool { return strings.ContainsRune(signs, r) })
}

// signs are quotes, and signs with a meaning in search expressions.
const signs = "\"“”„«»‹›「」『』‘’'*-–—+:()[]/"

// load reads the collection.
func load() (*collection, error) {
	c := &collection{}
	entries, err := data.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if path.Ext(e.Name()) != ".json" {
			continue
		}
		if err := c.loadLanguage(path.Join("testdata", e.Name())); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	c.pinned, err = readPinned()
	return c, err
}

func (c *collection) loadLanguage(name string) error {
	text, err := data.ReadFile(name)
	if err != nil {
		return err
	}
	var language struct {
		Language  string      `json:"language"`
		Files     []*file     `json:"files"`
		Questions []*question `json:"questions"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&language); err != nil {
		return err
	}
	for _, q := range language.Questions {
		q.language = language.Language
		for i := range q.Places {
			if q.Places[i].Grade == 0 {
				q.Places[i].Grade = 2
			}
		}
	}
	c.files = append(c.files, language.Files...)
	c.asked = append(c.asked, language.Questions...)
	return nil
}

// questions returns the questions of a half.
func (c *collection) questions(h half) []*question {
	return slices.DeleteFunc(slices.Clone(c.asked), func(q *question) bool { return q.half() != h })
}
