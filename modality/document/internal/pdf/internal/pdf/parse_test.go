package pdf

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestObject(t *testing.T) {
	for text, want := range map[string]Object{
		"null":                 nil,
		"true":                 true,
		"-17":                  int64(-17),
		"+3":                   int64(3),
		"0.50":                 Real("0.50"),
		"-.5":                  Real("-.5"),
		"--5":                  Real("--5"),
		"99999999999999999999": Real("99999999999999999999"),
		"/Name":                Name("Name"),
		"/A#42#20C":            Name("AB C"),
		"/A#4":                 Name("A#4"),
		"/":                    Name(""),
		"(a(b)c)":              String("a(b)c"),
		`(\n\)\101\7x\
y)`: String("\n)A\ax" + "y"),
		"(a\r\nb\rc)":                      String("a\nb\nc"),
		"<48 65 6C6>":                      String("Hel`"),
		"<>":                               String(""),
		"[1 2 R]":                          nil, // an error, see below
		"[1 0 R 2]":                        Array{Ref{1, 0}, int64(2)},
		"[1 2 3]":                          Array{int64(1), int64(2), int64(3)},
		"[1 2 true]":                       Array{int64(1), int64(2), true},
		"[99999999 0 R]":                   Array{nil},
		"[]":                               Array{},
		"<< /A 1 /B null /C << >> >>":      Dict{"A": int64(1), "C": Dict{}},
		"<</A/B/C(d)/E[1]/F<41>/G 1 0 R>>": Dict{"A": Name("B"), "C": String("d"), "E": Array{int64(1)}, "F": String("A"), "G": Ref{1, 0}},
		"% comment\n [ % in\r 1 ]":         Array{int64(1)},
		"<< /A >>":                         Dict{},
	} {
		p := &parser{data: []byte(text)}
		got, err := p.object()
		if text == "[1 2 R]" {
			if diff := cmp.Diff(Object(Array{Ref{1, 2}}), got); diff != "" {
				t.Errorf("%s: %s", text, diff)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestObjectErrors(t *testing.T) {
	for _, text := range []string{"", "]", ">>", "[1", "<< /A 1", "<< 1 2 >>", "(a", "<4", "<4x>", "frob", "R", "{", "<< /A 1 >"} {
		p := &parser{data: []byte(text)}
		if o, err := p.object(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%q: got %v, %v", text, o, err)
		}
		p = &parser{data: []byte(text), more: true}
		if o, err := p.object(); err == nil {
			t.Errorf("%q with more to come: got %v", text, o)
		}
	}
}

// TestObjectInPieces cuts an object anywhere: the parser must ask for more.
func TestObjectInPieces(t *testing.T) {
	const text = "<< /Name#20 [1 0 R -2.5 true (s(t)\\101) <4142>] /B null /C 12 /D 1 0 R /E /F >> "
	p := &parser{data: []byte(text)}
	want, err := p.object()
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(text) - 1 {
		p := &parser{data: []byte(text[:n]), more: true}
		got, err := p.object()
		if err == nil && !cmp.Equal(want, got) {
			t.Errorf("cut to %q: got %v", text[:n], got)
		}
		if err != nil && !errors.Is(err, errShort) && p.pos < n-1 {
			t.Errorf("cut to %q: %v at %d", text[:n], err, p.pos)
		}
	}
}

func TestDepth(t *testing.T) {
	for _, open := range []string{"[", "<< /A "} {
		p := &parser{data: []byte(strings.Repeat(open, 1<<20))}
		if _, err := p.object(); !errors.Is(err, ErrLimit) {
			t.Errorf("%q nested deeply: %v", open, err)
		}
	}
}

func FuzzObject(f *testing.F) {
	for _, seed := range []string{"<< /A [1 0 R (x\\)) <41>] >>", "[[[", "-1.5", "/#41", "1 0 R", "(\\1", "%\n1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		whole := &parser{data: data}
		o, err := whole.object()
		if whole.pos > len(data) {
			t.Fatalf("read to %d of %d", whole.pos, len(data))
		}
		if err == nil && whole.pos < len(data) {
			again := &parser{data: data, more: true}
			if p, err := again.object(); err == nil && !cmp.Equal(o, p) {
				t.Fatalf("got %v, with more to come %v", o, p)
			}
		}
	})
}
