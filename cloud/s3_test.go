//go:build unix

package cloud_test

import (
	"bytes"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/cloud/s3"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/citekit/citekit/workspace/workspacetest"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// TestConformsOnS3 opens all that a URL can say: sources and evidence in a bucket, read
// through a cache.
func TestConformsOnS3(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	backend := s3mem.New()
	if err := backend.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	defer server.Close()
	bucket := func(prefix string) string { return "s3://files/" + prefix + "?endpoint=" + server.URL }
	in, err := s3.Open(bucket("in"), &s3.Options{AnyKey: true})
	if err != nil {
		t.Fatal(err)
	}
	content := []byte(workspacetest.SourceContent)
	if _, err := in.Write(t.Context(), workspacetest.SourcePath, bytes.NewReader(content), driver.WriteOptions{Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	workspacetest.RunShared(t, func(t testing.TB) func() citekit.Workspace {
		query := url.Values{"bucket": {bucket("out")}, "sources": {bucket("in")}, "cache": {dir}, "cache_bytes": {"100000000"}}
		address := schema(t) + "&" + query.Encode()
		return func() citekit.Workspace {
			w, err := cloud.Open(t.Context(), address, nil)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
	})
}
