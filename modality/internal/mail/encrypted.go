package mail

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/citekit/citekit"
)

// The types of CMS that are encrypted, in DER: enveloped-data (RFC 5652, section
// 6.1) and authenticated-enveloped-data (RFC 5083).
var (
	enveloped     = []byte("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03")
	authEnveloped = []byte("\x06\x0b\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x17")
)

const beginPGP = "-----BEGIN PGP MESSAGE-----"

// cipher returns what a part is encrypted by, "S/MIME" or "PGP", or "".
func (e *entity) cipher(ctx context.Context, src io.ReaderAt) (string, error) {
	switch {
	case e.kind == "multipart/encrypted", e.kind == "application/pgp-encrypted":
		return "PGP", nil
	case e.kind != "application/pkcs7-mime" && e.kind != "application/x-pkcs7-mime" && !e.sealed && e.kind != "text/plain":
		return "", nil
	}
	head := make([]byte, 64)
	n, err := io.ReadFull(e.decoded(ctx, src), head)
	if head = head[:n]; err != nil && !isEnd(err) {
		return "", err
	}
	kind := strings.ToLower(e.params["smime-type"])
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte(beginPGP)), e.sealed && len(head) > 0:
		return "PGP", nil
	case e.kind == "text/plain":
		return "", nil
	case kind == "enveloped-data", kind == "authenveloped-data", bytes.Contains(head, enveloped), bytes.Contains(head, authEnveloped):
		return "S/MIME", nil
	}
	return "", nil
}

// encryptedError returns the error for a part that needs a key.
func (e *entity) encryptedError(cipher string) error {
	return fmt.Errorf("part %s is encrypted by %s; decrypt the message in a mail program and save it as EML: %w", e.number, cipher, citekit.ErrEncrypted)
}
