package mail_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/mail"
)

// TestHeadingLines checks where the fields of headers are: at their own lines if
// they read as they are written, and then the evidence is these lines.
func TestHeadingLines(t *testing.T) {
	const inner = "From: b@x.org\nSubject: inner\n\nonly\n"
	encoded := base64.StdEncoding.EncodeToString([]byte("\n\n" + inner))
	for name, c := range map[string]struct {
		source string
		want   []string // location and text
	}{
		"as they are read": {"From: a@x.org\nTo: b@x.org\nSubject: one\n\ntext\n", []string{`lines=1-4 "From: a@x.org\nTo: b@x.org\nSubject: one\n\n"`, `part=1&lines=1-1 "text\n"`}},
		"others between":   {"Received: by x\r\n for y\r\nSubject: one\r\nFrom: a@x.org\r\nX: y\r\n\r\ntext", []string{`lines=4-4 "From: a@x.org\r\n"`, `lines=3-3 "Subject: one\r\n"`, `lines=6-6 "\r\n"`, `part=1&lines=1-1 "text\n"`}},
		"written otherwise": {"From: a@x.org\nTo: =?utf-8?q?J=C3=BCrgen?= <j@x.org>\nCc: a,\n b\nDate:  Monday\nsubject: one\n\ntext\n",
			[]string{`lines=1-1 "From: a@x.org\n"`, ` "To: Jürgen <j@x.org>\nCc: a, b\nDate: Monday\nSubject: one\n\n"`, `part=1&lines=1-1 "text\n"`}},
		"in another order": {"Subject: one\nFrom: =?utf-8?q?=C3=BC?=\n\ntext\n", []string{` "From: ü\n"`, `lines=1-1 "Subject: one\n"`, `lines=3-3 "\n"`, `part=1&lines=1-1 "text\n"`}},
		"twice":            {"Subject: one\nSubject: two\n\ntext\n", []string{`lines=1-1 "Subject: one\n"`, `lines=3-3 "\n"`, `part=1&lines=1-1 "text\n"`}},
		"after blanks":     {"\n\nSubject: one\n\ntext\n", []string{`lines=3-4 "Subject: one\n\n"`, `part=1&lines=1-1 "text\n"`}},
		"CRs alone":        {"Subject: one\rFrom: a\r\rtext\r", []string{` "From: a\nSubject: one\n\n"`, `part=1&lines=1-1 "text\r"`}},
		"no body":          {"Subject: one", []string{`lines=1-1 "Subject: one\n"`, ` "\n"`}},
		"of a part":        {"Content-Type: message/rfc822\n\n" + inner, []string{`part=1&lines=1-3 "From: b@x.org\nSubject: inner\n\n"`, `part=1.1&lines=1-1 "only\n"`}},
		"of one encoded":   {"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + encoded, []string{`part=1&lines=3-5 "From: b@x.org\nSubject: inner\n\n"`, `part=1.1&lines=1-1 "only\n"`}},
		"of a mailbox":     {box, []string{`message=1&lines=1-1 "From: j@example.org\n"`, `message=1&lines=4-4 "Date: Mon, 2 Jan 2006 15:04:05 -0700\n"`, `message=1&lines=2-2 "Subject: one\n"`, `message=1&lines=5-5 "\n"`}},
	} {
		t.Run(name, func(t *testing.T) {
			src, r := source("a.eml", c.source), new(mail.Resolver)
			var got []string
			for run, err := range r.ReadText(t.Context(), src, citekit.Location{Modality: citekit.Text}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%v %q", run.Location, run.Text))
				if !run.Location.Lines.IsZero() {
					checkLines(t, r, src, run)
				}
			}
			for i, want := range c.want {
				if i >= len(got) || got[i] != want {
					t.Errorf("%q, want %q", got, c.want)
					break
				}
			}
		})
	}
}

// checkLines checks that the evidence of a run is its text.
func checkLines(t *testing.T, r *mail.Resolver, src *citekit.Source, run citekit.TextRun) {
	t.Helper()
	out, err := r.Resolve(t.Context(), src, citekit.Request{Location: run.Location})
	if err != nil {
		t.Errorf("%v: %v", run.Location, err)
		return
	}
	data, err := io.ReadAll(out.Body)
	if text := string(data); err != nil || text != run.Text && text+"\n" != run.Text {
		t.Errorf("%v: the evidence is %q, %v; want %q", run.Location, text, err, run.Text)
	}
	var again strings.Builder
	for part, err := range r.ReadText(t.Context(), src, run.Location) {
		if err != nil {
			t.Error(err)
		}
		again.WriteString(part.Text)
	}
	if again.String() != run.Text {
		t.Errorf("%v: read again %q, want %q", run.Location, again.String(), run.Text)
	}
}
