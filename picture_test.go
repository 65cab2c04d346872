package citekit_test

import (
	"flag"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

var update = flag.Bool("update", false, "draw the picture of the rooms in docs/design.md again")

//go:generate go test . -run TestPictureOfRooms -update

// TestPictureOfRooms compares the picture in docs/design.md with what imports what.
func TestPictureOfRooms(t *testing.T) {
	sharedtest.Once(t)
	const page, begin, end = "docs/design.md", "```mermaid\n", "```\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no picture", page)
	}
	want := drawRooms(roomImports(t))
	if n := strings.Count(want, "-->"); n < 15 {
		t.Fatalf("only %d arrows:\n%s", n, want)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the picture in %s is not of these imports (-want +got); go generate . draws it:\n%s", page, diff)
	}
}

// roomOf returns the public room that a package belongs to, the first folder of
// its path, or "" if it is internal or no part of the library and the command.
func roomOf(importPath string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
	first, _, _ := strings.Cut(rest, "/")
	switch first {
	case "":
		return "citekit"
	case "cmd":
		return "cmd"
	case "internal", "examples":
		return ""
	}
	if strings.HasSuffix(path.Base(rest), "test") {
		return "" // a suite
	}
	return first
}

// roomImports returns which rooms each room imports, also by way of internal
// packages.
func roomImports(t *testing.T) map[string]map[string]bool {
	t.Helper()
	imports := make(map[string][]string)
	for _, p := range listPackages(t) {
		imports[p.ImportPath] = p.Imports
	}
	rooms := make(map[string]map[string]bool)
	for from := range imports {
		room := roomOf(from)
		if room == "" {
			continue
		}
		if rooms[room] == nil {
			rooms[room] = make(map[string]bool)
		}
		seen := make(map[string]bool)
		for next := slices.Clone(imports[from]); len(next) > 0; {
			name := next[len(next)-1]
			next = next[:len(next)-1]
			if imports[name] == nil || seen[name] {
				continue // another's, or known
			}
			seen[name] = true
			switch to := roomOf(name); to {
			case "":
				next = append(next, imports[name]...)
			case room:
			default:
				rooms[room][to] = true
			}
		}
	}
	return rooms
}

// drawRooms returns arrows from each room to those that it imports, without those
// that are imported by way of another one.
func drawRooms(rooms map[string]map[string]bool) string {
	var picture strings.Builder
	picture.WriteString("flowchart TD\n")
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		for _, to := range slices.Sorted(maps.Keys(rooms[room])) {
			indirect := false
			for by := range rooms[room] {
				indirect = indirect || by != to && reaches(rooms, by, to, map[string]bool{room: true})
			}
			if !indirect {
				picture.WriteString("  " + room + " --> " + to + "\n")
			}
		}
	}
	return picture.String()
}

// reaches reports whether a room imports another, directly or not, without going
// through those that were seen.
func reaches(rooms map[string]map[string]bool, from, to string, seen map[string]bool) bool {
	if rooms[from][to] {
		return true
	}
	seen[from] = true
	for by := range rooms[from] {
		if !seen[by] && reaches(rooms, by, to, seen) {
			return true
		}
	}
	return false
}

func TestDrawRooms(t *testing.T) {
	got := drawRooms(map[string]map[string]bool{
		"cmd":    {"search": true, "texts": true, "root": true, "other": true},
		"search": {"texts": true, "root": true},
		"texts":  {"root": true},
		"other":  {"back": true},
		"back":   {"other": true}, // rooms, unlike packages, may go in circles
	})
	want := "flowchart TD\n  back --> other\n  cmd --> other\n  cmd --> search\n  other --> back\n  search --> texts\n  texts --> root\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
