package lineform_test

import (
	"fmt"
	"testing"

	"github.com/citekit/citekit/internal/lineform"
)

func TestFields(t *testing.T) {
	for row, want := range map[string][]string{
		"a,b\n":            {"a", "b"},
		"a,b\r\n":          {"a", "b"},
		"a,\"b\r\"\r\n":    {"a", "b\r"},
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

func TestColumn(t *testing.T) {
	header := []string{"name", "Name", " price ", "2", "", "price"}
	for name, want := range map[string]string{"name": "0 true", "Name": "1 true", "NAME": "0 false", "price": "5 true", "PRICE": "2 false", "2": "3 true", "3": "2 true", "7": "-1 false", "x": "-1 false"} {
		index, isUnique := lineform.Column(name, header)
		if got := fmt.Sprint(index, isUnique); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}
