package s3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/s3"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/citekit/citekit/workspace/workspacetest"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// newFake starts a server in this process, and returns its URL.
func newFake(t testing.TB) string {
	backend := s3mem.New()
	if err := backend.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	t.Cleanup(server.Close)
	return server.URL
}

// newVersity starts versitygw over a folder, and returns its URL.
func newVersity(t testing.TB) string {
	program := os.Getenv("CITEKIT_TEST_VERSITYGW")
	if program == "" {
		var err error
		if program, err = exec.LookPath("versitygw"); err != nil {
			t.Skip("versitygw is not installed")
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	dir := t.TempDir()
	cmd := exec.Command(program, "--access", "key", "--secret", "secret-of-tests", "--region", "us-east-1", "--port", address, "--quiet", "posix", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	client, err := minio.New(address, &minio.Options{Creds: credentials.NewStaticV4("key", "secret-of-tests", ""), Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if err = client.MakeBucket(t.Context(), "files", minio.MakeBucketOptions{}); err == nil {
			return "http://" + address
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

var servers = []struct {
	name  string
	start func(t testing.TB) string
}{{"gofakes3", newFake}, {"versitygw", newVersity}}

var prefixes atomic.Int64 // so that buckets of one server share nothing

func withKeys(t testing.TB) {
	t.Helper()
	if t, ok := t.(interface{ Setenv(key, value string) }); ok {
		t.Setenv("AWS_ACCESS_KEY_ID", "key")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-of-tests")
	}
}

func open(t testing.TB, endpoint, prefix string, opts *s3.Options) *s3.Bucket {
	t.Helper()
	b, err := s3.Open("s3://files/"+prefix+"?region=us-east-1&endpoint="+endpoint, opts)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newPrefix() string { return fmt.Sprintf("tests/%d", prefixes.Add(1)) }

func TestDriver(t *testing.T) {
	withKeys(t)
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) {
			endpoint := server.start(t)
			workspacetest.TestDriver(t, func(t testing.TB) driver.Bucket { return open(t, endpoint, newPrefix(), nil) })
		})
	}
}

func TestWorkspace(t *testing.T) {
	withKeys(t)
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) {
			endpoint := server.start(t)
			workspacetest.RunShared(t, func(t testing.TB) func() citekit.Workspace {
				prefix := newPrefix()
				sources := fstest.MapFS{workspacetest.SourcePath: {Data: []byte(workspacetest.SourceContent)}}
				return func() citekit.Workspace {
					return workspace.FromDriver(open(t, endpoint, prefix, nil), &workspace.BucketOptions{Sources: sources})
				}
			})
		})
	}
}

// TestOneWins lets 16 writers create and replace an object at once.
func TestOneWins(t *testing.T) {
	withKeys(t)
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) {
			b := open(t, server.start(t), newPrefix(), nil)
			for round := range 30 {
				key := fmt.Sprintf("race-%d", round)
				opts := driver.WriteOptions{IfAbsent: true}
				for _, what := range []string{"create", "update"} {
					var won atomic.Int64
					var writing sync.WaitGroup
					for i := range 16 {
						writing.Go(func() {
							body := fmt.Sprintf("%s by %d", what, i)
							opts := opts
							opts.Size = int64(len(body))
							_, err := b.Write(t.Context(), key, strings.NewReader(body), opts)
							if err == nil {
								won.Add(1)
							} else if b.ErrorKind(err) != driver.Conflict {
								t.Errorf("%s: %v", what, err)
							}
						})
					}
					writing.Wait()
					if won.Load() != 1 {
						t.Fatalf("round %d, %s: %d of 16 writers won, want one", round, what, won.Load())
					}
					at, err := b.Attributes(t.Context(), key)
					if err != nil {
						t.Fatal(err)
					}
					opts = driver.WriteOptions{IfMatch: at.ETag}
				}
			}
		})
	}
}

// faults is a transport that fails requests on purpose.
type faults struct {
	requests atomic.Int64
	fail     func(n int64, req *http.Request) (*http.Response, error) // nil, nil lets it pass
}

func (f *faults) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := f.fail(f.requests.Add(1), req)
	if resp != nil || err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return resp, err
	}
	return http.DefaultTransport.RoundTrip(req)
}

func busy(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Request: req,
		Body: io.NopCloser(strings.NewReader("<Error><Code>SlowDown</Code><Message>arn:aws:iam::123456789012:user/somebody</Message></Error>")),
	}, nil
}

// A write whose answer was lost is made again, and is no conflict with itself.
func TestLostAnswer(t *testing.T) {
	withKeys(t)
	for _, server := range servers {
		t.Run(server.name, func(t *testing.T) {
			endpoint := server.start(t)
			var lose atomic.Bool
			b := open(t, endpoint, newPrefix(), &s3.Options{Transport: &faults{fail: func(_ int64, req *http.Request) (*http.Response, error) {
				if req.Method != http.MethodPut || !lose.CompareAndSwap(true, false) {
					return nil, nil
				}
				resp, err := http.DefaultTransport.RoundTrip(req)
				if err != nil {
					return nil, err
				}
				resp.Body.Close()
				return nil, io.ErrUnexpectedEOF
			}}})
			write := func(text string, opts driver.WriteOptions) driver.Attributes {
				t.Helper()
				lose.Store(true)
				at, err := b.Write(t.Context(), "a", strings.NewReader(text), opts)
				if err != nil {
					t.Fatalf("%q, %+v: %v", text, opts, err)
				}
				if now, err := b.Attributes(t.Context(), "a"); err != nil || now.ETag != at.ETag || now.Size != int64(len(text)) {
					t.Errorf("%q, %+v: it is %+v, %v, and was %+v", text, opts, now, err, at)
				}
				return at
			}
			at := write("one", driver.WriteOptions{Size: 3, IfAbsent: true})
			at = write("two", driver.WriteOptions{Size: 3, IfMatch: at.ETag})
			lose.Store(true)
			if err := b.Delete(t.Context(), "a", at.ETag); err != nil {
				t.Error(err)
			}
			write("three", driver.WriteOptions{Size: -1, IfAbsent: true})
			// What another wrote meanwhile is a conflict, even with the same content.
			lose.Store(true)
			if _, err := b.Write(t.Context(), "a", strings.NewReader("three"), driver.WriteOptions{Size: 5, IfAbsent: true}); b.ErrorKind(err) != driver.Conflict {
				t.Errorf("%v; want a conflict", err)
			}
		})
	}
}

func TestRetriesAreCounted(t *testing.T) {
	withKeys(t)
	f := &faults{fail: func(n int64, req *http.Request) (*http.Response, error) {
		if n == 1 {
			return busy(req)
		}
		return nil, nil
	}}
	b := open(t, newFake(t), "p", &s3.Options{Transport: f, Attempts: 2})
	if _, err := b.Write(t.Context(), "a", strings.NewReader("text"), driver.WriteOptions{Size: 4}); err != nil || f.requests.Load() != 2 {
		t.Fatalf("after one busy answer: %v, %d requests; want it written by the second", err, f.requests.Load())
	}
	f.requests.Store(0)
	f.fail = func(_ int64, req *http.Request) (*http.Response, error) { return busy(req) }
	_, err := b.Attributes(t.Context(), "a")
	if err == nil || b.ErrorKind(err) != driver.Failed || f.requests.Load() != 2 {
		t.Fatalf("a busy store: %v after %d requests, want an error after 2", err, f.requests.Load())
	}
	f.fail = func(int64, *http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("db7.internal.example refused somebody")}
	}
	for _, call := range []func() error{
		func() error { _, err := b.Attributes(t.Context(), "a"); return err },
		func() error { _, _, err := b.Read(t.Context(), "a", driver.ReadOptions{}); return err },
		func() error { _, err := b.List(t.Context(), driver.ListOptions{Limit: 5}); return err },
		func() error { return b.Delete(t.Context(), "a", "") },
	} {
		if err := call(); err == nil || strings.Contains(err.Error(), "somebody") || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("the error %v; want one that names no host and no account", err)
		}
	}
}

// untagged takes the versions from the answers of a store.
type untagged struct{}

func (untagged) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err == nil {
		res.Header.Del("ETag")
	}
	return res, err
}

// Objects without a version, which cannot be told from others, are not used.
func TestNoETag(t *testing.T) {
	withKeys(t)
	endpoint := newFake(t)
	if _, err := open(t, endpoint, "p", nil).Write(t.Context(), "a", strings.NewReader("text"), driver.WriteOptions{Size: 4}); err != nil {
		t.Fatal(err)
	}
	b := open(t, endpoint, "p", &s3.Options{Transport: untagged{}})
	for name, call := range map[string]func() error{
		"attributes": func() error { _, err := b.Attributes(t.Context(), "a"); return err },
		"read":       func() error { _, _, err := b.Read(t.Context(), "a", driver.ReadOptions{}); return err },
		"write": func() error {
			_, err := b.Write(t.Context(), "b", strings.NewReader("text"), driver.WriteOptions{Size: 4})
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), "ETag") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// cut ends a body early, as a connection that breaks does.
type cut struct {
	io.Reader
	io.Closer
}

func (c cut) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if err == io.EOF {
		err = errors.New("connection reset")
	}
	return n, err
}

func TestReadGoesOn(t *testing.T) {
	withKeys(t)
	const size = 100_000
	f := &faults{fail: func(n int64, req *http.Request) (*http.Response, error) {
		if req.Method != http.MethodGet || n%2 == 0 {
			return nil, nil
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err == nil {
			resp.Body = cut{io.LimitReader(resp.Body, 30_000), resp.Body}
		}
		return resp, err
	}}
	b := open(t, newFake(t), "p", &s3.Options{Transport: f})
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(i * i >> 3)
	}
	if _, err := b.Write(t.Context(), "a", strings.NewReader(string(content)), driver.WriteOptions{Size: size}); err != nil {
		t.Fatal(err)
	}
	f.requests.Store(0)
	body, at, err := b.Read(t.Context(), "a", driver.ReadOptions{Offset: 10})
	if err != nil || at.Size != size {
		t.Fatal(at, err)
	}
	defer body.Close()
	if got, err := io.ReadAll(body); err != nil || string(got) != string(content[10:]) || f.requests.Load() != 2 {
		t.Fatalf("%d bytes, %v after %d requests; want all by the second", len(got), err, f.requests.Load())
	}
	// The rest of another version is not read.
	f.requests.Store(0)
	body, _, err = b.Read(t.Context(), "a", driver.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	content[0]++
	if _, err := b.Write(t.Context(), "a", strings.NewReader(string(content)), driver.WriteOptions{Size: size}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(body); b.ErrorKind(err) != driver.Conflict {
		t.Fatalf("a body that was replaced and broke: %v, want a conflict", err)
	}
}

func TestCancelled(t *testing.T) {
	withKeys(t)
	ctx, cancel := context.WithCancel(t.Context())
	f := &faults{fail: func(_ int64, req *http.Request) (*http.Response, error) {
		cancel()
		<-req.Context().Done()
		return nil, req.Context().Err()
	}}
	b := open(t, "http://store.invalid", "p", &s3.Options{Transport: f})
	if _, _, err := b.Read(ctx, "a", driver.ReadOptions{}); !errors.Is(err, context.Canceled) || f.requests.Load() != 1 {
		t.Fatalf("%v after %d requests, want the error of the context after one", err, f.requests.Load())
	}
}

func TestOpenErrors(t *testing.T) {
	withKeys(t)
	const secret = "hunter2"
	for _, url := range []string{
		"https://files/p", "s3:files", "s3:///p", "s3://key:" + secret + "@files/p", "s3://files/p?secret_key=" + secret,
		"s3://files/p?endpoint=ftp://h", "s3://files/p?endpoint=https://key:" + secret + "@h", "s3://files/p?endpoint=h/path",
		"s3://files/p?path_style=maybe", "s3://files/p?credentials=relative", "s3://files/p?credentials=/nowhere/at/all",
		"s3://files/" + strings.Repeat("p", 200), "s3://files/%zz" + secret,
	} {
		if b, err := s3.Open(url, nil); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("Open(%.60q) = %v, %v; want an error without the secret", url, b, err)
		}
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("HOME", t.TempDir())
	if _, err := s3.Open("s3://files/p?endpoint=h", nil); err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("without credentials: %v, want what to set", err)
	}
}

func TestCredentialsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte("[other]\naws_access_key_id = key\naws_secret_access_key = secret-of-tests\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	var signed string
	f := &faults{fail: func(_ int64, req *http.Request) (*http.Response, error) {
		signed = req.Header.Get("Authorization")
		return nil, nil
	}}
	b, err := s3.Open("s3://files/?profile=other&credentials="+file+"&endpoint="+newFake(t), &s3.Options{Transport: f})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.List(t.Context(), driver.ListOptions{Limit: 1}); err != nil || !strings.Contains(signed, "Credential=key/") {
		t.Errorf("%v, signed %q; want it signed with the key of the file", err, signed)
	}
}

// An object of a bucket that is not there is not missing.
func TestNoBucket(t *testing.T) {
	withKeys(t)
	b := open(t, newFake(t), "p", nil)
	if _, err := b.Attributes(t.Context(), "a"); b.ErrorKind(err) != driver.NotFound {
		t.Errorf("no object: %v", err)
	}
	endpoint := newFake(t)
	other, err := s3.Open("s3://nowhere/p?endpoint="+endpoint, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Attributes(t.Context(), "a"); err == nil || other.ErrorKind(err) == driver.NotFound {
		t.Errorf("no bucket: %v", err)
	}
	if _, _, err := other.Read(t.Context(), "a", driver.ReadOptions{}); err == nil || other.ErrorKind(err) == driver.NotFound {
		t.Errorf("no bucket, read: %v", err)
	}
}
