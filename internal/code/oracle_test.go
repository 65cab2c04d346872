package code_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/code"
)

// A declared is a symbol as an independent parser sees it.
type declared struct {
	Kind, Name  string
	First, Last int
}

// A parsed is a source file and what an independent parser finds in it.
type parsed struct {
	Lang    code.Language
	Path    string
	Broken  bool // the parser met an error
	Symbols []declared
}

// A tally counts how far two parsers agree.
type tally struct {
	files, broken int
	want, got     int // symbols
	found         int // by name, with the first or the last line right
	kinds         int // and the kind
	first, last   int // and the first line, the last line
	exact         int // and both
}

func (t *tally) String() string {
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	return fmt.Sprintf("%d files (%d broken left out), %d symbols: recall %.4f, precision %.4f, first line %.4f, last line %.4f, recall with exact lines %.4f, kind %.4f",
		t.files, t.broken, t.want, share(t.found, t.want), share(t.found, t.got), share(t.first, t.found), share(t.last, t.found), share(t.exact, t.want), share(t.kinds, t.found))
}

// compare adds to the tally what we find in p, and returns what differs.
func (t *tally) compare(p parsed, got []declared) (differences []string) {
	t.files++
	t.want += len(p.Symbols)
	t.got += len(got)
	rest := slices.Clone(got)
	var missed []declared
	for _, want := range p.Symbols {
		if i := slices.IndexFunc(rest, func(g declared) bool { return sameName(want, g) && g.First == want.First && g.Last == want.Last }); i >= 0 {
			t.found, t.first, t.last, t.exact = t.found+1, t.first+1, t.last+1, t.exact+1
			t.countKind(want, rest[i], &differences)
			rest = slices.Delete(rest, i, i+1)
			continue
		}
		missed = append(missed, want)
	}
	for _, want := range missed {
		i := slices.IndexFunc(rest, func(g declared) bool { return sameName(want, g) && (g.First == want.First || g.Last == want.Last) })
		if i < 0 {
			differences = append(differences, fmt.Sprintf("missed %v", want))
			continue
		}
		t.found++
		if rest[i].First == want.First {
			t.first++
		} else {
			t.last++
		}
		differences = append(differences, fmt.Sprintf("want %v, got %v", want, rest[i]))
		t.countKind(want, rest[i], &differences)
		rest = slices.Delete(rest, i, i+1)
	}
	for _, g := range rest {
		differences = append(differences, fmt.Sprintf("extra %v", g))
	}
	return differences
}

func (t *tally) countKind(want, got declared, differences *[]string) {
	if want.Kind == got.Kind {
		t.kinds++
	} else if os.Getenv("CITEKIT_CODE_KINDS") != "" {
		*differences = append(*differences, fmt.Sprintf("kind of %v is %s", want, got.Kind))
	}
}

// sameName reports whether got is titled with the name, be it after the name
// of its type.
func sameName(want, got declared) bool {
	return got.Name == want.Name || strings.HasSuffix(got.Name, "."+want.Name) || strings.HasSuffix(got.Name, "::"+want.Name)
}

// symbolsOf returns the symbols we find in a file.
func symbolsOf(t *testing.T, p parsed) []declared {
	t.Helper()
	src, err := os.ReadFile(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	return flatten(t, p.Lang, bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
}

func flatten(t *testing.T, lang code.Language, src []byte) []declared {
	t.Helper()
	structure, err := code.Map(context.Background(), lang, src)
	if err != nil {
		t.Fatal(err)
	}
	var all []declared
	m := citekit.ResourceMap{Nodes: structure.Nodes}
	for n := range m.All() {
		all = append(all, declared{n.Type, n.Title, n.Location.Lines.First, n.Location.Lines.Last})
	}
	return all
}

// TestRecorded compares with what an independent parser has found, as
// testdata/oracle.mjs prints it, in the file named by CITEKIT_CODE_SYMBOLS.
// The differences are printed with CITEKIT_CODE_DIFFERENCES.
func TestRecorded(t *testing.T) {
	name := os.Getenv("CITEKIT_CODE_SYMBOLS")
	if name == "" {
		t.Skip("set CITEKIT_CODE_SYMBOLS to the output of testdata/oracle.mjs")
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tallies := make(map[code.Language]*tally)
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var p parsed
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		if tallies[p.Lang] == nil {
			tallies[p.Lang] = new(tally)
		}
		if p.Broken {
			tallies[p.Lang].broken++
			continue
		}
		report(t, p, tallies[p.Lang].compare(p, symbolsOf(t, p)))
	}
	for lang, tally := range tallies {
		t.Logf("%s: %v", lang, tally)
	}
}

func report(t *testing.T, p parsed, differences []string) {
	t.Helper()
	if os.Getenv("CITEKIT_CODE_DIFFERENCES") == "" {
		return
	}
	for _, d := range differences {
		t.Logf("%s: %s", p.Path, d)
	}
}
