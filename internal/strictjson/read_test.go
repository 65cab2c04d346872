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
