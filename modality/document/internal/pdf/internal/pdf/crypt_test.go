package pdf_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

// TestEncrypted reads files that qpdf encrypted, with and without a password for users.
func TestEncrypted(t *testing.T) {
	qpdf := sharedtest.Tool(t, "qpdf")
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.pdf")
	f := &pdftest.File{}
	const content = "BT /F1 12 Tf (Hidden from nobody) Tj ET"
	f.Root(f.Add("<< /Type /Catalog /Pages 2 0 R /Lang (de-AT) >>"))
	f.Add("<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 200 200] >>")
	f.Add("<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>")
	f.Stream("", []byte(content))
	if err := os.WriteFile(plain, f.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{
		"40", "128 --use-aes=n", "128 --use-aes=y", "128 --use-aes=y --cleartext-metadata", "128 --force-V4", "256", "256 --force-R5",
	} {
		for _, password := range []string{"", "word"} {
			path := filepath.Join(dir, "encrypted.pdf")
			args := append([]string{"--allow-weak-crypto", "--encrypt", password, "owner"}, strings.Fields(how)...)
			if out, err := exec.Command(qpdf, append(args, "--", plain, path)...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", how, err, out)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f := fileOf(t, data)
			d, err := pdf.Open(f)
			if password != "" {
				if !errors.Is(err, pdf.ErrPassword) {
					t.Errorf("%s: without the password: %v", how, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", how, err)
				continue
			}
			if info, err := d.Info(f); err != nil || info.Language != "de-AT" {
				t.Errorf("%s: a string is %q, %v", how, info.Language, err)
			}
			page, err := d.PageDict(f, 0)
			if err != nil {
				t.Fatal(err)
			}
			o, err := d.Resolve(f, page["Contents"])
			if err != nil {
				t.Fatal(err)
			}
			s, ok := o.(*pdf.Stream)
			if !ok {
				t.Fatalf("%s: the content is %T", how, o)
			}
			if got, err := d.Data(f, s, 1000); err != nil || strings.TrimSpace(string(got)) != content {
				t.Errorf("%s: a stream is %q, %v", how, got, err)
			}
		}
	}
}
