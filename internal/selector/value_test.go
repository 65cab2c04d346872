package selector_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/selector"
	"github.com/citekit/citekit/internal/strictjson"
)

type (
	run  struct{ First, Last int }
	cell struct{ Col, Row int32 }
)

// fresh returns new values by the names of their selectors.
func fresh() map[string]selector.Value {
	return map[string]selector.Value{
		"member": selector.Member{Name: new(selector.Name)}, "message": new(selector.Number), "part": new(selector.Part),
		"sheet": new(selector.Name), "pages": new(selector.Pages[run]), "blocks": new(selector.Run),
		"cells": new(selector.Cells[cell]), "cols": new(selector.Columns), "t": new(selector.Span),
		"lines": selector.Lines{Run: new(selector.Run)}, "bbox": new(selector.Box),
	}
}

// TestForms reads each value from text, writes it, and reads its JSON.
func TestForms(t *testing.T) {
	for _, test := range []struct{ name, text, canonical, json string }{
		{"member", "a/b%20c.zip!/d", "a/b%20c.zip!/d", `{"member":"a/b c.zip!/d"}`},
		{"message", "3", "3", `{"message":3}`},
		{"part", "4-6", "4-6", `{"part":"4-6"}`},
		{"part", "1.2", "1.2", `{"part":"1.2"}`},
		{"part", "4-4", "4", `{"part":"4"}`},
		{"sheet", "Q4%2F", "Q4%2F", `{"sheet":"Q4/"}`},
		{"pages", "7,3-4,5", "3-5,7", `{"pages":[3,4,5,7]}`},
		{"blocks", "5", "5", `{"blocks":[5,5]}`},
		{"lines", "5", "5-5", `{"lines":[5,5]}`},
		{"cells", "d10%3Ab5", "B5:D10", `{"cells":"B5:D10"}`},
		{"cells", "$ZZZ$1", "ZZZ1", `{"cells":"ZZZ1"}`},
		{"cols", "B:D,a%2Cb", "B:D,a%2Cb", `{"cols":["B:D","a,b"]}`},
		{"t", "1:30-", "90-", `{"start":90}`},
		{"t", "0.5-2", "0.5-2", `{"start":0.5,"end":2}`},
		{"bbox", "0,0.25,1,0.5", "0,0.25,1,0.5", `{"bbox":[0,0.25,1,0.5]}`},
	} {
		v := fresh()[test.name]
		if !v.IsZero() || v.Check(test.name) != nil {
			t.Errorf("%s: the new value is %v", test.name, v)
		}
		if err := v.Parse(test.name, test.text); err != nil || v.String() != test.canonical || v.Check(test.name) != nil {
			t.Errorf("%s=%s: %s, %v, %v; want %s", test.name, test.text, v, err, v.Check(test.name), test.canonical)
		}
		w := new(strictjson.Writer)
		w.Open()
		v.Write(test.name, w)
		w.Close()
		if w.String() != test.json {
			t.Errorf("%s=%s: %s, want %s", test.name, test.text, w, test.json)
		}
		if test.name == "t" {
			continue
		}
		again := fresh()[test.name]
		if err := readMember(again, test.name, w.String()); err != nil || again.String() != test.canonical {
			t.Errorf("%s: %s, %v", w, again, err)
		}
	}
}

func readMember(v selector.Value, name, text string) error {
	s, err := strictjson.NewScanner([]byte(text))
	if err != nil {
		return err
	}
	return s.Members(func(string) error { return v.Read(name, s) })
}

// TestRefused reads texts that are not values. Each has a part of its error beside it.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"blocks", "0", "blocks count from 1"}, {"blocks", "x-2", "whole numbers"}, {"lines", "5-3", "ends before"},
		{"message", "0", "messages count from 1"}, {"pages", "3,,4", "whole numbers"},
		{"sheet", "", "has no name"}, {"sheet", "%zz", "percent"}, {"sheet", strings.Repeat("a", 5000), "at most 4096"},
		{"sheet", "%01", "control characters"}, {"part", "01", "numbers from 1"}, {"cells", "5B", "such as B5"},
		{"cols", "a,,b", "has no name"}, {"cols", strings.Repeat("a,", 1025), "more than 1024"},
		{"t", "5", "has no end"}, {"t", "-5", "has no start"}, {"t", "x-5", "time"}, {"t", "1-x", "time"}, {"t", "5-4", "does not end"},
		{"bbox", "0,0,1", "four numbers"}, {"bbox", "0,0,1,2", "fractions"}, {"bbox", "0,0,.5,1", "write 0.5"}, {"bbox", "0,0,0,1", "is empty"},
	} {
		if err := fresh()[test.name].Parse(test.name, test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s=%.20s: %v, want %q", test.name, test.text, err, test.want)
		}
	}
	for _, test := range []struct{ name, json, want string }{
		{"blocks", `[1]`, "has 1 numbers"}, {"blocks", `[2,1]`, "end before"}, {"blocks", `[0,1]`, "block 0"},
		{"pages", `[]`, "is empty"}, {"bbox", `[0,0,0,0]`, "is empty"}, {"bbox", `[0]`, "has 1 numbers"},
		{"message", `1.5`, "whole numbers"}, {"cells", `"5"`, "such as B5"}, {"sheet", `3`, "not a string"}, {"cols", `[1]`, "not a string"},
		{"t", `1`, "not in JSON"},
	} {
		if err := readMember(fresh()[test.name], test.name, `{"x":`+test.json+`}`); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: %v, want %q", test.name, test.json, err, test.want)
		}
	}
	member := func(name string) selector.Value { n := selector.Name(name); return selector.Member{Name: &n} }
	negative, odd := selector.Number(-1), selector.Part("6-4")
	for _, test := range []struct {
		name, want string
		v          selector.Value
	}{
		{"rows", "row 0", &selector.Run{First: 0, Last: 2}}, {"rows", "end before", &selector.Run{First: 3, Last: 2}},
		{"message", "count from 1", &negative}, {"part", "lower one first", &odd},
		{"pages", "page 0", &selector.Pages[run]{{0, 1}}}, {"pages", "end before", &selector.Pages[run]{{2, 1}}},
		{"pages", "sorted runs", &selector.Pages[run]{{1, 2}, {3, 4}}},
		{"t", "count from 0", &selector.Span{Start: -1}}, {"t", "does not end", &selector.Span{Start: 2, End: 1}},
		{"t", "years", &selector.Span{Start: 1e300}}, {"bbox", "fractions", &selector.Box{X2: 2, Y2: 1}},
		{"bbox", "is empty", &selector.Box{X1: 1, X2: 1, Y2: 1}},
		{"cells", "A1 notation", &selector.Cells[cell]{First: cell{0, 1}}},
		{"cells", "top left", &selector.Cells[cell]{cell{2, 2}, cell{1, 1}}},
		{"member", "leads to no folder", member("../a")}, {"member", "3 deep", member("a!/b!/c")},
		{"cols", "empty name", &selector.Columns{""}}, {"cols", "at most", func() selector.Value { c := make(selector.Columns, 2000); return &c }()},
	} {
		if err := test.v.Check(test.name); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %v: %v, want %q", test.name, test.v, err, test.want)
		}
	}
}

func TestColumns(t *testing.T) {
	for n, letters := range map[int]string{1: "A", 26: "Z", 27: "AA", 702: "ZZ", selector.MaxCol: "ZZZ", 0: "", selector.MaxCol + 1: ""} {
		if got := selector.ColName(n); got != letters || letters != "" && selector.ColNumber(strings.ToLower(letters)) != n {
			t.Errorf("column %d is %q", n, got)
		}
	}
	for text, want := range map[string]string{"b:d": "B:D", "C": "C", "d:b": "", "x1": "", "": ""} {
		first, last := selector.Columns{text}.Letters()
		if got := selector.ColRun(first, last); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestCheckID(t *testing.T) {
	for id, want := range map[string]string{
		"a b": "", "": "empty", strings.Repeat("x", 513): "at most 512", "a\x01": "control", "x://y": "address", "a/b": "path", "..": "path",
	} {
		if err := selector.CheckID(id); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", id, err, want)
		}
	}
}
