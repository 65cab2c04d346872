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

// An Interval is a stretch of an input, in seconds on the clock of its header.
type Interval struct{ Start, End float64 }

// maxDecoding bounds the time for decoding a few moments. If it takes longer, the input
// does not count as damaged.
const maxDecoding = 20 * time.Second

// AllStreams means every stream of an input.
const AllStreams = -1

// Decodable decodes an interval of an input, and reports which streams, by index, gave
// a frame or a run of samples. Stream is an index or [AllStreams]. Decoding stops at
// the first packet of those streams after the interval. Done is false if it took too
// long. Errors are as for Convert.
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
