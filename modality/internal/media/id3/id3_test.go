package id3_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/modality/internal/media/id3"
	"github.com/citekit/citekit/modality/internal/media/metadata"
)

// frame returns a frame of ID3v2.3, or of 2.4 with its sizes.
func frame(version int, id string, body ...[]byte) []byte {
	b := bytes.Join(body, nil)
	size := binary.BigEndian.AppendUint32(nil, uint32(len(b)))
	if version == 4 {
		size = synchsafe(len(b))
	}
	return append(append(append([]byte(id), size...), 0, 0), b...)
}

func synchsafe(n int) []byte {
	return []byte{byte(n >> 21 & 0x7f), byte(n >> 14 & 0x7f), byte(n >> 7 & 0x7f), byte(n & 0x7f)}
}

func tag(version int, flags byte, frames ...[]byte) []byte {
	b := append(bytes.Join(frames, nil), make([]byte, 32)...)
	return append(append([]byte{'I', 'D', '3', byte(version), 0, flags}, synchsafe(len(b))...), b...)
}

func text(s string) []byte { return append([]byte{3}, s...) }

// wide encodes ASCII in UTF-16.
func wide(s string) (b []byte) {
	for _, c := range []byte(s) {
		b = append(b, c, 0)
	}
	return b
}

func chapter(version int, id string, start, end uint32, title string) []byte {
	times := binary.BigEndian.AppendUint32(nil, start)
	times = binary.BigEndian.AppendUint32(times, end)
	times = append(times, "\xff\xff\xff\xff\xff\xff\xff\xff"...)
	return frame(version, "CHAP", []byte(id+"\x00"), times, frame(version, "TIT2", text(title)))
}

func contents(version int, id string, flags byte, title string, children ...string) []byte {
	list := []byte{flags, byte(len(children))}
	for _, child := range children {
		list = append(list, child+"\x00"...)
	}
	if title != "" {
		list = append(list, frame(version, "TIT2", text(title))...)
	}
	return frame(version, "CTOC", []byte(id+"\x00"), list)
}

func read(t testing.TB, data []byte) metadata.Tags {
	t.Helper()
	got, err := id3.Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRead(t *testing.T) {
	long := strings.Repeat("x", 200) // a size that the versions write differently
	for name, c := range map[string]struct {
		data []byte
		want metadata.Tags
	}{
		"none":  {[]byte("\xff\xfb\x90\x00 no tag here"), metadata.Tags{}},
		"short": {[]byte("ID3"), metadata.Tags{}},
		"2.2": {tag(2, 0, []byte("TT2\x00\x00\x05\x00caf\xe9"), []byte("TYE\x00\x00\x05\x001999")),
			metadata.Tags{Title: "café", Date: "1999"}},
		"2.3": {tag(3, 0, frame(3, "TIT2", []byte("\x01\xff\xfeh\x00\xe9\x00\x00\x00x\x00")), frame(3, "TPE1", []byte("\x02\x00h\x00i"))),
			metadata.Tags{Title: "hé", Artist: "hi"}},
		"genres": {tag(3, 0, frame(3, "TCON", text("(17)Rock")), frame(3, "TALB", text("An album"))),
			metadata.Tags{Genre: "Rock", Album: "An album"}},
		"genre of a number": {tag(2, 0, []byte("TCO\x00\x00\x05\x00(17)"), []byte("TAL\x00\x00\x02\x00A")),
			metadata.Tags{Album: "A"}},
		"2.4": {tag(4, 0, frame(4, "TDRC", text("2020-01-02")), frame(4, "TIT2", text(long+"\x00second"))),
			metadata.Tags{Title: long, Date: "2020-01-02"}},
		"2.4 with sizes of 2.3": {tag(4, 0, frame(3, "TIT2", text(long)), frame(3, "TPE1", text("a"))),
			metadata.Tags{Title: long, Artist: "a"}},
		"cue sheet": {tag(4, 0, frame(4, "TXXX", []byte("\x03other\x00value")), frame(4, "TXXX", []byte("\x01\xff\xfeC\x00U\x00E\x00S\x00H\x00E\x00E\x00T\x00\x00\x00\xff\xfe"), wide("TRACK 1 AUDIO\nINDEX 1 0:1:0"))),
			metadata.Tags{Chapters: []metadata.Chapter{{Start: 1, Title: "Track 1"}}}},
		"endless": {tag(3, 0, chapter(3, "a", 0, 1<<32-1, "A")), metadata.Tags{Chapters: []metadata.Chapter{{Title: "A"}}}},
		"extended header": {tag(3, 0x40, []byte("\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00"), frame(3, "TIT2", text("t"))),
			metadata.Tags{Title: "t"}},
		"chapters without contents": {tag(3, 0, chapter(3, "b", 1000, 2000, "B"), chapter(3, "a", 0, 1000, "A"), chapter(3, "c", 2000, 10, "")),
			metadata.Tags{Chapters: []metadata.Chapter{{End: 1, Title: "A"}, {Start: 1, End: 2, Title: "B"}, {Start: 2, End: 2}}}},
		"contents": {tag(4, 0, contents(4, "toc", 3, "All", "p1", "p2", "lost"), contents(4, "p1", 1, "Part 1", "a", "b"), contents(4, "p2", 1, "", "c"),
			chapter(4, "a", 0, 1000, "A"), chapter(4, "b", 1000, 2000, "B"), chapter(4, "c", 2000, 3000, "C"), chapter(4, "hidden", 500, 600, "H")),
			metadata.Tags{Chapters: []metadata.Chapter{{End: 2, Title: "Part 1", Children: []metadata.Chapter{{End: 1, Title: "A"}, {Start: 1, End: 2, Title: "B"}}}, {Start: 2, End: 3, Title: "C"}}}},
		"contents in a circle": {tag(4, 0, contents(4, "toc", 2, "", "p", "a"), contents(4, "p", 0, "P", "toc", "p"), chapter(4, "a", 5, 6, "A")),
			metadata.Tags{Chapters: []metadata.Chapter{{Start: 0.005, End: 0.006, Title: "A"}}}},
		"contents that say all twice": {tag(4, 0, contents(4, "toc", 3, "All", "p", "a", "b"), contents(4, "p", 1, "Part", "a", "a"),
			chapter(4, "a", 0, 1000, "A"), chapter(4, "b", 1000, 2000, "B")),
			metadata.Tags{Chapters: []metadata.Chapter{{End: 1, Title: "Part", Children: []metadata.Chapter{{End: 1, Title: "A"}}}, {Start: 1, End: 2, Title: "B"}}}},
	} {
		got := read(t, c.data)
		if c.want.Chapters != nil && c.want.Chapters[len(c.want.Chapters)-1].Title == "" {
			c.want.Chapters[len(c.want.Chapters)-1].Title = "c" // its id
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestUnsynchronised(t *testing.T) {
	body := frame(3, "TIT2", []byte("\x01\xff\xfea\x00"))
	stored := bytes.ReplaceAll(body, []byte{0xff}, []byte{0xff, 0})
	if got := read(t, tag(3, 0x80, stored)); got.Title != "a" {
		t.Errorf("title %q", got.Title)
	}
}

// TestPicture steps over a picture in front of the title.
func TestPicture(t *testing.T) {
	if got := read(t, tag(4, 0, frame(4, "APIC", make([]byte, 3<<20)), frame(4, "TIT2", text("after")))); got.Title != "after" {
		t.Errorf("title %q", got.Title)
	}
}

// TestChapterPicture has a chapter with a large picture after its title.
func TestChapterPicture(t *testing.T) {
	times := []byte("\x00\x00\x00\x01\x00\x00\x00\x05\xff\xff\xff\xff\xff\xff\xff\xff")
	large := frame(4, "CHAP", []byte("a\x00"), times, frame(4, "TIT2", text("A")), frame(4, "APIC", make([]byte, 3<<20)))
	want := []metadata.Chapter{{Start: 0.001, End: 0.005, Title: "A"}, {Start: 0.007, End: 0.009, Title: "B"}}
	if diff := cmp.Diff(want, read(t, tag(4, 0, large, chapter(4, "b", 7, 9, "B"))).Chapters); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(tag(3, 0, chapter(3, "a", 0, 1000, "A"), contents(3, "toc", 3, "All", "a")))
	f.Add(tag(4, 0x40, []byte("\x00\x00\x00\x06\x01\x00"), frame(4, "TIT2", text("t"))))
	f.Add(tag(2, 0x80, []byte("TT2\x00\x00\x05\x00caf\xe9")))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := id3.Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		checkChapters(t, got.Chapters, 0)
	})
}

func checkChapters(t *testing.T, chapters []metadata.Chapter, depth int) {
	if depth > id3.MaxDepth {
		t.Fatal("too deep")
	}
	for i, c := range chapters {
		if c.End != 0 && c.End < c.Start || i > 0 && c.Start < chapters[i-1].Start {
			t.Fatalf("%+v", chapters)
		}
		checkChapters(t, c.Children, depth+1)
	}
}
