package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/citekit/citekit"
)

// An Interval is a stretch of an input, in seconds as its header counts them.
type Interval struct{ Start, End float64 }

// maxDecoding is how long the frames of a few moments are decoded. What takes
// longer is not found to be damaged.
const maxDecoding = 20 * time.Second

// AllStreams stands for every stream of an input.
const AllStreams = -1

// Decodable decodes what is shown in an interval of an input and reports which
// of its streams, by index, gave a frame or run of samples. It stops at the first
// packet after the interval of any stream that is asked for: of one, or of
// [AllStreams]. Done is false if that took too long to tell. Errors are as for
// Convert.
func (t *Tools) Decodable(ctx context.Context, in *Input, stream int, x Interval) (streams map[int]bool, done bool, err error) {
	args := []string{
		"-read_intervals", strconv.FormatFloat(x.Start, 'f', 6, 64) + "%" + strconv.FormatFloat(x.End, 'f', 6, 64),
		"-show_entries", "frame=stream_index", "-of", "csv=p=0",
	}
	if stream != AllStreams {
		args = append(args, "-select_streams", strconv.Itoa(stream))
	}
	streams = make(map[int]bool)
	limited, cancel := context.WithTimeout(ctx, maxDecoding)
	defer cancel()
	err = t.probe(limited, in, NewLineWriter(func(line []byte) error {
		index, _, _ := strings.Cut(string(line), ",")
		if n, err := strconv.Atoi(index); err == nil {
			streams[n] = true
		}
		return nil
	}), args...)
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	if limited.Err() != nil || errors.Is(err, citekit.ErrTooLarge) && !errors.Is(err, ErrCPU) {
		return streams, false, nil
	}
	return streams, err == nil, err
}

// HasDecoder reports whether ffmpeg has a decoder for a stream of an input.
func (t *Tools) HasDecoder(ctx context.Context, in *Input, stream int) (bool, error) {
	path, err := t.find(programFFmpeg)
	if err != nil {
		return false, err
	}
	args := append(append([]string{}, always...), inOrder(in.options())...)
	args = append(args, "-i", url(in.file, 0), "-map", "0:"+strconv.Itoa(stream), "-frames", "1", "-f", "null", "-")
	err = t.run(ctx, command{path: path, args: args, inputs: []*Input{in}, limit: maxDecoding})
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil || !errors.Is(err, errNoDecoder), nil
}

var errNoDecoder = fmt.Errorf("no decoder: %w", errors.ErrUnsupported)
