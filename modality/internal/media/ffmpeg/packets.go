package ffmpeg

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
)

// A Packet is one coded frame or run of samples.
type Packet struct {
	Stream   int   // index of its stream
	Time     int64 // presentation time, in units of the stream
	Duration int64 // in units of the stream; 0 if unknown
	Bytes    int64
	Discard  int64 // samples at its end that must not be played
	Key      bool
}

// maxPackets bounds a scan; a day of video with sound has 10 million.
const maxPackets = 40_000_000

// Packets reads an input and calls visit for every packet that has a time, in stored
// order. It starts at from, in seconds on the clock of the header, or at the beginning
// if from is not positive. Each packet is work for the job of ctx, see [Within]. Errors
// are as for Convert, and match [ErrWork] beyond that.
func (t *Tools) Packets(ctx context.Context, in *Input, from float64, visit func(Packet)) error {
	var args []string
	if from > 0 {
		args = []string{"-read_intervals", decimalSeconds(from) + "%"}
	}
	n := 0
	out := lineWriter{line: func(line []byte) error {
		if n++; n > maxPackets {
			return fmt.Errorf("more than %d packets: %w", maxPackets, citekit.ErrTooLarge)
		}
		if err := Spend(ctx, packetWork); err != nil {
			return err
		}
		if p, ok := parsePacket(string(line)); ok {
			visit(p)
		}
		return nil
	}}
	return t.probe(ctx, in, &out, append(args,
		"-show_entries", "packet=stream_index,pts,dts,duration,size,flags:packet_side_data=discard_padding", "-of", "csv=p=0")...)
}

// FirstPacket returns the offset in bytes of the first packet of a stream in the file,
// and its time in units of the stream. Errors are as for Convert.
func (t *Tools) FirstPacket(ctx context.Context, in *Input, stream int) (offset, time int64, err error) {
	found := false
	err = t.probe(ctx, in, NewLineWriter(func(line []byte) error {
		field := strings.Split(string(line), ",")
		if found || len(field) < 2 {
			return nil
		}
		var timeErr, offsetErr error
		time, timeErr = strconv.ParseInt(field[0], 10, 64)
		offset, offsetErr = strconv.ParseInt(field[1], 10, 64)
		found = timeErr == nil && offsetErr == nil
		return nil
	}), "-select_streams", strconv.Itoa(stream), "-read_intervals", "%+#1", "-show_entries", "packet=pts,pos", "-of", "csv=p=0")
	if err == nil && !found {
		err = fmt.Errorf("stream %d has no packet with a time: %w", stream, citekit.ErrFormat)
	}
	return offset, time, err
}

// parsePacket reads a line of index, pts, dts, duration, size, flags and, for some
// packets, discarded samples. A packet without a presentation time, as in AVI, gets its
// decoding time.
func parsePacket(line string) (Packet, bool) {
	field := strings.Split(line, ",")
	if len(field) < 6 {
		return Packet{}, false
	}
	index, err := strconv.Atoi(field[0])
	if err != nil || index < 0 || index >= maxStreams {
		return Packet{}, false
	}
	time, err := strconv.ParseInt(field[1], 10, 64)
	if err != nil {
		time, err = strconv.ParseInt(field[2], 10, 64)
	}
	if err != nil {
		return Packet{}, false
	}
	p := Packet{Stream: index, Time: time, Key: strings.HasPrefix(field[5], "K")}
	p.Duration = parseCount(field[3])
	p.Bytes = parseCount(field[4])
	if len(field) > 6 {
		p.Discard = parseCount(field[6])
	}
	return p, true
}

// parseCount reads a nonnegative number; anything else counts as 0.
func parseCount(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return max(n, 0)
}
