package pdfium

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Work is an amount of work of PDFium, counted as [metered] describes. A thousand
// million take some seconds; the same calls need the same on every machine.
type Work int64

// slice is how much of its work PDFium gets at a time. In between, it can be stopped.
const slice Work = 1 << 20

// unlimited is enough for any start of PDFium.
const unlimited Work = 1 << 60

// A meter limits the work of one instance of PDFium at a time.
type meter struct {
	module  api.Module
	fuel    api.MutableGlobal // of the instance; nil before its first work
	left    Work              // not yet put into fuel
	stopped *atomic.Bool      // it has to end
	ended   bool              // it has been ended
}

var errStopped = errors.New("PDFium was stopped")

// begin allows the instance some work. The function returned stops that soon. It may be
// called at any time.
func (m *meter) begin(most Work) (stop func()) {
	stopped := &atomic.Bool{}
	m.left, m.stopped, m.ended = most, stopped, false
	if m.fuel != nil {
		m.fuel.Set(0)
	}
	return func() { stopped.Store(true) }
}

// rest returns how much of the work is left. It is negative if more was needed.
func (m *meter) rest() Work {
	if m.fuel == nil {
		return m.left
	}
	return m.left + Work(m.fuel.Get())
}

// take counts work done outside PDFium. Without any left it panics, like PDFium.
func (m *meter) take(work Work) {
	if m.left -= work; m.stopped.Load() || m.rest() < 0 {
		m.ended = true
		panic(errStopped)
	}
}

// NewFunctionListener implements [experimental.FunctionListenerFactory].
func (m *meter) NewFunctionListener(function api.FunctionDefinition) experimental.FunctionListener {
	for _, name := range function.ExportNames() {
		if name == emptyName {
			return experimental.FunctionListenerFunc(m.empty)
		}
	}
	return nil
}

// empty gives PDFium more fuel, or ends its work by a panic.
func (m *meter) empty(_ context.Context, module api.Module, _ api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
	if m.module != module {
		m.module, m.fuel = module, module.ExportedGlobal(fuelName).(api.MutableGlobal)
	}
	if m.stopped.Load() || m.left <= 0 {
		m.ended = true
		panic(errStopped)
	}
	more := min(m.left, slice)
	m.left -= more
	m.fuel.Set(m.fuel.Get() + uint64(more))
}

// Work of Go for a call of PDFium, and for a block that PDFium reads. What PDFium does
// in the calls that are counted takes less.
const (
	callWork  Work = 250
	blockWork Work = 250 // and one for each 64 bytes
)

// A meteredInstance is one that also counts what Go does for the calls that a file can
// ask for without limit.
type meteredInstance struct {
	pdfium.Pdfium
	meter *meter
}

func (c meteredInstance) FPDFText_GetFontSize(r *requests.FPDFText_GetFontSize) (*responses.FPDFText_GetFontSize, error) {
	c.meter.take(3 * callWork) // two other calls follow
	return c.Pdfium.FPDFText_GetFontSize(r)
}

func (c meteredInstance) FPDFText_GetCharBox(r *requests.FPDFText_GetCharBox) (*responses.FPDFText_GetCharBox, error) {
	c.meter.take(callWork)
	return c.Pdfium.FPDFText_GetCharBox(r)
}

func (c meteredInstance) FPDFText_GetTextObject(r *requests.FPDFText_GetTextObject) (*responses.FPDFText_GetTextObject, error) {
	c.meter.take(3 * callWork) // likewise
	return c.Pdfium.FPDFText_GetTextObject(r)
}

func (c meteredInstance) FPDFPage_GetObject(r *requests.FPDFPage_GetObject) (*responses.FPDFPage_GetObject, error) {
	c.meter.take(3 * callWork) // likewise
	return c.Pdfium.FPDFPage_GetObject(r)
}

func (c meteredInstance) FPDF_LoadCustomDocument(r *requests.FPDF_LoadCustomDocument) (*responses.FPDF_LoadCustomDocument, error) {
	counting := *r
	counting.Reader = countedReader{r.Reader, c.meter}
	return c.Pdfium.FPDF_LoadCustomDocument(&counting)
}

// A countedReader counts what PDFium reads.
type countedReader struct {
	io.ReadSeeker
	meter *meter
}

func (r countedReader) Read(p []byte) (int, error) {
	r.meter.take(blockWork + Work(len(p)/64))
	return r.ReadSeeker.Read(p)
}
