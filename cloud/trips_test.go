//go:build unix

package cloud_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/cloud/s3"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// trips are requests of the database and the bucket, each of which may take longer.
type trips struct {
	each atomic.Int64 // nanoseconds

	mu   sync.Mutex
	list []string
	held chan struct{} // if not nil, requests wait until it is closed
}

func (t *trips) make(what string) {
	t.mu.Lock()
	t.list = append(t.list, what)
	held := t.held
	t.mu.Unlock()
	if held != nil {
		<-held
	}
	time.Sleep(time.Duration(t.each.Load()))
}

// hold holds up requests until release is called.
func (t *trips) hold() (release func()) {
	held := make(chan struct{})
	t.mu.Lock()
	t.held = held
	t.mu.Unlock()
	return sync.OnceFunc(func() {
		t.mu.Lock()
		t.held = nil
		t.mu.Unlock()
		close(held)
	})
}

// took returns the requests since it was last called.
func (t *trips) took() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.list
	t.list = nil
	return list
}

// A distant is a database and a bucket that are far away.
type distant struct {
	*trips
	url     string
	bucket  *s3.Bucket // of the sources
	content *s3.Bucket
	read    sync.Map // keys of content that was fetched
}

func newDistant(t testing.TB) *distant {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	d := &distant{trips: new(trips)}
	backend := s3mem.New()
	if err := backend.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, isLocation := r.URL.Query()["location"]; !isLocation {
			_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/files/"), "/")
			if r.Method == http.MethodGet && strings.HasPrefix(key, "content-") {
				d.read.Store(key, true)
			}
			d.make(strings.TrimSpace(fmt.Sprint("bucket ", r.Method, " ", key[:min(len(key), 12)], " ", r.Header.Get("Range"))))
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	address := schema(t)
	at, rest, _ := strings.Cut(strings.TrimPrefix(address, "pg://citekit@"), "/")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go d.pass(client, at)
		}
	}()
	bucket := func(prefix string) string { return "s3://files/" + prefix + "?endpoint=" + server.URL }
	if d.bucket, err = s3.Open(bucket("in"), &s3.Options{AnyKey: true}); err != nil {
		t.Fatal(err)
	}
	if d.content, err = s3.Open(bucket("out"), nil); err != nil {
		t.Fatal(err)
	}
	query := url.Values{"bucket": {bucket("out")}, "sources": {bucket("in")}}
	d.url = "pg://citekit@" + l.Addr().String() + "/" + rest + "&" + query.Encode()
	return d
}

// pass passes a connection on to the database.
func (d *distant) pass(client net.Conn, to string) {
	defer client.Close()
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer client.Close()
		_, _ = io.Copy(client, server)
	}()
	statements := make(map[string]string)
	request := make([]byte, 1<<20)
	for {
		n, err := client.Read(request)
		if err != nil {
			return
		}
		what := "connect"
		if _, after, ok := bytes.Cut(request[:n], []byte("stmt")); ok { // stmtcache_… or stmt_…
			name, rest, _ := strings.Cut(string(after), "\x00")
			if request[0] == 'P' {
				text, _, _ := strings.Cut(rest, "\x00")
				text = strings.Join(strings.Fields(text), " ")
				statements[name], what = text[:min(len(text), 50)], "prepare"
			} else {
				what = "run"
			}
			what += " " + statements[name]
		}
		// Nobody waits for news, or for a lease to be given up.
		if !strings.Contains(what, ".leases USING") && !bytes.Contains(request[:n], []byte("pg_notify")) && !strings.Contains(what, "pg_notify") && !bytes.Contains(request[:n], []byte("LISTEN")) {
			d.make("database " + what)
		}
		if _, err := server.Write(request[:n]); err != nil {
			return
		}
	}
}

// replica returns a library of a process that has read and written something.
func (d *distant) replica(t testing.TB, warm string) *citekit.Library {
	t.Helper()
	w, err := cloud.Open(context.Background(), d.url+"&"+url.Values{"cache": {t.TempDir()}}.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(w, modality.All(), nil)
	t.Cleanup(func() { lib.Close() })
	if warm != "" {
		if err := w.Ready(context.Background()); err != nil {
			t.Fatal(err)
		}
		d.resolve(t, lib, warm, nil)
	}
	d.took()
	return lib
}

func (d *distant) resolve(t testing.TB, lib *citekit.Library, address string, opts *citekit.ResolveOptions) *citekit.Evidence {
	t.Helper()
	a, err := citekit.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	e, err := lib.ResolveAddress(context.Background(), a, opts)
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return e
}

// put puts a file into the bucket.
func (d *distant) put(t testing.TB, key string, size int64, content io.Reader) {
	t.Helper()
	if _, err := d.bucket.Write(t.Context(), key, content, driver.WriteOptions{Size: size}); err != nil {
		t.Fatal(err)
	}
}

// ingest maps all files, and returns their ids.
func (d *distant) ingest(t testing.TB, keys ...string) (ids map[string]string) {
	t.Helper()
	report, err := ingest.Run(t.Context(), d.replica(t, ""), keys, nil)
	if err != nil {
		t.Fatal(err)
	}
	ids = make(map[string]string)
	for _, item := range report.Items {
		if item.Err != nil {
			t.Fatal(item.Err)
		}
		ids[item.Path] = item.ResourceID
	}
	d.took()
	return ids
}

const (
	manualFile = "/usr/share/R/doc/manual/fullrefman.pdf"
	lines      = 2 << 20 // of 64 bytes
)

func (d *distant) putManual(t testing.TB) {
	t.Helper()
	name := os.Getenv("CITEKIT_BENCH_PDF")
	if name == "" {
		name = manualFile
	}
	data, err := os.ReadFile(name)
	if err != nil {
		sharedtest.Missing(t, "the manual of R (r-doc-pdf) is not installed")
	}
	d.put(t, "manual.pdf", int64(len(data)), bytes.NewReader(data))
}

func (d *distant) putLines(t testing.TB, n int64) {
	t.Helper()
	in, out := io.Pipe()
	go func() {
		for i := range n {
			fmt.Fprintf(out, "line %012d %-45s\n", i+1, "says something that nobody else says")
		}
		out.Close()
	}()
	d.put(t, "lines.txt", n*64, in)
}

func (d *distant) putNote(t testing.TB) {
	t.Helper()
	note := strings.Repeat("a line of the note\n", 3000)
	d.put(t, "note.txt", int64(len(note)), strings.NewReader(note))
}

// TestTripsOfResolves counts the requests of the first resolves by a process that has
// resolved something else.
func TestTripsOfResolves(t *testing.T) {
	d := newDistant(t)
	d.putManual(t)
	d.putNote(t)
	d.putLines(t, lines)
	ids := d.ingest(t, "manual.pdf", "note.txt", "lines.txt")
	lib := d.replica(t, "text://"+ids["note.txt"]+"#lines=1-2500")
	for _, c := range []struct {
		name, address string
		most          int
		opts          *citekit.ResolveOptions
	}{
		{"three pages", "doc://" + ids["manual.pdf"] + "#pages=100-102", 8, nil},
		{"other pages", "doc://" + ids["manual.pdf"] + "#pages=2000-2002", 5, nil},
		{"the same pages", "doc://" + ids["manual.pdf"] + "#pages=2000-2002", 4, nil},
		{"the last lines", fmt.Sprintf("text://%s#lines=%d-%d", ids["lines.txt"], lines-9, lines), 8, nil},
		{"a virtual resolve", "text://" + ids["lines.txt"] + "#lines=7", 1, &citekit.ResolveOptions{Virtual: true}},
	} {
		d.resolve(t, lib, c.address, c.opts)
		// A connection that is new prepares statements, and which one is used is chance.
		made := slices.DeleteFunc(d.took(), func(what string) bool {
			return what == "database connect" || strings.HasPrefix(what, "database prepare")
		})
		t.Logf("%s: %d requests:\n\t%s", c.name, len(made), strings.Join(made, "\n\t"))
		if len(made) > c.most {
			t.Errorf("%s: %d requests, want at most %d", c.name, len(made), c.most)
		}
	}
}

// BenchmarkDistant resolves what lies behind requests that each take 20 ms longer. Each
// time another process does, whose connections are open. CITEKIT_BENCH_PDF may name
// another manual.
func BenchmarkDistant(b *testing.B) {
	d := newDistant(b)
	d.putManual(b)
	d.putNote(b)
	d.putLines(b, lines)
	keys := []string{"manual.pdf", "note.txt", "lines.txt"}
	if program, err := exec.LookPath("ffmpeg"); err == nil {
		path := filepath.Join(b.TempDir(), "talk.mp4")
		out, err := exec.CommandContext(b.Context(), program, "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10:duration=600", "-f", "lavfi", "-i", "sine=440:duration=600",
			"-b:v", "1200k", "-minrate", "1200k", "-maxrate", "1200k", "-bufsize", "400k", "-c:a", "aac", "-c:v", "libx264", "-preset", "ultrafast", "-x264-params", "nal-hrd=cbr:keyint=20", path).CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		d.put(b, "talk.mp4", int64(len(data)), bytes.NewReader(data))
		keys = append(keys, "talk.mp4")
	}
	ids := d.ingest(b, keys...)
	d.each.Store(int64(20 * time.Millisecond))
	for _, c := range []struct {
		name, first, address string
		opts                 *citekit.ResolveOptions
	}{
		{"three pages", "", "doc://" + ids["manual.pdf"] + "#pages=%d-%[1]d", nil},
		{"other pages", "doc://" + ids["manual.pdf"] + "#pages=1", "doc://" + ids["manual.pdf"] + "#pages=%d-%[1]d", nil},
		{"last lines", "", "text://" + ids["lines.txt"] + fmt.Sprintf("#lines=%%d-%d", lines), nil},
		{"minute of video", "", "video://" + ids["talk.mp4"] + "#t=%d-360", nil},
		{"virtual", "", "text://" + ids["lines.txt"] + "#lines=%d", &citekit.ResolveOptions{Virtual: true}},
	} {
		if strings.Contains(c.address, "://#") {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			requests := 0
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				lib := d.replica(b, "text://"+ids["note.txt"]+fmt.Sprintf("#lines=%d-2990", n+1))
				if c.first != "" {
					d.resolve(b, lib, c.first, nil)
				}
				d.took()
				address := c.address
				switch c.name {
				case "three pages", "other pages":
					address = strings.Replace(address, "%d-%[1]d", fmt.Sprintf("%d-%d", 200+3*n, 202+3*n), 1)
				case "last lines":
					address = fmt.Sprintf(address, lines-9-n)
				case "minute of video":
					address = strings.Replace(address, "%d", fmt.Sprintf("300.%03d", n), 1)
				default:
					address = fmt.Sprintf(address, n+1)
				}
				b.StartTimer()
				d.resolve(b, lib, address, c.opts)
				b.StopTimer()
				requests += len(d.took())
				b.StartTimer()
			}
			b.ReportMetric(float64(requests)/float64(b.N), "requests/op")
		})
	}
}
