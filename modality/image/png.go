package image

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/exif"
)

func pngFormat() *format {
	return &format{
		name:      "PNG",
		mediaType: "image/png",
		ext:       ".png",
		match:     anyPrefix(pngSignature),
		open:      openPNG,
		decode:    decodePNG,
		cards:     pngCards,
	}
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// Limits on the chunks of a PNG.
const (
	maxChunks      = 1 << 20
	maxExif        = 1 << 20 // bytes
	maxICCProfile  = 4 << 20 // bytes, inflated
	chunkOverheads = 12      // length, type and checksum
)

// A pngChunk is one chunk (PNG, section 5.3).
type pngChunk struct {
	kind   string
	offset int64 // of its data
	size   int64
}

// eachChunk calls visit for the chunks of a PNG up to IEND, or until visit
// reports false.
func eachChunk(in *input, visit func(pngChunk) (bool, error)) error {
	offset := int64(len(pngSignature))
	var head [8]byte
	for range maxChunks {
		if err := in.full(head[:], offset); err != nil {
			return err
		}
		c := pngChunk{
			kind:   string(head[4:]),
			offset: offset + int64(len(head)),
			size:   int64(binary.BigEndian.Uint32(head[:])),
		}
		offset += c.size + chunkOverheads
		if c.size > 1<<31-1 {
			return fmt.Errorf("a chunk of %d bytes: %w", c.size, citekit.ErrFormat)
		}
		if more, err := visit(c); err != nil || !more {
			return err
		}
		if c.kind == "IEND" {
			return nil
		}
	}
	return fmt.Errorf("more than %d chunks: %w", maxChunks, citekit.ErrTooLarge)
}

// openPNG reads all chunks but those of the pixels.
func openPNG(ctx context.Context, _ *Resolver, src *citekit.Source) (*picture, error) {
	in := newInput(ctx, src)
	p := &picture{}
	var header [13]byte
	transparent := false
	err := eachChunk(in, func(c pngChunk) (bool, error) {
		switch c.kind {
		case "IHDR":
			if c.size != int64(len(header)) {
				return false, fmt.Errorf("a header of %d bytes: %w", c.size, citekit.ErrFormat)
			}
			return true, in.full(header[:], c.offset)
		case "tRNS":
			transparent = true
		case "eXIf", "tEXt", "zTXt":
			return true, p.readOrientation(in, c)
		case "iCCP", "sRGB", "gAMA", "cHRM", "cICP":
			return true, p.keepColour(in, c)
		}
		return true, nil
	})
	p.width = int(binary.BigEndian.Uint32(header[:]))
	p.height = int(binary.BigEndian.Uint32(header[4:]))
	if err != nil && (in.err != nil || p.width == 0) {
		return nil, in.blame(pngFormat(), err)
	}
	// Where chunks end too early, decoding says so: the size is known.
	p.memory = pngMemory(header, transparent)
	return p, nil
}

// pngMemory returns how many bytes decoding takes.
func pngMemory(header [13]byte, transparent bool) int64 {
	depth, colour, interlaced := header[8], header[9], header[12] != 0
	perPixel := int64(4)
	if (colour == 0 || colour == 3) && (colour == 3 || !transparent) {
		perPixel = 1
	}
	if depth == 16 {
		perPixel *= 2
	}
	if interlaced {
		perPixel *= 2 // passes are decoded apart
	}
	return perPixel * saturate(header[0:4]) * saturate(header[4:8])
}

// saturate reads a size that is small enough to be multiplied.
func saturate(b []byte) int64 {
	return min(int64(binary.BigEndian.Uint32(b)), 1<<29)
}

// readOrientation looks for an orientation in eXIf, or in the text chunks in
// which programs kept Exif before that was defined. The first one counts.
func (p *picture) readOrientation(in *input, c pngChunk) error {
	if p.orientation.Valid() || c.size > maxExif {
		return nil
	}
	data := make([]byte, min(c.size, in.src.Size()))
	if err := in.full(data, c.offset); err != nil {
		return err
	}
	if c.kind != "eXIf" {
		data = rawProfile(data, c.kind == "zTXt")
	}
	if o, ok := exif.Parse(data); ok {
		p.orientation = o
	}
	return nil
}

// rawProfile returns the Exif block in a text chunk with the keyword "Raw
// profile type exif", in hexadecimal after two lines, or nil.
func rawProfile(data []byte, deflated bool) []byte {
	keyword, text, _ := bytes.Cut(data, []byte{0})
	if k := string(keyword); k != "Raw profile type exif" && k != "Raw profile type APP1" {
		return nil
	}
	if deflated {
		if len(text) == 0 {
			return nil
		}
		z, err := zlib.NewReader(bytes.NewReader(text[1:]))
		if err != nil {
			return nil
		}
		text, _ = io.ReadAll(io.LimitReader(z, maxExif))
	}
	fields := strings.Fields(string(text)) // name, length, lines of digits
	if len(fields) < 3 {
		return nil
	}
	block, _ := hex.DecodeString(strings.Join(fields[2:], ""))
	return block
}

// keepColour keeps a chunk that says what colours mean. A profile that is
// damaged or too large when inflated is ignored, as displaying programs do.
func (p *picture) keepColour(in *input, c pngChunk) error {
	const small = 64
	if c.kind != "iCCP" && c.size > small || c.size > maxICCProfile || len(p.chunks) > maxICCProfile {
		return nil
	}
	raw := make([]byte, min(c.size+chunkOverheads, in.src.Size()))
	if err := in.full(raw, c.offset-8); err != nil {
		return err
	}
	if c.kind == "iCCP" {
		_, data, _ := bytes.Cut(raw[8:8+c.size], []byte{0})
		if p.profile = inflateProfile(data); p.profile == nil {
			return nil
		}
	}
	p.chunks = append(p.chunks, raw...)
	return nil
}

// inflateProfile returns the profile in an iCCP chunk after its name (PNG,
// section 11.3.2.3), or nil.
func inflateProfile(data []byte) []byte {
	if len(data) == 0 || data[0] != 0 {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(data[1:]))
	if err != nil {
		return nil
	}
	profile, err := io.ReadAll(io.LimitReader(z, maxICCProfile+1))
	if err != nil || len(profile) > maxICCProfile {
		return nil
	}
	return profile
}

// decodePNG decodes from the critical chunks and tRNS only.
func decodePNG(ctx context.Context, src *citekit.Source, p *picture) (image.Image, error) {
	in := newInput(ctx, src)
	img, err := png.Decode(&chunkReader{in: in, next: int64(len(pngSignature)), part: strings.NewReader(pngSignature)})
	return img, in.blame(p.format, err)
}

// A chunkReader reads a PNG without the chunks that do not change pixels.
type chunkReader struct {
	in   *input
	part io.Reader // what is being read
	next int64     // offset of the next chunk
	done bool
}

func (r *chunkReader) Read(b []byte) (int, error) {
	for {
		n, err := r.part.Read(b)
		if n > 0 || err != io.EOF {
			return n, err
		}
		if r.done {
			return 0, io.EOF
		}
		if err := r.advance(); err != nil {
			return 0, err
		}
	}
}

// advance finds the next chunk that matters.
func (r *chunkReader) advance() error {
	var head [8]byte
	for {
		if err := r.in.full(head[:], r.next); err != nil {
			return err
		}
		size := int64(binary.BigEndian.Uint32(head[:])) + chunkOverheads
		r.next += size
		kind := string(head[4:])
		if critical := kind[0]&0x20 == 0; critical || kind == "tRNS" {
			r.part = r.in.section(r.next-size, size)
			r.done = kind == "IEND"
			return nil
		}
	}
}

// encodePNG returns img as a PNG with the colour chunks given.
func encodePNG(img image.Image, chunks []byte) ([]byte, error) {
	var b bytes.Buffer
	// The best compression saves a tenth and takes three times as long.
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := e.Encode(&b, img); err != nil {
		return nil, err
	}
	const headerEnd = len(pngSignature) + 13 + chunkOverheads
	out := append(b.Bytes(), chunks...)
	copy(out[headerEnd+len(chunks):], out[headerEnd:b.Len()])
	copy(out[headerEnd:], chunks)
	return out, nil
}

// profileChunk returns the iCCP chunk for a profile, or nil for none.
func profileChunk(profile []byte) []byte {
	if len(profile) == 0 {
		return nil
	}
	var data bytes.Buffer
	data.WriteString("ICC Profile\x00\x00")
	z := zlib.NewWriter(&data)
	z.Write(profile) // a bytes.Buffer does not fail
	z.Close()
	return appendChunk(nil, "iCCP", data.Bytes())
}

// appendChunk appends a PNG chunk (PNG, section 5.3).
func appendChunk(b []byte, kind string, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	start := len(b)
	b = append(b, kind...)
	b = append(b, data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}
