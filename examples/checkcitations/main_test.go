package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/verify"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("kettle.txt", "The kettle must be cleaned weekly.\nDo not use chalk in the kettle.\n")
	write("good.md", "It says “Do not use chalk” [text://kettle#lines=2]. Chalk is bad text://kettle#lines=2.\n")
	for _, c := range []struct {
		name, text string
		strict     bool
		hold       bool
		want       string
	}{
		{"all hold", "Nothing.\n", false, true, ""},
		{"strict", "Nothing.\n", true, false, "good.md:1: text://kettle#lines=2: unquoted"},
		{"altered", "One.\n\nIt says “Do use chalk in the kettle” [text://kettle#lines=2].\n", false, false, "bad.md:3: text://kettle#lines=2: altered \"Do use chalk in the kettle\"\n\tit has"},
		{"gone", "So “it is” [text://none].\n", false, false, "no resource 'none'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			write("bad.md", c.text)
			var out strings.Builder
			hold, err := check(t.Context(), &out, dir, &verify.TextOptions{Strict: c.strict})
			if err != nil || hold != c.hold || !strings.Contains(out.String(), c.want) {
				t.Errorf("%t, %v: %s", hold, err, out.String())
			}
		})
	}
	write("damaged.pdf", "%PDF-1.4\n")
	var out strings.Builder
	if hold, err := check(t.Context(), &out, dir, nil); err != nil || hold || !strings.Contains(out.String(), `"damaged.pdf" cannot be mapped: `) {
		t.Errorf("%t, %v: %s", hold, err, out.String())
	}
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "a.md"), []byte("It says “so”.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if hold, err := check(t.Context(), &out, empty, nil); err != nil || hold || !strings.HasPrefix(out.String(), "nothing was checked") {
		t.Errorf("%t, %v: %s", hold, err, out.String())
	}
	if _, err := check(t.Context(), os.Stdout, filepath.Join(dir, "none"), nil); err == nil {
		t.Error("a folder that is not there has citations that hold")
	}
}
