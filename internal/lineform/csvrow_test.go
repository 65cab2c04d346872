package lineform_test

import (
	"fmt"
	"testing"

	"github.com/citekit/citekit/internal/lineform"
)

func TestFields(t *testing.T) {
	for row, want := range map[string][]string{
		"a,b\n":            {"a", "b"},
		`"a,""b""",c"d",`:  {`a,"b"`, `c"d"`, ""},
		"":                 {""},
		"\"two\nlines\",2": {"two\nlines", "2"},
	} {
		if got := lineform.Fields([]byte(row), ','); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%q is %q, want %q", row, got, want)
		}
	}
	if got := lineform.FieldValue("\"a \"\"b\"\"\n\x00\""); got != "a \"b\"\n\x00" {
		t.Errorf("the value is %q", got)
	}
}

func TestDelimiter(t *testing.T) {
	for sample, want := range map[string]byte{"a;b\n1,5;2\n": ';', "a\tb, c\n1\t2\n": '\t', "a,b;c\n": ',', "word\n": ',', "": ','} {
		if got := lineform.Delimiter([]byte(sample)); got != want {
			t.Errorf("%q has %q, want %q", sample, got, want)
		}
	}
}
