package pathpattern_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/pathpattern"
)

func ExampleMatch() {
	fmt.Println(pathpattern.Match("talks/**/*.pptx", "talks/2024/May/first.pptx"))
	fmt.Println(pathpattern.Match(`talks \[2024\]/*`, "talks [2024]/first.pptx"))
	// Output:
	// true
	// true
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"a/**", "a/b", true},
		{"a/**", "a/b/c.txt", true},
		{"a/**", "a", false},
		{"a/**/c.txt", "a/c.txt", true},
		{"**/c.txt", "c.txt", true},
		{"a/*", "a/b/c", false},
		{"b?cher", "bücher", true},
		{"b??cher", "bücher", false},
		{"[ä-ö]l", "öl", true},
		{"[!a]", "b", true},
		{"[[]x]", "[x]", true},
		{`\*`, "a", false},
		{`\*`, "*", true},
		{"a[", "a[", false},
		{"?", "\xff", true},
		{"\xff", "\xff", true},
		{"�", "\xff", false},
		{"/a/*", "/a/b", true},
	} {
		if got := pathpattern.Match(c.pattern, c.name); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.name, got)
		}
	}
	if pathpattern.GitMatch([]string{"?"}, []string{"ü"}) || !pathpattern.GitMatch([]string{"??"}, []string{"ü"}) {
		t.Error("git compares bytes")
	}
}

func TestValid(t *testing.T) {
	for pattern, want := range map[string]bool{
		"": true, "*": true, "[a-z]/**": true, "[]a]": true, `\[`: true, "a]": true, "[!x]y": true, "[[:alpha:]]": true,
		"[": false, "a/[b": false, "[a/b]": false, "[]": false, `a\`: false, "[!": false, `[\]`: false,
	} {
		if got := pathpattern.Valid(pattern); got != want {
			t.Errorf("%q is valid: %v", pattern, got)
		}
	}
}

func TestLiteral(t *testing.T) {
	there := func(name string) bool {
		return name == "a [1]" || name == "a [1]/b*" || name == "/x [2]"
	}
	for pattern, want := range map[string]string{
		"a [1]":       `a \[1]`,
		"a [1]/*.txt": `a \[1]/*.txt`,
		"a [1]/b*":    `a \[1]/b\*`,
		"a [1]/b*/**": `a \[1]/b\*/**`,
		"a [2]/*":     "a [2]/*",
		"/x [2]/**":   `/x \[2]/**`,
	} {
		if got := pathpattern.Literal(pattern, there); got != want {
			t.Errorf("%s becomes %s, want %s", pattern, got, want)
		}
	}
}

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		folder, name string
		want         bool
	}{
		{"a", "a/b", true},
		{"a", "a/b/c", true},
		{"a", "a", false},
		{"a*", "ab/c", true},
		{"**/b", "x/y/b/c/d", true},
		{"**/b", "x/y/b", false},
	} {
		if got := pathpattern.Below(c.folder, c.name); got != c.want {
			t.Errorf("%s is below %s: %v", c.name, c.folder, got)
		}
	}
}

// FuzzMatch compares with path.Match, which has the same meaning for valid UTF-8
// without "**" and ranges.
func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{{"a*b?[c-e]", "axbyd"}, {`\[x\]/*`, "[x]/y"}, {"ü[^ä]", "üö"}, {"[", "["}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		got := pathpattern.Match(pattern, name)
		if got && !pathpattern.Valid(pattern) {
			t.Fatalf("%q is not valid and matches %q", pattern, name)
		}
		literal := pathpattern.Literal(pattern, func(string) bool { return true })
		if !strings.Contains("/"+pattern+"/", "/**/") && !pathpattern.Match(literal, pattern) {
			t.Fatalf("%q, the literal form of %q, does not match it", literal, pattern)
		}
		if strings.ToValidUTF8(pattern+name, "") != pattern+name || strings.Contains(pattern, "**") || strings.Contains(pattern, "[") {
			return
		}
		if want, err := path.Match(pattern, name); err == nil && want != got {
			t.Fatalf("%q matches %q: %v, want %v", pattern, name, got, want)
		}
	})
}
