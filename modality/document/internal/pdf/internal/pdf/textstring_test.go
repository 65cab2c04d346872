package pdf_test

import (
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

func TestText(t *testing.T) {
	for in, want := range map[pdf.String]string{
		"":                            "",
		"plain \xe9":                  "plain é",
		"\x80 \x93fi\x94 \xa0 \x18":   "• ﬁfiﬂ € ˘",
		"\xad\x7f":                    "\ufffd\ufffd",
		"\xfe\xff\x00A\x20\xac":       "A€",
		"\xfe\xff\xd8\x3c\xdf\x08":    "🌈",
		"\xfe\xff\xd8\x3c":            "\ufffd",
		"\xfe\xff\x00A\x00":           "A",
		"\xff\xfeA\x00\xac\x20":       "A€",
		"\xef\xbb\xbf🌈 é":             "🌈 é",
		"\xef\xbb\xbf\xff":            "\ufffd",
		"\xef\xbb\xbf\x1ben-US\x1bhi": "hi",
		"\xfe\xff\x00\x1b\x00d\x00e\x00\x1b\x00x":   "x",
		"\xef\xbb\xbf\x1bno language, but long\x1b": "\x1bno language, but long\x1b",
		"\xef\xbb\xbfa\x1b":                         "a\x1b",
	} {
		if got := in.Text(); got != want {
			t.Errorf("%q: got %q, want %q", string(in), got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("\xfe\xff\x00A\xd8\x3c")
	f.Add("\xef\xbb\xbf\x1ben\x1bx")
	f.Add("\x18\x80\xad")
	f.Fuzz(func(t *testing.T, s string) {
		if got := pdf.String(s).Text(); !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
	})
}
