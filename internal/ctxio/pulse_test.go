package ctxio

import (
	"io"
	"os"
	"runtime"
	"testing"
	"time"
)

// A probe checks at each read that the timer of a Reader is running.
type probe struct {
	reader *PulseReader
	reads  int
	asleep int
}

func (p *probe) Read(b []byte) (int, error) {
	p.reads++
	if !p.reader.timer.Stop() {
		p.asleep++
	}
	if p.reads > 3 {
		return 0, io.EOF
	}
	b[0] = 'x'
	return 1, nil
}

func TestReader(t *testing.T) {
	p := new(probe)
	p.reader = NewBeating(p)
	data, err := io.ReadAll(p.reader)
	if err != nil || string(data) != "xxx" {
		t.Errorf("ReadAll = %q, %v", data, err)
	}
	if p.reads != 4 || p.asleep != 0 {
		t.Errorf("of %d reads, %d began without a timer", p.reads, p.asleep)
	}
}

// BenchmarkStoppedWorld stops the world while another goroutine goes back to a
// read that blocks, and reports the longest round. It is rare: run 150,000 rounds
// with -benchtime 150000x.
func BenchmarkStoppedWorld(b *testing.B) {
	b.Run("plain", func(b *testing.B) { stopWorld(b, func(r io.Reader) io.Reader { return r }) })
	b.Run("pulse", func(b *testing.B) { stopWorld(b, func(r io.Reader) io.Reader { return NewBeating(r) }) })
}

func stopWorld(b *testing.B, wrap func(io.Reader) io.Reader) {
	in, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	_ = in.Fd() // blocks from now on, as the standard input does
	arrived := make(chan struct{})
	go func() {
		r, one := wrap(in), make([]byte, 1)
		for {
			if _, err := r.Read(one); err != nil {
				close(arrived)
				return
			}
			arrived <- struct{}{}
		}
	}()
	var worst time.Duration
	var stats runtime.MemStats
	var spin int
	for b.Loop() {
		begin := time.Now()
		if _, err := out.Write([]byte{1}); err != nil {
			b.Fatal(err)
		}
		<-arrived
		for range spin % 400 { // so that the stop meets every instant of the read
			spin++
		}
		spin++
		runtime.ReadMemStats(&stats) // stops the world
		worst = max(worst, time.Since(begin))
	}
	b.ReportMetric(float64(worst.Milliseconds()), "worst-ms")
	out.Close()
	<-arrived
}
