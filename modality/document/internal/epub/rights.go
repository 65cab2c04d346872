package epub

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
)

// checkRights refuses a book with encrypted content. Obfuscated fonts are allowed and
// stay as they are.
func (b *book) checkRights(ctx context.Context) error {
	if b.archive.File(encryptionName) == nil {
		return nil
	}
	t, err := b.tree(ctx, encryptionName, false)
	if err != nil {
		return err
	}
	for i := range t.within(0, "encrypteddata") {
		if !isObfuscation(t.attr(t.first(i, "encryptionmethod"), "Algorithm")) {
			return b.errRights()
		}
	}
	return nil
}

func isObfuscation(algorithm string) bool {
	return algorithm == "http://www.idpf.org/2008/embedding" || algorithm == "http://ns.adobe.com/pdf/enc#RC"
}

// errRights names the rights management system by its traces in a book.
func (b *book) errRights() error {
	system := "digital rights management (DRM)"
	for _, s := range []struct{ name, system string }{
		{"META-INF/license.lcpl", "Readium LCP"}, {"META-INF/sinf.xml", "Apple FairPlay"}, {"META-INF/rights.xml", "Adobe ADEPT"},
	} {
		if b.archive.File(s.name) != nil {
			system = s.system + " (DRM)"
			break
		}
	}
	return fmt.Errorf("the book is protected by %s; it opens only where it is licensed: %w", system, citekit.ErrEncrypted)
}

// checkPlain refuses a book that has a licence and whose first part is not markup.
// Books whose protection was removed may still have the licence.
func (b *book) checkPlain(ctx context.Context) error {
	if b.archive.File("META-INF/rights.xml") == nil && b.archive.File("META-INF/sinf.xml") == nil {
		return nil
	}
	for _, ref := range b.spine {
		it := b.content(ref.item)
		if it == nil {
			continue
		}
		text, err := b.text(ctx, it.name)
		if err == nil && strings.HasPrefix(strings.TrimSpace(text), "<") {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return b.errRights()
	}
	return nil
}
