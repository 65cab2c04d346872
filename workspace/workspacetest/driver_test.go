package workspacetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace/driver"
)

// A badDriver is a bucket in memory whose methods others replace.
type badDriver struct{ driver.Bucket }

// ignoresConditions writes and deletes whatever there is.
type ignoresConditions struct{ badDriver }

func (b ignoresConditions) Write(ctx context.Context, key string, body io.Reader, opts driver.WriteOptions) (driver.Attributes, error) {
	return b.badDriver.Write(ctx, key, body, driver.WriteOptions{Size: opts.Size})
}

// deletesAnyVersion deletes any version.
type deletesAnyVersion struct{ badDriver }

func (b deletesAnyVersion) Delete(ctx context.Context, key, _ string) error {
	return b.badDriver.Delete(ctx, key, "")
}

// comparesFirst compares, and writes later.
type comparesFirst struct{ badDriver }

func (b comparesFirst) Write(ctx context.Context, key string, body io.Reader, opts driver.WriteOptions) (driver.Attributes, error) {
	at, err := b.Attributes(ctx, key)
	if opts.IfAbsent && err == nil || opts.IfMatch != "" && (err != nil || at.ETag != opts.IfMatch) {
		return at, fs.ErrExist
	}
	time.Sleep(time.Millisecond)
	return ignoresConditions(b).Write(ctx, key, body, opts)
}

func (b comparesFirst) ErrorKind(err error) driver.ErrorKind {
	if errors.Is(err, fs.ErrExist) {
		return driver.Conflict
	}
	return b.badDriver.ErrorKind(err)
}

// storesParts stores what there is of a body.
type storesParts struct{ badDriver }

func (b storesParts) Write(ctx context.Context, key string, body io.Reader, opts driver.WriteOptions) (driver.Attributes, error) {
	data, failed := io.ReadAll(body)
	at, err := b.badDriver.Write(ctx, key, bytes.NewReader(data), opts)
	return at, errors.Join(err, failed)
}

// constantTag gives all versions one ETag.
type constantTag struct{ badDriver }

func (b constantTag) Write(ctx context.Context, key string, body io.Reader, opts driver.WriteOptions) (driver.Attributes, error) {
	at, err := b.badDriver.Write(ctx, key, body, opts)
	at.ETag = "1"
	return at, err
}

func (b constantTag) Attributes(ctx context.Context, key string) (driver.Attributes, error) {
	at, err := b.badDriver.Attributes(ctx, key)
	at.ETag = "1"
	return at, err
}

func (b constantTag) Read(ctx context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	opts.IfMatch = ""
	body, at, err := b.badDriver.Read(ctx, key, opts)
	at.ETag = "1"
	return body, at, err
}

// wholeReads ignores ranges.
type wholeReads struct{ badDriver }

func (b wholeReads) Read(ctx context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	return b.badDriver.Read(ctx, key, driver.ReadOptions{IfMatch: opts.IfMatch})
}

// liveReads reads what the object is now, although it can seek.
type liveReads struct{ badDriver }

type liveBody struct {
	io.ReadSeekCloser
	now func() io.ReadSeeker
}

func (l liveBody) Read(p []byte) (int, error) {
	at, err := l.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	now := l.now()
	if _, err := now.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := now.Read(p)
	_, _ = l.Seek(int64(n), io.SeekCurrent)
	return n, err
}

func (b liveReads) Read(ctx context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	body, at, err := b.badDriver.Read(ctx, key, opts)
	if err != nil {
		return nil, at, err
	}
	now := func() io.ReadSeeker {
		body, _, err := b.badDriver.Read(ctx, key, driver.ReadOptions{Offset: opts.Offset, Length: opts.Length})
		if err != nil {
			return strings.NewReader("")
		}
		return body.(io.ReadSeeker)
	}
	return liveBody{body.(io.ReadSeekCloser), now}, at, nil
}

// reverseListing lists backwards.
type reverseListing struct{ badDriver }

func (b reverseListing) List(ctx context.Context, opts driver.ListOptions) (driver.Page, error) {
	page, err := b.badDriver.List(ctx, opts)
	slices.SortFunc(page.Objects, func(x, y driver.Object) int { return strings.Compare(y.Key, x.Key) })
	return page, err
}

// wrapsNothing knows its own errors only as they are.
type wrapsNothing struct{ badDriver }

func (b wrapsNothing) ErrorKind(err error) driver.ErrorKind {
	if strings.HasPrefix(err.Error(), "wrapped") {
		return driver.Failed
	}
	return b.badDriver.ErrorKind(err)
}

type ignoresContext struct{ badDriver }

func (b ignoresContext) Delete(ctx context.Context, key, ifMatch string) error {
	return b.badDriver.Delete(context.WithoutCancel(ctx), key, ifMatch)
}

// TestDriverFaults breaks a driver in many ways. The suite must report each once,
// with what was wanted.
func TestDriverFaults(t *testing.T) {
	sharedtest.Once(t)
	for _, f := range []struct {
		want string
		make func(badDriver) driver.Bucket
	}{
		{"conditions: Write with IfMatch of nothing", func(b badDriver) driver.Bucket { return ignoresConditions{b} }},
		{"conditions: Delete with IfMatch of a version that was replaced", func(b badDriver) driver.Bucket { return deletesAnyVersion{b} }},
		{"counting: counted", func(b badDriver) driver.Bucket { return comparesFirst{b} }},
		{"body that fails: Attributes(\"a\") of nothing", func(b badDriver) driver.Bucket { return storesParts{b} }},
		{"objects: Write(\"a\") gives the ETag \"1\" again", func(b badDriver) driver.Bucket { return constantTag{b} }},
		{"ranges: Read(\"a\"", func(b badDriver) driver.Bucket { return wholeReads{b} }},
		{"open body: a body that was replaced", func(b badDriver) driver.Bucket { return liveReads{b} }},
		{"listing: List", func(b badDriver) driver.Bucket { return reverseListing{b} }},
		{"objects: Attributes(\"a\") of nothing", func(b badDriver) driver.Bucket { return wrapsNothing{b} }},
		{"cancelled: Delete", func(b badDriver) driver.Bucket { return ignoresContext{b} }},
	} {
		bad := f.make(badDriver{driver.NewMemory()})
		t.Run(fmt.Sprintf("%T", bad), func(t *testing.T) {
			var all []string
			not := make(broken)
			for _, c := range driverChecks {
				all = append(all, failures(t, not, c.promise, func(t testing.TB) {
					c.run(driverTest{t, f.make(badDriver{driver.NewMemory()})})
				})...)
			}
			checkOneFault(t, all, f.want)
		})
	}
}

func TestCorrectDriver(t *testing.T) {
	TestDriver(t, func(testing.TB) driver.Bucket { return driver.NewMemory() })
}

// What builds on a promise that does not hold is not checked.
func TestBuildsOn(t *testing.T) {
	not := make(broken)
	not.fail(promise{"maps", []string{"maps"}})
	if by := not.blocks(promise{"counting", []string{"maps", "notes"}}); by != "maps" {
		t.Errorf("counting is blocked by %q", by)
	}
	not.check(t, promise{"counting", []string{"notes", "maps"}}, func(t *testing.T) { t.Error("it is checked") })
	if len(not) != 1 {
		t.Errorf("broken are %v", not)
	}
}
