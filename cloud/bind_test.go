//go:build unix

package cloud_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/cloud/internal/pgtest"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// refused opens a workspace, which must fail with a text, and returns the parameter of
// the URL that the error names, if it does.
func refused(t *testing.T, address string, b driver.Bucket, want string) (moved string) {
	t.Helper()
	w, err := cloud.Open(t.Context(), address, &cloud.Options{Bucket: b})
	if err == nil {
		w.Close()
	}
	if !isFault(err) || !strings.Contains(err.Error(), want) {
		t.Fatalf("Open: %v; want an error with %q", err, want)
	}
	_, after, _ := strings.Cut(err.Error(), "add moved_from=")
	value, _, _ := strings.Cut(after, " ")
	return "&moved_from=" + value
}

// Sources of another prefix are refused once there are maps, unless they were moved.
func TestOtherSources(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	backend := s3mem.New()
	if err := backend.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server())
	t.Cleanup(server.Close)
	base, b := schema(t), driver.NewMemory()
	at := func(prefix string) string {
		return base + "&" + url.Values{"sources": {"s3://files/" + prefix + "?endpoint=" + server.URL}, "cache": {t.TempDir()}}.Encode()
	}
	open := func(address string) *cloud.Workspace {
		t.Helper()
		w, err := cloud.Open(t.Context(), address, &cloud.Options{Bucket: b})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		return w
	}
	open(at("papres")) // a slip, which is mended before there are maps
	if err := open(at("papers")).WriteMap(t.Context(), "m", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	moved := refused(t, at("papres"), b, "they were s3://files/papers/, and its URL names s3://files/papres/")
	if _, err := cloud.Open(t.Context(), at("papres"), &cloud.Options{Bucket: b, ReadOnly: true}); !isFault(err) {
		t.Errorf("Open to read: %v; want an error of the store", err)
	}
	if _, err := cloud.Open(t.Context(), at("papres")+"&moved_from=papers", &cloud.Options{Bucket: b}); !isFault(err) {
		t.Errorf("Open with another place that was left: %v; want an error of the store", err)
	}
	open(at("papers"))
	open(base) // without sources
	open(at("archive") + moved)
	refused(t, at("papers")+moved, b, "they were s3://files/archive/") // what was left says nothing more
	open(at("archive") + moved)
}

// Evidence is not kept among the sources, nor the other way round.
func TestApart(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	for _, c := range []struct{ bucket, sources string }{{"files", "files"}, {"files/a/b", "files/a"}, {"files/a", "files/a/b"}, {"files", "files/a"}} {
		at := func(place string) string { return "s3://" + place + "?endpoint=http://127.0.0.1:1" }
		_, err := cloud.Open(t.Context(), "pg://127.0.0.1:1/db?"+url.Values{"bucket": {at(c.bucket)}, "sources": {at(c.sources)}, "cache": {t.TempDir()}}.Encode(), nil)
		if err == nil || !strings.Contains(err.Error(), "give each a prefix of its own") {
			t.Errorf("bucket %s with sources %s: %v", c.bucket, c.sources, err)
		}
	}
}

// A bucket that is not that of the schema is refused, unless its objects were moved.
func TestOtherBucket(t *testing.T) {
	address, b := schema(t), driver.NewMemory()
	w := open(t, address, b)
	if err := w.WriteMap(t.Context(), "m", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	open(t, address, driver.NewMemory()) // it has no objects yet
	other := open(t, address, b)
	var storing sync.WaitGroup
	for _, w := range []*cloud.Workspace{w, other, w} { // which mark the bucket together
		storing.Go(func() { store(t, w, evidenceKey, large) })
	}
	storing.Wait()
	open(t, address, b)
	empty := driver.NewMemory()
	moved := refused(t, address, empty, "no mark of this workspace")
	open(t, address+moved, empty)
	open(t, address, empty)
	refused(t, address, b, "has taken the bucket")
	refused(t, address+moved, b, "has taken the bucket") // what was left says nothing more
}

// A copy of a database may not use the bucket of the first one. One that was restored in
// its place, or as of a time before, may.
func TestCopiedDatabase(t *testing.T) {
	server := pgtest.Start(t)
	first, b := server.Database(t), driver.NewMemory()
	name := first[strings.LastIndexByte(first, '/')+1:]
	w := open(t, first, b)
	store(t, w, evidenceKey, large)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	server.Exec(t, "postgres", `CREATE DATABASE copied TEMPLATE `+name)
	second := server.Address(pgtest.User, "copied")
	moved := refused(t, second, b, "they would delete each other's objects")
	open(t, first, b).Close()
	own := driver.NewMemory()
	refused(t, second, own, "no mark of this workspace")
	w = open(t, second+"?"+moved[1:], own)
	if _, err := w.FindEvidence(t.Context(), evidenceKey); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("evidence that the new bucket has not: %v; want fs.ErrNotExist", err)
	}
	store(t, w, evidenceKey, large)
	w.Close()
	server.Exec(t, "postgres", `DROP DATABASE copied`)

	server.Exec(t, "postgres", `CREATE DATABASE backup TEMPLATE `+name)
	w = open(t, first, b)
	store(t, w, evidenceKey, large+"x")
	w.Close()
	server.Exec(t, "postgres", `DROP DATABASE `+name)
	server.Exec(t, "postgres", `ALTER DATABASE backup RENAME TO `+name)
	w = open(t, first, b)
	if found, err := w.FindEvidence(t.Context(), evidenceKey); err != nil || found.Size != int64(len(large)) {
		t.Errorf("evidence of the restored database: %+v, %v; want what it had", found, err)
	}
}

// To look at a workspace makes nothing, and finds a bucket that is not there.
func TestReadOnly(t *testing.T) {
	address, b := schema(t), driver.NewMemory()
	look := func(b driver.Bucket) (*cloud.Workspace, error) {
		w, err := cloud.Open(t.Context(), address, &cloud.Options{Bucket: b, Sources: files(), ReadOnly: true})
		if err == nil {
			t.Cleanup(func() { w.Close() })
		}
		return w, err
	}
	if _, err := look(b); !errors.Is(err, fs.ErrNotExist) || isFault(err) {
		t.Errorf("Open of nothing: %v; want fs.ErrNotExist", err)
	}
	if n := sql(t, address, `SELECT count(*) FROM pg_namespace WHERE nspname = '{s}'`); n != "0" {
		t.Error("a schema was made")
	}
	sql(t, address, `CREATE SCHEMA {s}; CREATE TABLE {s}.migrations (number int, needed int); INSERT INTO {s}.migrations VALUES (1, 1)`)
	if _, err := look(b); !isFault(err) || !strings.Contains(err.Error(), "earlier version") {
		t.Errorf("Open of an earlier version: %v; want an error that says so", err)
	}
	sql(t, address, `DROP SCHEMA {s} CASCADE`)
	full := open(t, address, b)
	store(t, full, evidenceKey, large)
	sql(t, address, `UPDATE {s}.evidence SET used = now() - interval '1 hour'`)
	was := sql(t, address, `SELECT used FROM {s}.evidence`)
	w, err := look(b)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := w.FindEvidence(t.Context(), evidenceKey); err != nil || found.Size != int64(len(large)) {
		t.Errorf("FindEvidence = %+v, %v", found, err)
	}
	if now := sql(t, address, `SELECT used FROM {s}.evidence`); now != was {
		t.Error("evidence counts as used that was looked at")
	}
	if err := w.WriteMap(t.Context(), "m", []byte("{}")); !isFault(err) {
		t.Errorf("WriteMap: %v; want an error of the store", err)
	}
	if _, err := look(lost{b}); !isFault(err) || !strings.Contains(err.Error(), "object store") {
		t.Errorf("Open without the bucket: %v; want an error that says so", err)
	}
}

// lost is a bucket that is not there.
type lost struct{ driver.Bucket }

func (lost) List(context.Context, driver.ListOptions) (driver.Page, error) {
	return driver.Page{}, errors.New("there is no such bucket")
}
