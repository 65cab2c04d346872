package transport

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit/internal/mcpcall"
)

// A heldAPI counts the requests that wait in it.
type heldAPI struct {
	long    bool
	running atomic.Int64
	release chan struct{}
}

func (a *heldAPI) Call(*http.Request, []byte) APICall {
	return APICall{ToolCall: ToolCall{Name: "getContents", Long: a.long}, Operation: "contents"}
}

func (a *heldAPI) ServeHTTP(http.ResponseWriter, *http.Request) {
	a.running.Add(1)
	<-a.release
}

// TestAPILongAnswers: long answers of the JSON interface and those of the tool that does
// the same have the same turns, until they are written.
func TestAPILongAnswers(t *testing.T) {
	for _, test := range []struct {
		long bool
		want int64
	}{{false, 6}, {true, answersMade - 1}} {
		synctest.Test(t, func(t *testing.T) {
			api := &heldAPI{long: test.long, release: make(chan struct{})}
			h := NewHandler(mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil), &HandlerOptions{API: api})
			leave, err := h.answers.turnsOf("getContents").take(t.Context(), "a call of the tool")
			if err != nil {
				t.Fatal(err)
			}
			ctx, giveUp := context.WithCancel(t.Context())
			codes := make(chan int, 7)
			send := func(ctx context.Context, address string) {
				r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/v1/contents", nil)
				r.RemoteAddr = address + ":1"
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				codes <- w.Code
			}
			for _, address := range []string{"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6"} {
				go send(t.Context(), address)
			}
			synctest.Wait()
			if got := api.running.Load(); got != test.want {
				t.Errorf("long %v: %d run, want %d", test.long, got, test.want)
			}
			if test.long { // one that gives up its turn is answered
				go send(ctx, "10.0.0.7")
				synctest.Wait()
				giveUp()
				if code := <-codes; code != http.StatusServiceUnavailable {
					t.Errorf("gave up: %d", code)
				}
			}
			giveUp()
			leave()
			close(api.release)
			for range 6 {
				if code := <-codes; code != http.StatusOK {
					t.Errorf("answered %d", code)
				}
			}
			if turns := h.answers.turnsOf("getContents"); turns.shares.Taken() != 0 {
				t.Errorf("%d turns are left", turns.shares.Taken())
			}
			if err := h.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A callerAPI keeps whom what a request holds is counted for.
type callerAPI struct{ holder string }

func (*callerAPI) Call(*http.Request, []byte) APICall { return APICall{Operation: "ingest"} }

func (a *callerAPI) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	a.holder = ""
	if c := mcpcall.CallerFrom(r.Context()); c != nil {
		a.holder = c.Holder()
	}
}

// TestAPICaller checks that the calls of the JSON interface tell who makes them, as those of
// tools do: jobs and the like are counted for each caller.
func TestAPICaller(t *testing.T) {
	api := new(callerAPI)
	check := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: token}, nil
	}
	h := NewHandler(nil, &HandlerOptions{API: api, Authenticate: auth.RequireBearerToken(check, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})})
	for _, user := range []string{"ann", "bob"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/v1/ingest", nil)
		r.Header.Set("Authorization", "Bearer "+user)
		h.ServeHTTP(httptest.NewRecorder(), r)
		if want := "user " + user; api.holder != want {
			t.Errorf("%q, not %q", api.holder, want)
		}
	}
}
