package mail_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/modality/internal/mail"
)

func source(name, text string) *citekit.Source {
	sum := sha256.Sum256([]byte(text))
	return citekit.NewSource(strings.NewReader(text), citekit.SourceInfo{Name: name, Size: int64(len(text)), Hash: hex.EncodeToString(sum[:])})
}

func resolve(t testing.TB, text string, loc citekit.Location) (string, *citekit.Content, error) {
	t.Helper()
	loc.Modality = citekit.Text
	c, err := new(mail.Resolver).Resolve(t.Context(), source("a.eml", text), citekit.Request{Location: loc})
	if err != nil {
		return "", nil, err
	}
	defer c.Body.Close()
	b, err := io.ReadAll(c.Body)
	return string(b), c, err
}

func read(t testing.TB, text string, loc citekit.Location) (all string, runs []citekit.TextRun, err error) {
	t.Helper()
	loc.Modality = citekit.Text
	for run, err := range new(mail.Resolver).ReadText(t.Context(), source("a.eml", text), loc) {
		if err != nil {
			return all, runs, err
		}
		all += run.Text
		runs = append(runs, run)
	}
	return all, runs, nil
}

func mapOf(t testing.TB, text string) *citekit.Draft {
	t.Helper()
	d, err := new(mail.Resolver).Map(t.Context(), source("a.eml", text), citekit.MapRequest{Modality: citekit.Text})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// outline writes nodes as lines.
func outline(nodes []*citekit.Node, indent string) string {
	var b strings.Builder
	for _, n := range nodes {
		fmt.Fprintf(&b, "%s%s %q %s\n", indent, n.Type, n.Title, n.Location)
		b.WriteString(outline(n.Children, indent+"  "))
	}
	return b.String()
}

// TestParts checks the numbers of parts and their bytes.
func TestParts(t *testing.T) {
	const multi = "Content-Type: multipart/mixed; boundary=b\n\n"
	for _, c := range []struct{ name, text, part, want string }{
		{"single", "Subject: a\n\nbody\n", "1", "body\n"},
		{"no empty line", "Subject: a\nno field\nbody\n", "1", "no field\nbody\n"},
		{"first", multi + "--b\n\none\n--b\n\ntwo\n--b--\n", "1", "one"},
		{"second, CRLF", strings.ReplaceAll(multi+"--b\n\none\n--b\n\ntwo\n\n--b--\n", "\n", "\r\n"), "2", "two\r\n"},
		{"CR alone", strings.ReplaceAll(multi+"--b\n\none\n--b\n\ntwo\n--b--\n", "\n", "\r"), "2", "two"},
		{"not closed", multi + "--b\n\none\n--b\n\ntwo\n", "2", "two"},
		{"without parts", multi + "text\n--b--\nepilogue\n", "1", "text\n"},
		{"an empty part", multi + "--b\n\n--b--\n", "1", ""},
		{"a boundary with blanks at its end", "Content-Type: multipart/mixed; boundary=\"=?a  \"\n\n--=?a  \n\none\n--=?a\n\ntwo\n--=?a  --\n", "2", "two"},
		{"blanks after a delimiter", multi + "--b \t\n\none\n--b--  \n", "1", "one"},
		{"no boundary", "Content-Type: multipart/mixed\n\n--b\n\none\n", "1", "--b\n\none\n"},
		{"boundary that never comes", multi + "text\n", "1", "text\n"},
		{"closed by the outer one", multi + "--b\nContent-Type: multipart/x; boundary=c\n\n--c\n\none\n--b\n\ntwo\n--b--", "2", "two"},
		{"in a message", multi + "--b\nContent-Type: message/rfc822\n\n" + multi[:40] + "c\n\n--c\n\none\n--c--\n--b--\n", "1.1", "one"},
		{"digest", "Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: x\n\none\n--b--", "1.1", "one"},
		{"message in base64", "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeAoKaGVsbG8K\n", "1.1", "hello\n"},
		{"base64 with noise", "Content-Transfer-Encoding: BASE64\n\naGVs\r\n bG8!\n=\nxx", "1", "hello"},
		{"base64 that is cut", "Content-Transfer-Encoding: base64\n\naGVsbG8", "1", "hello"},
		{"quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\na=3Db =zz=\nc  \nd=", "1", "a=b =zzc\nd"},
		{"uuencode", "Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a.txt\n%:&5L;&\\\n`\nend\n", "1", "hello"},
		{"unknown encoding", "Content-Transfer-Encoding: rot13\n\nuryyb", "1", "uryyb"},
		{"From in the header", "From a@b\n>From c Mon\nSubject: x\n\nbody", "1", "body"},
	} {
		got, _, err := resolve(t, c.text, citekit.Text.Part(c.part))
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

// TestLongLines checks decoders where a line does not fit what is held of it.
func TestLongLines(t *testing.T) {
	want := strings.Repeat("é=", 100_000)
	var quoted strings.Builder
	for i := range len(want) {
		fmt.Fprintf(&quoted, "=%02X", want[i])
	}
	for _, text := range []string{quoted.String(), quoted.String() + "=\n"} {
		got, _, err := resolve(t, "Content-Transfer-Encoding: quoted-printable\n\n"+text, citekit.Text.Part("1"))
		if err != nil || got != want {
			t.Errorf("got %d bytes, %v; want %d", len(got), err, len(want))
		}
	}
	body := strings.Repeat("x", 200_000) + "\nsecond\n"
	got, _, err := resolve(t, "Subject: x\n\n"+body, lines(citekit.Text.Part("1"), 2, 2))
	if err != nil || got != "second\n" {
		t.Errorf("the line after a long one: %q, %v", got, err)
	}
	if all, _, err := read(t, "Subject: x\n\n"+body, citekit.Text.Part("1")); err != nil || all != body {
		t.Errorf("the text of a long line: %d bytes, %v", len(all), err)
	}
}

// TestCharsets checks what is said of the bytes of texts, and their lines.
func TestCharsets(t *testing.T) {
	for _, c := range []struct {
		head, body, charset string
		guessed             bool
		text                string
	}{
		{"text/plain; charset=\"ISO-8859-1\"", "\xe9\n", "iso-8859-1", false, "é\n"},
		{"text/plain; charset=us-ascii (plain)", "a\n", "us-ascii", false, "a\n"},
		{"text/plain; charset=us-ascii", "é\n", "utf-8", true, "é\n"},
		{"text/plain", "é\n", "utf-8", false, "é\n"},
		{"text/plain; charset=utf-8", "a\xff\n", "utf-8", false, "a\ufffd\n"},
		{"text/plain; charset=nonsense", "caf\xe9\n", "windows-1252", true, "café\n"},
		{"text/plain; charset=utf-16", "\xff\xfea\x00\n\x00b\x00", "utf-16le", false, "a\nb\n"},
		{"text/plain; charset=gb2312", "\xc4\xe3\n", "gbk", false, "你\n"},
		{"text/html", "<meta charset=\"koi8-r\"><p>\xc1\n", "koi8-r", false, "а\n"},
		{"text/plain; charset=iso-2022-jp", "\x1b$B$\"\x1b(B\n", "iso-2022-jp", false, "あ\n"},
	} {
		text := "Content-Type: " + c.head + "\nContent-Transfer-Encoding: binary\n\n" + c.body
		got, content, err := resolve(t, text, citekit.Text.Part("1"))
		if err != nil || got != c.body || content.Charset != c.charset || content.CharsetGuessed != c.guessed {
			t.Errorf("%s: %q, %+v, %v; want %s, %t", c.head, got, content, err, c.charset, c.guessed)
		}
		if got, _, err := read(t, text, citekit.Text.Part("1")); err != nil || got != c.text {
			t.Errorf("%s: the text is %q, %v; want %q", c.head, got, err, c.text)
		}
	}
}

// TestHeadings checks how fields are read.
func TestHeadings(t *testing.T) {
	for in, want := range map[string]string{
		"=?utf-8?Q?J=C3=BC?= =?utf-8?q?rgen?= x":            "Jürgen x",
		"=?utf-8?B?4oI=?= =?utf-8?B?rA==?=":                 "€",
		"=?gb2312?B?xOM=?=!":                                "你!",
		"a =?utf-8?Q?b?= c =?nope?Q?d=5F?=":                 "a b c d_",
		"=?utf-8?X?b?= =?utf-8?Q?c":                         "=?utf-8?X?b?= =?utf-8?Q?c",
		"folded\n\tand  wide":                               "folded and wide",
		"=?iso-8859-1*en?Q?caf=E9?=":                        "café",
		"caf\xe9":                                           "café",
		"=?utf-8?Q?a?= plain =?utf-8?Q?b?=\n =?utf-8?Q?c?=": "a plain bc",
	} {
		got, _, err := read(t, "Subject: "+in+"\n\n", citekit.Location{})
		if want = "Subject: " + want + "\n\n"; err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", in, got, err, want)
		}
	}
}

// TestFileNames checks the names of attachments.
func TestFileNames(t *testing.T) {
	for in, want := range map[string]string{
		`attachment; filename="a b.pdf"`:                                        "a b.pdf",
		`attachment; filename=a b.pdf`:                                          "a b.pdf",
		`attachment; filename*=utf-8''na%C3%AFve.pdf`:                           "naïve.pdf",
		`attachment; filename*0*=iso-8859-1''a%E9; filename*1="b%.pdf"`:         "aéb%.pdf",
		`attachment; filename="=?utf-8?Q?na=C3=AFve?=.pdf"`:                     "naïve.pdf",
		`attachment; filename="C:\\temp\\x.doc"`:                                "x.doc",
		`attachment; filename="../../etc/passwd"`:                               "passwd",
		`attachment; filename="never ends`:                                      "never ends",
		`attachment; filename="with \"quotes\".txt"; filename=other`:            `with "quotes".txt`,
		`attachment; filename="` + strings.Repeat("x", 300) + `"`:               "application/x",
		`attachment; x="; filename=no"; FileName = yes.txt ; filename*9=broken`: "yes.txt",
	} {
		d := mapOf(t, "Content-Type: application/x\nContent-Disposition: "+in+"\n\nx")
		if got := d.Nodes[0]; got.Title != want || got.Type != "attachment" {
			t.Errorf("%s: got %s %q, want %q", in, got.Type, got.Title, want)
		}
	}
}

// TestErrors checks what is refused, and how.
func TestErrors(t *testing.T) {
	var deep strings.Builder
	for i := range 150 {
		fmt.Fprintf(&deep, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	wide := "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\nx\n", 20_000)
	image := "Content-Type: image/png\n\nx"
	for _, c := range []struct {
		name, text string
		loc        citekit.Location
		want       error
	}{
		{"deep", deep.String(), citekit.Text.Part("1"), citekit.ErrTooLarge},
		{"wide", wide, citekit.Text.Part("1"), citekit.ErrTooLarge},
		{"lines of an image", image, lines(citekit.Text.Part("1"), 1, 1), errors.ErrUnsupported},
		{"a message of no mailbox", image, inMessage(1, citekit.Location{}), errors.ErrUnsupported},
		{"a part of a mailbox", box, citekit.Text.Part("1"), errors.ErrUnsupported},
		{"blocks", image, citekit.Document.Blocks(1, 1), errors.ErrUnsupported},
		{"no mail", "hello\nworld\n", citekit.Text.Part("1"), citekit.ErrFormat},
		{"empty", "", citekit.Text.Part("1"), citekit.ErrFormat},
		{"lines of an empty part", "Subject: a\n\n", lines(citekit.Text.Part("1"), 1, 1), citekit.ErrRange},
	} {
		if _, _, err := resolve(t, c.text, c.loc); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for _, text := range []string{deep.String(), wide} { // the rest of them is read
		text = "From: a@example.org\n" + text
		if d := mapOf(t, text); len(d.Nodes) != 1 || d.Metadata["structure"] == nil {
			t.Errorf("the map of a message with too many parts: %+v", d)
		}
		if got, _, err := read(t, text, citekit.Location{}); err != nil || got != "From: a@example.org\n\n" {
			t.Errorf("its text: %q, %v", got, err)
		}
	}
}

// TestEncrypted checks that a part which is encrypted is named as that, and that
// the others are read.
func TestEncrypted(t *testing.T) {
	const head = "From: a@example.org\nSubject: x\nMIME-Version: 1.0\nContent-Type: "
	sealed := head + "multipart/mixed; boundary=b\n\n--b\n\nopen\n--b\n"
	for _, c := range []struct{ name, text, part, by string }{
		{"enveloped by its type", sealed + "Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n\nx\n--b--\n", "2", "S/MIME"},
		{"enveloped by its content", sealed + "Content-Type: application/x-pkcs7-mime\nContent-Transfer-Encoding: base64\n\nMIAGCSqGSIb3DQEHA6CA\n--b--\n", "2", "S/MIME"},
		{"signed", sealed + "Content-Type: application/pkcs7-mime; smime-type=signed-data\nContent-Transfer-Encoding: base64\n\nMIAGCSqGSIb3DQEHAqCA\n--b--\n", "2", ""},
		{"PGP/MIME", sealed + "Content-Type: multipart/encrypted; boundary=c\n\n--c\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--c\nContent-Type: application/octet-stream\n\nx\n--c--\n--b--\n", "2.2", "PGP"},
		{"all of a message", head + "application/pkcs7-mime; smime-type=authEnveloped-data\n\nx\n", "1", "S/MIME"},
	} {
		summary := ""
		m := citekit.ResourceMap{Nodes: mapOf(t, c.text).Nodes}
		for n := range m.All() {
			if n.Location.Part == c.part {
				summary = n.Summary
			}
		}
		if want := "encrypted by " + c.by; (summary == want) != (c.by != "") {
			t.Errorf("%s: the summary is %q", c.name, summary)
		}
		_, _, err := read(t, c.text, part(c.part))
		if errors.Is(err, citekit.ErrEncrypted) != (c.by != "") || err == nil {
			t.Errorf("%s: its text: %v", c.name, err)
		}
		if _, _, err := resolve(t, c.text, part(c.part)); err != nil {
			t.Errorf("%s: its bytes: %v", c.name, err)
		}
		text, _, err := read(t, c.text, citekit.Location{Modality: citekit.Text})
		if err != nil || strings.HasPrefix(c.text, sealed) && !strings.Contains(text, "open\n") {
			t.Errorf("%s: the text of the message: %q, %v", c.name, text, err)
		}
	}
}

// TestMailboxes checks where the messages of the variants of mailboxes begin.
func TestMailboxes(t *testing.T) {
	const from, inner = "From a@example.org Mon Jan  1 00:00:00 2001\n", "\nFrom b@example.org Tue Jan  2 00:00:00 2001\nSubject: inside\n\n"
	quoted := strings.ReplaceAll(inner, "\nFrom ", "\n>From ")
	sized := func(body string, n int) string {
		return from + fmt.Sprintf("Subject: x\nContent-Length: %d\n\n", n) + body + "\n"
	}
	last := from + "Subject: last\n\nend\n"
	for _, c := range []struct {
		name, text, first string
		messages          int
	}{
		{"mboxo", from + "Subject: x\n\nbody\n" + quoted + "\n" + last, "body\n" + quoted, 2},
		{"mboxrd", from + "Subject: x\n\nbody\n>" + quoted[1:] + "\n" + last, "body\n>" + quoted[1:], 2},
		{"mboxcl2", sized("body\n"+inner, len("body\n"+inner)) + last, "body\n" + inner, 2},
		{"a length that is wrong", sized("body\n"+inner, 3) + last, "body\n", 3},
		{"a length past the end", sized("body\n"+inner, 1<<40) + last, "body\n", 3},
		{"a length to the end", sized("body\n"+inner, len("body\n"+inner)), "body\n" + inner, 1},
	} {
		src := source("box.mbox", c.text)
		extent, err := new(mail.Resolver).Measure(t.Context(), src)
		if err != nil || extent.Messages != c.messages {
			t.Errorf("%s: %d messages, %v; want %d", c.name, extent.Messages, err, c.messages)
			continue
		}
		got, _, err := resolve(t, c.text, inMessage(1, part("1")))
		if err != nil || got != c.first {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.first)
		}
	}
}

// TestMap checks the nodes of a message and of a mailbox.
func TestMap(t *testing.T) {
	d := mapOf(t, letter)
	want := `part "multipart/alternative" part=1
  part "text/plain" part=1.1
  part "text/html" part=1.2
attachment "report.bin" part=2
message "inner" part=3
  part "text/plain" part=3.1
`
	if got := outline(d.Nodes, ""); got != want {
		t.Errorf("got\n%s", got)
	}
	if d.Title != "Grüße" || d.Metadata["author"] != "Jürgen" || d.Metadata["date"] != "2006-01-02T15:04:05-07:00" || d.Metadata["parts"] != 3 {
		t.Errorf("%q, %v", d.Title, d.Metadata)
	}
	d = mapOf(t, box)
	want = `thread "one" 
  message "one" message=1
    part "text/plain" message=1&part=1
  message "Re: one" message=3
    part "text/plain" message=3&part=1
message "other" message=2
  part "text/plain" message=2&part=1
`
	if got := outline(d.Nodes, ""); got != want || d.Metadata["messages"] != 3 {
		t.Errorf("got\n%s%v", got, d.Metadata)
	}
}

// TestThreads checks which messages are joined.
func TestThreads(t *testing.T) {
	var b strings.Builder
	add := func(fields string) {
		fmt.Fprintf(&b, "From a@b Mon Jan  1 00:00:00 2001\n%s\n\nx\n\n", fields)
	}
	add("Subject: alpha\nMessage-ID: <a>")
	add("Subject: Re: beta\nReferences: <gone> <b1>")
	add("Subject: AW: RE[2]: Alpha")
	add("Subject: gamma\nIn-Reply-To: message of <b1>")
	add("Subject: alpha") // a new one: it is no reply
	var got []string
	for _, n := range mapOf(t, b.String()).Nodes {
		var numbers []string
		for _, m := range n.Children {
			if m.Type == "message" {
				numbers = append(numbers, m.Location.String())
			}
		}
		got = append(got, n.Type+" "+n.Title+" "+strings.Join(numbers, " "))
	}
	want := []string{"thread alpha message=1 message=3", "thread beta message=2 message=4", "message alpha "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLargeMailbox checks that maps of many messages stay within bounds.
func TestLargeMailbox(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	for _, c := range []struct {
		messages, replies int
		left              string
		nodes             int
	}{
		{5_000, 0, "", 10_000},
		{12_000, 2, "parts left out", 12_000 + 4_000},
		{about.MaxMappedNodes, 3, "messages after the first", 5_000},
		{about.MaxMappedNodes + 5, 0, "messages after the first of each thread and parts left out: more than 20000 nodes; 5 threads left out", about.MaxMappedNodes},
	} {
		var b bytes.Buffer
		for i := range c.messages {
			fmt.Fprintf(&b, "From a@b Mon Jan  1 00:00:00 2001\nSubject: %d\nIn-Reply-To: <%d>\n\nx\n\n", i, i/(c.replies+1))
		}
		d := mapOf(t, b.String())
		said, _ := d.Metadata["structure"].(string)
		m := citekit.ResourceMap{Nodes: d.Nodes}
		if m.Len() != c.nodes || !strings.HasPrefix(said, c.left) || (said == "") != (c.left == "") {
			t.Errorf("%d messages: %d nodes, %q; want %d, %q", c.messages, m.Len(), said, c.nodes, c.left)
		}
	}
}

func TestMembers(t *testing.T) {
	attached := func(name, body string) string {
		return "--b\nContent-Type: application/x\nContent-Disposition: attachment; filename=\"" + name + "\"\n\n" + body + "\n"
	}
	text := "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhello\n" + attached("a.pdf", "A") + attached("b.pdf", "B1") + attached("b.pdf", "B2") + attached("", "C") + "--b--\n"
	for _, c := range []struct{ name, member, want string }{
		{"a name", "a.pdf", "A"},
		{"the number of one that has a name", "2", "A"},
		{"one of two with a name", "4", "B2"},
		{"one without a name", "5", "C"},
	} {
		for prefix, text := range map[string]string{"": text, "1/": "From a Mon Jan  1 00:00:00 2001\n" + text + "\n"} {
			src, err := new(mail.Resolver).OpenMember(t.Context(), source("a.eml", text), prefix+c.member)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			got, err := io.ReadAll(src.Reader())
			if string(got) != c.want || err != nil {
				t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
			}
			src.Close()
		}
	}
	for _, name := range []string{"b.pdf", "c.pdf", "9", "1/a.pdf"} {
		if _, err := new(mail.Resolver).OpenMember(t.Context(), source("a.eml", text), name); !errors.Is(err, citekit.ErrRange) {
			t.Errorf("%s: %v, want %v", name, err, citekit.ErrRange)
		}
	}
}
