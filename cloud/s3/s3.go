// Package s3 is a [driver.Bucket] in S3 or a compatible object store, such as those of
// MinIO, Ceph, Cloudflare and versitygw.
//
// The store must have conditional writes (If-Match and If-None-Match of PUT), reads after
// writes that see them, and listings in the order of bytes; AWS has them.
//
// # Deletion on a condition
//
// Few stores delete on a condition. A deletion that names a version therefore replaces
// it, on that condition, by a mark, which the methods of [Bucket] take for no object.
// The mark stays, with a few bytes, until something is written under its key, or the
// key is deleted without a condition.
package s3

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit/workspace/driver"
	"github.com/minio/minio-go/v7"
)

// Options are the options of [Open]. The zero value is ready to use.
type Options struct {
	// AnyKey lets keys be any names of objects below the prefix, as those of sources
	// are. Otherwise they are those that [driver.Bucket] allows.
	AnyKey bool

	// Attempts is how often a request is made if the store is late, answers that it is
	// busy, or breaks the connection; zero means 6. The wait between two doubles, from a
	// fifth of a second to one second.
	Attempts int

	// Transport makes the requests; nil means one of its own.
	Transport http.RoundTripper
}

// A Bucket implements [driver.Bucket]. Make one with [Open].
//
// Its errors tell what the store answered in the words of the protocol, but name
// neither hosts nor accounts, nor what the store wrote.
type Bucket struct {
	client   *minio.Core
	name     string
	prefix   string
	anyKey   bool
	attempts int
	traffic  traffic
}

// Requests returns how many requests were made, with those that were made again, and how
// many of them the store did not answer, or answered that it is busy or at fault.
func (b *Bucket) Requests() (made, failed int64) {
	return b.traffic.requests.Load(), b.traffic.failures.Load()
}

// Keys returns the access key of the bucket, its secret and the token of its session, or
// "", for other services of the same account.
func (b *Bucket) Keys() (id, secret, session string, err error) {
	keys, err := b.client.GetCreds()
	return keys.AccessKeyID, keys.SecretAccessKey, keys.SessionToken, err
}

// Key returns the key of the object with a name in a bucket of the account, if it is one
// of b, whose keys are any names.
func (b *Bucket) Key(bucket, name string) (key string, ok bool) {
	key, ok = strings.CutPrefix(name, b.prefix)
	return key, ok && b.anyKey && bucket == b.name && key != ""
}

var _ driver.Bucket = (*Bucket)(nil)

// Place names the server, the bucket and the prefix, whatever else the URL says.
func (b *Bucket) Place() string {
	return b.client.EndpointURL().Host + "/" + b.name + "/" + b.prefix
}

const (
	attempts = 6

	// maxPut is the largest object in bytes: what S3 takes in one request.
	maxPut = 5 << 30

	// maxName is the longest name of an object in bytes.
	maxName = 1024
)

// Open returns the bucket of a URL, such as
//
//	s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION
//
// A server other than that of AWS needs an endpoint; one that begins with "http:" is
// called without encryption. path_style says whether the bucket is named in the path, and
// not in the host; if it is not given, that is so for all but AWS. Keys come from the
// file of credentials=FILE, else from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with
// AWS_SESSION_TOKEN), else from ~/.aws/credentials (or AWS_SHARED_CREDENTIALS_FILE), of
// the profile of profile=NAME or AWS_PROFILE, else from the token that a platform such as
// Kubernetes gives. A URL with keys in it is an error. Open makes no request. A nil opts
// means the defaults.
func Open(rawURL string, opts *Options) (*Bucket, error) {
	if opts == nil {
		opts = new(Options)
	}
	at, err := parse(rawURL)
	if err != nil {
		return nil, err
	}
	if !opts.AnyKey && len(objectName(strings.Repeat("k", driver.MaxKey)))+len(at.prefix) > maxName {
		return nil, fmt.Errorf("the prefix of the bucket's URL has %d bytes; at most %d", len(at.prefix), maxName-len(objectName(strings.Repeat("k", driver.MaxKey))))
	}
	keys, err := at.credentials()
	if err != nil {
		return nil, err
	}
	transport := opts.Transport
	if transport == nil {
		own, err := minio.DefaultTransport(at.secure)
		if err != nil {
			return nil, err
		}
		own.MaxIdleConnsPerHost = 64
		transport = own
	}
	b := &Bucket{name: at.bucket, prefix: at.prefix, anyKey: opts.AnyKey, attempts: opts.Attempts}
	if b.attempts <= 0 {
		b.attempts = attempts
	}
	b.client, err = minio.NewCore(at.host, &minio.Options{
		Creds: keys, Secure: at.secure, Region: at.region, BucketLookup: at.lookup,
		MaxRetries: b.attempts, Transport: noted{transport, &b.traffic},
	})
	if err != nil {
		return nil, errors.New("the endpoint, the region or the bucket of the URL is not valid")
	}
	return b, nil
}

// segment is the length of the parts of a key's name: stores that keep objects in
// files allow no more than 255 bytes between two slashes.
const segment = 200

// objectName writes a key so that no part of it is longer than a file's name may be. The
// names of keys have the order of the keys, and none is a folder of another.
func objectName(key string) string {
	var name strings.Builder
	for len(key) > segment {
		name.WriteString(key[:segment] + "./")
		key = key[segment:]
	}
	name.WriteString(key)
	return name.String()
}

func (b *Bucket) object(key string) string {
	if b.anyKey {
		return b.prefix + key
	}
	return b.prefix + objectName(key)
}

// key returns the key of an object's name.
func (b *Bucket) key(name string) string {
	name = strings.TrimPrefix(name, b.prefix)
	if b.anyKey {
		return name
	}
	return strings.ReplaceAll(name, "./", "")
}

// Attributes implements [driver.Bucket].
func (b *Bucket) Attributes(ctx context.Context, key string) (driver.Attributes, error) {
	at, deleted, err := b.stat(ctx, key)
	if err == nil && deleted {
		err = errMissing
	}
	return at, err
}

// stat also reports whether an object is the mark of a deletion.
func (b *Bucket) stat(ctx context.Context, key string) (at driver.Attributes, deleted bool, err error) {
	info, err := b.client.StatObject(ctx, b.name, b.object(key), minio.StatObjectOptions{})
	if err != nil {
		return driver.Attributes{}, false, b.missing(ctx, b.fault(ctx, err))
	}
	if info.ETag == "" {
		return driver.Attributes{}, false, errNoTag
	}
	return driver.Attributes{ETag: info.ETag, Size: info.Size, ModTime: info.LastModified}, isMark(info), nil
}

// missing returns err or, if that says that there is no object because there is not even
// the bucket, an error that says so: the answer to a HEAD does not tell.
func (b *Bucket) missing(ctx context.Context, err error) error {
	if b.ErrorKind(err) != driver.NotFound {
		return err
	}
	if there, failed := b.client.BucketExists(ctx, b.name); failed == nil && !there {
		return errNoBucket
	}
	return err // also if these keys may not ask
}

// Read implements [driver.Bucket]. A body whose connection breaks goes on where it was,
// in the same version.
func (b *Bucket) Read(ctx context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	body, at, err := b.read(ctx, key, opts)
	if err != nil {
		return nil, driver.Attributes{}, err
	}
	left := max(at.Size-opts.Offset, 0)
	if opts.Length > 0 {
		left = min(left, opts.Length)
	}
	r := &reader{ctx: ctx, bucket: b, key: key, body: body, etag: at.ETag, at: opts.Offset, left: left, attempts: b.attempts}
	return r, at, nil
}

// read makes one request.
func (b *Bucket) read(ctx context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	var get minio.GetObjectOptions
	if opts.Offset > 0 || opts.Length > 0 {
		last := int64(0)
		if opts.Length > 0 {
			last = opts.Offset + opts.Length - 1
		}
		if err := get.SetRange(opts.Offset, last); err != nil {
			return nil, driver.Attributes{}, err
		}
	}
	if opts.IfMatch != "" {
		if err := get.SetMatchETag(opts.IfMatch); err != nil {
			return nil, driver.Attributes{}, err
		}
	}
	body, info, header, err := b.client.GetObject(ctx, b.name, b.object(key), get)
	if minio.ToErrorResponse(err).Code == minio.InvalidRange {
		return b.readEnd(ctx, key, opts, err)
	}
	if err != nil {
		return nil, driver.Attributes{}, b.fault(ctx, err)
	}
	at := driver.Attributes{ETag: info.ETag, Size: info.Size, ModTime: info.LastModified}
	if whole := header.Get("Content-Range"); whole != "" {
		_, total, _ := strings.Cut(whole, "/")
		if at.Size, err = strconv.ParseInt(total, 10, 64); err != nil {
			err = errors.New("the store does not tell the size of an object")
		}
	} else if opts.Offset > 0 {
		err = errors.New("the store answers a range with the whole object")
	}
	switch {
	case err != nil:
	case isMark(info):
		err = errMissing
	case at.ETag == "":
		err = errNoTag
	case opts.IfMatch != "" && opts.IfMatch != at.ETag:
		err = errOther // a store that ignores If-Match
	}
	if err != nil {
		body.Close()
		return nil, driver.Attributes{}, err
	}
	return body, at, nil
}

// readEnd answers a range that the store refused: one at the end of the object is empty.
func (b *Bucket) readEnd(ctx context.Context, key string, opts driver.ReadOptions, refused error) (io.ReadCloser, driver.Attributes, error) {
	at, err := b.Attributes(ctx, key)
	switch {
	case err != nil:
	case opts.IfMatch != "" && opts.IfMatch != at.ETag:
		err = errOther
	case opts.Offset != at.Size:
		err = b.fault(ctx, refused)
	}
	return io.NopCloser(strings.NewReader("")), at, err
}

// Write implements [driver.Bucket]. An object has at most 5 GiB. If the size of body is
// not known, or the store might have to be asked again, body is first written to memory
// or a temporary file.
func (b *Bucket) Write(ctx context.Context, key string, body io.Reader, opts driver.WriteOptions) (driver.Attributes, error) {
	spooled, size, err := spool(ctx, body, opts.Size)
	if err != nil {
		return driver.Attributes{}, err
	}
	defer spooled.Close()
	at, err := b.put(ctx, key, spooled, size, objectType, opts)
	if !opts.IfAbsent || b.ErrorKind(err) != driver.Conflict {
		return at, err
	}
	now, deleted, statErr := b.stat(ctx, key)
	if statErr != nil || !deleted {
		return at, err
	}
	if _, err := spooled.Seek(0, io.SeekStart); err != nil {
		return at, err
	}
	return b.put(ctx, key, spooled, size, objectType, driver.WriteOptions{IfMatch: now.ETag})
}

func (b *Bucket) put(ctx context.Context, key string, body io.ReadSeeker, size int64, mediaType string, opts driver.WriteOptions) (driver.Attributes, error) {
	if size > maxPut {
		return driver.Attributes{}, fmt.Errorf("an object of %d bytes; at most %d", size, int64(maxPut))
	}
	put := minio.PutObjectOptions{
		ContentType: mediaType, DisableMultipart: true, SendContentMd5: true,
		DisableContentSha256: size == 0, // a stream of nothing has no length that all stores accept
		UserMetadata:         map[string]string{writeName: rand.Text()},
	}
	if opts.IfAbsent {
		put.SetMatchETagExcept("*")
	}
	if opts.IfMatch != "" {
		put.SetMatchETag(opts.IfMatch)
	}
	var log requests
	info, err := b.client.Client.PutObject(context.WithValue(ctx, requestsKey{}, &log), b.name, b.object(key), body, size, put)
	if err = b.fault(ctx, err); err != nil {
		if b.ErrorKind(err) != driver.Conflict || log.made < 2 {
			return driver.Attributes{}, err
		}
		// It is in conflict with itself if the answer to an earlier request was lost.
		there, statErr := b.client.StatObject(ctx, b.name, b.object(key), minio.StatObjectOptions{})
		if statErr != nil || there.UserMetadata[writeName] != put.UserMetadata[writeName] {
			return driver.Attributes{}, err
		}
		info.ETag, info.LastModified = there.ETag, there.LastModified
	}
	if info.ETag == "" {
		return driver.Attributes{}, errNoTag
	}
	at := driver.Attributes{ETag: info.ETag, Size: size, ModTime: info.LastModified}
	if at.ModTime.IsZero() {
		at.ModTime = log.answered
	}
	return at, nil
}

// writeName names the metadata that tells writes apart.
const writeName = "Citekit-Write"

// Delete implements [driver.Bucket].
func (b *Bucket) Delete(ctx context.Context, key, ifMatch string) error {
	if ifMatch == "" {
		err := b.client.RemoveObject(ctx, b.name, b.object(key), minio.RemoveObjectOptions{})
		return b.fault(ctx, err)
	}
	// The mark is itself a version that nothing else has.
	mark := strings.NewReader(rand.Text()[:markSize])
	_, err := b.put(ctx, key, mark, mark.Size(), markType, driver.WriteOptions{IfMatch: ifMatch})
	return err
}

// Objects and marks of deletions are told apart by their media types.
const (
	objectType = "application/octet-stream"
	markType   = "application/vnd.citekit.deleted"
	markSize   = 26 // bytes
)

func isMark(info minio.ObjectInfo) bool { return info.ContentType == markType }

// List implements [driver.Bucket].
func (b *Bucket) List(ctx context.Context, opts driver.ListOptions) (driver.Page, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	list := minio.ListObjectsOptions{Prefix: b.object(opts.Prefix), Recursive: true, MaxKeys: min(opts.Limit+1, 1000)}
	if opts.After != "" {
		list.StartAfter = b.object(opts.After)
	}
	var page driver.Page
	for info := range b.client.ListObjectsIter(ctx, b.name, list) {
		if info.Err != nil {
			return driver.Page{}, b.fault(ctx, info.Err)
		}
		object := driver.Object{Key: b.key(info.Key), Attributes: driver.Attributes{ETag: info.ETag, Size: info.Size, ModTime: info.LastModified}}
		if object.Size == markSize && !b.anyKey {
			_, deleted, err := b.stat(ctx, object.Key)
			if deleted || b.ErrorKind(err) == driver.NotFound {
				continue
			}
			if err != nil {
				return driver.Page{}, err
			}
		}
		if len(page.Objects) == opts.Limit {
			page.More = true
			break
		}
		page.Objects = append(page.Objects, object)
	}
	return page, ctx.Err()
}

// Close implements [driver.Bucket].
func (b *Bucket) Close() error { return nil }

// requests are those that were made for a write.
type requests struct {
	made     int
	answered time.Time // the last, by the clock of the store, which the answer does not tell otherwise
}

// requestsKey is the key of the context under which a noted transport finds the requests.
type requestsKey struct{}

// traffic counts requests.
type traffic struct{ requests, failures atomic.Int64 }

type noted struct {
	http.RoundTripper
	*traffic
}

func (d noted) RoundTrip(req *http.Request) (*http.Response, error) {
	log, _ := req.Context().Value(requestsKey{}).(*requests)
	if log != nil {
		log.made++
	}
	resp, err := d.RoundTripper.RoundTrip(req)
	d.requests.Add(1)
	if err != nil && req.Context().Err() == nil || err == nil && (resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests) {
		d.failures.Add(1)
	}
	if err != nil {
		return nil, err
	}
	if log != nil {
		if log.answered, err = http.ParseTime(resp.Header.Get("Date")); err != nil {
			log.answered = time.Now()
		}
	}
	return resp, nil
}
