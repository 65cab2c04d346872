package mp4_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/modality/internal/media/mp4"
)

// tenMinutes is a film of ten minutes at 25 frames a second and about 3
// Mbit/s, with sound: 230 MB.
func tenMinutes() []byte {
	video := mp4test.Track{Handler: "vide", Codec: "avc1", Entry: make([]byte, 78), Timescale: 12800, PerChunk: 12}
	for i := range 600 * 25 {
		size, shift := 8000, int32(512)
		if i%50 == 0 {
			size = 90000
		} else if i%3 != 0 {
			shift = 1024
		}
		video.Samples = append(video.Samples, mp4test.Sample{
			Data: bytes.Repeat([]byte{byte(i)}, size), Duration: 512, Shift: shift, Sync: i%50 == 0,
		})
	}
	return mp4test.Movie{MediaLast: true, Tracks: []mp4test.Track{video, mp4test.PCMTrack(600, 22050, 1)}}.Bytes()
}

// BenchmarkCut cuts a minute out of ten into a file: opening included, and
// with the index at hand.
func BenchmarkCut(b *testing.B) {
	dir := b.TempDir()
	name := filepath.Join(dir, "film.mp4")
	if err := os.WriteFile(name, tenMinutes(), 0o600); err != nil {
		b.Fatal(err)
	}
	f, m, err := openFile(b, name)
	if err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	write := func(m *mp4.Movie, sink io.Writer) int64 {
		c, err := m.Cut(271.3, 331.3, mp4.Exact)
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(sink, c.NewReader(f))
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			cold, err := mp4.Open(f, info.Size())
			if err != nil {
				b.Fatal(err)
			}
			out, err := os.Create(filepath.Join(dir, "clip.mp4"))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(write(cold, out))
			out.Close()
		}
	})
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			b.SetBytes(write(m, io.Discard))
		}
	})
	b.Run("plan", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.Cut(271.3, 331.3, mp4.Exact); err != nil {
				b.Fatal(err)
			}
		}
	})
}
