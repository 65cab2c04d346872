package ffmpeg

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// made returns a file that ffmpeg writes, as an input that begins after some bytes
// of something else.
func made(t *testing.T, tools *Tools, skip int, format string, args ...string) *Input {
	t.Helper()
	sharedtest.Tool(t, "ffprobe")
	content := sharedtest.Read(t, ffmpegtest.Make(t, "made", append(args, "-bitexact", "-f", format)...))
	content = append(bytes.Repeat([]byte{'x'}, skip), content...)
	src := citekit.NewSource(bytes.NewReader(content), citekit.SourceInfo{Size: int64(len(content))})
	in, err := tools.Open(t.Context(), src, format, int64(skip))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.Close)
	return in
}

// TestMovie reads a movie of two seconds: one red, one blue, each of ten pictures after
// a key frame, with sound.
func TestMovie(t *testing.T) {
	sharedtest.NotShort(t)
	var tools Tools
	in := made(t, &tools, 0, "matroska",
		"-f", "lavfi", "-i", "color=red:s=64x48:r=10:d=1[a];color=blue:s=64x48:r=10:d=1[b];[a][b]concat",
		"-f", "lavfi", "-i", "sine=r=44100:d=2", "-c:v", "mpeg4", "-g", "10", "-c:a", "pcm_s16le")
	info, err := tools.Probe(t.Context(), in)
	if err != nil || len(info.Streams) != 2 {
		t.Fatalf("%+v, %v", info, err)
	}
	video := &info.Streams[0]

	t.Run("packets", func(t *testing.T) {
		all, keys, first := 0, 0, 9.
		ctx := Within(t.Context(), 1<<40, time.Hour)
		err := tools.Packets(ctx, in, 1, func(p Packet) {
			if p.Stream == 0 {
				all++
				first = min(first, video.Seconds(p.Time))
			}
			if p.Stream == 0 && p.Key {
				keys++
			}
		})
		if err != nil || all != 10 || keys != 1 || first != 1 {
			t.Errorf("from one second: %d packets, %d key frames, the first at %v s; %v", all, keys, first, err)
		}
		if done := Done(ctx); done < 10*packetWork || done%packetWork != 0 {
			t.Errorf("work of %d", done)
		}
	})
	t.Run("pictures", func(t *testing.T) {
		takes := []Take{{From: 0.05, End: 2, Step: 0.5, Count: 3}, {From: 1.45, Key: true, Count: 1}, {From: 5, End: 6, Count: 1}}
		ctx := Within(t.Context(), 1<<40, time.Hour)
		got, err := tools.Pictures(ctx, in, 2, image.Point{X: 16, Y: 12}, takes)
		if err != nil {
			t.Fatal(err)
		}
		red, blue := color.RGBA{0xff, 0, 0, 0xff}, color.RGBA{0, 0, 0xff, 0xff}
		var list []string
		for i, take := range got {
			for _, p := range take {
				name := "neither"
				switch c := p.Image.RGBAAt(8, 6); {
				case p.Image.Rect.Max == image.Point{X: 16, Y: 12} && near(c, red):
					name = "red"
				case p.Image.Rect.Max == image.Point{X: 16, Y: 12} && near(c, blue):
					name = "blue"
				}
				list = append(list, fmt.Sprint(i, " ", p.Time, " ", name))
			}
		}
		if all := strings.Join(list, ", "); all != "0 0.1 red, 0 0.6 red, 0 1.1 blue, 1 1 blue" {
			t.Errorf("got %s", all)
		}
		if done := Done(ctx); done < 12*2*leastPicture || done%(2*leastPicture) != 0 {
			t.Errorf("work of %d", done)
		}
	})
	t.Run("sums", func(t *testing.T) {
		sums, err := tools.Sums(t.Context(), in, 0)
		if err != nil || len(sums) != 20 || len(sums[0]) != 32 || sums[0] == sums[19] {
			t.Errorf("%d sums, %v: %q", len(sums), err, sums)
		}
	})
	t.Run("decodable", func(t *testing.T) {
		got, done, err := tools.Decodable(t.Context(), in, AllStreams, Interval{Start: 0.5, End: 1})
		if err != nil || !done || !maps.Equal(got, map[int]bool{0: true, 1: true}) {
			t.Errorf("%v, %v, %v", got, done, err)
		}
		if has, err := tools.HasDecoder(t.Context(), in, 0); err != nil || !has {
			t.Errorf("a decoder: %v, %v", has, err)
		}
	})
	t.Run("converted", func(t *testing.T) {
		ctx := Within(t.Context(), 1<<40, time.Hour)
		out, err := tools.Convert(ctx, in, Conversion{
			Streams: []int{0}, Muxer: "avi", Scans: 3,
			Output: Options{"c:v": "mpeg4", "filter:v": CountDecoded + "," + CountEncoded},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if done, want := Done(ctx), 20*(3+encoding)*leastPicture; done != want {
			t.Errorf("work of %d, want %d", done, want)
		}
		small := Tools{MaxOutput: 1000}
		if _, err := small.Convert(t.Context(), in, Conversion{Streams: []int{0}, Muxer: "rawvideo"}); !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("more than may be written: %v", err)
		}
	})
	t.Run("sound", func(t *testing.T) {
		s := info.Streams[1]
		for seconds, want := range map[float64]error{1: ErrWork, 3: nil} {
			ctx := Within(t.Context(), SoundWork(s, seconds), time.Hour)
			err := tools.Stream(ctx, in, Conversion{Streams: []int{1}, Muxer: "s16le", Output: Options{"filter:a": LimitSound(ctx, s, 0)}}, io.Discard)
			if !errors.Is(err, want) {
				t.Errorf("work for %v of two seconds: %v, want %v", seconds, err, want)
			}
		}
		if err := tools.Stream(Within(t.Context(), 1<<40, 0), in, sound(false), io.Discard); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("no processor time: %v", err)
		}
	})
}

// near reports whether two colours look alike.
func near(a, b color.RGBA) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if max(d, -d) > 8 {
			return false
		}
	}
	return true
}

// TestFirstPacket reads where the samples of a file begin, also if it begins later.
func TestFirstPacket(t *testing.T) {
	sharedtest.NotShort(t)
	var tools Tools
	for _, skip := range []int{0, 5} {
		in := made(t, &tools, skip, "wav", "-f", "lavfi", "-i", "sine=r=8000:d=0.1", "-c:a", "pcm_s16le")
		offset, at, err := tools.FirstPacket(t.Context(), in, 0)
		mark := make([]byte, 4)
		if _, err := in.ReadAt(mark, offset-8); err != nil || offset != 44+int64(skip) || string(mark) != "data" {
			t.Errorf("after %d bytes: offset %d, before it %q, %v", skip, offset, mark, err)
		}
		if err != nil || at != 0 {
			t.Errorf("after %d bytes: time %d, %v", skip, at, err)
		}
	}
}

// TestScripts has an ffprobe that finds no packet with a time, and an ffmpeg
// without a decoder.
func TestScripts(t *testing.T) {
	tools := Tools{
		FFprobe: sharedtest.Script(t, "echo N/A,12; echo; echo 3,N/A"),
		FFmpeg:  sharedtest.Script(t, "echo 'Decoder not found' >&2; exit 1"),
	}
	in, err := tools.OpenReader(t.Context(), strings.NewReader("x"), 1, "mp3")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, _, err := tools.FirstPacket(t.Context(), in, 0); !errors.Is(err, citekit.ErrFormat) {
		t.Errorf("no packet with a time: %v", err)
	}
	if has, err := tools.HasDecoder(t.Context(), in, 0); err != nil || has {
		t.Errorf("without a decoder: %v, %v", has, err)
	}
	tools.FFprobe = sharedtest.Script(t, fmt.Sprintf("printf %%0%dd 0", maxProbe+1))
	if _, err := tools.Probe(t.Context(), in); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("an endless header: %v", err)
	}
	// Pictures as large as may be decoded, far from a key frame.
	tools.FFprobe = sharedtest.Script(t, "i=0; while [ $i -lt 100 ]; do echo packet,0; echo frame,0,8192,8192; i=$((i+1)); done")
	if got, done, err := tools.Decodable(t.Context(), in, AllStreams, Interval{End: 1}); err != nil || done || !got[0] {
		t.Errorf("too much to decode: %v, %v, %v", got, done, err)
	}
	// The same within the work of one packet.
	little := Within(t.Context(), packetWork, time.Hour)
	if _, _, err := tools.Decodable(little, in, 0, Interval{End: 1}); !errors.Is(err, ErrWork) {
		t.Errorf("more than may be decoded: %v", err)
	}
	if err := tools.Packets(little, in, 0, func(Packet) {}); !errors.Is(err, ErrWork) {
		t.Errorf("more than may be read: %v", err)
	}
	if _, err := tools.OpenReader(t.Context(), strings.NewReader("x"), 2, "mp3"); !errors.Is(err, citekit.ErrFormat) {
		t.Errorf("a source that ends early: %v", err)
	}
}

func TestParsePacket(t *testing.T) {
	for line, want := range map[string]*Packet{
		"0,12,11,33,100,K__,303": {Stream: 0, Time: 12, Duration: 33, Bytes: 100, Discard: 303, Key: true},
		"1,N/A,7,N/A,5,__":       {Stream: 1, Time: 7, Bytes: 5},
		"1,N/A,N/A,1,5,__":       nil,
		"256,1,1,1,5,__":         nil,
		"-1,1,1,1,5,__":          nil,
		"0,1,1,1,5":              nil,
	} {
		got, ok := parsePacket(line)
		if ok != (want != nil) || ok && got != *want {
			t.Errorf("%q: %+v, %v", line, got, ok)
		}
	}
}

func TestParseInfo(t *testing.T) {
	got, err := parseInfo([]byte(`{"format":{"start_time":"-0.5","duration":"N/A"},"streams":[
		{"index":1,"codec_type":"video","codec_name":"h264","width":4,"height":3,"time_base":"1/90000","disposition":{"timed_thumbnails":1},
			"side_data_list":[{},{"rotation":-90}]},
		{"index":2,"codec_type":"audio","sample_rate":"48000","channels":2,"bits_per_raw_sample":"24","bits_per_sample":16,"time_base":"1/0"},
		{"side_data_list":[{"rotation":180}]}]}`))
	want := &Info{Start: -0.5, Streams: []Stream{
		{Index: 1, Kind: "video", Codec: "h264", Picture: true, Num: 1, Den: 90000, Width: 4, Height: 3, Rotated: true},
		{Index: 2, Kind: "audio", Num: 1, Den: 1, SampleRate: 48000, Channels: 2, SampleBits: 24},
		{Num: 1, Den: 1},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if seconds := want.Streams[0].Seconds(45_000); seconds != 0.5 {
		t.Errorf("45,000 units are %v s", seconds)
	}
	if _, err := parseInfo([]byte("{")); !errors.Is(err, citekit.ErrFormat) {
		t.Errorf("half an answer: %v", err)
	}
	if _, err := parseInfo([]byte(`{"streams":[` + strings.Repeat("{},", maxStreams) + `{}]}`)); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("too many tracks: %v", err)
	}
}
