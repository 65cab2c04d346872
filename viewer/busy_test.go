package viewer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit/viewer"
)

// TestManyAtOnce checks more quotes at once than may run: some wait, and the others are
// told when to try again.
func TestManyAtOnce(t *testing.T) {
	c := folder(t)
	synctest.Test(t, func(t *testing.T) {
		var running atomic.Int32
		release := make(chan struct{})
		service := c.Service(nil)
		service.Timeout = func(string) time.Duration { // each call asks while it runs
			running.Add(1)
			<-release
			return 0
		}
		view := viewer.New(service, nil)
		const waiting = 64
		places := max(2, runtime.NumCPU())
		answers := make([]*httptest.ResponseRecorder, places+waiting+10)
		var calls sync.WaitGroup
		for i := range answers {
			answers[i] = httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/v1/verify", strings.NewReader(`{"quote": "the kettle boils", "address": "text://notes"}`))
			r.Header.Set("Content-Type", "application/json")
			calls.Go(func() { view.ServeHTTP(answers[i], r) })
		}
		synctest.Wait()
		if got := int(running.Load()); got != places {
			t.Errorf("%d calls run, with %d places", got, places)
		}
		close(release)
		calls.Wait()
		count := make(map[string]int)
		for _, a := range answers {
			count[fmt.Sprint(a.Code, a.Code == http.StatusTooManyRequests && a.Header().Get("Retry-After") != "")]++
		}
		if count["200 false"] != places+waiting || count["429 true"] != 10 {
			t.Errorf("answers %v", count)
		}
	})
}
