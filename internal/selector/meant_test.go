package selector_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/selector"
)

// isRun reports whether a value is a run of pages or lines.
func isRun(name, value string) bool {
	return (name == "lines" || name == "pages") && value != "" && strings.Trim(value, "0123456789-") == ""
}

func TestParameter(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"page", "3", `parameter "page"; write pages=3`},
		{"LINSE", "3-5", `parameter "LINSE"; write lines=3-5`},
		{"page", "x", `parameter "page"; write such as pages=3-5`},
		{"seconds", "5", `parameter "seconds"; write such as t=10-20`},
		{"xywh", "1,2,3,4", `parameter "xywh"; write such as bbox=0,0,0.5,0.5`},
		{"sha256", "", `parameter "sha256"; write such as v=0123abcd`},
		{"zoom", "2", `parameter "zoom"; it is one of pages, t, lines, bbox, blocks, sheet, cells, rows, cols, part, message, table, member, v`},
		{"x", "2", `parameter "x"; it is one of pages, t, lines, bbox, blocks, sheet, cells, rows, cols, part, message, table, member, v`},
		{"", "", `parameter ""; it is one of pages, t, lines, bbox, blocks, sheet, cells, rows, cols, part, message, table, member, v`},
	} {
		if got := selector.Meant(test.name, test.value, isRun); got != test.want {
			t.Errorf("%s=%s: %s; want %s", test.name, test.value, got, test.want)
		}
	}
}

func TestNoValue(t *testing.T) {
	for param, want := range map[string]string{
		"L10-L20": `parameter "L10-L20" has no value; write lines=10-20`,
		"12-15":   `"12-15" has no name; write pages=12-15, lines=12-15 or such`,
		"box":     `parameter "box" has no value; write such as bbox=0,0,0.5,0.5`,
		"zoom":    `parameter "zoom" has no value; write such as pages=3-5`,
	} {
		if got := selector.NoValue(param, isRun); got != want {
			t.Errorf("%s: %s; want %s", param, got, want)
		}
	}
}
