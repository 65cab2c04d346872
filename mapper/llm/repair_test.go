package llm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapper/llm"
)

func TestRepair(t *testing.T) {
	for _, test := range []struct{ name, answer, want string }{
		{"as it should be", `{"nodes":[]}`, `{"nodes":[]}`},
		{"byte order mark", "\ufeff{\"a\":1}", `{"a":1}`},
		{"fence", "```json\n{\"a\":1}\n```", `{"a":1}`},
		{"prose around", "Here is the map:\n\n{\"a\":1}\n\nI hope that helps {really}!", `{"a":1}`},
		{"braces in prose before", "The set {} is empty; see {x y}.\n```\n{\"a\":1}\n```", `{"a":1}`},
		{"thoughts", "<think>maybe {\"a\":0}?</think>{\"a\":1}", `{"a":1}`},
		{"trailing commas", `{"a":[1,2,],}`, `{"a":[1,2]}`},
		{"commas missing", `{"a":[{"b":1} {"b":2}] "c":3}`, `{"a":[{"b":1},{"b":2}],"c":3}`},
		{"line comment", "{\"a\":1, // one\n\"b\":2}", `{"a":1,"b":2}`},
		{"block comment", `{"a":/* one */1}`, `{"a":1}`},
		{"comment marks in a string", `{"a":"http://b/*c*/",}`, `{"a":"http://b/*c*/"}`},
		{"single quotes", `{'a':'it\'s "b"'}`, `{"a":"it's \"b\""}`},
		{"keys without quotes", `{a: 1, first_line: 2}`, `{"a":1,"first_line":2}`},
		{"words of Python", `{"a":None,"b":True,"c":NaN,"d":-Infinity}`, `{"a":null,"b":true,"c":null,"d":null}`},
		{"words", `{"a":None,"b":True,"c":NaN,"d":undefined}`, `{"a":null,"b":true,"c":null,"d":null}`},
		{"numbers", `{"a":[+1,.5,1.,007,1_000,+1e400]}`, `{"a":[1,0.5,1,7,1000,null]}`},
		{"line break in a string", "{\"a\":\"b\n\tc\"}", `{"a":"b\n\tc"}`},
		{"escapes that are none", `{"a":"\_b\x"}`, `{"a":"_bx"}`},
		{"value missing", `{"a":,"b":}`, `{"a":null,"b":null}`},
		{"bracket for brace", `{"a":[{"b":1],"c":2}`, `{"a":[{"b":1}],"c":2}`},
		{"bracket too many", `{"a":1]}`, `{"a":1}`},
		{"array", `[{"a":1},]`, `[{"a":1}]`},

		{"truncated in a node", `{"title":"T","nodes":[{"t":"A","lines":[1,5]},{"t":"B","lines":[6,`,
			`{"title":"T","nodes":[{"t":"A","lines":[1,5]}]}`},
		{"truncated after a member of a node", `{"nodes":[{"t":"A"},{"t":"B"`, `{"nodes":[{"t":"A"}]}`},
		{"truncated between nodes", `{"nodes":[{"t":"A"},`, `{"nodes":[{"t":"A"}]}`},
		{"truncated in a nested node", `{"nodes":[{"t":"A","lines":[1,9],"children":[{"t":"B"},{"t":"C`,
			`{"nodes":[{"t":"A","lines":[1,9],"children":[{"t":"B"}]}]}`},
		{"truncated after nested nodes", `{"nodes":[{"t":"A","children":[{"t":"B"}],"x":{"y"`,
			`{"nodes":[{"t":"A","children":[{"t":"B"}]}]}`},
		{"truncated in the title", `{"title":"T","nodes":[{"t`, `{"title":"T"}`},
		{"truncated in a fence", "```json\n{\"nodes\":[{\"t\":\"A\"},{\"t\":\"B\n", `{"nodes":[{"t":"A"}]}`},
		{"truncated number", `{"a":1,"b":23`, `{"a":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := llm.Repair([]byte(test.answer))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestRepairRefuses(t *testing.T) {
	for _, test := range []struct {
		name, answer string
		want         error
	}{
		{"nothing", "", citekit.ErrSyntax},
		{"prose", "I cannot do that.", citekit.ErrSyntax},
		{"a number", "42", citekit.ErrSyntax},
		{"an open brace", "{", citekit.ErrSyntax},
		{"too deep", strings.Repeat("[", 300) + strings.Repeat("]", 300), citekit.ErrTooLarge},
		{"too long", "[" + strings.Repeat(" ", 8<<20) + "]", citekit.ErrTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, _, err := llm.Repair([]byte(test.answer)); !errors.Is(err, test.want) {
				t.Errorf("got %s, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestRepairKeepsValidJSON(t *testing.T) {
	want := []byte(`{"b": [1, 2.50, "x"], "a": {"é": null}}`)
	got, changed, err := llm.Repair(want)
	if err != nil || changed || !bytes.Equal(got, want) {
		t.Errorf("got %s, %v, %v", got, changed, err)
	}
}

func FuzzRepair(f *testing.F) {
	for _, seed := range []string{
		`{"nodes":[{"title":"A","lines":[1,2],"children":[{"title":"B"}]}]}`,
		"```json\n{'a': [1,2,], // c\n b: NaN}\n```", `{"a":"\u12`, `[[{"a":[{`, `{"a":1]}}`, `{a:'b"\'c'`, "{\"a\":\"\xff\x01\\",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		got, _, err := llm.Repair(answer)
		if err != nil {
			if !errors.Is(err, citekit.ErrSyntax) && !errors.Is(err, citekit.ErrTooLarge) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		if !json.Valid(got) {
			t.Fatalf("not JSON: %q from %q", got, answer)
		}
		again, changed, err := llm.Repair(got)
		if err != nil || changed || !bytes.Equal(again, got) {
			t.Fatalf("repaired twice: %q, then %q, %v", got, again, err)
		}
	})
}
