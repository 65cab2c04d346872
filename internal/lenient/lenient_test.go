package lenient_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/lenient"
)

func TestValues(t *testing.T) {
	type number struct {
		n  float64
		ok bool
	}
	none := number{}
	for _, test := range []struct {
		v      any
		text   string
		number number
		whole  bool
	}{
		{"a text", "a text", none, false},
		{"", "", none, false},
		{json.Number("12"), "12", number{12, true}, true},
		{json.Number("12.0"), "12", number{12, true}, true},
		{json.Number("12.50"), "12.50", number{12.5, true}, false},
		{json.Number("1e3"), "1e3", number{1000, true}, true},
		{json.Number("1e400"), "1e400", none, false},
		{json.Number("-7"), "-7", number{-7, true}, true},
		{"12", "12", number{12, true}, true},
		{" 12 ", " 12 ", number{12, true}, true},
		{"12.0", "12.0", number{12, true}, true},
		{"+5", "+5", number{5, true}, true},
		{"12.5", "12.5", number{12.5, true}, false},
		{"2147483647", "2147483647", number{math.MaxInt32, true}, true},
		{"2147483648", "2147483648", number{math.MaxInt32 + 1, true}, false},
		{"1-2", "1-2", none, false},
		{"0x10", "0x10", none, false},
		{"1_000", "1_000", none, false},
		{"1,5", "1,5", none, false},
		{"NaN", "NaN", none, false},
		{"inf", "inf", none, false},
		{"١٢", "١٢", none, false},
		{int64(9), "9", number{9, true}, true},
		{3.0, "3", number{3, true}, true},
		{3.5, "3.5", number{3.5, true}, false},
		{math.NaN(), "", none, false},
		{math.Inf(1), "", none, false},
		{nil, "", none, false},
		{true, "", none, false},
		{[]any{"1"}, "", none, false},
		{map[string]any{}, "", none, false},
	} {
		if got := lenient.Text(test.v); got != test.text {
			t.Errorf("Text(%#v) = %q, want %q", test.v, got, test.text)
		}
		n, ok := lenient.Number(test.v)
		if ok != test.number.ok || ok && n != test.number.n {
			t.Errorf("Number(%#v) = %v, %v, want %v", test.v, n, ok, test.number)
		}
		whole, ok := lenient.Whole(test.v)
		if ok != test.whole || ok && float64(whole) != test.number.n {
			t.Errorf("Whole(%#v) = %d, %v", test.v, whole, ok)
		}
	}
}

func TestFirst(t *testing.T) {
	object := map[string]any{"null": nil, "a": "1", "b": "2"}
	if got := lenient.First(object, "none", "null", "b", "a"); got != "2" {
		t.Errorf("got %v", got)
	}
	if got := lenient.First(object, "none", "null"); got != nil {
		t.Errorf("got %v", got)
	}
	if got := lenient.First(nil, "a"); got != nil {
		t.Errorf("got %v of no object", got)
	}
}

// FuzzValues checks that what is a number to JSON is the same number here,
// and that it stays the same as a text.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{"12", "-0.50", `"3.0"`, "1e-7", `"1e309"`, "null", `["1"]`, `"\u0000"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		decoder := json.NewDecoder(strings.NewReader(string(data)))
		decoder.UseNumber()
		var v any
		if decoder.Decode(&v) != nil {
			return
		}
		text := lenient.Text(v)
		n, ok := lenient.Number(v)
		if !utf8.ValidString(text) || ok && (math.IsNaN(n) || math.IsInf(n, 0)) {
			t.Errorf("%q: %q, %v", data, text, n)
		}
		if again, okAgain := lenient.Number(text); okAgain != ok || again != n {
			t.Errorf("%q: %v, %v, and as the text %q %v, %v", data, n, ok, text, again, okAgain)
		}
		var plain float64
		if _, isNumber := v.(json.Number); isNumber && json.Unmarshal([]byte(strings.TrimSpace(v.(json.Number).String())), &plain) == nil && plain != n {
			t.Errorf("%q: %v, want %v", data, n, plain)
		}
		if whole, isWhole := lenient.Whole(v); isWhole && float64(whole) != n {
			t.Errorf("%q: %d, want %v", data, whole, n)
		}
	})
}
