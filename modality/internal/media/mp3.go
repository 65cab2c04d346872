package media

import (
	"context"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/mp3"
)

// isMP3 reports whether this module's own reader reads the frames of a medium.
// ffprobe takes six seconds to print a million of them.
func (f *foreign) isMP3() bool {
	return f.format.demuxer == "mp3" && len(f.tracks) == 1 && f.tracks[0].Codec == "mp3" &&
		f.tracks[0].Num == 1 && f.tracks[0].Den == mp3.TicksPerSecond
}

// mp3Packets calls visit with the packets of an input, as ffprobe would report
// them. It asks ffprobe only for the first one. The error matches
// [mp3.ErrNoFrame] if no frame is there.
func (f *foreign) mp3Packets(ctx context.Context, in *ffmpeg.Input, visit func(ffmpeg.Packet)) error {
	stream := f.tracks[0].Index
	from, first, err := f.tools.FirstPacket(ctx, in, stream)
	if err != nil {
		return err
	}
	start := f.format.junk
	if start == 0 {
		if start, err = sniff.SkipTags(in, in.Size()); err != nil {
			return err
		}
	}
	return mp3.Walk(ctxio.ReaderAt(ctx, in), in.Size(), start, from, func(p mp3.Packet) {
		visit(ffmpeg.Packet{Stream: stream, Time: first + p.Time, Duration: p.Duration, Bytes: p.Bytes, Discard: p.Discard})
	})
}
