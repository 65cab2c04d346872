package citekit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
)

// TestNearSelectors checks that what is nearly a selector is told with what is
// right, and that this can be parsed.
func TestNearSelectors(t *testing.T) {
	for fragment, want := range map[string]string{
		"line=1": "write lines=1", "line=1-2": "write lines=1-2", "Lines=3": "write lines=3", "l=4-5": "write lines=4-5",
		"lins=7": "write lines=7", "line=": "write such as lines=10-25", "line=5-3": "write such as lines=10-25",
		"page=3": "write pages=3", "p=3-5": "write pages=3-5", "PAGES=3,5": "write pages=3,5", "pagse=2": "write pages=2",
		"time=1:30-2:00": "write t=1:30-2:00", "start=10&end=20": "write such as t=10-20", "time=10": "write such as t=10-20", "T=1-2": "write t=1-2",
		"box=0,0,0.5,1": "write bbox=0,0,0.5,1", "xywh=0,0,0.5,1": "write such as bbox=0,0,0.5,0.5", "bboxx=0,0,1,0.5": "write bbox=0,0,1,0.5",
		"L10-L20": "write lines=10-20", "L7": "write lines=7", "12-15": "write pages=12-15, lines=12-15", "lines": "write such as lines=10-25",
		"bbox=0,0,.5,.5": "write 0.5 for .5", "bbox=0,0,0.5,1.": "write 1 for 1.", "t=.5-1": "write 0.5", "t=-1-2": "write such as t=0-20", "t=-": "write such as t=0-20", "t=1-2.": "write 2",
		"chapter=3": "write part=3", "pages=1&amp;v=12345678": "write & for &amp;", "zoom=3": "it is one of pages, t, lines", "zoom": "write such as pages=3-5", "row=5": "write rows=5", "cell=b5": "write such as sheet=Results&cells=B5:D10", "slide=4": "write pages=4", "": "has no value",
		strings.Repeat("line", 1000) + "=1": "it is one of",
	} {
		_, err := citekit.ParseAddress("text://a#" + fragment)
		if !errors.Is(err, citekit.ErrSyntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("#%s: error %v; want %q", fragment, err, want)
		}
		if err == nil || len(err.Error()) > 500 {
			t.Errorf("#%s: a long error: %v", fragment, err)
			continue
		}
		_, advised, _ := strings.Cut(strings.TrimSuffix(err.Error(), ": "+citekit.ErrSyntax.Error()), "; write ")
		advised, _, _ = strings.Cut(strings.TrimPrefix(advised, "such as "), ", l") // the first of two
		if !strings.Contains(advised, "=") {
			continue
		}
		if _, _, err := citekit.ParseFragment(advised); err != nil {
			t.Errorf("#%s: it advises %q, which is none: %v", fragment, advised, err)
		}
	}
}

// TestTextFragmentHint checks that who writes line= for lines is told so.
func TestTextFragmentHint(t *testing.T) {
	for fragment, want := range map[string]string{
		"line=1": "for lines write lines=1:", "line=2-3": "for lines write lines=2-3:", "line=1,": "write such as lines=10-25",
	} {
		_, err := citation.ParseTextFragment(fragment)
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", fragment, err, want)
		}
	}
}
