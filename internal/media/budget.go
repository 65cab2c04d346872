package media

import (
	"context"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ffmpeg"
)

// CPU limits of the programs run for one source. All grow with the source, so
// recordings of many hours get what they need, and small files made to be
// expensive do not.
const (
	// baseCPU is for a source of any size.
	baseCPU = 3 * time.Second

	// measureCPU is for each MiB of a source that is measured. Eleven hours of
	// sound at 16 kbit/s are 79 MiB and some two million packets. They take
	// ffprobe 10 s, and more on a shared core.
	measureCPU = 300 * time.Millisecond

	// cutCPU is for each MiB of a source that is cut and scanned.
	cutCPU = time.Second

	// spanCPU is for each second of a span after the first, because a clip may
	// be re-encoded. It is for pictures of spanPixels.
	spanCPU    = 2 * time.Second
	spanPixels = 1920 * 1080

	// leastScan is for a source of any size that is scanned.
	leastScan = time.Second

	// thinRate is the bit rate below which a recording is scanned for at most
	// leastScan: its frames cost more than its size suggests.
	thinRate = 12_000
)

// mebibytes returns the size of a source in MiB.
func mebibytes(src *citekit.Source) float64 { return float64(src.Size()) / (1 << 20) }

func times(d time.Duration, by float64) time.Duration {
	const most = float64(24 * time.Hour)
	return time.Duration(min(float64(d)*by, most))
}

// measuring returns a context for measuring a source.
func measuring(ctx context.Context, src *citekit.Source) context.Context {
	return ffmpeg.Within(ctx, baseCPU+times(measureCPU, mebibytes(src)))
}

// cutting returns a context for cutting a span of a source.
func cutting(ctx context.Context, src *citekit.Source, m medium, span citekit.Span) context.Context {
	x := m.extent()
	pixels := max(1, float64(x.Width)*float64(x.Height)/spanPixels)
	length := max(0, min(span.End, x.Duration)-span.Start-1)
	return ffmpeg.Within(ctx, baseCPU+times(cutCPU, mebibytes(src))+times(spanCPU, length*pixels))
}

// scanning returns a context for scanning a source for scenes or silences. Its
// limit is the rest of the job's baseCPU, plus more for the size of the source.
func scanning(ctx context.Context, src *citekit.Source, m medium) context.Context {
	most := max(baseCPU-ffmpeg.Used(ctx), leastScan)
	if float64(src.Size())*8 >= thinRate*m.extent().Duration {
		most += times(cutCPU, mebibytes(src))
	} else {
		most = leastScan
	}
	return ffmpeg.Within(ffmpeg.Metered(ctx), most)
}
