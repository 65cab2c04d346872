package command

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/citekit/citekit"
)

// What is parsed as an address, also with the fragment of a standard, means
// something, and its canonical form means the same.
func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{
		"doc://a#pages=3-5,9&v=0123abcd", "doc://a#page=3", "doc://a#pages=1&bbox=0,0,1,0.5", "text://a#line=9,25;length=9",
		"video://a#t=npt:1:30,2:00", "audio://a#t=,5", "image://a#xywh=percent:0,0,50,50", "image://a#xywh=1,2,3,4", "virtual://a/b#page=3", "doc://#page=1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parseAddress(s)
		if err != nil {
			return
		}
		if err := a.Location.Validate(); err != nil {
			t.Fatalf("%q parsed, but: %v", s, err)
		}
		again, err := citekit.ParseAddress(a.String())
		if err != nil || !again.Equal(a) {
			t.Fatalf("%q is %q, which is %v, %v", s, a, again, err)
		}
	})
}

func FuzzParseFragment(f *testing.F) {
	for _, s := range []string{"", "pages=3-5", "page=3", "t=10,20", "t=10-", "xywh=percent:1,1,9,9", "line=0,1", "lines=1", "v=01234567", "t=npt:10"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		loc, _, err := parseFragment(s)
		if err != nil {
			return
		}
		if loc.Modality == "" {
			loc.Modality = citekit.Video
		}
		if err := loc.Validate(); err != nil {
			t.Fatalf("%q parsed, but: %v", s, err)
		}
	})
}

// Flags and other arguments are told apart without losing any.
func FuzzFlags(f *testing.F) {
	f.Add("a\n--virtual\n-o\nx\n--\n-b")
	f.Add("--output=\n--mode\n\n-")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\n")
		c, err := parsed(args)
		if err != nil {
			if strings.ContainsRune(strings.TrimSuffix(oneLine(err), "\n"), '\n') {
				t.Fatalf("%q: an error of several lines: %v", args, err)
			}
			return
		}
		positional := c.Flags().Args()
		i := 0
		for _, p := range positional {
			for i < len(args) && args[i] != p {
				i++
			}
			if i++; i > len(args) {
				t.Fatalf("%q: arguments %q", args, positional)
			}
		}
	})
}

// oneLine returns how an error is shown.
func oneLine(err error) string {
	var stderr bytes.Buffer
	(&session{stderr: &stderr}).warn(err.Error())
	return stderr.String()
}

// Whatever is typed, completion answers.
func FuzzComplete(f *testing.F) {
	f.Add("resolve\n--dir\n=\n.\nx.")
	f.Add("--dir")
	f.Fuzz(func(t *testing.T, line string) {
		args := append([]string{"__complete"}, strings.Split(line, "\n")...)
		if strings.Contains(line, "dir") || strings.Contains(line, "root") {
			return // no looking around
		}
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), &stdout, &stderr); code != exitOK {
			t.Fatalf("%q: exit code %d, %s", args, code, stderr.String())
		}
		if last := stdout.String(); !regexp.MustCompile(`(^|\n):\d+\n$`).MatchString(last) {
			t.Fatalf("%q: %q", args, last)
		}
	})
}
