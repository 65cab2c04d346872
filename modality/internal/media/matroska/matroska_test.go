package matroska_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/modality/internal/media/matroska"
	"github.com/citekit/citekit/modality/internal/media/metadata"
)

// el returns an element.
func el(id uint32, content ...[]byte) []byte {
	b := bytes.Join(content, nil)
	size := binary.BigEndian.AppendUint64(nil, uint64(len(b))|1<<56)
	return append(append(trim(binary.BigEndian.AppendUint32(nil, id)), size...), b...)
}

// live returns an element that does not say its size.
func live(id uint32, content ...[]byte) []byte {
	return append(append(trim(binary.BigEndian.AppendUint32(nil, id)), 0xff), bytes.Join(content, nil)...)
}

func trim(b []byte) []byte { return bytes.TrimLeft(b, "\x00") }

func num(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }

func str(s string) []byte { return []byte(s) }

var head = el(0x1A45DFA3, el(0x4282, str("matroska")))

const (
	segment, seekHead, info, tracks, cluster, chapters, tags = 0x18538067, 0x114D9B74, 0x1549A966, 0x1654AE6B, 0x1F43B675, 0x1043A770, 0x1254C367
)

func atom(start, end uint64, title string, more ...[]byte) []byte {
	return el(0xB6, append([][]byte{el(0x91, num(start)), el(0x92, num(end)), el(0x80, el(0x85, str(title)), el(0x437C, str("eng")))}, more...)...)
}

func track(number uint64, kind byte, codec string, more ...[]byte) []byte {
	return el(0xAE, append([][]byte{el(0xD7, num(number)), el(0x83, []byte{kind}), el(0x86, str(codec))}, more...)...)
}

func block(number byte, at int16, text string) []byte {
	return append(append([]byte{0x80 | number}, byte(at>>8), byte(at), 0), text...)
}

// subtitled returns a file with a subtitle track of these encodings, whose
// blocks hold text.
func subtitled(clusterOf func(id uint32, content ...[]byte) []byte, coding []byte, text func(string) string) []byte {
	group := func(at int16, duration uint64, s string) []byte {
		return el(0xA0, el(0xA1, block(2, at, text(s))), el(0x9B, num(duration)))
	}
	return append(bytes.Clone(head), live(segment,
		el(info, el(0x2AD7B1, num(1_000_000))),
		el(tracks, track(1, 1, "V_VP8"), track(2, 17, "S_TEXT/UTF8", el(0x22B59C, str("fre")), el(0x22B59D, str("fr-CA")), coding)),
		clusterOf(cluster, el(0xE7, num(1000)), el(0xA3, block(1, 0, strings.Repeat("v", 9000))), group(500, 1500, "one"), el(0xA3, block(1, 40, "v"))),
		clusterOf(cluster, el(0xE7, num(5000)), group(-100, 200, "two"), el(0xA3, block(2, 300, text("three")))),
	)...)
}

func same(s string) string { return s }

func open(t testing.TB, data []byte) *matroska.File {
	t.Helper()
	f, err := matroska.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestBlocks(t *testing.T) {
	deflate := func(s string) string {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		io.WriteString(w, s)
		w.Close()
		return b.String()
	}
	encoding := func(compression ...[]byte) []byte {
		return el(0x6D80, el(0x6240, el(0x5034, compression...)))
	}
	want := []matroska.Block{{1500e6, 1500e6, []byte("one")}, {4900e6, 200e6, []byte("two")}, {5300e6, -1, []byte("three")}}
	for name, c := range map[string]struct {
		data []byte
		want []matroska.Block
	}{
		"plain":            {subtitled(el, nil, same), want},
		"live":             {subtitled(live, nil, same), want},
		"zlib":             {subtitled(el, encoding(el(0x4254, num(0))), deflate), want},
		"stripped":         {subtitled(el, encoding(el(0x4254, num(3)), el(0x4255, str("<b>"))), same), []matroska.Block{{1500e6, 1500e6, []byte("<b>one")}, {4900e6, 200e6, []byte("<b>two")}, {5300e6, -1, []byte("<b>three")}}},
		"encrypted":        {subtitled(el, el(0x6D80, el(0x6240, el(0x5033, num(1)))), same), nil},
		"damaged blocks":   {subtitled(el, encoding(el(0x4254, num(0))), same), nil},
		"unknown compress": {subtitled(el, encoding(el(0x4254, num(2))), same), nil},
	} {
		f := open(t, c.data)
		if len(f.Tracks) != 2 || f.Tracks[1].Language != "fr-CA" || f.Tracks[1].Codec != "S_TEXT/UTF8" {
			t.Fatalf("%s: tracks %+v", name, f.Tracks)
		}
		got, err := f.Blocks(t.Context(), bytes.NewReader(c.data), int64(len(c.data)), f.Tracks[1])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
	data := subtitled(el, nil, same)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := open(t, data)
	if _, err := f.Blocks(ctx, bytes.NewReader(data), int64(len(data)), f.Tracks[1]); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// TestPlaces has chapters and tags after the clusters, found by a seek head or
// by going on.
func TestPlaces(t *testing.T) {
	list := el(chapters, el(0x45B9, atom(0, 0, "A"), atom(2e9, 3e9, "B")))
	about := el(tags,
		el(0x7373, el(0x63C0, el(0x63C5, num(7))), el(0x67C8, el(0x45A3, str("TITLE")), el(0x4487, str("of a track")))),
		el(0x7373, el(0x67C8, el(0x45A3, str("title")), el(0x4487, str("of all"))), el(0x67C8, el(0x45A3, str("ARTIST")), el(0x4487, str("a")))))
	want := []metadata.Chapter{{Title: "A"}, {Start: 2, End: 3, Title: "B"}}
	movie := el(cluster, el(0xE7, num(0)), el(0xA3, make([]byte, 5000)))
	seekTo := func(at int) []byte {
		return el(seekHead, el(0x4DBB, el(0x53AC, num(uint64(at)))), el(0x4DBB, el(0x53AC, num(0))), el(0x4DBB, el(0x53AC, num(1<<60))))
	}
	second := seekTo(0)
	first := len(seekTo(0)) + len(movie)
	second = seekTo(first + len(second))
	for name, data := range map[string][]byte{
		"before":       slices.Concat(list, about, movie, movie),
		"after":        slices.Concat(movie, movie, list, about),
		"second head":  slices.Concat(seekTo(first), movie, second, list, about),
		"repeated":     slices.Concat(list, about, seekTo(0), movie),
		"after a void": slices.Concat(el(0xEC, make([]byte, 100)), list, about),
	} {
		f := open(t, append(bytes.Clone(head), el(segment, data)...))
		if diff := cmp.Diff(want, f.Chapters); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if name != "second head" && (f.Tags["TITLE"] != "of all" || f.Tags["ARTIST"] != "a") {
			t.Errorf("%s: tags %v", name, f.Tags)
		}
	}
}

// TestDeep nests chapters deeper than is read, and makes very many.
func TestDeep(t *testing.T) {
	deep := atom(0, 1, "bottom")
	for range 200 {
		deep = atom(0, 1, "x", deep)
	}
	many := bytes.Repeat(atom(1, 2, "y"), 30_000)
	f := open(t, append(bytes.Clone(head), el(segment, el(chapters, el(0x45B9, deep, many)))...))
	depth, count := measure(f.Chapters)
	if depth != matroska.MaxDepth || count != matroska.MaxChapters {
		t.Errorf("%d deep, %d in all", depth, count)
	}
}

func measure(chapters []metadata.Chapter) (depth, count int) {
	for _, c := range chapters {
		d, n := measure(c.Children)
		depth, count = max(depth, d+1), count+n+1
	}
	return depth, count
}

// TestShort cuts a file at every byte.
func TestShort(t *testing.T) {
	data := subtitled(el, nil, same)
	for n := range data {
		f := open(t, data[:n])
		for _, track := range f.Tracks {
			if _, err := f.Blocks(t.Context(), bytes.NewReader(data[:n]), int64(n), track); err != nil {
				t.Fatalf("of %d bytes: %v", n, err)
			}
		}
	}
}

// TestReadError passes on the errors of a file.
func TestReadError(t *testing.T) {
	data := subtitled(el, nil, same)
	broken := errors.New("broken")
	if _, err := matroska.Open(failingReader{bytes.NewReader(data), broken}, int64(len(data))); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type failingReader struct {
	io.ReaderAt
	err error
}

func (f failingReader) ReadAt([]byte, int64) (int, error) { return 0, f.err }

func FuzzOpen(f *testing.F) {
	f.Add(subtitled(el, nil, same))
	f.Add(subtitled(live, nil, same))
	f.Add(append(bytes.Clone(head), el(segment, el(seekHead, el(0x4DBB, el(0x53AC, num(40)))), el(chapters, el(0x45B9, atom(0, 5, "A", atom(1, 2, "B")))))...))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := matroska.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if depth, count := measure(file.Chapters); depth > matroska.MaxDepth || count > matroska.MaxChapters {
			t.Fatalf("%d deep, %d in all", depth, count)
		}
		for _, track := range file.Tracks {
			if track.Type != matroska.Subtitle {
				continue
			}
			if _, err := file.Blocks(t.Context(), bytes.NewReader(data), int64(len(data)), track); err != nil {
				t.Fatal(err)
			}
		}
	})
}
