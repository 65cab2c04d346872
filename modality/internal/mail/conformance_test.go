package mail_test

import (
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/mail"
	"github.com/citekit/citekit/modality/modalitytest"
)

// letter is a message with alternatives, an attachment and another message.
const letter = "From: =?utf-8?Q?J=C3=BCrgen?= <j@example.org>\r\n" +
	"To: Ann <ann@example.org>\r\n" +
	"Subject: =?iso-8859-1?B?R3L832U=?=\r\n" +
	"Date: Mon, 2 Jan 2006 15:04:05 -0700\r\n" +
	"Message-ID: <1@example.org>\r\n" +
	"MIME-Version: 1.0\r\n" +
	"Content-Type: multipart/mixed; boundary=outer\r\n" +
	"\r\n" +
	"preamble\r\n" +
	"--outer\r\n" +
	"Content-Type: multipart/alternative; boundary=\"in ner\"\r\n" +
	"\r\n" +
	"--in ner\r\n" +
	"Content-Type: text/plain; charset=iso-8859-1\r\n" +
	"Content-Transfer-Encoding: quoted-printable\r\n" +
	"\r\n" +
	"Gr=FC=DFe aus=\r\n" +
	" K=F6ln\r\n" +
	"zwei\r\n" +
	"drei\r\n" +
	"--in ner\r\n" +
	"Content-Type: text/html; charset=utf-8\r\n" +
	"\r\n" +
	"<p>Gr\u00fc\u00dfe</p><p>zwei</p>\r\n" +
	"--in ner--\r\n" +
	"--outer\r\n" +
	"Content-Type: application/octet-stream; name=\"report.bin\"\r\n" +
	"Content-Transfer-Encoding: base64\r\n" +
	"Content-Disposition: attachment; filename=\"report.bin\"\r\n" +
	"\r\n" +
	"AAECAwQF\r\n" +
	"--outer\r\n" +
	"Content-Type: message/rfc822\r\n" +
	"\r\n" +
	"From: bob@example.org\r\n" +
	"Subject: inner\r\n" +
	"\r\n" +
	"only\r\n" +
	"--outer--\r\n" +
	"epilogue\r\n"

func part(number string) citekit.Location {
	return citekit.Location{Modality: citekit.Text, Part: number}
}

func lines(loc citekit.Location, first, last int) citekit.Location {
	loc.Modality, loc.Lines = citekit.Text, citekit.Range{First: first, Last: last}
	return loc
}

func inMessage(n int, loc citekit.Location) citekit.Location {
	loc.Modality, loc.Message = citekit.Text, n
	return loc
}

func wants(mediaType, ext, charset string) func(testing.TB, []byte, *citekit.Content) {
	return func(t testing.TB, _ []byte, c *citekit.Content) {
		t.Helper()
		if c.MediaType != mediaType || c.Ext != ext || c.Charset != charset {
			t.Errorf("got %q, %q, %q; want %q, %q, %q", c.MediaType, c.Ext, c.Charset, mediaType, ext, charset)
		}
	}
}

func TestConformance(t *testing.T) {
	const heading = "From: Jürgen <j@example.org>\nTo: Ann <ann@example.org>\r\nDate: Mon, 2 Jan 2006 15:04:05 -0700\r\nSubject: Grüße\n\n"
	modalitytest.Test(t, new(mail.Resolver), modalitytest.Fixture{
		Name:   "letter.eml",
		Source: []byte(letter),
		Good: []modalitytest.Case{
			{Name: "plain", Location: part("1.1"), Want: []byte("Gr\xfc\xdfe aus K\xf6ln\r\nzwei\r\ndrei"), WantText: "Grüße aus Köln\r\nzwei\r\ndrei\n", Check: wants("text/plain", ".txt", "iso-8859-1")},
			{Name: "lines of a part", Location: lines(part("1.1"), 1, 2), Want: []byte("Gr\xfc\xdfe aus K\xf6ln\r\nzwei\r\n"), WantText: "Grüße aus Köln\r\nzwei\r\n", Check: wants("text/plain", ".txt", "iso-8859-1")},
			{Name: "page", Location: part("1.2"), Want: []byte("<p>Grüße</p><p>zwei</p>"), WantText: "Grüße\nzwei\n", Check: wants("text/html", ".html", "utf-8")},
			{Name: "lines of a page", Location: lines(part("1.2"), 1, 1), WantText: "<p>Grüße</p><p>zwei</p>\n"},
			{Name: "attachment", Location: part("2"), Want: []byte{0, 1, 2, 3, 4, 5}, Check: wants("application/octet-stream", ".bin", "")},
			{Name: "message", Location: part("3"), Want: []byte("From: bob@example.org\r\nSubject: inner\r\n\r\nonly"), WantText: "From: bob@example.org\r\nSubject: inner\r\n\r\nonly\n", Check: wants("message/rfc822", ".eml", "")},
			{Name: "part of a message", Location: part("3.1"), Want: []byte("only"), WantText: "only\n"},
			{Name: "alternatives", Location: part("1"), WantText: "Grüße aus Köln\r\nzwei\r\ndrei\n", Check: wants("message/rfc822", ".eml", "")},
			{Name: "lines of the file", Location: lines(citekit.Location{}, 2, 2), Want: []byte("To: Ann <ann@example.org>\r\n"), WantText: "To: Ann <ann@example.org>\r\n", Check: wants("text/plain", ".txt", "utf-8")},
			{Name: "all", Location: citekit.Location{Modality: citekit.Text}, WantText: heading + "Grüße aus Köln\r\nzwei\r\ndrei\nFrom: bob@example.org\r\nSubject: inner\r\n\r\nonly\n"},
		},
		OutOfRange: []citekit.Location{part("4"), part("1.3"), part("3.2"), part("3.1.1"), lines(part("1.1"), 3, 4), lines(citekit.Location{}, 40, 400)},
		Extent:     citekit.Extent{Modality: citekit.Text, Parts: 3, Lines: 40, MediaType: "message/rfc822"},
		Garbage:    garbage(),
		EmptyParts: true,
	})
}

// box is a mailbox of three messages. The last answers the first.
const box = "From j@example.org Mon Jan  2 15:04:05 2006\n" +
	"From: j@example.org\nSubject: one\nMessage-ID: <1@x>\nDate: Mon, 2 Jan 2006 15:04:05 -0700\n\n" +
	"first\n>From the start\nFrom here on\n\n" +
	"From - Tue Jan 03 15:04:05 2006\n" +
	"From: k@example.org\nSubject: other\n\n" +
	"second\nline\n\n" +
	"From l@example.org Wed Jan  4 15:04:05 2006\n" +
	"From: l@example.org\nSubject: Re: one\nIn-Reply-To: <1@x>\n\n" +
	"third"

func TestConformanceMailbox(t *testing.T) {
	modalitytest.Test(t, &mail.Resolver{CacheBytes: -1}, modalitytest.Fixture{
		Name:   "box.mbox",
		Source: []byte(box),
		Good: []modalitytest.Case{
			{Name: "message", Location: inMessage(2, citekit.Location{}), Want: []byte("From: k@example.org\nSubject: other\n\nsecond\nline\n"), WantText: "From: k@example.org\nSubject: other\n\nsecond\nline\n", Check: wants("message/rfc822", ".eml", "")},
			{Name: "lines of a message", Location: inMessage(2, lines(citekit.Location{}, 2, 4)), Want: []byte("Subject: other\n\nsecond\n"), WantText: "Subject: other\n\nsecond\n"},
			{Name: "part", Location: inMessage(1, part("1")), Want: []byte("first\n>From the start\nFrom here on\n"), Check: wants("text/plain", ".txt", "utf-8")},
			{Name: "lines of a part", Location: inMessage(3, lines(part("1"), 1, 1)), Want: []byte("third"), WantText: "third\n"},
		},
		OutOfRange: []citekit.Location{inMessage(4, citekit.Location{}), inMessage(1, part("2")), inMessage(3, lines(part("1"), 1, 2))},
		Extent:     citekit.Extent{Modality: citekit.Text, Messages: 3, Lines: 23, MediaType: "application/mbox"},
		EmptyParts: true,
	})
}

// garbage is mail that is written badly.
func garbage() [][]byte {
	var all [][]byte
	for _, text := range []string{
		"Subject: x", "Subject:\r\n\r\n", ":\n\n", "From \n", "Content-Type: multipart/mixed; boundary=b\n\n--b--\n",
		"Content-Type: multipart/mixed; boundary=b\n\n--b\n--b\n--b", "Content-Type: message/rfc822\n\nContent-Type: message/rfc822\n\n",
		"Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\n//5hAAoAYg==",
		"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n!!!!", "Subject: =?utf-8?B?\xff?= =?x?q?=\n\n\x00\x00",
		"Content-Transfer-Encoding: uuencode\n\nbegin 644 a\n!!\nend", "Subject: a\rTo: b\r\rbody\rmore",
		"Content-Type: multipart/mixed; boundary=\"\n\n--\n", "Content-Disposition: x; filename*0*=%; filename*1=a; filename*9999999999=b\n\nx",
	} {
		all = append(all, []byte(text))
	}
	return all
}
