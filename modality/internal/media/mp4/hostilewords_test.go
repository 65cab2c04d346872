package mp4

import (
	"bytes"
	"testing"

	"github.com/citekit/citekit/internal/test/mp4test"
)

// overlapping returns a movie of n chapters or subtitles that share the bytes of
// their texts, of length bytes each.
func overlapping(n, length int, subtitles bool) []byte {
	track := mp4test.Track{Timescale: 1000}
	head := []byte{byte((length - 2) >> 8), byte(length - 2)}
	for range n {
		track.Samples = append(track.Samples, mp4test.Sample{Data: head, Duration: 1, Sync: true})
	}
	data := chapterMovie(track, nil)
	if subtitles {
		data = bytes.Replace(data, []byte("chap"), []byte("none"), 1)
	}
	be.PutUint32(data[bytes.LastIndex(data, []byte("stsz"))+8:], uint32(length)) // of all
	return append(data, bytes.Repeat([]byte("x"), length)...)
}

// TestOverlappingTexts has samples that share their bytes, so that a small file
// has a great deal of text.
func TestOverlappingTexts(t *testing.T) {
	data := overlapping(4000, 60_000, false)
	w, err := ReadWords(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(w.Chapters) == 0 {
		t.Fatalf("%d chapters, %v", len(w.Chapters), err)
	}
	total := 0
	for _, c := range w.Chapters {
		total += len(c.Title)
	}
	if total > maxText {
		t.Errorf("%d bytes of titles in a file of %d", total, len(data))
	}
	data = overlapping(4000, 60_000, true)
	data = bytes.ReplaceAll(data, []byte{(60_000 - 2) >> 8, (60_000 - 2) & 0xff}, []byte{0, 0}) // they are read and say nothing
	if w, err = ReadWords(bytes.NewReader(data), int64(len(data))); err != nil || len(w.Subtitles) != 1 {
		t.Fatalf("%+v, %v", w, err)
	}
	r := &countingReader{Reader: bytes.NewReader(data)}
	if cues, err := w.Subtitles[0].Cues(t.Context(), r); err != nil || len(cues) > 0 {
		t.Errorf("%d cues, %v", len(cues), err)
	}
	if r.n > maxTextWork {
		t.Errorf("%d bytes read of a file of %d", r.n, len(data))
	}
}

// TestManyEdits shows the end of a long chunk again and again.
func TestManyEdits(t *testing.T) {
	track := mp4test.Track{Timescale: 1000, PerChunk: 200_000}
	for range 200_000 {
		track.Samples = append(track.Samples, textOf("", 1))
	}
	for range 4000 {
		track.Edits = append(track.Edits, mp4test.Edit{Length: 1, Media: 199_998})
	}
	data := chapterMovie(track, nil)
	data = bytes.Replace(data, []byte("chap"), []byte("none"), 1)
	w, err := ReadWords(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(w.Subtitles) != 1 {
		t.Fatalf("%+v, %v", w, err)
	}
	at := placer{table: w.Subtitles[0].track.table, left: maxTextWork}
	n := 0
	for ; n < 4000; n++ {
		if _, ok := at.read(bytes.NewReader(data), int64(len(data)), 199_998-n%2); !ok {
			break
		}
	}
	if n < 100 || n == 4000 {
		t.Errorf("%d times through %d samples", n, 200_000)
	}
}

type countingReader struct {
	*bytes.Reader
	n int64
}

func (r *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.Reader.ReadAt(p, off)
	r.n += int64(n)
	return n, err
}
