package citekit_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
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
	sharedtest.Once(t)
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

const (
	// maxWords bounds the words of README, CONTRIBUTING, CHANGELOG and all of docs/ but
	// docs/compatibility.md, which a test writes.
	maxWords = 40_000

	// maxDecisions bounds those of the decisions and limits.
	maxDecisions = 6_850

	// maxPage bounds those of a page that maxWordsOf does not name.
	maxPage = 3_400

	// maxDecision bounds those of a decision.
	maxDecision = 160
)

// maxWordsOf bounds the words of some pages; that of CHANGELOG.md those of a version.
var maxWordsOf = map[string]int{"README.md": 800, "CONTRIBUTING.md": 750, "CHANGELOG.md": 1_250, "docs/design.md": 4_950}

// TestWordsOfPages holds pages to a length that people read.
func TestWordsOfPages(t *testing.T) {
	sharedtest.Once(t)
	all, inDecisions := 0, 0
	for _, p := range pages(t) {
		n := len(strings.Fields(p.text))
		most, named := maxWordsOf[p.name]
		if named || strings.HasPrefix(p.name, "docs/") && p.name != "docs/compatibility.md" {
			all += n
		}
		if path.Dir(p.name) == decisions || p.name == "docs/limits.md" {
			inDecisions += n
		}
		switch {
		case path.Dir(p.name) == decisions:
			most = maxDecision
		case !named:
			most = maxPage
		case p.name == "CHANGELOG.md":
			n = 0
			for version := range strings.SplitSeq(p.text, "\n## ") {
				n = max(n, len(strings.Fields(version)))
			}
		}
		if n > most {
			t.Errorf("%s has %d words, more than %d; move some of it, or say less", p.name, n, most)
		}
	}
	if all > maxWords {
		t.Errorf("the pages have %d words, more than %d; say each thing once, where a reader looks for it", all, maxWords)
	}
	if inDecisions > maxDecisions {
		t.Errorf("%s and docs/limits.md have %d words, more than %d; delete what no longer binds, or what the code says", decisions, inDecisions, maxDecisions)
	}
	t.Logf("%d words, %d of them in decisions and limits", all, inDecisions)
}

// decisions is the folder of the decisions, a page each.
const decisions = "docs/decisions"

// TestDecisionsAreListed checks that the name of each decision is its number and its
// title, and that the list of them by subject has each number once and no other.
func TestDecisionsAreListed(t *testing.T) {
	sharedtest.Once(t)
	var want, got []int
	all := pages(t)
	heading := regexp.MustCompile(`^# (\d+)\. (.+)\n`)
	for _, p := range all {
		if path.Dir(p.name) != decisions || path.Base(p.name) == "README.md" {
			continue
		}
		m := heading.FindStringSubmatch(p.text)
		if m == nil {
			t.Errorf("%s does not begin with its number and title", p.name)
			continue
		}
		number, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, number)
		title := strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(m[2]), "-"), "-")
		if name := fmt.Sprintf("%04d-%s.md", number, title); path.Base(p.name) != name {
			t.Errorf("%s is to be named %s", p.name, name)
		}
	}
	for line := range strings.Lines(all[decisions+"/README.md"].prose) {
		columns := strings.Split(line, "|")
		if len(columns) != 4 {
			continue
		}
		for _, m := range regexp.MustCompile(`(\d+)(?:-(\d+))?`).FindAllStringSubmatch(columns[2], -1) {
			first, _ := strconv.Atoi(m[1]) // digits
			last := first
			if m[2] != "" {
				last, _ = strconv.Atoi(m[2])
			}
			for ; first <= last; first++ {
				got = append(got, first)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(got) < 30 {
		t.Errorf("%s/README.md lists %d decisions (-want +got):\n%s", decisions, len(got), diff)
	}
}

// TestNothingStandsTwice fails for a paragraph or an item of a list that has
// twelve words or more and stands twice, in one page or in two. Tables and code
// may repeat what they need.
func TestNothingStandsTwice(t *testing.T) {
	sharedtest.Once(t)
	first := make(map[string]string)
	checked := 0
	all := pages(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, paragraph := range paragraphs(all[name].prose) {
			words := strings.Fields(paragraph)
			if len(words) < 12 {
				continue
			}
			checked++
			text := strings.Join(words, " ")
			if before := first[text]; before != "" {
				t.Errorf("%s repeats a paragraph of %s: %.80s…", name, before, text)
			}
			first[text] = name
		}
	}
	if checked < 300 {
		t.Errorf("only %d paragraphs were found", checked)
	}
}

// paragraphs returns the paragraphs and items of lists of a page, without their
// bullets and numbers, and without rows of tables.
func paragraphs(prose string) (all []string) {
	item := regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)])\s+|^#+\s+`)
	var paragraph strings.Builder
	end := func() {
		all = append(all, paragraph.String())
		paragraph.Reset()
	}
	for line := range strings.Lines(prose) {
		bare := strings.TrimSpace(line)
		switch marker := item.FindString(line); {
		case bare == "" || strings.HasPrefix(bare, "|"):
			end()
			continue
		case marker != "":
			end()
			line = line[len(marker):]
		}
		paragraph.WriteString(line)
	}
	end()
	return all
}

func TestParagraphs(t *testing.T) {
	got := paragraphs("# Title\nOne\ntwo.\n\n- three\n  four\n- five\n\n| a | b |\n|---|---|\nsix\n1. seven")
	want := []string{"Title\nOne\ntwo.\n", "three\n  four\n", "five\n", "six\n", "seven"}
	got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLimitsAreInTheCode looks for each constant of docs/limits.md in the
// packages that its heading names, by the last part of their path.
func TestLimitsAreInTheCode(t *testing.T) {
	sharedtest.Once(t)
	code := make(map[string]string) // by folder
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		code[path.Base(path.Dir(filepath.ToSlash(name)))] += string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	checked := 0
	for line := range strings.Lines(pages(t)["docs/limits.md"].prose) {
		if strings.HasPrefix(line, "#") {
			packages = quotedIn(line)
		}
		columns := strings.Split(line, "|")
		if len(columns) != 5 {
			continue
		}
		for _, constant := range quotedIn(columns[1]) {
			checked++
			word := regexp.MustCompile(`\b` + regexp.QuoteMeta(constant) + `\b`)
			if !slices.ContainsFunc(packages, func(name string) bool { return word.MatchString(code[name]) }) {
				t.Errorf("none of %q has %s", packages, constant)
			}
		}
	}
	if checked < 70 {
		t.Errorf("only %d constants were found", checked)
	}
}

// TestCodeNamesPagesThatExist follows what comments say of docs/.
func TestCodeNamesPagesThatExist(t *testing.T) {
	sharedtest.Once(t)
	named := regexp.MustCompile(`(?m)^\s*//.*?\b(docs/[\w/-]+\.md)\b`)
	found := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			found++
			if _, err := os.Stat(filepath.FromSlash(m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 5 {
		t.Errorf("only %d pages are named", found)
	}
}

// TestPagesShowTheExample checks that the first program of the README and of
// docs/library.md is that of examples/answer.
func TestPagesShowTheExample(t *testing.T) {
	text, err := os.ReadFile("examples/answer/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(text), "\npackage main\n")
	for _, name := range []string{"README.md", "docs/library.md"} {
		p := page{name: name}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p.text = string(text)
		p.split()
		first := slices.IndexFunc(p.fences, func(f fence) bool { return strings.HasPrefix(f.text, "package main\n") })
		if first < 0 || p.fences[first].text != "package main\n"+program {
			t.Errorf("the first program of %s is not that of examples/answer", name)
		}
	}
}

// TestAddressesOfPages parses each address that the pages show. They are in
// their canonical form, but where a page says that they are not: in the left
// column of a table whose right one has the canonical form, and for one line,
// which people write shorter.
func TestAddressesOfPages(t *testing.T) {
	sharedtest.Once(t)
	shown := regexp.MustCompile(`\b(?:doc|video|audio|image|text|virtual)://[^\s` + "`" + `'"|)\]}<>…]*[^\s` + "`" + `'"|)\]}<>.,;:…]`)
	links := regexp.MustCompile("/view/[^\\s`]+")
	found := 0
	for _, p := range pages(t) {
		if p.name == "CHANGELOG.md" {
			continue // it quotes forms that were given up
		}
		text := links.ReplaceAllStringFunc(p.text, func(s string) string { // links to pages that show an address
			name, _, _ := strings.Cut(strings.TrimPrefix(s, "/view/"), "?")
			plain, err := url.PathUnescape(name)
			if err != nil {
				t.Errorf("%s: %s: %v", p.name, s, err)
			}
			return " " + plain
		})
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
