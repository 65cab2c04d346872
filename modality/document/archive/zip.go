package archive

import (
	"context"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/zipread"
)

// listZip reads the directory of a ZIP archive.
func listZip(ctx context.Context, src *citekit.Source) (*listing, error) {
	z, err := zipread.OpenAny(src, src.Size())
	if err != nil {
		return nil, known(ctx, err)
	}
	l := &listing{kind: kindOf(z, src.Name()), byName: make(map[string]*entry), cut: cutZip}
	l.cutExt, l.version, l.hasSums = l.kind.ext, src.Version(), true
	for _, f := range z.Files() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.add(zipEntry(f))
	}
	return l, nil
}

func zipEntry(f *zipread.File) *entry {
	e := &entry{name: decode(f.Name()), size: f.Size(), folder: f.IsDir(), open: f.Open, inPlace: f.Stored, raw: f}
	switch {
	case f.IsUnsafe():
		e.refusal = errLeads
	case f.IsTwice():
		e.refusal = errTwice
	case f.IsEncrypted():
		e.refusal = errLocked
	}
	return e
}

// kindOf detects the kind of a ZIP archive: a JAR by its manifest, a CBZ by its file
// name.
func kindOf(z *zipread.Archive, name string) kind {
	switch {
	case z.File("META-INF/MANIFEST.MF") != nil:
		return kindJar
	case strings.EqualFold(path.Ext(name), kindCBZ.ext):
		return kindCBZ
	}
	return kindZip
}

// decode returns the name to use in addresses. A name that is not UTF-8 is in code
// page 437, the original encoding of ZIP (APPNOTE.TXT, appendix D).
func decode(stored string) string {
	if utf8.ValidString(stored) {
		return stored
	}
	var name strings.Builder
	for _, c := range []byte(stored) {
		if c < utf8.RuneSelf {
			name.WriteByte(c)
		} else {
			name.WriteRune(codePage437[c-utf8.RuneSelf])
		}
	}
	return name.String()
}

// codePage437 is the upper half of code page 437.
var codePage437 = []rune("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0")

// cutZip writes a ZIP archive of some entries without repacking them.
func cutZip(ctx context.Context, w io.Writer, entries []*entry) error {
	out := zipread.NewWriter(w)
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := out.Copy(e.raw.(*zipread.File)); err != nil {
			return err
		}
	}
	return out.Close()
}
