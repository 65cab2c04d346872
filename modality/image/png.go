package image

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"io"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/image/internal/exif"
)

func pngFormat() *format {
	return &format{
		name:      "PNG",
		mediaType: "image/png",
		ext:       ".png",
		id:        "png",
		open:      openPNG,
		crop:      cropPNG,
		read:      readPNG,
		readMemory: func(r *Resolver, p *picture, _ image.Rectangle) int64 {
			return p.png.memory(r)
		},
		size:  sizePNG,
		cards: pngCards,
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

// openPNG reads all chunks except those of the pixels.
func openPNG(ctx context.Context, _ *Resolver, src *citekit.Source) (*picture, error) {
	in := newInput(ctx, src)
	p := &picture{png: &pngPixels{}}
	profiles := 0
	err := eachChunk(in, func(c pngChunk) (bool, error) {
		switch c.kind {
		case "IHDR":
			return true, p.png.readHeader(in, c)
		case "acTL":
			p.animated = true
		case "PLTE", "tRNS":
			return true, p.png.keep(in, c)
		case "IDAT":
			if p.png.first == 0 {
				p.png.first = c.offset - 8
			}
		case "eXIf", "tEXt", "zTXt":
			if profiles < maxProfiles {
				tried, err := p.readOrientation(in, c)
				profiles += tried
				return true, err
			}
		case "iCCP", "sRGB", "gAMA", "cHRM", "cICP":
			return true, p.keepColour(in, c)
		}
		return true, ctx.Err()
	})
	p.width, p.height = p.png.width, p.png.height
	if err != nil && (in.err != nil || p.width == 0 || errors.Is(err, citekit.ErrTooLarge)) {
		return nil, in.blame(pngFormat(), err)
	}
	p.png.end = in.blame(pngFormat(), err) // the size is still known
	return p, nil
}

// sizePNG reads the header.
func sizePNG(in *input) (width, height int, err error) {
	var p pngPixels
	err = eachChunk(in, func(c pngChunk) (bool, error) {
		if c.kind != "IHDR" {
			return false, fmt.Errorf("its first chunk is %q: %w", c.kind, citekit.ErrFormat)
		}
		return false, p.readHeader(in, c)
	})
	return p.width, p.height, err
}

// maxProfiles is the maximum number of Exif blocks that are read.
const maxProfiles = 16

// readOrientation looks for an orientation in eXIf, or in the text chunks in
// which programs stored Exif before eXIf was defined. The first one counts. It
// returns the number of blocks that it read as Exif: 0 or 1.
func (p *picture) readOrientation(in *input, c pngChunk) (tried int, err error) {
	if p.orientation.Valid() || c.size > maxExif || c.kind != "eXIf" && !isRawProfile(in, c) {
		return 0, nil
	}
	data := make([]byte, min(c.size, in.src.Size()))
	if err := in.full(data, c.offset); err != nil {
		return 1, err
	}
	if c.kind != "eXIf" {
		data = rawProfile(data, c.kind == "zTXt")
	}
	if o, ok := exif.Parse(data); ok {
		p.orientation = o
	}
	return 1, nil
}

// isRawProfile reports whether the keyword of a text chunk can be that of a
// profile.
func isRawProfile(in *input, c pngChunk) bool {
	var start [len(rawProfileMark)]byte
	return c.size > int64(len(start)) && in.full(start[:], c.offset) == nil && string(start[:]) == rawProfileMark
}

const rawProfileMark = "Raw profile type "

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

// keepColour keeps a chunk that defines the colours. It ignores a profile that
// is damaged, or too large when inflated, as viewers do.
func (p *picture) keepColour(in *input, c pngChunk) error {
	const small = 64
	if c.kind == "iCCP" && p.profile != nil || c.kind != "iCCP" && c.size > small || c.size > maxICCProfile || len(p.chunks) > maxICCProfile {
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
