package mail_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/mail"
)

// oracle prints the parts of messages by the email package of Python: for each
// file a list of messages, each a list of number, media type and decoded bytes.
// Python takes the fields of a report for parts, which it is not asked for, and
// leaves a multipart without parts what it says it is.
const oracle = `
import base64, email, json, mailbox, sys
NESTED = ("message/rfc822", "message/global", "message/news")
def root(m, prefix, out):
    if m.get_content_maintype() == "multipart" and m.is_multipart():
        for i, p in enumerate(m.get_payload()): part(p, prefix + str(i + 1), out)
    else: part(m, prefix + "1", out)
def part(p, number, out):
    kind = p.get_content_type()
    if kind.startswith("multipart/") and p.is_multipart():
        out.append([number, kind, None])
        for i, q in enumerate(p.get_payload()): part(q, number + "." + str(i + 1), out)
    elif kind in NESTED and p.is_multipart():
        out.append([number, kind, None])
        inner = p.get_payload()[0]
        if str(p.get("content-transfer-encoding", "")).lower() == "base64":
            inner = email.message_from_bytes(base64.b64decode(inner.get_payload()))
        root(inner, number + ".", out)
    else:
        body = None if p.is_multipart() else base64.b64encode(p.get_payload(decode=True)).decode()
        out.append([number, "text/plain" if kind.startswith("multipart/") else kind, body])
files = []
for path in sys.argv[1:]:
    with open(path, "rb") as f: data = f.read()
    if data.startswith(b"From "):
        box = mailbox.mbox(path, create=False)
        messages = [email.message_from_bytes(box.get_bytes(k)) for k in box.keys()]
    else: messages = [email.message_from_bytes(data)]
    parts = []
    for m in messages:
        out = []
        root(m, "", out)
        parts.append(out)
    files.append(parts)
json.dump(files, sys.stdout)
`

// A pyPart is a part as Python reads it. Its bytes are nil for one that holds
// others.
type pyPart struct {
	Number, Kind string
	Body         []byte
}

func (p *pyPart) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&p.Number, &p.Kind, &p.Body})
}

// TestOracle compares the parts of messages with those that Python finds: of
// what is written here, and of the files in the folder mail of the shared
// corpus, where it is there.
func TestOracle(t *testing.T) {
	python := sharedtest.Python(t, "email")
	dir := t.TempDir()
	var paths []string
	for name, text := range oracleFiles() {
		paths = append(paths, filepath.Join(dir, name))
		if err := os.WriteFile(paths[len(paths)-1], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if shared, ok := sharedtest.Extra(t); ok {
		more, err := filepath.Glob(filepath.Join(shared, "corpus", "mail", "*"))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, more...)
	}
	out, err := exec.CommandContext(t.Context(), python, append([]string{"-c", oracle}, paths...)...).Output()
	if err != nil {
		t.Fatalf("python3: %v", err)
	}
	var files [][][]pyPart
	if err := json.Unmarshal(out, &files); err != nil {
		t.Fatal(err)
	}
	good, made := 0, len(oracleFiles())
	for i, path := range paths {
		if differs := compareParts(t, path, files[i]); differs == "" {
			good++
		} else if i < made {
			t.Errorf("%s: %s", filepath.Base(path), differs)
		} else {
			t.Logf("%s: %s", filepath.Base(path), differs)
		}
	}
	t.Logf("%d of %d files have the parts that Python finds", good, len(paths))
	if 100*good < 95*len(paths) {
		t.Errorf("only %d of %d", good, len(paths))
	}
}

// oracleFiles are messages of every shape, and a mailbox, by their names.
func oracleFiles() map[string]string {
	const mixed = "From: a@example.org\nSubject: x\nContent-Type: multipart/mixed; boundary="
	return map[string]string{
		"letter.eml":    letter,
		"box.mbox":      strings.ReplaceAll(box, "\nFrom here", "\nfrom here"),
		"empty.eml":     mixed + "b\n\n--b\n\n--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\n--b\n\nx\n--b--\n",
		"bare.eml":      "Content-Type: multipart/alternative; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>x</p>\r\n--b--\r\n",
		"noBody.eml":    "Subject: x\n\n",
		"unclosed.eml":  mixed + "b\n\n--b\n\none\n--b\nContent-Type: text/html\n\n<p>two</p>\n\n",
		"unclosed2.eml": mixed + "o\n\n--o\nContent-Type: multipart/related; boundary=i\n\n--i\n\none\n--o\n\ntwo\n",
		"partless.eml":  mixed + "b\n\nnothing here\n\n--b--\nepilogue\n",
		"lost.eml":      mixed + "b\n\nno delimiter at all\n",
		"odd.eml":       mixed + "\"=_(b'+_,-./:=? 1)\"\n\n--=_(b'+_,-./:=? 1)\n\none\n--=_(b'+_,-./:=? 1)  \n\ntwo\n--=_(b'+_,-./:=? 1)--\n",
		"prefix.eml":    mixed + "ab\n\n--ab\nContent-Type: multipart/mixed; boundary=abc\n\n--abc\n\none\n--abc--\n--ab\n\ntwo\n--ab--\n",
		"epilogues.eml": mixed + "b\n\npreamble\n--b\n\none\n--b--\nepilogue\n--b\n\nnot a part\n",
		"messages.eml":  mixed + "b\n\n--b\nContent-Type: message/rfc822\n\nSubject: y\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\none\n--c\nContent-Type: message/rfc822\n\nSubject: z\n\ntwo\n--c--\n--b--\n",
		"digest.eml":    "From: a@example.org\nContent-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: one\n\n1\n--b\n\nSubject: two\n\n2\n--b--\n",
		"encoded.eml":   mixed + "b\n\n--b\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeQoKaW5uZXIK\n--b--\n",
		"encrypted.eml": "From: a@example.org\nContent-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b\nContent-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----\n\nx\n--b--\n",
	}
}

// compareParts returns how the parts of a file differ from those of Python.
func compareParts(t *testing.T, path string, messages [][]pyPart) string {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src := source(filepath.Base(path), string(data))
	r := new(mail.Resolver)
	d, err := r.Measure(t.Context(), src)
	if err != nil {
		return err.Error()
	}
	if d.Messages > 0 && d.Messages != len(messages) {
		return fmt.Sprintf("%d messages, want %d", d.Messages, len(messages))
	}
	for n, parts := range messages {
		if d.Messages == 0 {
			n = -1
		}
		got, err := mail.PartsOf(t.Context(), r, src, n+1)
		if err != nil {
			return err.Error()
		}
		if len(got) != len(parts) {
			return fmt.Sprintf("message %d: %d parts, want %d", n+1, len(got), len(parts))
		}
		for i, want := range parts {
			if got[i] != [2]string{want.Number, want.Kind} {
				return fmt.Sprintf("message %d: part %v, want %s, %s", n+1, got[i], want.Number, want.Kind)
			}
			loc := inMessage(n+1, part(want.Number))
			c, err := r.Resolve(t.Context(), src, citekit.Request{Location: loc})
			if want.Body == nil || err != nil && len(want.Body) == 0 {
				continue
			}
			if err != nil {
				return err.Error()
			}
			body, err := io.ReadAll(c.Body)
			if err != nil || !bytes.Equal(withoutBlanks(body), withoutBlanks(want.Body)) {
				return fmt.Sprintf("message %d, part %s: %d bytes, %v; want %d", n+1, want.Number, len(body), err, len(want.Body))
			}
		}
	}
	return ""
}

// withoutBlanks drops blanks and line ends, which Python keeps at the end of
// lines of quoted-printable, and at the end of a text.
func withoutBlanks(text []byte) []byte { return bytes.Join(bytes.Fields(text), nil) }
