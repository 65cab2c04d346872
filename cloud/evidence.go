package cloud

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/internal/blockcache"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/jackc/pgx/v5"
)

const (
	maxInline       = 32 << 10 // bytes of content that stay in the row
	maxMeta         = 1 << 20  // bytes of a description
	maxEvidenceName = 240      // bytes
)

// found is evidence that was looked up.
type found struct {
	meta    citekit.EvidenceMeta
	sha256  string
	inline  []byte // the content, if it has no object
	content string // key of the object; "" if there is none
	etag    string
}

func (f found) stored() *citekit.StoredEvidence {
	return &citekit.StoredEvidence{EvidenceMeta: f.meta, Path: pathOf(f.meta.Name), SHA256: f.sha256}
}

// pathOf returns the made-up path of evidence.
func pathOf(name string) string { return "cloud:/" + name }

func checkKey(key string) error {
	if len(key) < 8 || len(key) > 128 || !ctxio.IsHex(key) {
		return fmt.Errorf("the evidence key is not 8 to 128 hex digits: %w", citekit.ErrSyntax)
	}
	return nil
}

// checkEvidenceName returns an error unless name may be that of a file anywhere.
func checkEvidenceName(name string) error {
	device, _, _ := strings.Cut(strings.ToLower(name), ".")
	isDevice := slices.Contains([]string{"con", "prn", "aux", "nul"}, device) ||
		len(device) == 4 && (strings.HasPrefix(device, "com") || strings.HasPrefix(device, "lpt")) && '0' <= device[3] && device[3] <= '9'
	if name == "" || name[0] == '.' || len(name) > maxEvidenceName || strings.ContainsAny(name, "/\\:*?\"<>|\x00") || isDevice || !fs.ValidPath(name) {
		return fmt.Errorf("%q cannot be the name of an evidence file: %w", name, citekit.ErrSyntax)
	}
	return nil
}

// markEvery is how precisely it is known when evidence was used.
const markEvery = 5 * time.Minute

// maxRecent is of how much evidence a process remembers where it is.
const maxRecent = 1 << 14

// find returns the evidence of a key, if it is undamaged.
func (w *Workspace) find(ctx context.Context, key string) (f found, err error) {
	was, ok := w.recent.Peek(key)
	if !ok {
		if f, err = w.findRow(ctx, key); err == nil {
			err = w.checkObject(ctx, key, f)
		}
		return f, err
	}
	checked := make(chan error, 1)
	go func() { checked <- w.checkObject(ctx, key, was) }()
	if f, err = w.findRow(ctx, key); err == nil && f.content != was.content {
		return f, w.checkObject(ctx, key, f)
	}
	return f, cmp.Or(err, <-checked)
}

// checkObject returns an error unless the object of evidence, if it has one, still has
// the ETag that it was written with.
func (w *Workspace) checkObject(ctx context.Context, key string, f found) error {
	if f.content != "" {
		at, err := w.bucket.Attributes(ctx, f.content)
		if err != nil {
			return w.bucketFault(ctx, err)
		}
		if at.ETag != f.etag || at.Size != f.meta.Size {
			return missing("undamaged evidence")
		}
	}
	w.remember(key, f)
	return nil
}

// remember remembers where evidence is.
func (w *Workspace) remember(key string, f found) {
	w.recent.Put(key, found{content: f.content, etag: f.etag, meta: citekit.EvidenceMeta{Size: f.meta.Size}})
}

// findRow is find without a look at the object.
func (w *Workspace) findRow(ctx context.Context, key string) (f found, err error) {
	if checkKey(key) != nil {
		return f, missing("evidence")
	}
	text, args := findEvidence, []any{key, markEvery}
	if w.readOnly {
		text, args = selectEvidence, args[:1]
	}
	var meta []byte
	err = w.row(ctx, repeating, f.columns(&meta), text, args...)
	if errors.Is(err, pgx.ErrNoRows) {
		return f, missing("evidence")
	}
	if err != nil {
		return f, err
	}
	return f, f.check(meta)
}

const (
	selectEvidence = `SELECT meta, sha256, inline, coalesce(content, ''), coalesce(etag, '') FROM {s}.evidence WHERE key = $1`
	findEvidence   = `WITH touched AS (UPDATE {s}.evidence SET used = now() WHERE key = $1 AND used < now() - $2::interval) ` + selectEvidence
)

// columns are where those of a row go.
func (f *found) columns(meta *[]byte) []any {
	return []any{meta, &f.sha256, &f.inline, &f.content, &f.etag}
}

// check takes the description of evidence, and returns an error unless what is in its row
// is undamaged.
func (f *found) check(meta []byte) error {
	if json.Unmarshal(meta, &f.meta) != nil || f.content == "" && (int64(len(f.inline)) != f.meta.Size || ctxio.HashOf(f.inline) != f.sha256) {
		return missing("undamaged evidence")
	}
	return nil
}

// bucketFault returns an error of the bucket as the error for the caller.
func (w *Workspace) bucketFault(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case w.bucket.ErrorKind(err) != driver.Failed:
		return missing("evidence")
	}
	return &storeError{bucketFault, err}
}

// FindEvidence implements [citekit.EvidenceStore].
func (w *Workspace) FindEvidence(ctx context.Context, key string) (*citekit.StoredEvidence, error) {
	f, err := w.find(ctx, key)
	w.count(err)
	if err != nil {
		return nil, err
	}
	return f.stored(), nil
}

// count counts a look for evidence that ended so.
func (w *Workspace) count(err error) {
	switch {
	case err == nil:
		w.hits.Add(1)
	case errors.Is(err, fs.ErrNotExist):
		w.misses.Add(1)
	}
}

// OpenEvidence implements [citekit.EvidenceOpener]. Large content that was deleted or
// replaced can be read on for a day. Where the workspace has a cache, what is returned
// implements LocalFile, as a source does.
func (w *Workspace) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	f, ok := w.foundLately(ctx, key)
	if !ok {
		var err error
		if f, err = w.find(ctx, key); err != nil {
			return nil, nil, err
		}
		w.noteFound(ctx, key, f)
	}
	return w.openFound(ctx, key, f)
}

// asides keeps what is kept beside sources as evidence. It opens that without a look at
// its object: whoever reads it checks it.
type asides struct{ *Workspace }

func (a asides) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	f, err := a.findRow(ctx, key)
	if err != nil {
		return nil, nil, err
	}
	return a.openFound(ctx, key, f)
}

// openFound opens evidence that was looked up.
func (w *Workspace) openFound(ctx context.Context, key string, f found) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	if f.content == "" {
		return closer{bytes.NewReader(f.inline), func() error { return nil }}, f.stored(), nil
	}
	reading, cancel := context.WithCancel(context.WithoutCancel(ctx)) // until it is closed
	fetch := func(ctx context.Context, offset, n int64) (io.ReadCloser, error) {
		body, _, err := w.bucket.Read(ctx, f.content, driver.ReadOptions{Offset: offset, Length: n, IfMatch: f.etag})
		if err != nil {
			w.opened.Put(key, openedEvidence{})
			return nil, w.bucketFault(ctx, err)
		}
		return body, nil
	}
	if w.cache != nil {
		object := blockcache.Object{ID: f.content, Size: f.meta.Size, SHA256: f.sha256, Fetch: fetch}
		return cached{w.cache.Open(reading, object), cancel}, f.stored(), nil
	}
	open := func(offset int64) (io.ReadCloser, error) { return fetch(reading, offset, 0) }
	body, err := open(0)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	if whole, ok := body.(io.ReadSeekCloser); ok {
		return closer{whole, func() error { cancel(); return whole.Close() }}, f.stored(), nil
	}
	ranged := ctxio.NewRanged(f.meta.Size, body, open)
	return closer{ranged, func() error { cancel(); return ranged.Close() }}, f.stored(), nil
}

// cached is evidence that is read through the cache.
type cached struct {
	*blockcache.File
	cancel context.CancelFunc
}

func (c cached) Close() error {
	c.cancel()
	return c.File.Close()
}

// StoreEvidence implements [citekit.EvidenceStore]. The content is stored before the
// row that refers to it.
func (w *Workspace) StoreEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	err := errors.Join(checkKey(key), checkEvidenceName(meta.Name), ctx.Err())
	var f found
	if err == nil {
		f, err = w.storeEvidence(ctx, key, meta, body)
	}
	if err != nil {
		return nil, fmt.Errorf("store the evidence: %w", err)
	}
	w.remember(key, f)
	return f.stored(), nil
}

func (w *Workspace) storeEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (f found, err error) {
	in := ctxio.NewSized(ctxio.Reader(ctx, body), meta.Size)
	first, err := io.ReadAll(io.LimitReader(in, maxInline+1))
	if err != nil {
		return f, err
	}
	meta.Preview = slices.Clone(meta.Preview)
	f.meta = meta
	if len(first) <= maxInline {
		f.inline, f.meta.Size, f.sha256 = first, in.Size(), in.Sum()
		return f, w.putRow(ctx, key, f)
	}
	if err := w.ensureMark(ctx); err != nil {
		return f, asNotStored(err)
	}
	if w.tagsAreSums.Load() {
		rest, err := io.ReadAll(io.LimitReader(in, maxTogether-maxInline))
		if err != nil {
			return f, err
		}
		if first = append(first, rest...); len(first) <= maxTogether {
			f.meta.Size, f.sha256 = in.Size(), in.Sum()
			if f.content, err = w.reserve(ctx, f.meta.Size); err != nil {
				return f, asNotStored(err)
			}
			return w.putTogether(ctx, key, f, first)
		}
	}
	if f.content, err = w.reserve(ctx, meta.Size); err != nil {
		return f, asNotStored(err)
	}
	if f.etag, err = w.putContent(ctx, f.content, meta.Size, io.MultiReader(bytes.NewReader(first), in)); err != nil {
		return f, cmp.Or(in.Err(), err)
	}
	f.meta.Size, f.sha256 = in.Size(), in.Sum()
	return f, w.putRow(ctx, key, f)
}

// maxTogether is the most content whose object and row are written at the same time, in
// bytes.
const maxTogether = 4 << 20

// sumOf returns the ETag of content where ETags are MD5.
func sumOf(content []byte) string {
	sum := md5.Sum(content) // which tells versions apart, and proves nothing
	return hex.EncodeToString(sum[:])
}

// putTogether writes an object and, at the same time, the row that refers to it: who
// finds only the row finds damaged evidence. Both are there when it returns.
func (w *Workspace) putTogether(ctx context.Context, key string, f found, content []byte) (found, error) {
	f.etag = sumOf(content)
	putting, cancel := context.WithCancel(ctx)
	defer cancel()
	put := make(chan error, 1)
	var etag string
	go func() {
		var err error
		etag, err = w.putContent(putting, f.content, f.meta.Size, bytes.NewReader(content))
		put <- err
	}()
	err := w.putRow(ctx, key, f)
	if err != nil {
		cancel()
	}
	switch putErr := <-put; {
	case err != nil:
		return f, err
	case putErr != nil:
		_, _ = w.exec(context.WithoutCancel(ctx), repeating, `DELETE FROM {s}.evidence WHERE key = $1 AND content = $2`, key, f.content)
		return f, putErr
	case etag != f.etag:
		w.tagsAreSums.Store(false)
		f.etag = etag
		_, err = w.exec(ctx, repeating, `UPDATE {s}.evidence SET etag = $3 WHERE key = $1 AND content = $2`, key, f.content, etag)
	}
	return f, asNotStored(err)
}

// notStored is an error of the store that also matches [citekit.ErrNotStored].
type notStored struct{ error }

func (e notStored) Unwrap() []error { return []error{e.error, citekit.ErrNotStored} }

func asNotStored(err error) error {
	var fault *storeError
	if errors.As(err, &fault) {
		return notStored{err}
	}
	return err
}

// contentPrefix begins the keys of the objects of the store.
func (w *Workspace) contentPrefix() string { return "content-" + w.id + "-" }

// newContent returns the key of an object that nobody has.
func (w *Workspace) newContent() string { return w.contentPrefix() + strings.ToLower(rand.Text()) }

// reserve returns the key of an object that is to be written, which counts as garbage
// until a row refers to it: nobody who is killed leaves an object that nothing knows.
func (w *Workspace) reserve(ctx context.Context, size int64) (content string, err error) {
	if content = w.stock.take(); content != "" {
		return content, nil
	}
	content = w.newContent()
	_, err = w.exec(ctx, repeating, `INSERT INTO {s}.garbage (key, size) VALUES ($1, $2) ON CONFLICT DO NOTHING`, content, size)
	return content, err
}

// putContent writes an object whose key is reserved.
func (w *Workspace) putContent(ctx context.Context, content string, size int64, body io.Reader) (etag string, err error) {
	at, err := w.bucket.Write(ctx, content, body, driver.WriteOptions{Size: size, IfAbsent: true})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", notStored{&storeError{bucketFault, err}}
	}
	return at.ETag, nil
}

// putRow stores the row of evidence. An object that it refers to is then no garbage any
// more; what the row before referred to becomes garbage by a trigger.
func (w *Workspace) putRow(ctx context.Context, key string, f found) error {
	meta, err := json.Marshal(f.meta)
	if err != nil {
		return err
	}
	if len(meta) > maxMeta {
		return fmt.Errorf("the description of the evidence has %d bytes; at most %d: %w", len(meta), maxMeta, citekit.ErrTooLarge)
	}
	if f.content == "" && f.inline == nil {
		f.inline = []byte{}
	}
	n, err := w.exec(ctx, repeating, putEvidence,
		key, meta, []byte(f.meta.Resource), []byte(f.meta.SourceHash), f.meta.Size, f.sha256, f.meta.Keep, f.inline, f.content, f.etag, f.meta.Name)
	if err == nil && n == 0 {
		// It may have been stored by an attempt whose answer was lost.
		var there int
		err = w.row(ctx, repeating, []any{&there}, `SELECT 1 FROM {s}.evidence WHERE content = $1`, f.content)
		if errors.Is(err, pgx.ErrNoRows) {
			err = &storeError{bucketFault, errors.New("its bytes were cleared away meanwhile, as writing them took too long")}
		}
	}
	return asNotStored(err)
}

const putEvidence = `WITH claimed AS (DELETE FROM {s}.garbage WHERE key = $9 AND NOT doomed RETURNING key)
	INSERT INTO {s}.evidence (key, name, meta, resource, source_hash, size, sha256, keep, inline, content, etag)
		SELECT $1, $11, $2, $3, $4, $5::bigint, $6, $7::bool, $8::bytea, nullif($9, ''), nullif($10, '') WHERE $9 = '' OR EXISTS (SELECT FROM claimed)
		ON CONFLICT (key) DO UPDATE SET name = EXCLUDED.name, meta = EXCLUDED.meta, resource = EXCLUDED.resource, source_hash = EXCLUDED.source_hash,
			size = EXCLUDED.size, sha256 = EXCLUDED.sha256, keep = EXCLUDED.keep, used = now(),
			inline = EXCLUDED.inline, content = EXCLUDED.content, etag = EXCLUDED.etag`
