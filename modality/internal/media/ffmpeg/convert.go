package ffmpeg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/localfile"
)

// Options maps names of ffmpeg options, without the dash, to values. The value "" means
// an option without a value.
type Options map[string]string

// A Conversion is one run of ffmpeg, from one input to one output.
type Conversion struct {
	Input   Options // before the input, such as "ss"
	Streams []int   // indices of the input's streams, in output order
	Muxer   string  // format of the output, named as in ffmpeg
	Output  Options // before the output, such as "c"

	// Beside are further inputs of one stream each, whose streams follow those of the
	// first input.
	Beside []*Input

	// Scans is how many passes over its pixels a decoder makes for a picture; zero
	// means one. The work of each picture that passes the filter [CountDecoded] is
	// counted for the job of the context, and more of each that passes
	// [CountEncoded].
	Scans int
}

// Options that begin every command line.
var always = []string{"-nostdin", "-hide_banner", "-v", "error"}

const (
	// Programs may open files only: the source and the output.
	protocols = "file"

	// The largest single allocation of a program, 256 MiB, and the largest picture it
	// decodes, 8,192 by 8,192 pixels.
	maxAlloc  = "268435456"
	maxPixels = "67108864"
)

// Convert runs a conversion. It is an error if a run succeeds but writes nothing. The
// caller must check the output.
//
// Errors match [citekit.ErrFormat] if the input cannot be read,
// [citekit.ErrTooLarge] if it needs too much memory or writes too much,
// [errors.ErrUnsupported] if ffmpeg is missing or lacks a part,
// [os.ErrDeadlineExceeded] if a clock ended the program, and ctx.Err() once ctx is
// done.
func (t *Tools) Convert(ctx context.Context, in *Input, c Conversion) (*Output, error) {
	dir, err := t.newScratch()
	if err != nil {
		return nil, err
	}
	name := dir.Path("output")
	if err := t.convert(ctx, dir, in, c, "file:"+name, c.counter(ctx)); err != nil {
		dir.Remove()
		return nil, err
	}
	return openOutput(dir, name, t.maxOutput())
}

// Stream runs a conversion whose output goes directly to w and is not kept. An error of
// w ends the run and is returned. Other errors are as for Convert.
func (t *Tools) Stream(ctx context.Context, in *Input, c Conversion, w io.Writer) error {
	dir, err := t.newScratch()
	if err != nil {
		return err
	}
	defer dir.Remove()
	return t.convert(ctx, dir, in, c, "pipe:1", w)
}

// convert runs a conversion in dir.
func (t *Tools) convert(ctx context.Context, dir *localfile.Scratch, in *Input, c Conversion, output string, stdout io.Writer) error {
	args, err := c.args(in, output, t.maxOutput())
	if err != nil {
		return err
	}
	if err := t.ffmpeg(ctx, command{args: args, dir: dir.Path(), inputs: append([]*Input{in}, c.Beside...), stdout: stdout}); err != nil {
		return err
	}
	return checkSound(ctx, dir)
}

// ffmpeg finds and runs ffmpeg, and explains its failure.
func (t *Tools) ffmpeg(ctx context.Context, c command) (err error) {
	if c.path, err = t.find(programFFmpeg); err != nil {
		return err
	}
	if err := t.run(ctx, c); err != nil {
		return t.diagnose(ctx, programFFmpeg, c.path, err)
	}
	return nil
}

func openOutput(dir *localfile.Scratch, name string, limit int64) (out *Output, err error) {
	defer func() {
		if err != nil {
			dir.Remove()
		}
	}()
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("ffmpeg wrote nothing: %w", citekit.ErrFormat)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = localfile.WithoutPath(err)
	case info.Size() == 0:
		err = fmt.Errorf("ffmpeg wrote an empty file: %w", citekit.ErrFormat)
	case info.Size() >= limit:
		err = fmt.Errorf("ffmpeg wrote %d bytes or more: %w", limit, citekit.ErrTooLarge)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	removeName(name)
	return &Output{file: f, size: info.Size(), dir: dir}, nil
}

// Filters that print a line for each picture: how large it is where it comes from the
// decoder, which may differ from what the header says, and where it goes to the encoder.
// The former is drawn as a line, because no filter prints sizes but those of shapes.
var (
	CountDecoded = fmt.Sprintf("split[whole][part];[part]scale=w=ceil(iw*ih/%d):h=2:flags=neighbor,format=gray,lut=c0=255,bbox,"+
		"metadata=mode=print:key=%s:direct=1:file=-,nullsink;[whole]null", leastPicture, decodedKey)
	CountEncoded = "metadata=mode=add:key=encoded:value=1,metadata=mode=print:key=encoded:direct=1:file=-"
)

const decodedKey = "lavfi.bbox.w"

// encoding is how many times the work of decoding a picture it is to encode it.
const encoding = 4

// A PictureCounter counts the work that lines printed by [CountDecoded] and
// [CountEncoded] tell of.
type PictureCounter struct {
	Scans int // see [Conversion]

	// Packets is how many packets are decoded, or 0 if that is not known, and Header
	// the work of a picture of the size that the header tells. Packets that cannot be
	// decoded take as long and print nothing. So when a picture is larger, all
	// packets count as that.
	Packets int
	Header  Work

	last  Work // of the last picture, without scans
	ahead Work // counted for each packet
}

// Line counts the work that a line tells of, if it does. The error matches [ErrWork].
func (p *PictureCounter) Line(ctx context.Context, line []byte) error {
	if size, ok := bytes.CutPrefix(line, []byte(decodedKey+"=")); ok {
		p.last = leastPicture * Work(max(parseCount(string(size)), 1))
		work := max(p.last-p.ahead, leastPicture)
		if more := p.last - p.Header - p.ahead; more > 0 && p.Packets > 0 {
			p.ahead += more
			work = max(p.last-p.ahead, leastPicture) + more*Work(p.Packets)
		}
		return Spend(ctx, work*Work(max(p.Scans, 1)))
	}
	if bytes.HasPrefix(line, []byte("encoded=")) {
		return Spend(ctx, encoding*max(p.last, leastPicture))
	}
	return nil
}

// counter returns a writer that counts pictures.
func (c Conversion) counter(ctx context.Context) io.Writer {
	pictures := PictureCounter{Scans: c.Scans}
	return NewLineWriter(func(line []byte) error { return pictures.Line(ctx, line) })
}

// args builds the command line.
func (c Conversion) args(in *Input, output string, limit int64) ([]string, error) {
	if len(c.Streams)+len(c.Beside) == 0 {
		return nil, errors.New("ffmpeg: a conversion without streams")
	}
	args := slices.Clone(always)
	args = append(args, "-y", "-max_alloc", maxAlloc)
	args = append(flags(args, in.options(), c.Input), "-i", url(in.file, 0))
	for i, other := range c.Beside {
		args = append(flags(args, other.options()), "-i", url(other.file, i+1))
	}
	for _, index := range c.Streams {
		args = append(args, "-map", "0:"+strconv.Itoa(index))
	}
	for i := range c.Beside {
		args = append(args, "-map", strconv.Itoa(i+1)+":0")
	}
	args = flags(args, Options{
		"f": c.Muxer, "fs": strconv.FormatInt(limit, 10),
		"fflags": "+bitexact", "flags:v": "+bitexact", "flags:a": "+bitexact",
		"map_metadata": "-1", "map_chapters": "-1",
	}, c.Output)
	return append(args, output), nil
}

// options returns the options that restrict how the input is read.
func (in *Input) options() Options {
	o := Options{
		"protocol_whitelist": protocols,
		"format_whitelist":   in.demuxer,
		"f":                  in.demuxer,
		"max_pixels":         maxPixels,
		"probesize":          "20000000",
		"analyzeduration":    "20000000",
	}
	if in.skip > 0 {
		o["skip_initial_bytes"] = strconv.FormatInt(in.skip, 10)
	}
	return o
}

// flags appends options as arguments: the format first, if any, then the others sorted
// by name. Later sets override earlier ones.
func flags(args []string, sets ...Options) []string {
	merged := Options{}
	for _, set := range sets {
		maps.Copy(merged, set)
	}
	if format := merged["f"]; format != "" {
		args = append(args, "-f", format)
	}
	delete(merged, "f")
	for _, name := range slices.Sorted(maps.Keys(merged)) {
		args = append(args, "-"+name)
		if value := merged[name]; value != "" {
			args = append(args, value)
		}
	}
	return args
}
