package lazyregexp_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/lazyregexp"
)

// TestRegexp checks that each method is that of package regexp, where the
// expression occurs and where it does not.
func TestRegexp(t *testing.T) {
	const expression = `(\w)\w*=(\d)?`
	r, std := lazyregexp.New(expression), regexp.MustCompile(expression)
	for _, text := range []string{"a=1, bc=, d=2", "none", ""} {
		for method, results := range map[string][2]any{
			"Match":                   {r.Match([]byte(text)), std.Match([]byte(text))},
			"MatchString":             {r.MatchString(text), std.MatchString(text)},
			"FindSubmatch":            {r.FindSubmatch([]byte(text)), std.FindSubmatch([]byte(text))},
			"FindStringSubmatch":      {r.FindStringSubmatch(text), std.FindStringSubmatch(text)},
			"FindStringSubmatchIndex": {r.FindStringSubmatchIndex(text), std.FindStringSubmatchIndex(text)},
			"FindAllSubmatch":         {r.FindAllSubmatch([]byte(text), 2), std.FindAllSubmatch([]byte(text), 2)},
			"FindAllStringIndex":      {r.FindAllStringIndex(text, 2), std.FindAllStringIndex(text, 2)},
			"ReplaceAllString":        {r.ReplaceAllString(text, "<$1>"), std.ReplaceAllString(text, "<$1>")},
			"ReplaceAllStringFunc":    {r.ReplaceAllStringFunc(text, strings.ToUpper), std.ReplaceAllStringFunc(text, strings.ToUpper)},
		} {
			if !reflect.DeepEqual(results[0], results[1]) {
				t.Errorf("%s of %q: %q, want %q", method, text, results[0], results[1])
			}
		}
	}
}

// TestFault checks that tests find an expression that cannot be compiled even
// if they do not use it.
func TestFault(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	lazyregexp.New("(")
}
