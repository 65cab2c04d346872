package strictjson_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/strictjson"
)

// members returns the keys of an object as they stand, and the raw values, up to
// a key that is given twice.
func members(s *strictjson.Scanner) (keys, values []string) {
	_ = s.Members(func(key string) error {
		keys, values = append(keys, key), append(values, s.Skip())
		return nil
	})
	return keys, values
}

func TestScanner(t *testing.T) {
	s, err := strictjson.NewScanner([]byte("\ufeff {\"a\" : 1, \"A\":\"}\\\"\", \"aa\":[{},[2]] ,\"\\u0062\":null}"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Kind() != '{' {
		t.Errorf("Kind = %q", s.Kind())
	}
	start := s.Pos()
	keys, values := members(s)
	if want := []string{"a", "A", "aa", "b"}; !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	if want := []string{"1", `"}\""`, "[{},[2]]", "null"}; !slices.Equal(values, want) {
		t.Errorf("values %q, want %q", values, want)
	}
	s.Reset(start)
	if again, _ := members(s); !slices.Equal(again, keys) {
		t.Errorf("after Reset: %q", again)
	}
	for text, want := range map[string]string{
		"": "empty; a JSON object was expected", "\xff": "not UTF-8", "{\n \"a\" 1}": "line 2, column 6",
	} {
		if _, err := strictjson.NewScanner([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := strictjson.NewScanner([]byte(strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000))); !errors.Is(err, strictjson.ErrDepth) {
		t.Errorf("deep nesting: %v", err)
	}
}

func TestWriter(t *testing.T) {
	w := new(strictjson.Writer)
	w.Open()
	w.Text("a", "x<\"é")
	w.Optional("none", "")
	w.Optional("some", "y")
	w.Value("n", []int{1, 2})
	w.Extras(map[string]json.RawMessage{"z": []byte("null"), "b": []byte("1")})
	w.Close()
	want := `{"a":"x\u003c\"é","some":"y","n":[1,2],"b":1,"z":null}`
	if w.String() != want || w.Err != nil {
		t.Errorf("wrote %s, %v; want %s", w.String(), w.Err, want)
	}
	w = new(strictjson.Writer)
	w.Value("f", func() {})
	if w.Err == nil {
		t.Error("a function was encoded")
	}
}

func FuzzScanner(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"b",{"c":null}],"d":-1e5}`, `[]`, `"\ud800"`, `{"":""}`, " 1 ", `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := strictjson.NewScanner(data)
		if err != nil {
			return
		}
		value := s.Skip()
		if !json.Valid([]byte(value)) {
			t.Fatalf("Skip of %q gives %q", data, value)
		}
		s.Reset(0)
		switch s.Kind() {
		case '{':
			_, values := members(s)
			for _, v := range values {
				if !json.Valid([]byte(v)) {
					t.Errorf("a member of %q is %q", data, v)
				}
			}
		case '[':
			var list []json.RawMessage
			if err := json.Unmarshal([]byte(value), &list); err != nil {
				t.Fatal(err)
			}
			n := 0
			_ = s.Elements(func() error { n++; s.Skip(); return nil })
			if n != len(list) {
				t.Errorf("%q has %d elements, not %d", data, len(list), n)
			}
		case '"':
			var want string
			if err := json.Unmarshal([]byte(value), &want); err != nil {
				t.Fatal(err)
			}
			if got := s.Quoted(); got != want && strings.ToValidUTF8(got, "\ufffd") != want {
				t.Errorf("%q is %q, want %q", data, got, want)
			}
		}
	})
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"x#a=1\u0026b=2"}`:                 `{"a":"x#a=1&b=2"}`,
		`["\u003ci\u003e","\\u0026","\\\u0026"]`: `["<i>","\\u0026","\\&"]`,
		`"\u00e4 \u0000 \" \n"`:                  `"\u00e4 \u0000 \" \n"`,
		`{}`:                                     `{}`,
		`\u0026\`:                                `&\`,
	} {
		if got := string(strictjson.Plain([]byte(in))); got != want {
			t.Errorf("%s became %s; want %s", in, got, want)
		}
	}
}
