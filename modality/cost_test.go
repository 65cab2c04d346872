package modality_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/japanese"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/parquettest"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/sqlitetest"
	"github.com/citekit/citekit/internal/test/testcorpus"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/document/parquet"
	picture "github.com/citekit/citekit/modality/image"
	"github.com/citekit/citekit/modality/media"
	"github.com/citekit/citekit/modality/modalitytest"
)

var random = rand.New(rand.NewPCG(1, 2))

// words returns n words that do not compress well.
func words(n int) string {
	var b strings.Builder
	for range n {
		for range 2 + random.IntN(8) {
			b.WriteByte(byte('a' + random.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// repeated joins what f returns for 0 to n-1.
func repeated(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// stored returns a ZIP archive of members, names and contents in turn, that are not
// compressed.
func stored(t *testing.T, members ...string) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: members[i], Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(members[i+1]))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func epubOf(t *testing.T, manifest, spine string, members ...string) []byte {
	return stored(t, append([]string{
		"mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
		"b.opf", `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>` + manifest + `</manifest><spine>` + spine + `</spine></package>`,
	}, members...)...)
}

func odf(t *testing.T, kind, body string) []byte {
	return stored(t,
		"mimetype", "application/vnd.oasis.opendocument."+kind,
		"META-INF/manifest.xml", `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.`+kind+`"/></manifest:manifest>`,
		"content.xml", `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body>`+body+`</office:body></office:document-content>`)
}

// encoded returns what encode writes.
func encoded(t *testing.T, encode func(w io.Writer) error) []byte {
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const chapter = `<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>`

// TestLinear counts the work for sources of three sizes of all formats that need no
// other program, and of those shapes that once took more for each byte of a larger one.
func TestLinear(t *testing.T) {
	for _, test := range []struct {
		name string // of the source
		n    int
		grow func(t *testing.T, n int) []byte
	}{
		{"lines.txt", 2000, func(t *testing.T, n int) []byte {
			return []byte(repeated(n, func(i int) string { return words(8+i%3) + "\n" }))
		}},
		{"one line.txt", 20_000, func(t *testing.T, n int) []byte { return []byte(words(n)) }},
		{"iso-2022-jp.txt", 2000, func(t *testing.T, n int) []byte {
			data, err := japanese.ISO2022JP.NewEncoder().Bytes([]byte(strings.Repeat("これはとてもながいぶん a ", n)))
			if err != nil {
				t.Fatal(err)
			}
			return data
		}},
		{"headings.md", 500, func(t *testing.T, n int) []byte {
			return []byte(repeated(n, func(i int) string {
				return fmt.Sprintf("%s Heading %d\n\n%s\n\n", strings.Repeat("#", 1+i%4), i, words(20))
			}))
		}},
		{"rows.csv", 2000, func(t *testing.T, n int) []byte {
			return []byte("a,b,c\n" + repeated(n, func(i int) string { return fmt.Sprintf("%d,%q,%d\n", i, words(3), i*i) }))
		}},
		{"list.json", 1000, func(t *testing.T, n int) []byte {
			return []byte("[" + repeated(n, func(i int) string { return fmt.Sprintf("{\"id\":%d,\"name\":%q},\n", i, words(4)) }) + "0]")
		}},
		{"list.yaml", 500, func(t *testing.T, n int) []byte {
			return []byte(repeated(n, func(i int) string { return fmt.Sprintf("key%d:\n  name: %s\n  list: [a, b]\n", i, words(4)) }))
		}},
		{"page.html", 500, func(t *testing.T, n int) []byte {
			return []byte("<!doctype html><html><body>" + repeated(n, func(i int) string { return fmt.Sprintf("<h2>Part %d</h2><p>%s</p>\n", i, words(20)) }))
		}},
		{"one line.html", 500, func(t *testing.T, n int) []byte {
			return []byte("<html>" + repeated(n, func(i int) string { return fmt.Sprintf("<p>%s<i>&amp;</i><li>b", words(3)) }))
		}},
		{"rows.html", 500, func(t *testing.T, n int) []byte {
			return []byte("<html><table>" + repeated(n, func(i int) string { return fmt.Sprintf("<tr>\n<td>%d\n<td><p>%s\n", i, words(3)) }))
		}},
		{"code.go", 500, func(t *testing.T, n int) []byte {
			return []byte("package a\n" + repeated(n, func(i int) string {
				return fmt.Sprintf("\n// F%d says %s.\nfunc F%d() int { return %d }\n", i, words(5), i, i)
			}))
		}},
		{"mails.mbox", 300, func(t *testing.T, n int) []byte {
			return []byte(repeated(n, func(i int) string {
				return fmt.Sprintf("From a@example.org Thu Jan  1 00:00:00 2026\nFrom: a@example.org\nSubject: mail %d\nMessage-ID: <%d@example.org>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\n%s\n\n", i, i, words(10))
			}))
		}},
		{"members.zip", 300, func(t *testing.T, n int) []byte {
			var members []string
			for i := range n {
				members = append(members, fmt.Sprintf("folder%d/file%d.txt", i%10, i), words(10))
			}
			return stored(t, members...)
		}},
		{"binary.zip", 300, func(t *testing.T, n int) []byte {
			var members []string
			for i := range n {
				members = append(members, fmt.Sprintf("file%d.bin", i), strings.Repeat("\x89\x00\x01\x02\xff", 20))
			}
			return stored(t, members...)
		}},
		{"members.tar", 300, func(t *testing.T, n int) []byte {
			var out bytes.Buffer
			w := tar.NewWriter(&out)
			for i := range n {
				text := words(10)
				w.WriteHeader(&tar.Header{Name: fmt.Sprintf("file%d.txt", i), Mode: 0o600, Size: int64(len(text))})
				w.Write([]byte(text))
			}
			w.Close()
			return out.Bytes()
		}},
		{"empty members.gz", 3000, func(t *testing.T, n int) []byte {
			var one, empty bytes.Buffer
			w := gzip.NewWriter(&one)
			w.Write([]byte("some words\n"))
			w.Close()
			gzip.NewWriter(&empty).Close()
			return append(one.Bytes(), bytes.Repeat(empty.Bytes(), n)...)
		}},
		{"book.epub", 100, func(t *testing.T, n int) []byte {
			var members []string
			for i := range n {
				members = append(members, fmt.Sprintf("c%d.xhtml", i), fmt.Sprintf("<html><body><h1>Chapter %d</h1><p>%s</p></body></html>", i, words(50)))
			}
			return epubOf(t, repeated(n, func(i int) string {
				return fmt.Sprintf(`<item id="c%d" href="c%d.xhtml" media-type="application/xhtml+xml"/>`, i, i)
			}), repeated(n, func(i int) string { return fmt.Sprintf(`<itemref idref="c%d"/>`, i) }), members...)
		}},
		{"one chapter.epub", 200, func(t *testing.T, n int) []byte {
			return epubOf(t, chapter, strings.Repeat(`<itemref idref="c"/>`, n),
				"c.xhtml", "<html><body>"+repeated(n, func(int) string { return "<p>" + words(5) + "</p>" })+"</body></html>")
		}},
		{"contents of one chapter.epub", 200, func(t *testing.T, n int) []byte {
			nav := "<html><body><nav epub:type='toc'><ol>" + repeated(n, func(i int) string { return fmt.Sprintf("<li><a href='c.xhtml#p%d'>%d</a></li>", i, i) }) + "</ol></nav></body></html>"
			return epubOf(t, chapter+`<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>`, `<itemref idref="c"/>`, "nav.xhtml", nav,
				"c.xhtml", "<html><body>"+repeated(n, func(i int) string { return fmt.Sprintf("<p id='p%d'>%s</p>", i, words(5)) })+"</body></html>")
		}},
		{"rows.xlsx", 500, func(t *testing.T, n int) []byte {
			var rows [][]string
			for i := range n {
				rows = append(rows, []string{fmt.Sprint(i), words(4 + i%5), fmt.Sprint(i * i)})
			}
			return testcorpus.Workbook(rows...)
		}},
		{"rows.ods", 500, func(t *testing.T, n int) []byte {
			return odf(t, "spreadsheet", `<office:spreadsheet><table:table table:name="S">`+repeated(n, func(int) string {
				return `<table:table-row><table:table-cell office:value-type="string"><text:p>` + words(5) + `</text:p></table:table-cell></table:table-row>`
			})+`</table:table></office:spreadsheet>`)
		}},
		{"paragraphs.docx", 500, func(t *testing.T, n int) []byte {
			var paragraphs []string
			for i := range n {
				paragraphs = append(paragraphs, words(8+i%5))
			}
			return testcorpus.WordTable(paragraphs, []string{"a", "b"})
		}},
		{"paragraphs.odt", 500, func(t *testing.T, n int) []byte {
			return odf(t, "text", "<office:text>"+repeated(n, func(int) string { return "<text:p>" + words(8) + "</text:p>" })+"</office:text>")
		}},
		{"short rows.sqlite", 1000, func(t *testing.T, n int) []byte {
			return sqlitetest.Make(t, fmt.Sprintf("create table t(a); with recursive n(i) as (select 1 union all select i+1 from n where i<%d) insert into t select 'row ' || i from n;", n)+
				repeated(20, func(i int) string { return fmt.Sprintf("alter table t add column c%d;", i) }))[0]
		}},
		{"rows.parquet", 1000, func(t *testing.T, n int) []byte { return parquettest.File(t, n, 500, "none") }},
		{"slides.pptx", 50, func(t *testing.T, n int) []byte {
			const office, types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships", "application/vnd.openxmlformats-officedocument.presentationml."
			const spaces = ` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="` + office + `"`
			relations := func(list string) string {
				return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + list + `</Relationships>`
			}
			parts := []string{
				"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/ppt/p.xml" ContentType="` + types + `presentation.main+xml"/>` +
					repeated(n, func(i int) string {
						return fmt.Sprintf(`<Override PartName="/ppt/s%d.xml" ContentType="%sslide+xml"/>`, i, types)
					}) + `</Types>`,
				"_rels/.rels", relations(`<Relationship Id="r1" Type="` + office + `/officeDocument" Target="ppt/p.xml"/>`),
				"ppt/p.xml", `<p:presentation` + spaces + `><p:sldIdLst>` + repeated(n, func(i int) string { return fmt.Sprintf(`<p:sldId id="%d" r:id="r%d"/>`, 256+i, i) }) + `</p:sldIdLst></p:presentation>`,
				"ppt/_rels/p.xml.rels", relations(repeated(n, func(i int) string {
					return fmt.Sprintf(`<Relationship Id="r%d" Type="%s/slide" Target="s%d.xml"/>`, i, office, i)
				})),
			}
			for i := range n {
				parts = append(parts, fmt.Sprintf("ppt/s%d.xml", i), `<p:sld`+spaces+`><p:cSld><p:spTree><p:sp><p:txBody>`+repeated(5, func(int) string { return "<a:p><a:r><a:t>" + words(8) + "</a:t></a:r></a:p>" })+`</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`)
			}
			return stored(t, parts...)
		}},
		{"slides.odp", 50, func(t *testing.T, n int) []byte {
			return odf(t, "presentation", `<office:presentation xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0">`+repeated(n, func(i int) string {
				return fmt.Sprintf(`<draw:page draw:name="p%d"><draw:frame><draw:text-box>%s</draw:text-box></draw:frame></draw:page>`, i, repeated(5, func(int) string { return "<text:p>" + words(8) + "</text:p>" }))
			})+`</office:presentation>`)
		}},
		{"streams.txt.bz2", 500, func(t *testing.T, n int) []byte {
			const one = "425a6839314159265359d06a97f100000a5180001040002627988020002286d261ea4201a0048767d51cbb441588c8f8bb9229c284868354bf88" // "some words and a line\n"
			stream, err := hex.DecodeString(one)
			if err != nil {
				t.Fatal(err)
			}
			return bytes.Repeat(stream, n)
		}},
		{"lines.txt.zst", 500, func(t *testing.T, n int) []byte {
			w, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			return w.EncodeAll([]byte(repeated(n, func(int) string { return words(10) + "\n" })), nil)
		}},
		{"frames.txt.zst", 1000, func(t *testing.T, n int) []byte {
			w, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			return bytes.Repeat(w.EncodeAll([]byte("some words and a line\n"), nil), n)
		}},
		{"rows.png", 200, func(t *testing.T, n int) []byte {
			m := image.NewRGBA(image.Rect(0, 0, 100, n))
			for i := range m.Pix {
				m.Pix[i] = byte(random.IntN(256))
			}
			return encoded(t, func(w io.Writer) error { return png.Encode(w, m) })
		}},
		{"texts.png", 500, func(t *testing.T, n int) []byte {
			data := encoded(t, func(w io.Writer) error { return png.Encode(w, image.NewGray(image.Rect(0, 0, 1, 1))) })
			const head = 8 + 25 // the signature and IHDR
			out := bytes.Clone(data[:head])
			for i := range n {
				chunk := fmt.Appendf(nil, "tEXtKey%d\x00%s", i, words(5))
				out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
				out = binary.BigEndian.AppendUint32(append(out, chunk...), crc32.ChecksumIEEE(chunk))
			}
			return append(out, data[head:]...)
		}},
		{"frames.gif", 200, func(t *testing.T, n int) []byte {
			var g gif.GIF
			for range n {
				g.Image, g.Delay = append(g.Image, image.NewPaletted(image.Rect(0, 0, 8, 8), palette.Plan9[:4])), append(g.Delay, 1)
			}
			return encoded(t, func(w io.Writer) error { return gif.EncodeAll(w, &g) })
		}},
		{"rows.jpg", 200, func(t *testing.T, n int) []byte {
			m := image.NewGray(image.Rect(0, 0, 64, n))
			for i := range m.Pix {
				m.Pix[i] = byte(random.IntN(256))
			}
			return encoded(t, func(w io.Writer) error { return jpeg.Encode(w, m, nil) })
		}},
		{"marks.wav", 500, func(_ *testing.T, n int) []byte {
			le := func(values ...uint32) (b []byte) {
				for _, v := range values {
					b = binary.LittleEndian.AppendUint32(b, v)
				}
				return b
			}
			chunk := func(id string, body []byte) []byte { return slices.Concat([]byte(id), le(uint32(len(body))), body) }
			marks, names := le(uint32(n)), []byte("adtl")
			for i := range n {
				marks = append(marks, le(uint32(i), 0, 0, 0, 0, uint32(10*i))...)
				names = append(names, chunk("labl", append(le(uint32(i)), fmt.Sprintf("m%06d\x00", i)...))...)
			}
			body := slices.Concat([]byte("WAVE"), chunk("fmt ", []byte("\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00")), chunk("data", make([]byte, 20*n)), chunk("cue ", marks), chunk("LIST", names))
			return chunk("RIFF", body)
		}},
		{"samples.mp4", 100, func(_ *testing.T, n int) []byte { return mp4test.Video(n, 10, 8, 8) }},
		{"subtitles.mp4", 100, func(_ *testing.T, n int) []byte {
			text := mp4test.Track{Handler: "text", Codec: "tx3g", Entry: make([]byte, 30), Timescale: 10}
			for range n {
				said := words(5)
				text.Samples = append(text.Samples, mp4test.Sample{Data: append(binary.BigEndian.AppendUint16(nil, uint16(len(said))), said...), Duration: 10, Sync: true})
			}
			return mp4test.Movie{Tracks: []mp4test.Track{mp4test.VideoTrack(n, 1, 8, 8), text}}.Bytes()
		}},
		{"pages.pdf", 3, func(t *testing.T, n int) []byte { return pdftest.Dense(n, 20) }},
	} {
		t.Run(test.name, func(t *testing.T) { linear(t, test.name, test.n, test.grow) })
	}
}

// TestLinearMP3 does so for a format that needs another program.
func TestLinearMP3(t *testing.T) {
	sharedtest.Tool(t, "ffprobe")
	linear(t, "frames.mp3", 500, func(_ *testing.T, n int) []byte {
		return bytes.Repeat(append([]byte{0xff, 0xf3, 0x14, 0xc4}, make([]byte, 20)...), n)
	})
}

// linear counts the work for sources that grow makes of n parts, or ten times as many
// in a long run, and of two and four times as many.
func linear(t *testing.T, name string, n int, grow func(t *testing.T, n int) []byte) {
	if sharedtest.Long() {
		n *= 10
	}
	kind := citekit.Document
	for of, endings := range map[citekit.Modality]string{
		citekit.Text: "txt md csv json yaml html go mbox", citekit.Image: "png gif jpg", citekit.Audio: "mp3 wav", citekit.Video: "mp4",
	} {
		if slices.Contains(strings.Fields(endings), name[strings.LastIndex(name, ".")+1:]) {
			kind = of
		}
	}
	fresh := func() citekit.Resolver {
		all := modality.All()
		switch kind {
		case citekit.Image: // their text is that of another program
			r := new(picture.Resolver)
			return struct {
				citekit.Resolver
				citekit.Mapper
			}{r, r}
		case citekit.Audio, citekit.Video: // whose scans are ffmpeg's work
			if !strings.HasSuffix(name, ".mp3") {
				none := media.Options{FFmpeg: "no-ffmpeg", FFprobe: "no-ffprobe"}
				all[citekit.Audio], all[citekit.Video] = &media.Resolver{Modality: citekit.Audio, Options: none}, &media.Resolver{Options: none}
			}
		}
		all[citekit.Document].(*document.Resolver).More = map[string]citekit.Resolver{parquet.Format: new(parquet.Resolver)}
		return all[kind]
	}
	modalitytest.Linear(t, fresh, name, kind, n, func(n int) []byte { return grow(t, n) })
}
