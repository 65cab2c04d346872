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
	"github.com/citekit/citekit/internal/fserror"
)

// A Take says which frames of an input [Tools.Pictures] gives: as many as Count
// says from the clock of the file at From up to End, each the first at or after
// From or the one before it and Step seconds. Times are in seconds.
type Take struct {
	From, End, Step float64
	Count           int

	// Lead is how long before From reading starts, for containers in which
	// it may start at any frame: until a key frame decoders make up pictures.
	Lead float64

	// Key takes one frame, the key frame at or before From or, where there is
	// no index, the next, whatever End and Step say: no other is decoded.
	Key bool
}

// A Picture is a frame as displayed, with its time by the clock of the file.
type Picture struct {
	Time  float64 // seconds
	Image *image.RGBA
}

// Pictures decodes frames of the first video stream of an input, in a size, by
// one program: those of each take in the order of their times. A take without
// frames gives none. Errors are as for Convert.
func (t *Tools) Pictures(ctx context.Context, in *Input, size image.Point, takes []Take) ([][]Picture, error) {
	path, err := t.find(programFFmpeg)
	if err != nil {
		return nil, err
	}
	dir, err := t.newScratch()
	if err != nil {
		return nil, err
	}
	defer dir.remove()
	times := make([][]float64, len(takes))
	err = t.run(ctx, command{
		path: path, args: takeArgs(in, dir, size, takes), dir: dir.dir,
		inputs: slices.Repeat([]*Input{in}, len(takes)),
		stdout: NewLineWriter(newTakeTimes(times).line),
	})
	if err != nil {
		return nil, t.diagnose(ctx, programFFmpeg, path, err)
	}
	pictures := make([][]Picture, len(takes))
	for i, take := range takes {
		at := times[i][:min(len(times[i]), take.Count)]
		if pictures[i], err = readPictures(dir.path(takeName(i)), size, at); err != nil {
			return nil, err
		}
	}
	return pictures, nil
}

func takeName(i int) string { return "take" + strconv.Itoa(i) }

// takeArgs builds the command line: the source is an input for each take, as
// only before an input can be said from where it is read.
func takeArgs(in *Input, dir *scratch, size image.Point, takes []Take) []string {
	args := append([]string{}, always...)
	args = append(args, "-y", "-max_alloc", maxAlloc)
	for i, take := range takes {
		seek := Options{"noaccurate_seek": "", "seek_timestamp": "1", "ss": decimalSeconds(take.From - take.Lead)}
		if take.From <= take.Lead {
			seek = Options{} // what comes first may be later than the clock says
		}
		if take.Key {
			seek["threads"] = "1" // or frames are decoded ahead
			seek["skip_frame"] = "nokey"
		}
		args = append(flags(args, in.options(), seek), "-i", url(in.file, i))
	}
	for i, take := range takes {
		args = append(flags(append(args, "-map", strconv.Itoa(i)+":V:0"), Options{
			"copyts": "", "fps_mode": "passthrough", "frames:v": strconv.Itoa(take.Count),
			"filter": take.filter(i, size), "c:v": "rawvideo", "pix_fmt": "rgba", "f": "rawvideo",
		}), "file:"+dir.path(takeName(i)))
	}
	return args
}

func decimalSeconds(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }

// filter chooses frames, scales them, and prints the time of each.
func (x Take) filter(i int, size image.Point) string {
	choose := ""
	if !x.Key {
		// The number of steps that were passed is kept in a variable.
		const slack = 1e-6
		choose = fmt.Sprintf("trim=end=%s,select=if(gte(t\\,%[2]s+ld(0)*%[3]s)\\,st(0\\,floor((t-%[2]s)/%[3]s)+1)),",
			decimalSeconds(x.End), decimalSeconds(x.From-slack), decimalSeconds(max(x.Step, slack)))
	}
	return choose + fmt.Sprintf("scale=%d:%d:flags=area+accurate_rnd+bitexact,settb=1/1000000,"+
		"metadata=mode=add:key=take:value=%d,metadata=mode=print:key=take:file=-", size.X, size.Y, i)
}

// takeTimes reads the times that the filters print: that of a frame, and which
// take it is of.
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

// readPictures reads as many frames from a file as there are times.
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
			return nil, fserror.WithoutPath(err)
		}
		pictures = append(pictures, Picture{at, img})
	}
	return pictures, nil
}
