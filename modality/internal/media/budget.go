package media

import (
	"context"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
)

// Work that programs may do for one source, as package ffmpeg counts it: a
// million is a megapixel decoded, 200 packets read or a second of sound decoded.
// It grows with the source, so recordings of many hours get what they need, and
// small files made to be expensive do not. No clock decides, so a source gets
// the same answer on every machine.
const (
	// byteWork is for each byte of a source: a second of sound at 8 kbit/s, or a
	// packet of 5 bytes.
	byteWork = 1000

	// measureWork is for measuring a source of any size: half a million packets.
	measureWork = 2.5e9

	// cutWork is for cutting a span out of a source of any size.
	cutWork = 4e9

	// spanWork is for each second of a span after the first, because a clip may
	// be re-encoded: 77 pictures of spanPixels. Larger ones get more.
	spanWork   = 8e8
	spanPixels = 1920 * 1080

	// scanWork is for scanning a source of any size: more than fullScan at 60
	// frames per second. A source with a bit rate below thinRate gets thinScan,
	// because its frames are more than its size suggests.
	scanWork = 8e9
	thinScan = 2e9
	thinRate = 12_000

	// mostScan bounds a scan of any source: eleven hours of sound.
	mostScan = 4e10
)

// Processor time of the programs for one source, far more than the work above
// takes. Beyond it, the machine is at fault, or what is not counted: the error
// matches [os.ErrDeadlineExceeded].
const (
	safety     = 2 * time.Minute
	safetyMiB  = 4 * time.Second  // for each MiB of a source
	safetySpan = 20 * time.Second // for each second of a span, as for spanWork
)

// within returns the context of one task with a source. length is that of the
// span that is cut, in seconds of pictures of spanPixels.
func within(ctx context.Context, src *citekit.Source, work, length float64) context.Context {
	most := float64(safety) + float64(safetyMiB)*float64(src.Size())/(1<<20) + float64(safetySpan)*length
	const day = float64(24 * time.Hour)
	return ffmpeg.Within(ctx, ffmpeg.Work(min(work, 1<<62)), time.Duration(min(most, day)))
}

// measuring returns a context for measuring a source.
func measuring(ctx context.Context, src *citekit.Source) context.Context {
	return within(ctx, src, measureWork+byteWork*float64(src.Size()), 0)
}

// cutting returns a context for cutting a span of a source.
func cutting(ctx context.Context, src *citekit.Source, m medium, span citekit.Span) context.Context {
	x := m.extent()
	length := max(0, min(span.End, x.Duration)-span.Start-1)
	length *= max(1, float64(x.Width)*float64(x.Height)/spanPixels)
	return within(ctx, src, cutWork+byteWork*float64(src.Size())+spanWork*length, length)
}

// scanning returns a context for scanning a source for scenes or silences.
func scanning(ctx context.Context, src *citekit.Source, m medium) context.Context {
	work := float64(scanWork)
	if float64(src.Size())*8 < thinRate*m.extent().Duration {
		work = thinScan
	}
	return within(ctx, src, min(work+byteWork*float64(src.Size()), mostScan), 0)
}
