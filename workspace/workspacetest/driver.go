package workspacetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit/workspace/driver"
)

// TestDriver checks a driver of workspace.FromDriver: that it keeps the promises
// of [driver.Bucket]. Each bucket that open returns must be empty; the suite
// closes it. With a bucket that passes, the workspace passes [RunShared].
func TestDriver(t *testing.T, open func(t testing.TB) driver.Bucket) {
	t.Helper()
	not := make(broken)
	for _, c := range driverChecks {
		not.check(t, c.promise, func(t *testing.T) {
			b := open(t)
			c.run(driverTest{t, b})
			if err := b.Close(); err != nil {
				t.Errorf("Close: %v, want no error", err)
			}
		})
	}
}

// A driverCheck checks one promise of a driver.
type driverCheck struct {
	promise
	run func(driverTest)
}

var driverChecks = []driverCheck{
	{promise{"objects", []string{"objects"}}, checkObjects},
	{promise{"ranges", []string{"objects"}}, checkRanges},
	{promise{"conditions", []string{"objects"}}, checkConditions},
	{promise{"body that fails", []string{"objects"}}, checkFailingBody},
	{promise{"cancelled", []string{"objects"}}, checkDriverCancelled},
	{promise{"open body", []string{"objects"}}, checkOpenBody},
	{promise{"listing", []string{"objects"}}, checkListing},
	{promise{"counting", []string{"objects"}}, checkDriverCounting},
}

// A driverTest tests one bucket.
type driverTest struct {
	testing.TB
	b driver.Bucket
}

// write writes an object, which must succeed.
func (t driverTest) write(key, data string, opts driver.WriteOptions) driver.Attributes {
	t.Helper()
	opts.Size = int64(len(data))
	at, err := t.b.Write(t.Context(), key, strings.NewReader(data), opts)
	if err != nil {
		t.Fatalf("Write(%.40q, %+v) = %v, want it stored", key, opts, err)
	}
	t.wantAttributes(fmt.Sprintf("Write(%.40q)", key), at, at.ETag, len(data))
	return at
}

func (t driverTest) wantAttributes(call string, at driver.Attributes, etag string, size int) {
	t.Helper()
	if at.ETag == "" || at.ETag != etag || at.Size != int64(size) || at.ModTime.IsZero() {
		t.Fatalf("%s = %+v, want the ETag %q, %d bytes and a time", call, at, etag, size)
	}
}

// wantObject checks what an object is, in each way to ask.
func (t driverTest) wantObject(key, data string, etag string) {
	t.Helper()
	at, err := t.b.Attributes(t.Context(), key)
	t.wantKind(fmt.Sprintf("Attributes(%.40q)", key), err)
	t.wantAttributes(fmt.Sprintf("Attributes(%.40q)", key), at, etag, len(data))
	t.wantRead(key, data, at, driver.ReadOptions{})
	t.wantRead(key, data, at, driver.ReadOptions{IfMatch: etag})
}

func (t driverTest) wantRead(key, data string, want driver.Attributes, opts driver.ReadOptions) {
	t.Helper()
	call := fmt.Sprintf("Read(%.40q, %+v)", key, opts)
	body, at, err := t.b.Read(t.Context(), key, opts)
	t.wantKind(call, err)
	defer body.Close()
	t.wantAttributes(call, at, want.ETag, int(want.Size))
	if got, err := io.ReadAll(body); err != nil || string(got) != data {
		t.Fatalf("%s reads %.60q, %v; want %.60q", call, got, err, data)
	}
}

// wantKind checks an error: it must have one of the kinds, or be nil without any.
func (t driverTest) wantKind(call string, err error, kinds ...driver.ErrorKind) {
	t.Helper()
	names := []string{driver.Failed: "Failed", driver.NotFound: "NotFound", driver.Conflict: "Conflict"}
	switch {
	case len(kinds) == 0 && err != nil:
		t.Fatalf("%s: %v, want no error", call, err)
	case len(kinds) == 0:
	case err == nil:
		t.Fatalf("%s: no error, want one of the kind %s", call, names[kinds[0]])
	case !slices.Contains(kinds, t.b.ErrorKind(err)) || !slices.Contains(kinds, t.b.ErrorKind(fmt.Errorf("wrapped: %w", err))):
		t.Fatalf("%s: %v, of the kind %s; want %s, also if it is wrapped", call, err, names[t.b.ErrorKind(err)], names[kinds[0]])
	}
}

func (t driverTest) wantMissing(key string) {
	t.Helper()
	_, err := t.b.Attributes(t.Context(), key)
	t.wantKind(fmt.Sprintf("Attributes(%.40q) of nothing", key), err, driver.NotFound)
	_, _, err = t.b.Read(t.Context(), key, driver.ReadOptions{})
	t.wantKind(fmt.Sprintf("Read(%.40q) of nothing", key), err, driver.NotFound)
}

var longKey = strings.Repeat("k", driver.MaxKey)

func checkObjects(t driverTest) {
	t.wantMissing("a")
	for _, key := range []string{"a", "con", "a-b", "0", longKey} {
		seen := make(map[string]bool)
		for _, data := range []string{"one", "two", "", strings.Repeat("large", 300_000), "\x00\xff\n"} {
			at := t.write(key, data, driver.WriteOptions{})
			t.wantObject(key, data, at.ETag)
			if seen[at.ETag] {
				t.Fatalf("Write(%.40q) gives the ETag %q again, want another for another content", key, at.ETag)
			}
			seen[at.ETag] = true
		}
	}
	at, err := t.b.Write(t.Context(), "a", io.MultiReader(strings.NewReader("of any "), strings.NewReader("size")), driver.WriteOptions{Size: -1})
	t.wantKind("Write of a size that is not known", err)
	t.wantObject("a", "of any size", at.ETag)
	t.wantKind("Delete", t.b.Delete(t.Context(), "a", ""))
	t.wantMissing("a")
	if err := t.b.Delete(t.Context(), "a", ""); err != nil {
		t.wantKind("Delete of nothing", err, driver.NotFound)
	}
}

func checkRanges(t driverTest) {
	at := t.write("a", "0123456789", driver.WriteOptions{})
	for _, c := range []struct {
		offset, length int64
		want           string
	}{{0, 4, "0123"}, {3, 4, "3456"}, {3, 0, "3456789"}, {8, 20, "89"}, {0, 10, "0123456789"}, {9, 1, "9"}, {10, 0, ""}} {
		t.wantRead("a", c.want, at, driver.ReadOptions{Offset: c.offset, Length: c.length})
	}
}

func checkConditions(t driverTest) {
	ctx := t.Context()
	refused := func(call, key string, opts driver.WriteOptions, kinds ...driver.ErrorKind) {
		t.Helper()
		opts.Size = 2
		_, err := t.b.Write(ctx, key, strings.NewReader("no"), opts)
		t.wantKind(call, err, kinds...)
	}
	refused("Write with IfMatch of nothing", "a", driver.WriteOptions{IfMatch: "another"}, driver.Conflict, driver.NotFound)
	t.wantMissing("a")
	first := t.write("a", "1", driver.WriteOptions{IfAbsent: true})
	refused("Write with IfAbsent of what is there", "a", driver.WriteOptions{IfAbsent: true}, driver.Conflict)
	second := t.write("a", "2", driver.WriteOptions{IfMatch: first.ETag})
	refused("Write with IfMatch of a version that was replaced", "a", driver.WriteOptions{IfMatch: first.ETag}, driver.Conflict)
	t.wantKind("Delete with IfMatch of a version that was replaced", t.b.Delete(ctx, "a", first.ETag), driver.Conflict)
	_, _, err := t.b.Read(ctx, "a", driver.ReadOptions{IfMatch: first.ETag})
	t.wantKind("Read with IfMatch of a version that was replaced", err, driver.Conflict)
	t.wantObject("a", "2", second.ETag)
	t.wantKind("Delete with IfMatch", t.b.Delete(ctx, "a", second.ETag))
	t.wantMissing("a")
	t.wantKind("Delete with IfMatch of nothing", t.b.Delete(ctx, "a", second.ETag), driver.NotFound, driver.Conflict)
	refused("Write with IfMatch of what was deleted", "a", driver.WriteOptions{IfMatch: second.ETag}, driver.Conflict, driver.NotFound)
	t.write("a", "3", driver.WriteOptions{IfAbsent: true})
}

// checkListing lists keys that a locale would sort otherwise.
func checkListing(t driverTest) {
	t.wantList(driver.ListOptions{Limit: 5})
	keys := []string{"m-", "m--", "m-0", "m-a", "m-ab", "m-b", "m0", "ma", longKey}
	for _, key := range keys {
		t.write(key, key, driver.WriteOptions{})
	}
	slices.Sort(keys)
	for _, prefix := range []string{"", "m", "m-", "m-a", "n", longKey} {
		for _, after := range append([]string{"", "m-00", "l", "z"}, keys...) {
			for _, limit := range []int{1, 2, 1000} {
				var want []string
				for _, key := range keys {
					if strings.HasPrefix(key, prefix) && key > after {
						want = append(want, key)
					}
				}
				t.wantList(driver.ListOptions{Prefix: prefix, After: after, Limit: limit}, want...)
			}
		}
	}
	t.wantKind("Delete", t.b.Delete(t.Context(), "m-a", ""))
	t.wantList(driver.ListOptions{Prefix: "m-a", Limit: 10}, "m-ab")
}

// wantList reads all pages of a listing. The objects have as many bytes as their keys.
func (t driverTest) wantList(opts driver.ListOptions, want ...string) {
	t.Helper()
	call := fmt.Sprintf("List(%.60q)", fmt.Sprintf("%+v", opts))
	var got []string
	for more := true; more; {
		page, err := t.b.List(t.Context(), opts)
		t.wantKind(call, err)
		if len(page.Objects) > opts.Limit || page.More && len(page.Objects) == 0 {
			t.Fatalf("%s has a page of %d objects, more: %v; want at most %d, and some if there are more", call, len(page.Objects), page.More, opts.Limit)
		}
		for _, object := range page.Objects {
			if got = append(got, object.Key); len(got) > len(want)+1 {
				t.Fatalf("%s = %.40q ..., want %.40q", call, got, want)
			}
			if object.Size != int64(len(object.Key)) || object.ModTime.IsZero() {
				t.Fatalf("%s has %+v, want %d bytes and a time", call, object, len(object.Key))
			}
			opts.After = object.Key
		}
		more = page.More
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s = %.40q, want %.40q", call, got, want)
	}
}

func checkFailingBody(t driverTest) {
	broken := errors.New("broken")
	for _, there := range []bool{false, true} {
		var at driver.Attributes
		if there {
			at = t.write("a", "1", driver.WriteOptions{})
		}
		for _, size := range []int64{-1, 300_000} {
			body := io.MultiReader(strings.NewReader(strings.Repeat("x", 200_000)), failReader{broken})
			if _, err := t.b.Write(t.Context(), "a", body, driver.WriteOptions{Size: size}); !errors.Is(err, broken) {
				t.Fatalf("Write of a body that fails: %v, want an error that wraps %q", err, broken)
			}
			if there {
				t.wantObject("a", "1", at.ETag)
			} else {
				t.wantMissing("a")
			}
		}
		if there {
			t.wantKind("Delete", t.b.Delete(t.Context(), "a", ""))
		}
	}
}

// checkDriverCounting lets several callers add to an object at once: none may be lost.
func checkDriverCounting(t driverTest) {
	const callers = 6
	times := rounds(10)
	var counting sync.WaitGroup
	var first firstFault
	for range callers {
		counting.Go(func() {
			for range times {
				if err := t.countUp("a"); err != nil {
					first.report("counting: %v, want no error but conflicts", err)
					return
				}
			}
		})
	}
	counting.Wait()
	first.check(t)
	body, _, err := t.b.Read(t.Context(), "a", driver.ReadOptions{})
	t.wantKind("Read", err)
	defer body.Close()
	if data, err := io.ReadAll(body); err != nil || len(data) != callers*times {
		t.Fatalf("counted %d, %v; want %d: two writes on one condition succeeded", len(data), err, callers*times)
	}
}

func (t driverTest) countUp(key string) error {
	for {
		var data []byte
		opts := driver.WriteOptions{IfAbsent: true}
		body, at, err := t.b.Read(t.Context(), key, driver.ReadOptions{})
		if err == nil {
			opts = driver.WriteOptions{IfMatch: at.ETag}
			data, err = io.ReadAll(body)
			body.Close()
		} else if t.b.ErrorKind(err) == driver.NotFound {
			err = nil
		}
		if err != nil {
			return err
		}
		opts.Size = int64(len(data)) + 1
		_, err = t.b.Write(t.Context(), key, strings.NewReader(string(data)+"x"), opts)
		if err == nil || t.b.ErrorKind(err) == driver.Failed {
			return err
		}
	}
}

// checkOpenBody replaces and deletes an object while it is open. A body that has
// no Seek may end with an error, but not with other bytes.
func checkOpenBody(t driverTest) {
	want := strings.Repeat("first", 100_000)
	t.write("a", want, driver.WriteOptions{})
	body, at, err := t.b.Read(t.Context(), "a", driver.ReadOptions{})
	t.wantKind("Read", err)
	defer body.Close()
	t.write("a", strings.Repeat("other", 100_000), driver.WriteOptions{IfMatch: at.ETag})
	t.wantKind("Delete", t.b.Delete(t.Context(), "a", ""))
	seeker, seeks := body.(io.ReadSeeker)
	got, err := io.ReadAll(body)
	if string(got) != want[:len(got)] || seeks && (err != nil || len(got) != len(want)) || err == nil && len(got) != len(want) {
		t.Fatalf("a body that was replaced while it was open: %d bytes %.20q, %v; want the %d bytes %.20q", len(got), got, err, len(want), want)
	}
	if !seeks {
		return
	}
	if n, err := seeker.Seek(-5, io.SeekEnd); err != nil || n != int64(len(want)-5) {
		t.Fatalf("Seek(-5, io.SeekEnd) = %d, %v; want %d", n, err, len(want)-5)
	}
	if got, err := io.ReadAll(body); err != nil || string(got) != "first" {
		t.Fatalf("after Seek: %q, %v; want \"first\"", got, err)
	}
}

func checkDriverCancelled(t driverTest) {
	at := t.write("a", "before", driver.WriteOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		call func() error
	}{
		{"Attributes", func() error { _, err := t.b.Attributes(ctx, "a"); return err }},
		{"Read", func() error { _, _, err := t.b.Read(ctx, "a", driver.ReadOptions{}); return err }},
		{"Write", func() error {
			_, err := t.b.Write(ctx, "a", strings.NewReader("no"), driver.WriteOptions{Size: 2})
			return err
		}},
		{"Delete", func() error { return t.b.Delete(ctx, "a", "") }},
		{"List", func() error { _, err := t.b.List(ctx, driver.ListOptions{Limit: 1}); return err }},
	} {
		if err := c.call(); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s with a context that is done: %v, want %v", c.name, err, context.Canceled)
		}
	}
	t.wantObject("a", "before", at.ETag)
}
