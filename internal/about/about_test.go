package about_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/about"
)

func TestFacts(t *testing.T) {
	var f about.Facts
	f.AddAuthors(" Ada\nLovelace ", "Charles Babbage", "ada lovelace", "")
	f.AddKeywords("engine")
	f.AddKeywordList("maths, Engine;; cards")
	f.AddTime(time.Date(1843, 9, 1, 0, 0, 0, 0, time.UTC))
	f.AddDate("2024")
	got := make(map[string]any)
	f.Note(got)
	want := map[string]any{"author": "Ada Lovelace; Charles Babbage", "keywords": []any{"engine", "maths", "cards"}, "date": "1843-09-01"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	empty := make(map[string]any)
	new(about.Facts).Note(empty)
	if len(empty) > 0 {
		t.Errorf("nothing is known, and noted: %v", empty)
	}
}

func TestFactsBounded(t *testing.T) {
	var f about.Facts
	for i := range 10_000 {
		f.AddAuthors(strings.Repeat("x", 1000) + fmt.Sprint(i))
		f.AddKeywordList(fmt.Sprintf("a%d,b%d", i, i))
	}
	got := make(map[string]any)
	f.Note(got)
	if n := len(got["author"].(string)); n > 50*310 {
		t.Errorf("%d bytes of authors", n)
	}
	if n := len(got["keywords"].([]any)); n != 50 {
		t.Errorf("%d keywords", n)
	}
}

func TestTime(t *testing.T) {
	for date, want := range map[any]string{
		"2024-05-01": "2024-05-01T00:00:00Z", "2024": "2024-01-01T00:00:00Z", "2024-05-01T10:00:00+02:00": "2024-05-01T10:00:00+02:00",
		"2024-05-01 10:00": "2024-05-01T10:00:00Z", "May 2024": "", "": "", 2024: "", "2024-13-01": "",
	} {
		got, ok := about.Time(map[string]any{"date": date})
		if ok != (want != "") || ok && got.Format(time.RFC3339) != want {
			t.Errorf("%v: %v, %t; want %q", date, got, ok, want)
		}
	}
}

func TestCreated(t *testing.T) {
	for at, want := range map[string]string{
		"2025-02-16T14:32:10.5+01:00": "2025-02-16T13:32:10.5Z", "2025-02-16 14:32:10": "2025-02-16T14:32:10Z", "2025-02-16": "2025-02-16T00:00:00Z", "today": "", "": "",
	} {
		got, err := about.Created(at)
		if (err != nil) != (want == "") || err == nil && got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%q: %v, %v; want %s", at, got, err, want)
		}
	}
}
