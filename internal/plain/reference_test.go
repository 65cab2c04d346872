package plain_test

import (
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/plain"
)

func TestReference(t *testing.T) {
	for text, want := range map[string]string{
		"&amp; loss": "&", "&lt;b": "<", "&gt;": ">", "&quot;": `"`, "&#39;s": "'", "&#x26;": "&", "&eacute;": "é", "&nbsp;": "\u00a0", "&semi;": ";", "&amp;amp;": "&",
		"": "", "&": "", "& loss;": "", "&amp": "", "&ampere;": "", "&unknown;": "", "&#0;": "", "&#7;": "", "&#;": "", "&;": "", "a&amp;": "", "&#xD800;": "", "R&D;": "",
	} {
		meant, length := plain.Reference(text)
		if meant != want || (length > 0) != (want != "") {
			t.Errorf("Reference(%q) = %q, %d; want %q", text, meant, length, want)
		}
	}
}

func FuzzReference(f *testing.F) {
	f.Add("&amp; loss")
	f.Fuzz(func(t *testing.T, text string) {
		meant, length := plain.Reference(text)
		if length < 0 || length > len(text) || (length > 0) != (meant != "") || !utf8.ValidString(meant) {
			t.Errorf("Reference(%q) = %q, %d", text, meant, length)
		}
	})
}
