package ffmpeg

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/localfile"
)

// A Take selects frames of an input for [Tools.Pictures]: up to Count frames between
// From and End on the clock of the file. The first is the first frame at or after From;
// each next one is the first frame at least Step after the one before. Times are in
// seconds.
type Take struct {
	From, End, Step float64
	Count           int

	// Lead is how long before From reading starts, in seconds, for containers in which
	// it may start at any frame: decoders invent pictures until a key frame.
	Lead float64

	// Key selects one frame, the key frame at or before From, or the next one if there
	// is no index. End and Step are ignored, and no other frame is decoded.
	Key bool
}

// A Picture is a frame as displayed, with its time on the clock of the file.
type Picture struct {
	Time  float64 // seconds
	Image *image.RGBA
}

// Pictures decodes frames of the first video stream of an input, scaled to size, in one
// run of ffmpeg. It returns the frames of each take in time order, none for a take that
// has none. Scans is as in [Conversion]. Each decoded frame is work for the job of ctx. Errors are
// as for Convert, and match [ErrWork] beyond that.
func (t *Tools) Pictures(ctx context.Context, in *Input, scans int, size image.Point, takes []Take) ([][]Picture, error) {
	dir, err := t.newScratch()
	if err != nil {
		return nil, err
	}
	defer dir.Remove()
	times := make([][]float64, len(takes))
	taken := newTakeTimes(times)
	counter := PictureCounter{Scans: scans}
	err = t.ffmpeg(ctx, command{
		args: takeArgs(in, dir, size, takes), dir: dir.Path(),
		inputs: slices.Repeat([]*Input{in}, len(takes)),
		stdout: NewLineWriter(func(line []byte) error {
			if err := counter.Line(ctx, line); err != nil {
				return err
			}
			return taken.line(line)
		}),
	})
	if err != nil {
		return nil, err
	}
	pictures := make([][]Picture, len(takes))
	for i, take := range takes {
		at := times[i][:min(len(times[i]), take.Count)]
		if pictures[i], err = readPictures(dir.Path(takeName(i)), size, at); err != nil {
			return nil, err
		}
	}
	return pictures, nil
}

func takeName(i int) string { return "take" + strconv.Itoa(i) }

// takeArgs builds the command line. The source is an input for each take, because where
// reading starts can be given only per input.
func takeArgs(in *Input, dir *localfile.Scratch, size image.Point, takes []Take) []string {
	args := slices.Clone(always)
	args = append(args, "-y", "-max_alloc", maxAlloc)
	for i, take := range takes {
		seek := Options{"noaccurate_seek": "", "seek_timestamp": "1", "ss": decimalSeconds(take.From - take.Lead)}
		if take.From <= take.Lead {
			seek = Options{} // the first frame may be later than the clock says
		}
		if take.Key {
			seek["threads"] = "1" // more threads would decode frames ahead
			seek["skip_frame"] = "nokey"
		}
		args = append(flags(args, in.options(), seek), "-i", url(in.file, i))
	}
	for i, take := range takes {
		args = append(flags(append(args, "-map", strconv.Itoa(i)+":V:0"), Options{
			"copyts": "", "fps_mode": "passthrough", "frames:v": strconv.Itoa(take.Count),
			"filter": take.filter(i, size), "c:v": "rawvideo", "pix_fmt": "rgba", "f": "rawvideo",
		}), "file:"+dir.Path(takeName(i)))
	}
	return args
}

func decimalSeconds(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

// filter chooses frames, scales them, and prints the time of each.
func (x Take) filter(i int, size image.Point) string {
	choose := CountDecoded + ","
	if !x.Key {
		// The variable 0 holds the number of steps that have passed.
		const slack = 1e-6
		choose += fmt.Sprintf("trim=end=%s,select=if(gte(t\\,%[2]s+ld(0)*%[3]s)\\,st(0\\,floor((t-%[2]s)/%[3]s)+1)),",
			decimalSeconds(x.End), decimalSeconds(x.From-slack), decimalSeconds(max(x.Step, slack)))
	}
	return choose + fmt.Sprintf("scale=%d:%d:flags=area+accurate_rnd+bitexact,settb=1/1000000,"+
		"metadata=mode=add:key=take:value=%d,metadata=mode=print:key=take:file=-", size.X, size.Y, i)
}

// takeTimes reads what the filters print: the time of a frame, then its take.
type takeTimes struct {
	times [][]float64
	last  float64
}

func newTakeTimes(times [][]float64) *takeTimes { return &takeTimes{times: times} }

func (t *takeTimes) line(line []byte) error {
	if number, ok := bytes.CutPrefix(line, []byte("take=")); ok {
		if i, err := strconv.Atoi(string(number)); err == nil && i >= 0 && i < len(t.times) {
			t.times[i] = append(t.times[i], t.last)
		}
		return nil
	}
	_, rest, _ := bytes.Cut(line, []byte("pts:"))
	digits, _, _ := bytes.Cut(rest, []byte(" "))
	if us, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
		t.last = float64(us) / 1e6
	}
	return nil
}

// readPictures reads one frame from a file for each time.
func readPictures(name string, size image.Point, times []float64) ([]Picture, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("ffmpeg wrote no picture: %w", citekit.ErrFormat)
	}
	defer f.Close()
	var pictures []Picture
	for _, at := range times {
		img := image.NewRGBA(image.Rectangle{Max: size})
		if _, err := io.ReadFull(f, img.Pix); err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		} else if err != nil {
			return nil, localfile.WithoutPath(err)
		}
		pictures = append(pictures, Picture{at, img})
	}
	return pictures, nil
}
