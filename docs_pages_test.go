package citekit_test

import (
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit"
)

// A page is a Markdown file of the repository.
type page struct {
	name   string // with slashes
	text   string
	prose  string // without what is in fences
	fences []fence
}

// A fence is a block of code.
type fence struct{ language, text string }

// pages returns the Markdown files of the repository that people read.
func pages(t *testing.T) map[string]page {
	t.Helper()
	all := make(map[string]page)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "samples") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".md" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		p := page{name: filepath.ToSlash(name), text: string(text)}
		p.split()
		all[p.name] = p
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 12 {
		t.Fatalf("only %d pages were found", len(all))
	}
	return all
}

// split tells the prose of a page from what is in fences.
func (p *page) split() {
	var prose, code strings.Builder
	open, language := "", ""
	for line := range strings.Lines(p.text) {
		bare := strings.TrimSpace(line)
		marks := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
		switch {
		case open == "" && len(marks) >= 3:
			open, language = marks, strings.TrimSpace(bare[len(marks):])
		case open != "" && bare == open:
			p.fences = append(p.fences, fence{language, code.String()})
			code.Reset()
			open = ""
		case open != "":
			code.WriteString(line)
		default:
			prose.WriteString(line)
		}
	}
	p.prose = prose.String()
}

// anchors returns the names that a link to a heading of the page may have, as
// GitHub makes them.
func (p page) anchors() (names []string) {
	link := regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	for line := range strings.Lines(p.prose) {
		marks := line[:len(line)-len(strings.TrimLeft(line, "#"))]
		if marks == "" || !strings.HasPrefix(line[len(marks):], " ") {
			continue
		}
		title := link.ReplaceAllString(strings.TrimSpace(line[len(marks):]), "$1")
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title)
		names = append(names, name)
	}
	return names
}

// TestLinksOfPages follows every relative link of every page, to its heading.
func TestLinksOfPages(t *testing.T) {
	link := regexp.MustCompile(`\]\(<?([^)<>\s]+)>?(?:\s+"[^"]*")?\)|(?m:^\[[^\]]+\]:\s+(\S+))`)
	code := regexp.MustCompile("`[^`]*`")
	all, followed := pages(t), 0
	for _, p := range all {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(p.prose, ""), -1) {
			target, err := url.Parse(m[1] + m[2])
			if err != nil {
				t.Errorf("%s: %v", p.name, err)
				continue
			}
			if target.Scheme != "" {
				continue
			}
			followed++
			name := p.name
			if target.Path != "" {
				name = path.Join(path.Dir(p.name), target.Path)
				if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
					t.Errorf("%s: there is no %s", p.name, m[0])
					continue
				}
			}
			if to, ok := all[name]; ok && target.Fragment != "" && !slices.Contains(to.anchors(), target.Fragment) {
				t.Errorf("%s: %s has no heading %s, only %v", p.name, name, target.Fragment, to.anchors())
			}
		}
	}
	if followed < 50 {
		t.Errorf("only %d links were found", followed)
	}
}

// TestWordsOfPages holds the README, and what the CHANGELOG says of each version, to
// a length that people read.
func TestWordsOfPages(t *testing.T) {
	all := pages(t)
	if n := len(strings.Fields(all["README.md"].text)); n == 0 || n > 800 {
		t.Errorf("the README has %d words, more than 800; move some of them to docs", n)
	}
	versions := strings.Split(all["CHANGELOG.md"].text, "\n## ")
	if len(versions) < 2 {
		t.Error("the CHANGELOG has no version")
	}
	for _, version := range versions {
		name, _, _ := strings.Cut(version, "\n")
		if n := len(strings.Fields(version)); n > 1200 {
			t.Errorf("CHANGELOG, %s: %d words, more than 1,200", name, n)
		}
	}
}

// TestNoParagraphTwice finds paragraphs and rows of tables of twelve words or more that
// stand twice, on one page or on two.
func TestNoParagraphTwice(t *testing.T) {
	seen, found := make(map[string]string), 0
	for _, p := range pages(t) {
		for paragraph := range strings.SplitSeq(p.prose, "\n\n") {
			texts := []string{paragraph}
			if rows := strings.Split(paragraph, "\n"); strings.HasPrefix(rows[0], "|") {
				texts = rows[1:] // heads are alike
			}
			for _, text := range texts {
				words := strings.Fields(text)
				if len(words) < 12 {
					continue
				}
				found++
				text = strings.Join(words, " ")
				if first, ok := seen[text]; ok {
					t.Errorf("%s and %s: %.80s", first, p.name, text)
				}
				seen[text] = p.name
			}
		}
	}
	if found < 300 {
		t.Errorf("only %d paragraphs were found", found)
	}
}

// TestAddressesOfPages parses each address that the pages show. They are in
// their canonical form, but where a page says that they are not: in the left
// column of a table whose right one has the canonical form, and for one line,
// which people write shorter.
func TestAddressesOfPages(t *testing.T) {
	shown := regexp.MustCompile(`\b(?:doc|video|audio|image|text|virtual)://[^\s` + "`" + `'"|)\]}<>…]*[^\s` + "`" + `'"|)\]}<>.,;:…]`)
	found := 0
	for _, p := range pages(t) {
		if p.name == "CHANGELOG.md" || p.name == "docs/design.md" {
			continue // they quote forms that were given up
		}
		text := p.text
		if p.name == "docs/addresses.md" {
			text = canonicalRows(t, p)
		}
		for _, s := range shown.FindAllString(text, -1) {
			a, err := citekit.ParseAddress(s)
			if err != nil {
				if !strings.HasSuffix(s, "&v=") { // the rest differs from run to run
					t.Errorf("%s: %s: %v", p.name, s, err)
				}
				continue
			}
			found++
			if canonical := a.String(); canonical != s && !isOneLine(a) {
				t.Errorf("%s: %s is written %s", p.name, s, canonical)
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d addresses were found", found)
	}
}

// canonicalRows checks the table of canonical forms, and returns the page without
// the other forms.
func canonicalRows(t *testing.T, p page) string {
	t.Helper()
	text, rows := p.text, 0
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`|]+)` \\| `([^`|]+)` \\|$").FindAllStringSubmatch(p.prose, -1) {
		a, err := citekit.ParseAddress(m[1])
		if err != nil || a.String() != m[2] {
			t.Errorf("%s: %s is %v, %v, not %s", p.name, m[1], a, err, m[2])
		}
		text = strings.Replace(text, m[0], m[2], 1)
		rows++
	}
	if rows < 6 {
		t.Errorf("%s: only %d canonical forms were found", p.name, rows)
	}
	return text
}

func isOneLine(a citekit.Address) bool {
	return a.Location.Lines.First > 0 && a.Location.Lines.First == a.Location.Lines.Last
}

// TestDataOfPages parses the blocks of JSON and YAML.
func TestDataOfPages(t *testing.T) {
	parsed := 0
	for _, p := range pages(t) {
		for _, f := range p.fences {
			var err error
			var value any
			switch f.language {
			case "json":
				err = json.Unmarshal([]byte(f.text), &value)
			case "yaml":
				err = yaml.Unmarshal([]byte(f.text), &value)
			default:
				continue
			}
			parsed++
			if err != nil {
				t.Errorf("%s: %v in\n%s", p.name, err, f.text)
			}
		}
	}
	if parsed < 8 {
		t.Errorf("only %d blocks were found", parsed)
	}
}
