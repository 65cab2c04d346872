package mp4_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/modality/internal/media/mp4"
)

// noted returns a film in H.264 whose first sample alone says the version of x264, with a
// sync sample each half second.
func noted(version int) []byte {
	unit := func(content string) []byte {
		return append([]byte{0, 0, 0, byte(len(content))}, content...)
	}
	track := mp4test.VideoTrack(40, 10, 16, 16)
	track.Codec = "avc1"
	track.Entry = append(track.Entry, mp4test.Box("avcC", []byte{1, 244, 0, 10, 0xff})...) // 4:4:4
	for i := range track.Samples {
		s := &track.Samples[i]
		s.Sync = i%5 == 0
		s.Data = unit("\x41picture")
		if s.Sync {
			s.Data = unit("\x65picture")
		}
		if i == 0 {
			s.Data = append(unit(fmt.Sprintf("\x06\x05\x30\xdc\x45\xe9\xbd\xe6\xd9\x48\xb7\x96\x2c\xd8\x20\xd9\x23\xee\xefx264 - core %d r1", version)), s.Data...)
		}
	}
	return mp4test.Movie{Tracks: []mp4test.Track{track}, MediaLast: true}.Bytes()
}

// A lowest is a reader that notes the lowest offset that is read.
type lowest struct {
	io.ReaderAt
	at int64
}

func (l *lowest) ReadAt(p []byte, off int64) (int, error) {
	l.at = min(l.at, off)
	return l.ReaderAt.ReadAt(p, off)
}

func clipOf(t testing.TB, m *mp4.Movie, r io.ReaderAt, start, end float64, mode mp4.Mode) string {
	t.Helper()
	clip, err := m.Reading(r).Cut(start, end, mode)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(clip.NewReader(r))
	if err != nil || int64(len(data)) != clip.Size() {
		t.Fatalf("%d of %d bytes: %v", len(data), clip.Size(), err)
	}
	return string(data)
}

// broken cannot be read.
type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, io.ErrClosedPipe }

// TestNotes cuts by notes that were found before: the clip is the same, and nothing before
// it is read, unless a note is part of it.
func TestNotes(t *testing.T) {
	for _, version := range []int{100, 164} {
		file := noted(version)
		r := bytes.NewReader(file)
		m := open(t, file)
		notes := m.Notes(r)
		with, ok := m.WithNotes(notes)
		if notes == nil || !ok {
			t.Fatalf("version %d: no notes are kept: %q", version, notes)
		}
		if notes := m.Notes(broken{}); notes != nil {
			t.Errorf("of a source that cannot be read, %q is kept", notes)
		}
		for _, mode := range []mp4.Mode{mp4.Exact, mp4.Copy} {
			want := clipOf(t, m, r, 2.2, 3.1, mode)
			low := &lowest{r, int64(len(file))}
			if clipOf(t, with, low, 2.2, 3.1, mode) != want {
				t.Errorf("version %d, mode %d: the clip is another than without notes", version, mode)
			}
			clip, err := m.Cut(2.2, 3.1, mode)
			if err != nil {
				t.Fatal(err)
			}
			parts := clip.Parts()
			if len(parts) != 1 || version == 164 && low.at < parts[0][0] {
				t.Errorf("version %d, mode %d: byte %d was read, want those of %v alone", version, mode, low.at, parts)
			}
			// What is wrong is not used, or does no harm.
			for _, damaged := range []string{"", "null", "[]", "[null,null]", "[[[1,2]]]", "[[[0,0,10,100]]]", "[[[0,99999999,10,100]]]", "[[[-1,0,0,0]]]", "[[[99,0,1,100]]]", string(notes[:len(notes)/2])} {
				if wrong, ok := m.WithNotes([]byte(damaged)); ok && clipOf(t, wrong, r, 2.2, 3.1, mode) != want {
					t.Errorf("version %d, mode %d: the clip is another with %q", version, mode, damaged)
				}
			}
			for _, other := range []string{",100]", ",33]"} { // a note that is said to matter is looked at
				lie := bytes.Replace(notes, fmt.Appendf(nil, ",%d]", version), []byte(other), 1)
				wrong, ok := m.WithNotes(lie)
				if !ok || clipOf(t, wrong, r, 2.2, 3.1, mode) != want {
					t.Errorf("version %d, mode %d: the clip is another with %s", version, mode, lie)
				}
			}
		}
	}
}

func FuzzNotes(f *testing.F) {
	file := noted(100)
	r := bytes.NewReader(file)
	m, err := mp4.Open(r, r.Size())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(m.Notes(r))
	f.Fuzz(func(t *testing.T, data []byte) {
		if with, ok := m.WithNotes(data); ok {
			clipOf(t, with, r, 2.2, 3.1, mp4.Exact)
		}
	})
}
