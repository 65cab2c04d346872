package text_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/modalitytest"
	"github.com/citekit/citekit/modality/text"
)

const letter = "From: Ann <ann@example.org>\nTo: bob@example.org\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\nMIME-Version: 1.0\n" +
	"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Transfer-Encoding: base64\n\nb25lCnR3bwp0aHJlZQo=\n--b\n" +
	"Content-Type: application/pdf; name=a.pdf\n\n%PDF\n--b--\n"

func TestConformanceMail(t *testing.T) {
	part := func(number string, first, last int) citekit.Location {
		return citekit.Location{Modality: citekit.Text, Part: number, Lines: citekit.Range{First: first, Last: last}}
	}
	modalitytest.Test(t, new(text.Resolver), modalitytest.Fixture{
		Name:       "letter.eml",
		Source:     []byte(letter),
		EmptyParts: true,
		Good: []modalitytest.Case{
			{Name: "part", Location: part("1", 0, 0), Want: []byte("one\ntwo\nthree\n"), WantText: "one\ntwo\nthree\n"},
			{Name: "lines of a part", Location: part("1", 2, 3), Want: []byte("two\nthree\n"), WantText: "two\nthree\n"},
			{Name: "lines of the file", Location: lines(2, 2), Want: []byte("To: bob@example.org\n"), WantText: "To: bob@example.org\n"},
			{Name: "all", Location: citekit.Location{Modality: citekit.Text}, Want: []byte(letter), WantText: "From: Ann <ann@example.org>\nTo: bob@example.org\nSubject: Grüße\n\none\ntwo\nthree\n"},
		},
		OutOfRange: []citekit.Location{part("3", 0, 0), part("1", 3, 4), lines(16, 16)},
		Extent:     citekit.Extent{Modality: citekit.Text, Lines: 15, Parts: 2, MediaType: "message/rfc822", Charset: "utf-8"},
	})
}

// TestMail checks what is taken for mail, and what is not.
func TestMail(t *testing.T) {
	r := new(text.Resolver)
	patch := "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nDate: x\nSubject: [PATCH] y\n\n---\n"
	for _, c := range []struct {
		name, file, text string
		mail             bool
	}{
		{"a message", "a", letter, true},
		{"a message by its name", "a.eml", "Subject: x\n\nhello\n", true},
		{"a text", "a.txt", "Subject: x\n\nhello\n", false},
		{"a text with the name of one", "a.eml", "hello\n", false},
		{"a patch", "a.patch", patch, false},
		{"a mailbox", "a", "From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nhello\n", true},
		{"one with bytes that no text has", "a", letter[:len(letter)-6] + strings.Repeat("\x00\x01\x02\xff", 100) + "\n--b--\n", true},
	} {
		src := func() *citekit.Source {
			return citekit.NewSource(strings.NewReader(c.text), citekit.SourceInfo{Name: c.file, Size: int64(len(c.text))})
		}
		extent, err := r.Measure(t.Context(), src())
		if mail := extent.Parts+extent.Messages > 0; err != nil || mail != c.mail || extent.Lines == 0 {
			t.Errorf("%s: %+v, %v", c.name, extent, err)
		}
		loc := citekit.Location{Modality: citekit.Text, Part: "1", Message: min(extent.Messages, 1)}
		_, err = r.Resolve(t.Context(), src(), citekit.Request{Location: loc})
		if c.mail == errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: its part: %v", c.name, err)
		}
		d, err := r.Map(t.Context(), src(), citekit.MapRequest{Modality: citekit.Text})
		if err != nil || (d.Method == "parts" || d.Method == "threads") != c.mail {
			t.Errorf("%s: its map: %+v, %v", c.name, d, err)
		}
	}
	member, err := r.OpenMember(t.Context(), citekit.NewSource(strings.NewReader(letter), citekit.SourceInfo{Size: int64(len(letter))}), "a.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(member.Reader()); string(got) != "%PDF" || err != nil {
		t.Errorf("the attachment: %q, %v", got, err)
	}
}
