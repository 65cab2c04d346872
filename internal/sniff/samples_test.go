package sniff_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/internal/test/snifftest"
)

func TestSamples(t *testing.T) {
	for _, s := range snifftest.All() {
		for _, name := range []string{"", "lie.pdf", "lie.mp3", "lie.MP4", "lie.png", "lie.txt"} {
			kind, f, err := sniff.Classify(s.Reader(), int64(len(s.Data)), name)
			if err != nil {
				t.Fatal(err)
			}
			if s.ID == "" && name != "" && name != "lie.txt" {
				if kind != sniff.ByName(name) {
					t.Errorf("%s named %s: %s, where only the name says something", s.Name, name, kind)
				}
				continue
			}
			lies := f.Kind == sniff.Timed && (name == "lie.mp3" || name == "lie.MP4") // the tracks may be missing
			if f.ID != s.ID || kind != s.Kind && !lies {
				t.Errorf("%s named %q: %q, %s; want %q, %s", s.Name, name, f.ID, kind, s.ID, s.Kind)
			}
		}
	}
}

func TestOffice(t *testing.T) {
	for _, s := range snifftest.All() {
		f, err := sniff.Detect(s.Reader(), int64(len(s.Data)))
		if err != nil {
			t.Fatal(err)
		}
		got, want := sniff.Office(f, "report.doc"), ""
		switch s.ID {
		case "ole", "":
			want = "DOC"
		case "doc", "xls", "ppt", "msg", "xlsb", "mobi", "djvu", "rtf", "ps":
			want = f.Office
			if want == "" {
				t.Errorf("%s has no office format", s.ID)
			}
		}
		if got != want {
			t.Errorf("%s named report.doc is %q, want %q", s.Name, got, want)
		}
		if err := sniff.Refusal(f, "report.doc"); (err != nil) != (want != "") || err != nil && strings.Contains(err.Error(), "as :") {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}
