package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
)

// An Interval is a stretch of an input, in seconds on the clock of its header.
type Interval struct{ Start, End float64 }

// maxDecoding bounds the work of decoding a few moments. If it takes more, because they
// lie far from a key frame, the input does not count as damaged.
const maxDecoding Work = 4e9

// AllStreams means every stream of an input.
const AllStreams = -1

// Decodable decodes an interval of an input, and reports which streams, by index, gave
// a frame or a run of samples. Stream is an index or [AllStreams]. Decoding stops at
// the first packet of those streams after the interval. Done is false if that is too
// much work. Errors are as for Convert.
func (t *Tools) Decodable(ctx context.Context, in *Input, stream int, x Interval) (streams map[int]bool, done bool, err error) {
	args := []string{
		"-read_intervals", decimalSeconds(x.Start) + "%" + decimalSeconds(x.End),
		"-show_entries", "packet=stream_index:frame=stream_index,width,height,nb_samples", "-of", "csv=p=1",
	}
	if stream != AllStreams {
		args = append(args, "-select_streams", strconv.Itoa(stream))
	}
	streams = make(map[int]bool)
	work, counted := Work(0), frameCosts{}
	err = t.probe(ctx, in, NewLineWriter(func(line []byte) error {
		kind, rest, _ := strings.Cut(string(line), ",")
		index, size, _ := strings.Cut(rest, ",")
		n, err := strconv.Atoi(index)
		if err != nil {
			return nil
		}
		var w Work
		if kind == "packet" {
			w = counted.packet(n)
		} else {
			streams[n] = true
			w = counted.frame(n, frameWork(size))
		}
		if work += w; work > maxDecoding {
			return errEnough
		}
		return Spend(ctx, w)
	}), args...)
	switch {
	case errors.Is(err, errEnough):
		return streams, false, nil
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case errors.Is(err, citekit.ErrTooLarge) && !errors.Is(err, ErrWork): // of memory
		return streams, false, nil
	}
	return streams, err == nil, err
}

// frameCosts are the work of the last frame of each stream. A packet counts as that
// before it is decoded, because one that cannot be decoded gives no frame and takes as
// long.
type frameCosts map[int]Work

func (d frameCosts) packet(stream int) Work { return d[stream] }

// frame returns the work of a frame that was not counted with a packet.
func (d frameCosts) frame(stream int, w Work) Work {
	more := max(w-d[stream], 0)
	d[stream] = w
	return more
}

var errEnough = errors.New("enough is decoded")

// frameWork returns the work of a frame whose size ffprobe prints: the width and
// height of a picture, or the number of samples of sound.
func frameWork(size string) Work {
	width, height, picture := strings.Cut(size, ",")
	w, _ := strconv.Atoi(width)
	h, _ := strconv.Atoi(height)
	if picture {
		return PictureWork(w, h)
	}
	return packetWork + Work(w)*sampleWork
}

// HasDecoder reports whether ffmpeg has a decoder for a stream of an input.
func (t *Tools) HasDecoder(ctx context.Context, in *Input, stream int) (bool, error) {
	path, err := t.find(programFFmpeg)
	if err != nil {
		return false, err
	}
	args := flags(slices.Clone(always), in.options())
	args = append(args, "-t", "1", "-i", url(in.file, 0), "-map", "0:"+strconv.Itoa(stream), "-frames", "1", "-f", "null", "-")
	err = t.run(ctx, command{path: path, args: args, inputs: []*Input{in}})
	if errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() != nil {
		return false, err
	}
	return err == nil || !errors.Is(err, errNoDecoder), nil
}

var errNoDecoder = fmt.Errorf("no decoder: %w", errors.ErrUnsupported)
