package sniff_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/sniff"
)

// TestMail checks what is mail, and what only looks like it.
func TestMail(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"as delivered", "Return-Path: <a@b>\r\nReceived: from x\r\n\tby y\r\nFrom: a\r\nSubject: x\r\n\r\nbody", "eml"},
		{"as composed", "From: Ann <a@b>\nTo: Bob\nSubject: x\n\nbody", "eml"},
		{"fields of programs first", "X-Mozilla-Status: 0001\nMIME-Version: 1.0\nFrom: a\nTo: b\nContent-Type: text/plain\n\n", "eml"},
		{"a web page that was saved", "From: <Saved by Blink>\nSubject: x\nDate: Tue, 1 Feb 2022 10:00:00 -0000\nMIME-Version: 1.0\nContent-Type: multipart/related;\n\ttype=\"text/html\"\n\n", "eml"},
		{"not ASCII", "From: J\xfcrgen <a@b>\nTo: B\nSubject: \xe9\nDate: x\n\n\xff\x00\x01", "eml"},
		{"cut in its header", "Received: from x\nFrom: a@b\nTo: b\nMessage-ID: <x>\n" + strings.Repeat("X-Long: "+strings.Repeat("y", 90)+"\n", 60), "eml"},
		{"a mailbox", "From a@b Mon Jan  1 00:00:00 2001\nReceived: x\n\n", "mbox"},
		{"a mailbox of Mozilla", "From - Mon Jan 01 00:00:00 2001\nX-Mozilla-Status: 0001\n\n", "mbox"},
		{"a mailbox without dates", "From a@b\nReceived: x\n\n", "mbox"},
		{"a mailbox with CRLF", "From a@b Mon Jan  1 00:00:00 2001 +0100\r\nSubject: x\r\n\r\n", "mbox"},
		{"a mailbox of odd messages", "From a Mon Jan  1 00:00:00 2001\nComments: x\n\nFrom a Tue Jan  2 00:00:00 2001\n\n", "mbox"},
		{"a mailbox of empty messages", "From a Mon Jan 01 10:00:00 2001\n\n\n", "mbox"},
		{"parts", "Content-Type: multipart/mixed; boundary=\"a b\"\n\n--a b\n\nx\n", "eml"},
		{"parts, folded", "Subject: x\r\nContent-Type: multipart/mixed;\r\n boundary=b\r\n\r\npreamble\r\n--b\r\n\r\nx\r\n", "eml"},
		{"a part", "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\neA==\n", "eml"},
		{"a part of MIME", "MIME-Version: 1.0\nContent-Type: message/rfc822\n\nFrom: a\n\n", "eml"},

		{"fields of HTTP", "Content-Type: text/html\nContent-Length: 4\n\n<p>x", "text"},
		{"a form", "Content-Type: multipart/form-data; boundary=b\n\nno delimiter\n", "text"},
		{"a header of gettext", "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: x\n", "text"},
		{"a diary", "From the desk of Jan Mon Jan 5\nComments: none\n", "text"},
		{"prose with a date", "From the day of Mon Jan 1 00:00:00 2001\non, he walked\n", "text"},
		{"a patch", "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nDate: Mon, 1 Jan 2001 00:00:00 +0000\nSubject: [PATCH] x\n\n---\n", "text"},
		{"prose", "From the start of the day at 10:30 in 1999 he\nwalked: far\n", "text"},
		{"a letter in prose", "From here on, all is text.\n\nDear: x\n", "text"},
		{"an answer over HTTP", "HTTP/1.1 200 OK\nDate: Mon, 1 Jan 2001 00:00:00 GMT\nContent-Type: text/html\n\n", "text"},
		{"its header", "Date: Mon, 1 Jan 2001 00:00:00 GMT\nServer: x\nContent-Type: text/html\nX-Cache: y\n\n", "text"},
		{"a read-me", "Subject: how to build\nAuthor: Ann\nDate: 2001\n\nRun make.\n", "text"},
		{"a memo", "From: the board\nTo: all\nSubject: lunch\n\nAt noon.\n", "text"},
		{"YAML", "from: a@b\nto: c@d\nsubject: x\ndate: y\n", "text"},
		{"facts of a package", "Metadata-Version: 2.1\nName: x\nAuthor-email: a@b\nHome-page: y\n\n", "text"},
		{"a log of git", "commit 0123\nAuthor: A <a@b>\nDate:   Mon Jan 1 00:00:00 2001\n\n    x\n", "text"},
		{"text after two fields", "From: a@b\nDate: x\nand then prose goes on\n\n", "text"},
	} {
		f, err := sniff.Detect(strings.NewReader(c.text), int64(len(c.text)))
		if err != nil || f.ID != c.want || f.Kind != sniff.Text {
			t.Errorf("%s: %q, %q, %v; want %q", c.name, f.ID, f.Kind, err, c.want)
		}
	}
}
