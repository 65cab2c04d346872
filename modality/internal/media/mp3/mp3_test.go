package mp3

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// probed returns the packets that ffprobe finds in a file, and where the first one
// stands.
func probed(t *testing.T, data []byte) (packets []Packet, from int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sound")
	sharedtest.Write(t, path, data)
	out := ffmpegtest.Run(t, "ffprobe", "-v", "error", "-f", "mp3", "-select_streams", "a",
		"-show_entries", "packet=pts,duration,size,pos:packet_side_data=discard_padding", "-of", "csv=p=0:nk=0", path)
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "pts=") {
			continue
		}
		var p Packet
		for field := range strings.SplitSeq(strings.TrimSpace(line), ",") {
			name, value, _ := strings.Cut(field, "=")
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				continue
			}
			switch name {
			case "pts":
				p.Time = n
			case "duration":
				p.Duration = n
			case "size":
				p.Bytes = n
			case "pos":
				if len(packets) == 0 {
					from = n
				}
			case "discard_padding":
				p.Discard = n
			}
		}
		packets = append(packets, p)
	}
	return packets, from
}

func walk(data []byte, start, from int64) (packets []Packet, err error) {
	err = Walk(bytes.NewReader(data), int64(len(data)), start, from, func(p Packet) { packets = append(packets, p) })
	return packets, err
}

func encode(t *testing.T, args string) []byte {
	t.Helper()
	all := append([]string{"-f", "lavfi", "-i", "anoisesrc=d=3:a=0.3:seed=1"}, strings.Fields(args)...)
	return sharedtest.Read(t, ffmpegtest.Make(t, "sound.mp3", all...))
}

// recordings are files of all kinds, by name.
func recordings(t *testing.T) map[string][]byte {
	const bare = " -write_xing 0 -id3v2_version 0"
	files := map[string][]byte{
		"constant":   encode(t, "-b:a 64k -ar 44100 -id3v2_version 0"),
		"variable":   encode(t, "-q:a 4 -ar 48000 -id3v2_version 0"),
		"average":    encode(t, "-abr 1 -b:a 96k -ar 32000 -id3v2_version 0"),
		"low":        encode(t, "-b:a 16k -ar 16000 -ac 1 -id3v2_version 0"),
		"lowest":     encode(t, "-b:a 8k -ar 8000 -ac 1 -id3v2_version 0"),
		"no tag":     encode(t, "-b:a 128k -ac 2"+bare),
		"mono":       encode(t, "-b:a 64k -ar 44100 -ac 1"+bare),
		"other rate": encode(t, "-b:a 64k -ar 24000 -ac 1"+bare),
		"third rate": encode(t, "-b:a 64k -ar 48000 -ac 2"+bare),
		"quarter":    encode(t, "-b:a 32k -ar 12000 -ac 1"+bare),
		"layer II":   encode(t, "-c:a mp2 -f mp2 -ar 44100"),
	}
	text := []byte(strings.Repeat("Not a frame. ", 400))
	id3v1 := append([]byte("TAG"), make([]byte, 125)...)
	ape := append(append([]byte("APETAGEX"), make([]byte, 24)...), "Title\xff\xfb\x90\x00 and so on"...)
	join := func(parts ...any) []byte {
		var all []byte
		for _, p := range parts {
			switch p := p.(type) {
			case string:
				all = append(all, files[p]...)
			case []byte:
				all = append(all, p...)
			}
		}
		return all
	}
	for name, data := range map[string][]byte{
		"tag at the end":          join("constant", id3v1),
		"APE at the end":          join("constant", ape, id3v1),
		"APE with sound":          join("constant", ape, bytes.Repeat([]byte{0xff, 0xfb, 0x90, 0}, 30)),
		"text at the end":         join("no tag", text),
		"a little at the end":     join("no tag", text[:5]),
		"concatenated":            join("constant", "constant"),
		"concatenated with tags":  join("variable", id3v1, "variable", id3v1),
		"change of rate":          join("no tag", "other rate"),
		"changes of rate":         join("other rate", "third rate", "other rate", "mono"),
		"change of version":       join("third rate", "quarter", "other rate", "quarter"),
		"few of another version":  join("third rate", files["quarter"][:192*2], "third rate"),
		"change of channels":      join("no tag", "mono", "no tag"),
		"change of layer":         join("no tag", "layer II", "no tag"),
		"text between":            join("no tag", text, "no tag", text[:100], "no tag", text[:1], "no tag", text[:2], "no tag"),
		"text before change":      join("no tag", text, "other rate", text[:7], "third rate"),
		"false header":            join("no tag", []byte{0xff, 0xf3, 0x44, 0xc4}, text[:300], "no tag"),
		"few of another":          join("no tag", files["other rate"][:192*3], "no tag", files["other rate"][:192*4], "no tag"),
		"zeros between":           join("mono", make([]byte, 5000), "mono", make([]byte, 7)),
		"cut within a frame":      files["no tag"][:len(files["no tag"])-100],
		"cut within a header":     files["no tag"][:len(files["no tag"])/417*417+2],
		"variable cut short":      files["variable"][:len(files["variable"])/3],
		"tag that promises less":  join("constant", "no tag", "no tag"),
		"change of rate at start": join(files["other rate"][:192*2], "no tag"),
	} {
		files[name] = data
	}
	for seed := range uint64(20) {
		files[fmt.Sprintf("damaged %d", seed)] = damage(join("constant", "other rate", "variable"), seed)
	}
	delete(files, "layer II")
	return files
}

// damage changes bytes after the first frames, and leaves out some.
func damage(data []byte, seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 7))
	const sound = 2000
	for range 1 + random.IntN(40) {
		i := sound + random.IntN(len(data)-sound-100)
		switch random.IntN(3) {
		case 0:
			data[i] = byte(random.IntN(256))
		case 1:
			data = slices.Delete(data, i, i+random.IntN(100))
		case 2:
			data[i], data[i+1] = 0xff, 0xe0|byte(random.IntN(32))
		}
	}
	return data
}

// TestWalk compares the packets with those that ffprobe finds.
func TestWalk(t *testing.T) {
	sharedtest.NotShort(t)
	for name, data := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			want, from := probed(t, data)
			got, err := walk(data, 0, from)
			if err != nil || len(want) == 0 {
				t.Fatalf("%d packets, ffprobe finds %d: %v", len(got), len(want), err)
			}
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					t.Fatalf("packet %d of %d: %+v, want %+v", i, len(want), got[i], want[i])
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d packets, want %d: %+v", len(got), len(want), append(got, want...)[min(len(got), len(want)):])
			}
		})
	}
}

func TestNoFrame(t *testing.T) {
	for _, text := range []string{"", "\xff", "\xff\xfb\x90", "text", "\xff\xfb\x00\x00and so on", "\xff\xe8\x90\x00", "\xff\xff\x30\x00"} {
		if got, err := walk([]byte(text), 0, 0); !errors.Is(err, ErrNoFrame) {
			t.Errorf("%q: %v, error %v", text, got, err)
		}
	}
}

func FuzzWalk(f *testing.F) {
	frame := append([]byte{0xff, 0xf3, 0x14, 0xc4}, make([]byte, 20)...)
	info := append([]byte{0xff, 0xf3, 0x14, 0xc4, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "Xing\x00\x00\x00\x0f\x00\x00\x00\x02\xff\xff\xff\xff"...)
	f.Add(bytes.Repeat(frame, 3), 0, 0)
	f.Add(append(append(info, make([]byte, 160)...), frame...), 0, len(info))
	f.Add([]byte("TAG"), 0, 0)
	f.Fuzz(func(t *testing.T, data []byte, start, from int) {
		if start < 0 || from < start || from > len(data) {
			return
		}
		packets, err := walk(data, int64(start), int64(from))
		if err != nil && !errors.Is(err, ErrNoFrame) {
			t.Fatal(err)
		}
		var length, time int64
		for _, p := range packets {
			if p.Time != time || p.Duration <= 0 || p.Bytes <= 0 || p.Discard < 0 {
				t.Fatalf("%+v at %d", p, time)
			}
			length, time = length+p.Bytes, time+p.Duration
		}
		if length > int64(len(data)-from) {
			t.Fatalf("packets of %d bytes in %d", length, len(data)-from)
		}
	})
}
