package media

import (
	"context"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ffmpeg"
)

// What the programs that are run for one source may use of the processor. All
// grow with the source, so that recordings of many hours have what they need
// and small files that are made to cost much do not get it.
const (
	// baseCPU is for a source of any size.
	baseCPU = 3 * time.Second

	// measureCPU is for each MiB of a source that is measured. Eleven hours of
	// sound at 16 kbit/s are 79 MiB and some two million packets, which take
	// ffprobe 10 s, and more where it shares a core.
	measureCPU = 300 * time.Millisecond

	// cutCPU is for each MiB of a source that is cut and looked through.
	cutCPU = time.Second

	// spanCPU is for each second of a span after the first, as a clip may be
	// encoded anew, for pictures of spanPixels.
	spanCPU    = 2 * time.Second
	spanPixels = 1920 * 1080

	// leastScan is for a source of any size that is looked through.
	leastScan = time.Second

	// thinRate is the bit rate below which a recording is looked through for no longer
	// than leastScan: what it has of frames costs more than its bytes tell.
	thinRate = 12_000
)

// mebibytes returns the size of a source in MiB.
func mebibytes(src *citekit.Source) float64 { return float64(src.Size()) / (1 << 20) }

func times(d time.Duration, by float64) time.Duration {
	const most = float64(24 * time.Hour)
	return time.Duration(min(float64(d)*by, most))
}

// measuring returns a context in which a source is measured.
func measuring(ctx context.Context, src *citekit.Source) context.Context {
	return ffmpeg.Within(ctx, baseCPU+times(measureCPU, mebibytes(src)))
}

// cutting returns a context in which a span of a source is cut.
func cutting(ctx context.Context, src *citekit.Source, m medium, span citekit.Span) context.Context {
	x := m.extent()
	pixels := max(1, float64(x.Width)*float64(x.Height)/spanPixels)
	length := max(0, min(span.End, x.Duration)-span.Start-1)
	return ffmpeg.Within(ctx, baseCPU+times(cutCPU, mebibytes(src))+times(spanCPU, length*pixels))
}

// scanning returns a context in which a source is looked through for scenes or
// silences: with what the job has left of baseCPU, and more for its size.
func scanning(ctx context.Context, src *citekit.Source, m medium) context.Context {
	most := max(baseCPU-ffmpeg.Used(ctx), leastScan)
	if float64(src.Size())*8 >= thinRate*m.extent().Duration {
		most += times(cutCPU, mebibytes(src))
	} else {
		most = leastScan
	}
	return ffmpeg.Within(ffmpeg.Metered(ctx), most)
}
