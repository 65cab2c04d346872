package strictjson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/strictjson"
)

func scan(t *testing.T, text string) *strictjson.Scanner {
	t.Helper()
	s, err := strictjson.NewScanner([]byte(text))
	if err != nil {
		t.Fatalf("%.60s: %v", text, err)
	}
	return s
}

// TestErrorPaths checks that an error says where the value is, and what.
func TestErrorPaths(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":[{"b":"c"},{"b":5}]}`:         "a[1].b is a number, not a string",
		`{"a":[{"b":null}]}`:                "",
		`{"a":{}}`:                          "a is an object, not an array",
		`{"a":[true]}`:                      "a[0] is a boolean, not an object",
		`{"a":[{"b":"x","\u0062":"y"}]}`:    "a[0].b is given twice",
		`{"a":[], "a":[]}`:                  "a is given twice",
		`[]`:                                "it is an array, not an object",
		`{"a":[{"b":"c", "other": [1,2]}]}`: "a[0].other is not wanted",
	} {
		s := scan(t, text)
		err := s.Members(func(string) error {
			return s.Elements(func() error {
				return s.Members(func(key string) error {
					if key != "b" {
						return &strictjson.Error{Reason: "is not wanted"}
					}
					return s.Text(new(string))
				})
			})
		})
		if got := fmt.Sprint(err); got != want && (err != nil || want != "") {
			t.Errorf("%s: %s; want %q", text, got, want)
		}
	}
}

// TestMembersTwice gives a key twice among few and many others, and checks that
// many keys do not take time that grows with their square.
func TestMembersTwice(t *testing.T) {
	for _, n := range []int{1, 12, 13, 100_000} {
		for _, twice := range []int{0, n / 2, n - 1} {
			var b strings.Builder
			b.WriteByte('{')
			for i := range n {
				fmt.Fprintf(&b, `"k%d":0,`, i)
			}
			fmt.Fprintf(&b, `"k%d":0}`, twice)
			s := scan(t, b.String())
			err := s.Members(func(string) error { s.Skip(); return nil })
			if want := fmt.Sprintf("k%d is given twice", twice); err == nil || err.Error() != want {
				t.Errorf("%d keys: %v, want %s", n, err, want)
			}
		}
	}
}

// TestReaders checks what each method reads of a value, what it refuses, and that
// the scanner then stands behind what was read.
func TestReaders(t *testing.T) {
	readers := map[string]func(s *strictjson.Scanner) (any, error){
		"Text": func(s *strictjson.Scanner) (any, error) {
			field := "before"
			err := s.Text(&field)
			return field, err
		},
		"Name": func(s *strictjson.Scanner) (any, error) {
			field := "before"
			err := s.Name(&field)
			return field, err
		},
		"Number": func(s *strictjson.Scanner) (any, error) { return s.Number() },
		"Float":  func(s *strictjson.Scanner) (any, error) { return s.Float() },
		"Object": func(s *strictjson.Scanner) (any, error) {
			field := map[string]any{"before": true}
			err := s.Object(&field)
			return field, err
		},
		"Keep": func(s *strictjson.Scanner) (any, error) {
			var members map[string]json.RawMessage
			err := s.Keep(&members, "a")
			return string(members["a"]), err
		},
	}
	for _, test := range []struct {
		reader, value string
		want          any
		err           string
	}{
		{"Text", `"a\ud800b"`, "a\ufffdb", ""},
		{"Name", `"ä\ud83d\ude00\n"`, "ä😀\n", ""},
		{"Name", `null`, "before", ""},
		{"Name", `7`, nil, "it is a number, not a string"},
		{"Name", `"a\ud800b"`, nil, "it has half a surrogate pair, which is no character"},
		{"Number", `-1.50e+2`, "-1.50e+2", ""},
		{"Number", `"1"`, nil, "it is a string, not a number"},
		{"Number", `null`, nil, "it is null, not a number"},
		{"Float", `-1.50e+2`, -150.0, ""},
		{"Float", `false`, nil, "it is a boolean, not a number"},
		{"Float", `1e400`, nil, "it is too large a number"},
		{"Object", `{"a":[1.0,{"b":null}]}`, map[string]any{"a": []any{json.Number("1.0"), map[string]any{"b": nil}}}, ""},
		{"Object", `null`, map[string]any{"before": true}, ""},
		{"Object", `[]`, nil, "it is an array, not an object"},
		{"Object", `{"a":{"b":1,"b":2}}`, nil, "a.b is given twice"},
		{"Keep", `{"a" :[1]}`, `{"a" :[1]}`, ""},
	} {
		s := scan(t, "["+test.value+` , "next"]`)
		err := s.Elements(func() error {
			got, err := readers[test.reader](s)
			switch {
			case err != nil && (test.err == "" || err.Error() != test.err), err == nil && test.err != "":
				t.Errorf("%s of %s: %v, want %q", test.reader, test.value, err, test.err)
			case err == nil && !reflect.DeepEqual(got, test.want):
				t.Errorf("%s of %s is %#v, want %#v", test.reader, test.value, got, test.want)
			}
			if err != nil {
				return err
			}
			if next := s.Kind(); next != ',' {
				t.Errorf("%s of %s: %q comes next", test.reader, test.value, next)
			}
			return errStop
		})
		if test.err == "" && err != errStop {
			t.Errorf("%s of %s: %v, want the error of the caller as it is", test.reader, test.value, err)
		}
	}
}

var errStop = errors.New("stop")

func TestIsWholeText(t *testing.T) {
	for literal, want := range map[string]bool{
		`""`:                     true,
		`"ä😀\n\\ud800"`:          true, // an escaped backslash, then letters
		`"\u00e4\ud83d\ude00"`:   true,
		`"\ud83d"`:               false,
		`"\ud83dx"`:              false,
		`"\ud83d\ud83d\ude00"`:   false,
		`"\ud83d\n"`:             false,
		`"\ude00"`:               false,
		`"\ude00\ud83d"`:         false,
		"\"\xff\"":               false,
		`"\uD83D\uDE00 \ufffd"`:  true,
		`"\ud83d\ude00\ude00"`:   false,
		`"\ud83d\ude00\ud83dde"`: false,
	} {
		if got := strictjson.IsWholeText(literal); got != want {
			t.Errorf("IsWholeText(%s) = %v", literal, got)
		}
	}
}

func TestWhole(t *testing.T) {
	for literal, want := range map[string]int{
		"0": 0, "-0": 0, "-7": -7, "12.0": 12, "1e3": 1000, "9007199254740993": 9007199254740993, "9007199254740992.0": 1 << 53,
	} {
		if got, ok := strictjson.Whole(literal); !ok || got != want {
			t.Errorf("Whole(%s) = %d, %v; want %d", literal, got, ok, want)
		}
	}
	for _, literal := range []string{"1.5", "1e-1", "1e400", "9223372036854775807", "9223372036854775808", "1e18", "-1e18"} {
		if got, ok := strictjson.Whole(literal); ok {
			t.Errorf("Whole(%s) = %d", literal, got)
		}
	}
}

// FuzzValue compares with encoding/json what has no key twice.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"b",{"c":null}],"d":-1e5}`, `[[],{}]`, `"\ud800"`, `{"a":1,"a":2}`, "true", " null "} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := strictjson.NewScanner(data)
		if err != nil {
			return
		}
		got, err := s.Value()
		if err != nil {
			if twice := new(strictjson.Error); !errors.As(err, &twice) || twice.Reason != "is given twice" {
				t.Errorf("%q: %v", data, err)
			}
			return
		}
		decoder := json.NewDecoder(strings.NewReader(strings.TrimPrefix(string(data), "\ufeff")))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %#v, want %#v", data, got, want)
		}
	})
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"[1,2.0,3e2]": "[1 2 300]", "[]": "[]", "[0]": "page 0; pages are whole numbers from 1", "[1.5]": "page 1.5;", `["1"]`: "is a string, not a number", "1": "is a number, not an array",
	} {
		s, err := strictjson.NewScanner([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		counts, err := s.Counts("page")
		if err == nil && fmt.Sprint(counts) != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %s", text, counts, err, want)
		}
	}
	s, err := strictjson.NewScanner([]byte("[0.5, -1]"))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := s.Floats(); err != nil || fmt.Sprint(v) != "[0.5 -1]" {
		t.Errorf("%v, %v", v, err)
	}
}
