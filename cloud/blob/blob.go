// Package blob is a [driver.Bucket] in Google Cloud Storage or Azure Blob Storage, by
// gocloud.dev. It is a module of its own, as it brings much with it; for S3 there is
// package s3 of the module above.
package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azure "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/workspace/driver"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // the scheme azblob
	_ "gocloud.dev/blob/gcsblob"   // the scheme gs
	"gocloud.dev/gcerrors"
)

// A Bucket implements [driver.Bucket]. Make one with [Open]. Its errors name neither
// hosts nor accounts.
type Bucket struct {
	bucket *blob.Bucket
	versions
}

var _ driver.Bucket = (*Bucket)(nil)

// versions name versions of objects, and set conditions on requests, as a store does. The
// function as is that of gocloud.dev.
type versions interface {
	etag(at *blob.Attributes) (string, error)
	read(as func(any) bool, etag string) error
	write(as func(any) bool, opts driver.WriteOptions) error
	remove(as func(any) bool, etag string) error
}

// Open returns the bucket of a URL: gs://BUCKET/PREFIX of Google, or
// azblob://CONTAINER/PREFIX of Azure. Keys may be any names. Credentials come from where
// the tools of Google and Azure take them: GOOGLE_APPLICATION_CREDENTIALS, or
// AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY, or what the platform gives. The query is
// that of gocloud.dev.
func Open(ctx context.Context, rawURL string) (*Bucket, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return nil, errors.New("the URL of the bucket must be like gs://BUCKET/PREFIX or azblob://CONTAINER/PREFIX, without keys")
	}
	b := &Bucket{}
	switch u.Scheme {
	case "gs":
		b.versions = google{}
	case "azblob":
		b.versions = microsoft{}
	default:
		return nil, errors.New("the URL of the bucket must begin with gs:// or azblob://")
	}
	prefix := strings.Trim(u.Path, "/")
	u.Path, u.RawPath = "", ""
	if b.bucket, err = blob.OpenBucket(ctx, u.String()); err != nil {
		return nil, errors.New("the bucket cannot be opened: check the query of its URL and the credentials of the environment")
	}
	if prefix != "" {
		b.bucket = blob.PrefixedBucket(b.bucket, prefix+"/")
	}
	return b, nil
}

// Attributes implements [driver.Bucket].
func (b *Bucket) Attributes(ctx context.Context, key string) (driver.Attributes, error) {
	at, err := b.bucket.Attributes(ctx, key)
	if err != nil {
		return driver.Attributes{}, b.fault(ctx, err)
	}
	etag, err := b.etag(at)
	return driver.Attributes{ETag: etag, Size: at.Size, ModTime: at.ModTime}, err
}

// Read implements [driver.Bucket]. It takes two requests, as the first tells the version.
func (b *Bucket) Read(ctx context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	at, err := b.Attributes(ctx, key)
	switch {
	case err != nil:
		return nil, at, err
	case opts.IfMatch != "" && opts.IfMatch != at.ETag:
		return nil, at, errOther
	case opts.Offset > at.Size:
		return nil, at, &storeError{text: "a read beyond the end of an object"}
	case opts.Offset == at.Size:
		return io.NopCloser(strings.NewReader("")), at, nil
	}
	length := at.Size - opts.Offset
	if opts.Length > 0 {
		length = min(length, opts.Length)
	}
	r, err := b.bucket.NewRangeReader(ctx, key, opts.Offset, length, &blob.ReaderOptions{
		BeforeRead: func(as func(any) bool) error { return b.read(as, at.ETag) },
	})
	if err != nil {
		err = b.fault(ctx, err)
		if b.ErrorKind(err) == driver.NotFound {
			err = errOther // it was there just now
		}
		return nil, at, err
	}
	return &body{r, b, ctx}, at, nil
}

// A body has errors of this package. It has no Seek, which would ask again without a
// condition.
type body struct {
	r      *blob.Reader
	bucket *Bucket
	ctx    context.Context
}

func (r *body) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		err = r.bucket.fault(r.ctx, err)
	}
	return n, err
}

func (r *body) Close() error { return r.r.Close() }

// writeName names the metadata that tells writes apart.
const writeName = "citekit_write"

// Write implements [driver.Bucket]. It takes two requests, as the second tells the version.
func (b *Bucket) Write(ctx context.Context, key string, content io.Reader, opts driver.WriteOptions) (driver.Attributes, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // which gives up what was not closed
	nonce := rand.Text()
	w, err := b.bucket.NewWriter(ctx, key, &blob.WriterOptions{
		Metadata:    map[string]string{writeName: nonce},
		ContentType: "application/octet-stream", DisableContentTypeDetection: true,
		BeforeWrite: func(as func(any) bool) error { return b.write(as, opts) },
	})
	if err != nil {
		return driver.Attributes{}, b.fault(ctx, err)
	}
	head := new(bytes.Buffer) // most objects are small: they are read before the request begins
	_, err = io.Copy(head, io.LimitReader(content, 1<<20))
	var n int64
	if err == nil {
		if n, err = io.Copy(struct{ io.Writer }{w}, ctxio.Reader(ctx, io.MultiReader(head, content))); err == nil && opts.Size >= 0 && n != opts.Size {
			err = fmt.Errorf("the body has %d bytes where %d were said", n, opts.Size)
		}
	}
	if err != nil {
		cancel()
		_ = w.Close()
		if gcerrors.Code(err) != gcerrors.Unknown {
			err = b.fault(ctx, err)
		}
		return driver.Attributes{}, err
	}
	failed := b.fault(ctx, w.Close())
	if failed != nil && b.ErrorKind(failed) != driver.Conflict {
		return driver.Attributes{}, failed
	}
	at, err := b.bucket.Attributes(ctx, key)
	switch {
	case err == nil && at.Metadata[writeName] == nonce: // even after a conflict: the answer to an earlier attempt was lost
		etag, err := b.etag(at)
		return driver.Attributes{ETag: etag, Size: at.Size, ModTime: at.ModTime}, err
	case failed != nil:
		return driver.Attributes{}, failed
	case err == nil, gcerrors.Code(err) == gcerrors.NotFound:
		// It was replaced or deleted at once: no object has this version any more.
		return driver.Attributes{ETag: "gone-" + nonce, Size: n, ModTime: time.Now()}, nil
	}
	return driver.Attributes{}, b.fault(ctx, err)
}

// Delete implements [driver.Bucket].
func (b *Bucket) Delete(ctx context.Context, key, ifMatch string) error {
	if ifMatch == "" {
		return b.fault(ctx, b.bucket.Delete(ctx, key))
	}
	err := b.bucket.DeleteWithOptions(ctx, key, &blob.DeleteOptions{
		BeforeDelete: func(as func(any) bool) error { return b.remove(as, ifMatch) },
	})
	return b.fault(ctx, err)
}

// List implements [driver.Bucket]. These stores begin a listing at a page and not after a
// key: what is before After is read and left out.
func (b *Bucket) List(ctx context.Context, opts driver.ListOptions) (driver.Page, error) {
	all := b.bucket.List(&blob.ListOptions{Prefix: opts.Prefix, BeforeList: func(as func(any) bool) error {
		var query *storage.Query
		if as(&query) && opts.After != "" {
			query.StartOffset = query.Prefix[:len(query.Prefix)-len(opts.Prefix)] + opts.After
		}
		return nil
	}})
	var page driver.Page
	for {
		o, err := all.Next(ctx)
		switch {
		case err == io.EOF:
			return page, nil
		case err != nil:
			return driver.Page{}, b.fault(ctx, err)
		case o.Key <= opts.After:
		case len(page.Objects) == opts.Limit:
			page.More = true
			return page, nil
		default:
			page.Objects = append(page.Objects, driver.Object{Key: o.Key, Attributes: driver.Attributes{Size: o.Size, ModTime: o.ModTime}})
		}
	}
}

// Close implements [driver.Bucket].
func (b *Bucket) Close() error { return b.bucket.Close() }

var (
	errOther = &storeError{kind: driver.Conflict, text: "the object is another version"}
	errAs    = &storeError{text: "this version of the driver sets no conditions"}
)

// A storeError is what a store answered, without hosts and accounts.
type storeError struct {
	kind driver.ErrorKind
	text string
}

func (e *storeError) Error() string { return "object store: " + e.text }

// ErrorKind implements [driver.Bucket].
func (b *Bucket) ErrorKind(err error) driver.ErrorKind {
	var store *storeError
	if errors.As(err, &store) {
		return store.kind
	}
	return driver.Failed
}

// fault returns the error of a request for callers, or nil.
func (b *Bucket) fault(ctx context.Context, err error) error {
	var own *storeError
	switch code := gcerrors.Code(err); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &own):
		return own
	case code == gcerrors.NotFound:
		return &storeError{kind: driver.NotFound, text: "there is no such object"}
	case code == gcerrors.FailedPrecondition, code == gcerrors.AlreadyExists:
		return errOther
	default:
		return &storeError{text: code.String()}
	}
}

// google names versions by their generation.
type google struct{}

func (google) etag(at *blob.Attributes) (string, error) {
	var attrs storage.ObjectAttrs
	if !at.As(&attrs) {
		return "", errAs
	}
	return strconv.FormatInt(attrs.Generation, 10), nil
}

// handle returns the handle of the object of a request.
func (google) handle(as func(any) bool, etag string) (h **storage.ObjectHandle, generation int64, err error) {
	if !as(&h) {
		return nil, 0, errAs
	}
	if etag == "" {
		return h, 0, nil
	}
	if generation, err = strconv.ParseInt(etag, 10, 64); err != nil || generation == 0 {
		err = errOther // a version of another store
	}
	return h, generation, err
}

func (g google) read(as func(any) bool, etag string) error {
	h, generation, err := g.handle(as, etag)
	if err == nil {
		*h = (*h).If(storage.Conditions{GenerationMatch: generation})
	}
	return err
}

func (g google) write(as func(any) bool, opts driver.WriteOptions) error {
	h, generation, err := g.handle(as, opts.IfMatch)
	switch {
	case err != nil:
	case opts.IfAbsent:
		*h = (*h).If(storage.Conditions{DoesNotExist: true})
	case opts.IfMatch != "":
		*h = (*h).If(storage.Conditions{GenerationMatch: generation})
	}
	return err
}

func (g google) remove(as func(any) bool, etag string) error {
	h, generation, err := g.handle(as, etag)
	if err == nil {
		*h = (*h).If(storage.Conditions{GenerationMatch: generation})
	}
	return err
}

// microsoft names versions by their ETag.
type microsoft struct{}

func (microsoft) etag(at *blob.Attributes) (string, error) { return at.ETag, nil }

func match(etag string) *azure.AccessConditions {
	tag := azcore.ETag(etag)
	return &azure.AccessConditions{ModifiedAccessConditions: &azure.ModifiedAccessConditions{IfMatch: &tag}}
}

func (microsoft) read(as func(any) bool, etag string) error {
	var opts *azblob.DownloadStreamOptions
	if !as(&opts) {
		return errAs
	}
	opts.AccessConditions = match(etag)
	return nil
}

func (microsoft) write(as func(any) bool, w driver.WriteOptions) error {
	var opts *azblob.UploadStreamOptions
	if !as(&opts) {
		return errAs
	}
	switch any := azcore.ETagAny; {
	case w.IfAbsent:
		opts.AccessConditions = &azure.AccessConditions{ModifiedAccessConditions: &azure.ModifiedAccessConditions{IfNoneMatch: &any}}
	case w.IfMatch != "":
		opts.AccessConditions = match(w.IfMatch)
	}
	return nil
}

func (microsoft) remove(as func(any) bool, etag string) error {
	var opts *azblob.DeleteBlobOptions
	if !as(&opts) {
		return errAs
	}
	opts.AccessConditions = match(etag)
	return nil
}
