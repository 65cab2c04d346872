package lookup_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// notes returns a library over texts of three lines, with maps of these ids, and of a
// workbook that has no source.
func notes(t *testing.T, ids ...string) *citekit.Library {
	t.Helper()
	ws := workspace.NewMemory(nil)
	lib := citekit.New(ws, modality.All(), nil)
	t.Cleanup(func() { lib.Close() })
	for _, id := range ids {
		name := id + ".txt"
		ws.AddSource(name, []byte("one\ntwo\nthree\n"))
		m := &citekit.ResourceMap{ResourceID: id, Type: citekit.Text, SourcePath: name, Nodes: []*citekit.Node{
			{ID: "top", Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 2}}},
		}}
		if err := lib.Save(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	book := &citekit.ResourceMap{ResourceID: "book", Type: citekit.Document, SourcePath: "book.xlsx"}
	for i, sheet := range []string{"Costs", "Costs 2024"} {
		book.Nodes = append(book.Nodes, &citekit.Node{ID: fmt.Sprint("sheet", i), Location: citekit.Location{Modality: citekit.Document, Sheet: sheet}})
	}
	if err := lib.Save(t.Context(), book); err != nil {
		t.Fatal(err)
	}
	return lib
}

func parse(t *testing.T, text string) citekit.Address {
	t.Helper()
	a, err := citekit.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestCheck(t *testing.T) {
	lib := notes(t, "tea")
	for text, want := range map[string]error{
		"text://tea": nil, "text://tea#lines=1-3": nil, "text://tea#lines=2-9": citekit.ErrRange, "text://coffee": fs.ErrNotExist,
	} {
		if err := lookup.Check(t.Context(), lib, parse(t, text)); !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// CheckEnd lets pass what cannot be opened.
	for text, want := range map[string]error{
		"text://tea": nil, "text://tea#lines=3": nil, "text://tea#lines=2-9": citekit.ErrRange, "text://tea#blocks=7": errors.ErrUnsupported, "text://coffee#lines=1": nil,
	} {
		if err := lookup.CheckEnd(t.Context(), lib, parse(t, text)); !errors.Is(err, want) {
			t.Errorf("the end of %s: %v", text, err)
		}
	}
	for _, text := range []string{"text://tea#lines=2-9", "audio://coffee#t=1-2"} {
		if err := lookup.CheckTime(t.Context(), lib, parse(t, text)); err != nil {
			t.Errorf("the time of %s: %v", text, err)
		}
	}
	inner := errors.New("inner")
	if lookup.Reason(fmt.Errorf("around: %w", &citekit.ResolveError{Op: "read", Err: inner})) != inner || lookup.Reason(inner) != inner {
		t.Error("the reason is not what is in a ResolveError")
	}
}

// TestCheckWhole has addresses that a text goes on behind.
func TestCheckWhole(t *testing.T) {
	lib := notes(t, "tea", "green tea", "green", "my-green-notes-txt")
	for behind, want := range map[string]string{
		"text://green| tea#lines=1 is old":         "write %20 for spaces: text://green%20tea#lines=1-1",
		"text://green| leaves":                     "",
		"text://green| teapot":                     "",
		"text://tea| and text://green":             "",
		"text://gre|en":                            "write text://green",
		"doc://book#sheet=Costs| 2024)":            "write %20 for spaces: doc://book#sheet=Costs%202024",
		"doc://book#sheet=Costs| 2023)":            "",
		"text://none#member=a| b":                  "",
		"text://tea#lines=1| and more":             "",
		"text://tea|":                              "",
		"text://gre|y areas of text://tea#lines=1": "",
	} {
		written, rest, _ := strings.Cut(behind, "|")
		switch err := lookup.CheckWhole(t.Context(), lib, parse(t, written), rest); {
		case want == "" && err != nil:
			t.Errorf("%s: %v", behind, err)
		case want != "" && (!errors.Is(err, citekit.ErrSyntax) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v; want %s", behind, err, want)
		}
	}
	for written, want := range map[string]bool{
		"text://tea": true, "doc://book#sheet=Costs": true, "doc://book#pages=1&member=a": true, "text://tea#lines=1": false, "doc://book#sheet=Costs&cells=A1": false,
	} {
		if got := lookup.MayGoOn(written); got != want {
			t.Errorf("%s: %t", written, got)
		}
	}
}

func TestCompletion(t *testing.T) {
	lib := notes(t, "tea", "green tea", "tonic")
	all := func(c *lookup.Completion) string {
		values, total := c.Values()
		return fmt.Sprintf("%q %d", values, total)
	}
	c := lookup.NewCompletion("TE", 10)
	if err := c.Resources(t.Context(), lib); err != nil || all(c) != `["tea" "green tea"] 2` {
		t.Errorf("resources: %s, %v", all(c), err)
	}
	c = lookup.NewCompletion("t", 1)
	if err := c.Resources(t.Context(), lib); err != nil || all(c) != `["tea"] 3` {
		t.Errorf("at most one: %s, %v", all(c), err)
	}
	for resource, want := range map[string]string{"tea": `["top"] 1`, "green%20tea": `["top"] 1`, "none": `[] 0`, "%": `[] 0`} {
		c := lookup.NewCompletion("to", 10)
		if err := c.Nodes(t.Context(), lib, resource); err != nil || all(c) != want {
			t.Errorf("nodes of %s: %s, %v", resource, all(c), err)
		}
	}
	addresses := func(context.Context) ([]citekit.Address, error) {
		return []citekit.Address{parse(t, "text://tea"), parse(t, "text://tonic"), parse(t, "doc://book")}, nil
	}
	for typed, want := range map[string]string{
		"t": `["tea" "tonic"] 2`, "text://to": `["text://tonic"] 1`, "doc://": `["doc://book"] 1`,
		"tea#": `["tea#lines=1-2"] 1`, "text://tea#l": `["text://tea#lines=1-2"] 1`, "none#": `[] 0`, "%#": `[] 0`,
	} {
		c := lookup.NewCompletion(typed, 10)
		if err := c.Addresses(t.Context(), lib, "text", typed, addresses); err != nil || all(c) != want {
			t.Errorf("addresses for %s: %s, %v", typed, all(c), err)
		}
	}
}

// TestNamedPlaces has places that a text names in words.
func TestNamedPlaces(t *testing.T) {
	lib := notes(t, "tea")
	n := lookup.NewNamer(lib)
	for named, want := range map[string]string{
		"tea, lines 2-3": "text://tea#lines=2-3", "tea, Zeile 2": "text://tea#lines=2-2", "tea, line 9": "text://tea",
		"tea, block 1": "text://tea", "tea, row 1": "text://tea", "tea#lines=2": "text://tea#lines=2-2", "tea, page 1": "text://tea", "tea, 0:10": "text://tea",
		"book, Costs!A1": "doc://book#sheet=Costs&cells=A1", "book, A1": "doc://book", "line 2 of tea": "text://tea#lines=2-2",
	} {
		if got := n.Address(t.Context(), named); got.String() != want {
			t.Errorf("%s: %s; want %s", named, got, want)
		}
	}
}

func TestNoText(t *testing.T) {
	for text, want := range map[string]string{
		"doc://a#pages=1": "it has no text, as in a scan", "text://a": "it has no text", "doc://a#sheet=S": "these cells have no text",
	} {
		if got := lookup.NoText(parse(t, text).Location); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestFromRoot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	roots := []string{filepath.FromSlash("/home/me/notes")}
	for path, want := range map[string]string{
		"a/b.txt": "a/b.txt", "/home/me/notes/a/b.txt": "a/b.txt", "file:///home/me/notes/a%20b.txt": "a b.txt", "/etc/passwd": "/etc/passwd",
	} {
		if got := lookup.FromRoot(roots, path); got != want {
			t.Errorf("%s: %s; want %s", path, got, want)
		}
	}
}
