package blob_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citekit/citekit/cloud/blob"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/citekit/citekit/workspace/workspacetest"
	"github.com/fsouza/fake-gcs-server/fakestorage"
)

func TestGoogle(t *testing.T) {
	front := httptest.NewUnstartedServer(nil)
	address := front.Listener.Addr().String()
	server, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: address})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	// The server ignores the condition of a deletion: it is checked before.
	front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if want := req.URL.Query().Get("ifGenerationMatch"); req.Method == http.MethodDelete && want != "" {
			_, name, _ := strings.Cut(req.URL.Path, "/o/")
			if o, err := server.GetObject("files", name); err == nil && fmt.Sprint(o.Generation) != want {
				w.WriteHeader(http.StatusPreconditionFailed)
				return
			}
		}
		server.HTTPHandler().ServeHTTP(w, req)
	})
	front.Start()
	defer front.Close()
	server.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "files"})
	t.Setenv("STORAGE_EMULATOR_HOST", address)
	number := 0
	workspacetest.TestDriver(t, func(t testing.TB) driver.Bucket {
		number++
		b, err := blob.Open(t.Context(), fmt.Sprintf("gs://files/tests/%d?access_id=-", number))
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}

func TestOpenErrors(t *testing.T) {
	const secret = "hunter2"
	for _, url := range []string{"s3://files", "gs://", "gs://user:" + secret + "@files", "azblob://files?unknown=" + secret, "://"} {
		if b, err := blob.Open(t.Context(), url); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("Open(%q) = %v, %v; want an error without the secret", url, b, err)
		}
	}
}
