package code

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
)

type devSymbol struct {
	Kind, Name  string
	First, Last int
	Damaged     bool
}
type devFile struct {
	Lang, Path string
	Broken     bool
	Symbols    []devSymbol
}

func devGroup(k string) string {
	switch k {
	case "function", "method":
		return "f"
	case "impl":
		return "i"
	case "namespace", "module":
		return "n"
	}
	return "t"
}

func TestDev(t *testing.T) {
	path := os.Getenv("DEV")
	if path == "" {
		t.Skip("no DEV")
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	show := os.Getenv("SHOW") != ""
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<26)
	var want, got, match, first, last, exact, files, broken, size int
	var spent time.Duration
	for sc.Scan() {
		var o devFile
		if err := json.Unmarshal(sc.Bytes(), &o); err != nil {
			t.Fatal(err)
		}
		if o.Broken && os.Getenv("BROKEN") == "" {
			broken++
			continue
		}
		files++
		src, _ := os.ReadFile(o.Path)
		src = []byte(strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n"), "\r", "\n"))
		size += len(src)
		start := time.Now()
		found, err := scan(context.Background(), Language(o.Lang), src)
		for i, f := range found.symbols {
			found.symbols[i].title = f.name + "§" + f.title
		}
		st := nodes(src, found.symbols)
		spent += time.Since(start)
		if err != nil {
			t.Fatal(err)
		}
		var ours []devSymbol
		var walk func(ns []*citekit.Node)
		walk = func(ns []*citekit.Node) {
			for _, n := range ns {
				ours = append(ours, devSymbol{Kind: n.Type, Name: strings.Join(strings.Fields(n.Title), " "), First: n.Location.Lines.First, Last: n.Location.Lines.Last})
				walk(n.Children)
			}
		}
		walk(st)
		if os.Getenv("BROKEN") != "" {
			whole := o.Symbols[:0]
			for _, w := range o.Symbols {
				if !w.Damaged {
					whole = append(whole, w)
				}
			}
			if !o.Broken {
				continue
			}
			o.Symbols = whole
		}
		want += len(o.Symbols)
		got += len(ours)
		used := make([]bool, len(ours))
		for _, w := range o.Symbols {
			best := -1
			for i, g := range ours {
				if used[i] || !sameName(g, w) || devGroup(g.Kind) != devGroup(w.Kind) {
					continue
				}
				if g.First > w.Last || g.Last < w.First {
					continue
				}
				if best < 0 || abs(g.First-w.First) < abs(ours[best].First-w.First) {
					best = i
				}
			}
			if best < 0 {
				if show {
					fmt.Printf("MISSING %s:%d-%d %s %s\n", o.Path, w.First, w.Last, w.Kind, w.Name)
				}
				continue
			}
			used[best] = true
			match++
			g := ours[best]
			if g.First == w.First {
				first++
			}
			if g.Last == w.Last {
				last++
			}
			if g.First == w.First && g.Last == w.Last {
				exact++
			} else if show {
				fmt.Printf("LINES %s:%d-%d ours %d-%d %s %s\n", o.Path, w.First, w.Last, g.First, g.Last, w.Kind, w.Name)
			}
		}
		if show {
			for i, g := range ours {
				if !used[i] {
					fmt.Printf("EXTRA %s:%d-%d %s %s\n", o.Path, g.First, g.Last, g.Kind, g.Name)
				}
			}
		}
	}
	fmt.Printf("SUM %s files %d (broken %d) want %d got %d recall %.4f precision %.4f first %.4f last %.4f recall&last %.4f exact %.4f  %.0f MB/s\n", path, files, broken, want, got,
		float64(match)/float64(want), float64(match)/float64(got), float64(first)/float64(match), float64(last)/float64(match), float64(last)/float64(want), float64(exact)/float64(want), float64(size)/1e6/spent.Seconds())
}

func sameName(g, w devSymbol) bool {
	if devGroup(w.Kind) == "i" {
		return true
	}
	name, title, _ := strings.Cut(g.Name, "§")
	b := strip(w.Name)
	return strip(name) == b || strip(title) == b || strings.EqualFold(strip(title), b) && devFold
}

func strip(s string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch r {
		case '<':
			depth++
			return -1
		case '>':
			depth--
			return -1
		case ' ', '`':
			return -1
		}
		if depth > 0 {
			return -1
		}
		return r
	}, s)
}

func abs(x int) int { return max(x, -x) }

var devFold = strings.Contains(os.Getenv("DEV"), "sql")
