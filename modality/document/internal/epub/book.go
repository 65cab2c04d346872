package epub

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"path"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/modality/document/internal/zipread"
)

const (
	containerName  = "META-INF/container.xml"
	encryptionName = "META-INF/encryption.xml"

	maxParts = 1 << 16
)

// A book holds the contents of a container and a package document. It is not changed
// after it is read.
type book struct {
	archive *zipread.Archive

	container *tree
	rootfile  int32 // index in the container
	name      string
	opf       *tree
	manifest  []*item
	byID      map[string]*item
	byName    map[string]*item // by name in the archive
	folded    *foldedNames
	spineNode int32
	spine     []itemref
	nav, ncx  *item
	cost      int64
	sheets    *sheetTable
}

// An item is an entry of the manifest.
type item struct {
	node              int32
	id, href, media   string
	properties        []string
	fallback, overlay string
	name              string // name in the archive; "" if it is missing there
	first             int    // the first part that uses it, from 1; 0 if none does
}

// An itemref is an entry of the spine: a part.
type itemref struct {
	node int32
	item *item // nil if it is missing in the manifest
}

// on returns the same book over another reader of the same bytes.
func (b *book) on(src *citekit.Source) *book {
	c := *b
	c.archive = b.archive.On(src)
	return &c
}

func openBook(ctx context.Context, src *citekit.Source) (*book, error) {
	archive, err := zipread.Open(ctx, src, src.Size())
	if err != nil {
		return nil, err
	}
	b := &book{sheets: new(sheetTable), archive: archive, byID: make(map[string]*item), byName: make(map[string]*item), folded: new(foldedNames)}
	if err := b.readContainer(ctx); err != nil {
		return nil, err
	}
	if err := b.checkRights(ctx); err != nil {
		return nil, err
	}
	if err := b.readPackage(ctx); err != nil {
		return nil, err
	}
	return b, b.checkPlain(ctx)
}

func damaged(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrFormat)...)
}

// text returns a text member in UTF-8, or unchanged if its encoding extends ASCII.
func (b *book) text(ctx context.Context, name string) (string, error) {
	data, err := b.raw(ctx, name)
	if err != nil {
		return "", err
	}
	return decode(data), nil
}

// decode returns text without its byte order mark. UTF-16 becomes UTF-8; other
// encodings stay.
func decode(data []byte) string {
	if order := byteOrder(data); order != nil {
		return charset.UTF16(data, order)
	}
	return string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
}

func (b *book) raw(ctx context.Context, name string) ([]byte, error) {
	f := b.archive.File(name)
	if f == nil {
		return nil, damaged("a member of the book is missing")
	}
	return f.Bytes(ctx, int64(maxMarkup))
}

// byteOrder returns the byte order of UTF-16 data, or nil for other data.
func byteOrder(data []byte) binary.ByteOrder {
	for _, mark := range []struct {
		bytes string
		order binary.ByteOrder
	}{
		{"\xff\xfe", binary.LittleEndian}, {"\xfe\xff", binary.BigEndian}, {"<\x00", binary.LittleEndian}, {"\x00<", binary.BigEndian},
	} {
		if bytes.HasPrefix(data, []byte(mark.bytes)) {
			return mark.order
		}
	}
	return nil
}

// encode reverses decode: it encodes text like the data in like.
func encode(text string, like []byte) []byte {
	order := byteOrder(like)
	if order == nil {
		if mark := []byte("\xef\xbb\xbf"); bytes.HasPrefix(like, mark) {
			return append(mark, text...)
		}
		return []byte(text)
	}
	var out []byte
	if like[0] != '<' && like[1] != '<' {
		out = append(out, like[:2]...)
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.(binary.AppendByteOrder).AppendUint16(out, unit)
	}
	return out
}

// tree reads a member with markup.
func (b *book) tree(ctx context.Context, name string, isHTML bool) (*tree, error) {
	text, err := b.text(ctx, name)
	if err != nil {
		return nil, err
	}
	t, err := parse(text, isHTML)
	if err != nil {
		return nil, err
	}
	return t, ctx.Err()
}

// readContainer finds the package document of the first rendition.
func (b *book) readContainer(ctx context.Context) error {
	if b.archive.File(containerName) == nil {
		return damaged("a ZIP archive without META-INF/container.xml is no EPUB")
	}
	t, err := b.tree(ctx, containerName, false)
	if err != nil {
		return err
	}
	b.container = t
	for i := range t.within(0, "rootfile") {
		if media := t.attr(i, "media-type"); media != "" && media != "application/oebps-package+xml" {
			continue
		}
		b.rootfile = i
		name, _, ok := resolve("", t.attr(i, "full-path"))
		if !ok {
			break
		}
		b.name = b.find(name)
		break
	}
	if b.name == "" {
		return damaged("the container of the book names no package document that is there")
	}
	return nil
}

// readPackage reads the manifest and the spine.
func (b *book) readPackage(ctx context.Context) error {
	t, err := b.tree(ctx, b.name, false)
	if err != nil {
		return err
	}
	b.opf = t
	for i := range t.within(t.first(0, "manifest"), "item") {
		b.addItem(i)
	}
	if b.spineNode = t.first(0, "spine"); b.spineNode == 0 {
		return damaged("the package document of the book has no spine")
	}
	for i := range t.within(b.spineNode, "itemref") {
		if len(b.spine) == maxParts {
			return fmt.Errorf("more than %d parts; split the book: %w", maxParts, citekit.ErrTooLarge)
		}
		it := b.byID[t.attr(i, "idref")]
		b.spine = append(b.spine, itemref{i, it})
		for it := range b.fallbacks(it) {
			if it.first == 0 {
				it.first = len(b.spine)
			}
		}
	}
	if len(b.spine) == 0 {
		return damaged("the spine of the book has no parts")
	}
	if ncx := b.byID[t.attr(b.spineNode, "toc")]; ncx != nil {
		b.ncx = ncx
	}
	b.cost = int64(len(t.data)+len(b.container.data)) + int64(len(t.nodes))*64 + int64(len(b.archive.Files()))*400
	return nil
}

func (b *book) addItem(i int32) {
	t := b.opf
	it := &item{
		node: i, id: t.attr(i, "id"), href: t.attr(i, "href"), media: strings.ToLower(t.attr(i, "media-type")),
		fallback: t.attr(i, "fallback"), overlay: t.attr(i, "media-overlay"), properties: strings.Fields(t.attr(i, "properties")),
	}
	if name, _, ok := resolve(b.name, it.href); ok {
		it.name = b.find(name)
	}
	b.manifest = append(b.manifest, it)
	if _, known := b.byID[it.id]; !known && it.id != "" {
		b.byID[it.id] = it
	}
	if it.name == "" {
		return
	}
	if _, known := b.byName[it.name]; !known {
		b.byName[it.name] = it
	}
	if b.nav == nil && it.has("nav") {
		b.nav = it
	}
	if b.ncx == nil && it.media == "application/x-dtbncx+xml" {
		b.ncx = it
	}
}

func (it *item) has(property string) bool {
	for _, p := range it.properties {
		if p == property {
			return true
		}
	}
	return false
}

// find returns the member that a name means: the one with that name, or one whose
// name differs only in case or encoding; "" if there is none.
func (b *book) find(name string) string {
	if f := b.archive.File(name); name == "" || f != nil && !f.IsUnsafe() {
		return name
	}
	b.folded.once.Do(func() {
		b.folded.names = make(map[string]string)
		for _, f := range b.archive.Files() {
			if folded := strings.ToLower(f.Text()); b.folded.names[folded] == "" && !f.IsUnsafe() {
				b.folded.names[folded] = f.Name()
			}
		}
	})
	return b.folded.names[strings.ToLower(name)]
}

// foldedNames maps lower-case names to names of members.
type foldedNames struct {
	once  sync.Once
	names map[string]string
}

// resolve returns the member and the fragment that a reference in the member base
// means. ok is false if it leads out of the book.
func resolve(base, href string) (name, fragment string, ok bool) {
	href, fragment, _ = strings.Cut(strings.TrimSpace(href), "#")
	href, _, _ = strings.Cut(href, "?")
	fragment = unescapeURL(fragment)
	if href == "" {
		return base, fragment, base != ""
	}
	if i := strings.IndexAny(href, ":/"); i >= 0 && href[i] == ':' || strings.HasPrefix(href, "//") {
		return "", "", false
	}
	href = unescapeURL(href)
	name = strings.TrimPrefix(href, "/")
	if name == href {
		name = path.Join(path.Dir(base), href)
	}
	name = path.Clean(name)
	return name, fragment, name != "." && name != ".." && !strings.HasPrefix(name, "../")
}

func unescapeURL(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// fallbacks yields an item and its fallbacks for reading systems that do not know its
// format.
func (b *book) fallbacks(it *item) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for range maxFallbacks {
			if it == nil || !yield(it) {
				return
			}
			it = b.byID[it.fallback]
		}
	}
}

const maxFallbacks = 16

// content returns the item to read as a part: it or a fallback; nil if none of them
// is in the book as text.
func (b *book) content(it *item) *item {
	for it := range b.fallbacks(it) {
		if it.name != "" && isContent(it.media, it.name) {
			return it
		}
	}
	return nil
}

// isThere reports whether a part, counted from 1, is in the book.
func (b *book) isThere(number int) bool {
	it := b.spine[number-1].item
	return it != nil && (it.name != "" || b.content(it) != nil)
}

func isContent(media, name string) bool {
	switch media {
	case "application/xhtml+xml", "image/svg+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document":
		return true
	case "", "application/xml", "text/xml", "text/plain":
		switch strings.ToLower(path.Ext(name)) {
		case ".xhtml", ".html", ".htm", ".svg", ".xml":
			return true
		}
	}
	return false
}

// errNoText reports a part without markup.
var errNoText = errors.New("the part is no text")

// part reads a part, counted from 1.
func (b *book) part(ctx context.Context, number int) (*part, *item, error) {
	if !b.isThere(number) {
		return nil, nil, damaged("part %d is not in the book", number)
	}
	it := b.content(b.spine[number-1].item)
	if it == nil {
		return nil, nil, errNoText
	}
	t, err := b.tree(ctx, it.name, true)
	if err != nil {
		return nil, nil, err
	}
	sheet, err := b.sheet(ctx, t, it.name)
	if err != nil {
		return nil, nil, err
	}
	t.style(sheet)
	return newPart(t), it, ctx.Err()
}
