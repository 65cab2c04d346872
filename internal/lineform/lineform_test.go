package lineform_test

import (
	"slices"
	"testing"

	"github.com/citekit/citekit/internal/lineform"
)

func TestOf(t *testing.T) {
	const r, e, p, b, h, c, u = lineform.Row, lineform.Entry, lineform.Prose, lineform.Blank, lineform.Heading, lineform.Cue, lineform.Rule
	for _, test := range []struct {
		text string
		want []lineform.Kind
	}{
		{"a,b,c\n1,\"2,3\",4\n5,\"6,7,8\",9\n", []lineform.Kind{r, r, r}},
		{"munin\t\t4949/tcp\tlrrd\t\t# Munin\nipp     631/tcp     # Printing\n", []lineform.Kind{r, r}},
		{"two columns\t only\n", []lineform.Kind{p}},
		{"2024-05-01 10:00:00 start\nsshd 2024-05-01 10:00:01: run\nMay  1 10:00:02 host up\n", []lineform.Kind{e, e, e}},
		{"127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.0\" 200 2326\nshop.example:80 ::1 - ann [01/Jan/2024:00:00:01 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"curl\"\n", []lineform.Kind{e, e}},
		{"See it in [10/Oct/2000] and above\n", []lineform.Kind{p}},
		{"1\n00:01 --> 00:02\nHello there\n\n", []lineform.Kind{c, c, p, b}},
		{"| a | b |\n|---|---|\n| 1 | 2 |\n", []lineform.Kind{r, u, r}},
		{"# Heading\n\nProse, with a comma, and more.\n", []lineform.Kind{h, b, p}},
	} {
		var got []lineform.Kind
		for _, l := range lineform.Of(test.text) {
			got = append(got, l.Kind)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %v, want %v", test.text, got, test.want)
		}
	}
}
