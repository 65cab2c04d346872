package image

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/citekit/citekit"
)

// heifFormat is a format of images in boxes (HEIF, ISO/IEC 23008-12): their
// size and metadata are read, but not their pixels.
func heifFormat(name, mediaType, ext, id string) *format {
	return &format{
		name:      name,
		mediaType: mediaType,
		ext:       ext,
		id:        id,
		open: func(ctx context.Context, _ *Resolver, src *citekit.Source) (*picture, error) {
			p, err := openHEIF(ctx, src)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return p, nil
		},
		crop: func(context.Context, *Resolver, *citekit.Source, *picture, image.Rectangle) (*crop, error) {
			return nil, noDecoder("cropping " + name)
		},
		cards: heifCards,
	}
}

// noDecoder returns an error that names the missing feature and the next step.
func noDecoder(what string) error {
	return fmt.Errorf("%s needs a decoder that citekit does not ship; cite the whole image, or convert it to PNG or JPEG first: %w", what, errors.ErrUnsupported)
}

// Limits on the boxes of a HEIF.
const (
	maxTopBoxes = 4096
	maxMetaBox  = 4 << 20 // bytes
	maxExtents  = 1 << 18 // of all items: extents may have no bytes
)

// openHEIF reads the size of the primary item.
func openHEIF(ctx context.Context, src *citekit.Source) (*picture, error) {
	in := newInput(ctx, src)
	h, err := readHEIF(in)
	if err != nil {
		return nil, err
	}
	if h.mini != nil {
		return h.mini, nil
	}
	width, height, err := h.size(in)
	if err != nil {
		return nil, err
	}
	return &picture{width: width, height: height}, nil
}

// heifCards reads the items that hold Exif and XMP.
func heifCards(in *input, c *cards) {
	h, err := readHEIF(in)
	if err != nil {
		return
	}
	for _, item := range h.items {
		switch {
		case item.kind == "Exif":
			// The offset of the block is stored before it (section A.2.1).
			data := h.data(in, item.id)
			if len(data) < 4 {
				continue
			}
			if at := int64(binary.BigEndian.Uint32(data)) + 4; at < int64(len(data)) {
				c.addExifBlock(data[at:])
			}
		case item.kind == "mime" && item.contentType == "application/rdf+xml":
			c.addXMP(h.data(in, item.id))
		}
	}
}

// A heif holds the items in the meta box of a HEIF.
type heif struct {
	primary    uint32
	items      []heifItem             // Exif, XMP and the primary one
	places     map[uint32][]heifPlace // extents of those items
	properties []isoBox               // in ipco
	used       []uint16               // properties of the primary item, counted from 1, in order
	idat       []byte
	mini       *picture // of a file that has one box for all of that; else nil
}

type heifItem struct {
	id          uint32
	kind        string
	contentType string
}

// A heifPlace is an extent of an item.
type heifPlace struct {
	inIdat       bool
	offset, size int64
}

// An isoBox is a box in memory (ISO/IEC 14496-12, section 4.2).
type isoBox struct {
	kind string
	data []byte
}

// readHEIF reads the meta box.
func readHEIF(in *input) (*heif, error) {
	offset, end := int64(0), in.src.Size()
	for range maxTopBoxes {
		kind, head, size, err := topBox(in, offset, end)
		if err != nil {
			return nil, err
		}
		if kind == "meta" {
			if size-head > maxMetaBox {
				return nil, fmt.Errorf("its box of metadata has %d bytes, and at most %d are read: %w", size-head, maxMetaBox, citekit.ErrTooLarge)
			}
			data := make([]byte, size-head)
			if err := in.full(data, offset+head); err != nil {
				return nil, err
			}
			return parseMeta(data)
		}
		if kind == "mini" {
			return readMini(in, offset+head)
		}
		if offset += size; offset >= end {
			return nil, fmt.Errorf("it has no item that is an image; cite the whole file: %w", errors.ErrUnsupported)
		}
	}
	return nil, fmt.Errorf("more than %d boxes: %w", maxTopBoxes, citekit.ErrTooLarge)
}

// readMini reads the size in a box for a small image, which begins with a
// version of 2 bits, 9 flags, 2 bits for the chroma, 3 for the orientation less
// 1, and a flag for numbers of 15 bits and not 7: width and height, each less 1
// (ISO/IEC 23008-12, MinimizedImageBox).
func readMini(in *input, offset int64) (*heif, error) {
	var b [8]byte
	if err := in.full(b[:6], offset); err != nil {
		return nil, err
	}
	v, at := binary.BigEndian.Uint64(b[:]), 0
	next := func(n int) int {
		at += n
		return int(v >> (64 - at) & (1<<n - 1))
	}
	if next(2) != 0 {
		return nil, fmt.Errorf("its box of metadata is of a later version; cite the whole file: %w", errors.ErrUnsupported)
	}
	next(9 + 2)
	orientation, length := next(3)+1, 7
	if next(1) == 1 {
		length = 15
	}
	width := next(length) + 1
	height := next(length) + 1
	if orientation >= 5 { // turned by 90 degrees
		width, height = height, width
	}
	return &heif{mini: &picture{width: width, height: height}}, nil
}

// topBox reads the head of a box of the file.
func topBox(in *input, offset, end int64) (kind string, head, size int64, err error) {
	var b [16]byte
	if err := in.full(b[:8], offset); err != nil {
		return "", 0, 0, err
	}
	head, size = 8, int64(binary.BigEndian.Uint32(b[:]))
	switch size {
	case 0:
		size = end - offset
	case 1:
		if err := in.full(b[8:], offset+8); err != nil {
			return "", 0, 0, err
		}
		head, size = 16, int64(min(binary.BigEndian.Uint64(b[8:]), 1<<62))
	}
	if size < head {
		return "", 0, 0, fmt.Errorf("a box of %d bytes: %w", size, citekit.ErrFormat)
	}
	if size > end-offset {
		return "", 0, 0, io.ErrUnexpectedEOF
	}
	return string(b[4:8]), head, size, nil
}

var errHEIF = fmt.Errorf("a box of metadata is damaged: %w", citekit.ErrFormat)

// eachBox visits the boxes in data.
func eachBox(data []byte, visit func(isoBox) error) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return errHEIF
		}
		head, size := uint64(8), uint64(binary.BigEndian.Uint32(data))
		switch {
		case size == 0:
			size = uint64(len(data))
		case size == 1 && len(data) >= 16:
			head, size = 16, binary.BigEndian.Uint64(data[8:])
		}
		if size < head || size > uint64(len(data)) {
			return errHEIF
		}
		if err := visit(isoBox{string(data[4:8]), data[head:size]}); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

// A fields reads numbers from a box. After the end they are 0 and short is
// set.
type fields struct {
	b     []byte
	short bool
}

// uint reads a number of n bytes, at most 8.
func (f *fields) uint(n int) uint64 {
	if len(f.b) < n {
		f.b, f.short = nil, true
		return 0
	}
	v := uint64(0)
	for _, c := range f.b[:n] {
		v = v<<8 | uint64(c)
	}
	f.b = f.b[n:]
	return v
}

// version reads the version and the flags of a box that has them.
func (f *fields) version() (version int, flags uint32) {
	v := uint32(f.uint(4))
	return int(v >> 24), v & 0xffffff
}

// text reads a text that ends with a zero byte.
func (f *fields) text() string {
	for i, c := range f.b {
		if c == 0 {
			s := string(f.b[:i])
			f.b = f.b[i+1:]
			return s
		}
	}
	s := string(f.b)
	f.b = nil
	return s
}

// id reads the number of an item, which is wider in later versions of boxes.
func (f *fields) id(wide bool) uint32 {
	if wide {
		return uint32(f.uint(4))
	}
	return uint32(f.uint(2))
}

// parseMeta reads the boxes in a meta box. It reads the boxes that identify the
// needed items first, in any order in the file.
func parseMeta(data []byte) (*heif, error) {
	if len(data) < 4 {
		return nil, errHEIF
	}
	h := &heif{places: make(map[uint32][]heifPlace)}
	boxes := make(map[string][]byte)
	err := eachBox(data[4:], func(b isoBox) error {
		if _, twice := boxes[b.kind]; !twice {
			boxes[b.kind] = b.data
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	h.idat = boxes["idat"]
	for _, step := range []struct {
		kind string
		read func([]byte) error
	}{{"pitm", h.readPrimary}, {"iinf", h.readItems}, {"iloc", h.readPlaces}, {"iprp", h.readProperties}} {
		if b, ok := boxes[step.kind]; ok {
			if err := step.read(b); err != nil {
				return nil, err
			}
		}
	}
	return h, nil
}

// readPrimary reads pitm (ISO/IEC 14496-12, section 8.11.4).
func (h *heif) readPrimary(b []byte) error {
	f := fields{b: b}
	version, _ := f.version()
	h.primary = f.id(version > 0)
	return f.err()
}

func (f *fields) err() error {
	if f.short {
		return errHEIF
	}
	return nil
}

// readItems reads iinf (section 8.11.6).
func (h *heif) readItems(b []byte) error {
	f := fields{b: b}
	version, _ := f.version()
	f.id(version > 0) // the count
	if f.short {
		return errHEIF
	}
	return eachBox(f.b, func(b isoBox) error {
		f := fields{b: b.data}
		version, _ := f.version()
		if b.kind != "infe" || version < 2 {
			return nil
		}
		item := heifItem{id: f.id(version > 2)}
		f.uint(2) // protection
		item.kind = string(binary.BigEndian.AppendUint32(nil, uint32(f.uint(4))))
		f.text() // name
		if item.kind == "mime" {
			item.contentType = f.text()
		}
		if item.id == h.primary || item.kind == "Exif" || item.kind == "mime" && len(h.items) < maxProfiles {
			h.items = append(h.items, item)
			h.places[item.id] = nil
		}
		return f.err()
	})
}

// readPlaces reads iloc (section 8.11.3) for the needed items.
func (h *heif) readPlaces(b []byte) error {
	f := fields{b: b}
	version, _ := f.version()
	sizes := f.uint(2)
	offsetSize, lengthSize, baseSize, indexSize := int(sizes>>12), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	if version == 0 {
		indexSize = 0
	}
	if max(offsetSize, lengthSize, baseSize, indexSize) > 8 {
		return errHEIF
	}
	extents := 0
	for range f.id(version > 1) {
		id := f.id(version > 1)
		method := uint64(0)
		if version > 0 {
			method = f.uint(2) & 15
		}
		f.uint(2) // location of the data: 0 is this file
		base := f.uint(baseSize)
		_, wanted := h.places[id]
		for range f.uint(2) {
			if extents++; extents > maxExtents {
				return fmt.Errorf("more than %d extents of items: %w", maxExtents, citekit.ErrTooLarge)
			}
			f.uint(indexSize)
			offset, size := f.uint(offsetSize), f.uint(lengthSize)
			if f.short {
				return errHEIF
			}
			const inFile, inIdat = 0, 1
			if wanted && method <= inIdat && base+offset < 1<<62 && size < 1<<62 {
				h.places[id] = append(h.places[id], heifPlace{method == inIdat, int64(base + offset), int64(size)})
			}
		}
		if f.short {
			return errHEIF
		}
	}
	return nil
}

// readProperties reads iprp (ISO/IEC 23008-12, section 9.3): the properties,
// and the list of those that the primary item has.
func (h *heif) readProperties(b []byte) error {
	return eachBox(b, func(b isoBox) error {
		switch b.kind {
		case "ipco":
			return eachBox(b.data, func(p isoBox) error {
				h.properties = append(h.properties, p)
				return nil
			})
		case "ipma":
			return h.readAssociations(b.data)
		}
		return nil
	})
}

func (h *heif) readAssociations(b []byte) error {
	f := fields{b: b}
	version, flags := f.version()
	for range f.uint(4) {
		id := f.id(version > 0)
		for range f.uint(1) {
			index := uint16(0)
			if flags&1 != 0 {
				index = uint16(f.uint(2) & 0x7fff)
			} else {
				index = uint16(f.uint(1) & 0x7f)
			}
			if id == h.primary && index > 0 {
				h.used = append(h.used, index)
			}
		}
		if f.short {
			return errHEIF
		}
	}
	return nil
}

// data returns the data of an item, or nil if it is too large or missing.
func (h *heif) data(in *input, id uint32) []byte {
	var data []byte
	for _, place := range h.places[id] {
		if place.inIdat {
			if place.offset+place.size > int64(len(h.idat)) {
				return nil
			}
			size := place.size
			if size == 0 {
				size = int64(len(h.idat)) - place.offset
			}
			if size < 0 {
				return nil
			}
			data = append(data, h.idat[place.offset:place.offset+size]...)
		} else {
			part := in.read(place.offset, place.size)
			if part == nil {
				return nil
			}
			data = append(data, part...)
		}
		if len(data) > maxMetadata {
			return nil
		}
	}
	return data
}

// size returns the displayed size of the primary item: the coded size, changed
// by the properties that crop and turn the item, in their order (section 6.5).
func (h *heif) size(in *input) (width, height int, err error) {
	for _, index := range h.used {
		if int(index) > len(h.properties) {
			return 0, 0, errHEIF
		}
		p := h.properties[index-1]
		f := fields{b: p.data}
		switch p.kind {
		case "ispe":
			f.version()
			width, height = int(f.uint(4)), int(f.uint(4))
		case "clap":
			w, wd, ht, hd := f.uint(4), f.uint(4), f.uint(4), f.uint(4)
			if wd > 0 && hd > 0 && w/wd > 0 && ht/hd > 0 && w/wd <= uint64(width) && ht/hd <= uint64(height) {
				width, height = int(w/wd), int(ht/hd)
			}
		case "irot":
			if f.uint(1)&1 == 1 {
				width, height = height, width
			}
		}
		if f.short {
			return 0, 0, errHEIF
		}
	}
	if width == 0 || height == 0 {
		return h.gridSize(in)
	}
	return width, height, nil
}

// gridSize returns the size of a primary item that consists of tiles (section
// 6.6.2.3), for files that do not have it as a property.
func (h *heif) gridSize(in *input) (width, height int, err error) {
	for _, item := range h.items {
		if item.id != h.primary || item.kind != "grid" {
			continue
		}
		f := fields{b: h.data(in, item.id)}
		f.uint(1) // version
		flags := f.uint(1)
		f.uint(2) // rows and columns
		size := 2
		if flags&1 != 0 {
			size = 4
		}
		width, height = int(f.uint(size)), int(f.uint(size))
		return width, height, f.err()
	}
	return 0, 0, fmt.Errorf("it does not say how large it is: %w", citekit.ErrFormat)
}
