package ffmpeg

import (
	"bytes"
	"context"
)

// Sums decodes a stream of pictures and returns a checksum of each that is shown, in
// order: equal pictures have equal ones. The caller counts the work. Errors are as for
// Convert.
func (t *Tools) Sums(ctx context.Context, in *Input, stream int) ([]string, error) {
	var sums []string
	err := t.Stream(ctx, in, Conversion{
		Input:   Options{"noautorotate": "", "threads": "1"}, // what damage decodes to depends on the threads
		Streams: []int{stream},
		Muxer:   "framehash",
		Output:  Options{"c": "rawvideo", "fps_mode": "passthrough", "enc_time_base": "-1", "hash": "md5"},
	}, NewLineWriter(func(line []byte) error {
		if i := bytes.LastIndexByte(line, ','); i >= 0 && line[0] != '#' {
			sums = append(sums, string(bytes.TrimSpace(line[i+1:])))
		}
		return nil
	}))
	return sums, err
}
