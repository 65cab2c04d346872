package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memoryBucket is a [Bucket] in memory.
type memoryBucket struct {
	mu      sync.Mutex
	writes  uint64
	objects map[string]memoryObject
}

type memoryObject struct {
	data []byte // never changes
	at   Attributes
}

// NewMemory returns an empty bucket in memory, for tests. Nothing is stored beyond
// its lifetime.
func NewMemory() Bucket { return &memoryBucket{objects: make(map[string]memoryObject)} }

// memoryBody is an open object.
type memoryBody struct{ *bytes.Reader }

func (memoryBody) Close() error { return nil }

var errOtherVersion = errors.New("the object is not the version that it must be")

// find returns the object of a key, which must be the version with an ETag unless
// that is "".
func (b *memoryBucket) find(ctx context.Context, key, etag string) (memoryObject, error) {
	object, ok := b.objects[key]
	switch {
	case ctx.Err() != nil:
		return object, ctx.Err()
	case !ok:
		return object, fmt.Errorf("object %q: %w", key, fs.ErrNotExist)
	case etag != "" && etag != object.at.ETag:
		return object, errOtherVersion
	}
	return object, nil
}

func (b *memoryBucket) Attributes(ctx context.Context, key string) (Attributes, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	object, err := b.find(ctx, key, "")
	return object.at, err
}

func (b *memoryBucket) Read(ctx context.Context, key string, opts ReadOptions) (io.ReadCloser, Attributes, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	object, err := b.find(ctx, key, opts.IfMatch)
	if err != nil {
		return nil, Attributes{}, err
	}
	data := object.data[opts.Offset:]
	if opts.Length > 0 {
		data = data[:min(opts.Length, int64(len(data)))]
	}
	return memoryBody{bytes.NewReader(data)}, object.at, nil
}

func (b *memoryBucket) Write(ctx context.Context, key string, body io.Reader, opts WriteOptions) (Attributes, error) {
	var data bytes.Buffer
	if _, err := data.ReadFrom(body); err != nil {
		return Attributes{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Attributes{}, err
	}
	if _, ok := b.objects[key]; ok && opts.IfAbsent {
		return Attributes{}, errOtherVersion
	}
	if opts.IfMatch != "" {
		if _, err := b.find(ctx, key, opts.IfMatch); err != nil {
			return Attributes{}, err
		}
	}
	b.writes++
	at := Attributes{ETag: strconv.FormatUint(b.writes, 10), Size: int64(data.Len()), ModTime: time.Now()}
	b.objects[key] = memoryObject{data.Bytes(), at}
	return at, nil
}

func (b *memoryBucket) Delete(ctx context.Context, key, ifMatch string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.find(ctx, key, ifMatch); err != nil {
		return err
	}
	delete(b.objects, key)
	return nil
}

func (b *memoryBucket) List(ctx context.Context, opts ListOptions) (Page, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var keys []string
	for key := range b.objects {
		if strings.HasPrefix(key, opts.Prefix) && key > opts.After {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	page := Page{More: len(keys) > opts.Limit}
	for _, key := range keys[:min(len(keys), opts.Limit)] {
		page.Objects = append(page.Objects, Object{Key: key, Attributes: b.objects[key].at})
	}
	return page, ctx.Err()
}

func (b *memoryBucket) ErrorKind(err error) ErrorKind {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NotFound
	case errors.Is(err, errOtherVersion):
		return Conflict
	}
	return Failed
}

func (b *memoryBucket) Close() error { return nil }
