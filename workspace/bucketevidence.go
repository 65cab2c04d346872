package workspace

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/workspace/driver"
)

const (
	recordPrefix  = "evidence-"
	contentPrefix = "content-"

	maxInline         = 32 << 10 // bytes of content that are kept in the object of the record
	maxEvidenceRecord = 1 << 20  // bytes of such an object
	maxStored         = 1 << 62  // bytes
)

// A bucketRecord describes evidence. Its object is its JSON, a line feed, and the
// content if that is small.
type bucketRecord struct {
	Meta    citekit.EvidenceMeta `json:"meta"`
	SHA256  string               `json:"sha256"`
	Content string               `json:"content,omitempty"` // key of the object with the content
	ETag    string               `json:"etag,omitempty"`    // of that object
}

// foundEvidence is evidence that was looked up.
type foundEvidence struct {
	bucketRecord
	inline []byte // the content, if it has no object of its own
	etag   string // of the object of the record
}

// uniqueKey returns a key that nothing had or will have.
func uniqueKey(prefix string) string { return prefix + "-" + strings.ToLower(rand.Text()) }

// stored returns the evidence as callers see it.
func (b *Bucket) stored(r bucketRecord) *citekit.StoredEvidence {
	return &citekit.StoredEvidence{EvidenceMeta: r.Meta, Path: b.scheme + ":/" + r.Meta.Name, SHA256: r.SHA256}
}

// errDamagedRecord says that an object is not as it was stored.
var errDamagedRecord = fmt.Errorf("the record of the evidence: %w", citekit.ErrDamaged)

// record returns the record stored at the key of an object.
func (b *Bucket) record(ctx context.Context, key string) (found foundEvidence, err error) {
	data, at, err := b.get(ctx, key, "evidence", maxEvidenceRecord)
	if err != nil {
		return found, err
	}
	found.etag = at.ETag
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if json.Unmarshal(line, &found.bucketRecord) != nil || checkEvidenceName(found.Meta.Name) != nil {
		return found, errDamagedRecord
	}
	if found.inline = rest; found.Content != "" {
		if !strings.HasPrefix(found.Content, contentPrefix) {
			return found, errDamagedRecord
		}
	} else if int64(len(rest)) != found.Meta.Size || checksum(rest) != found.SHA256 {
		return found, errDamagedRecord
	}
	return found, nil
}

// find returns the evidence of a key, if it is undamaged. An ETag that is still
// the one that the content was stored with shows that.
func (b *Bucket) find(ctx context.Context, key string) (foundEvidence, error) {
	if checkKey(key) != nil {
		return foundEvidence{}, missing("evidence")
	}
	found, err := b.record(ctx, recordPrefix+key)
	if err == nil && found.Content != "" {
		var at driver.Attributes
		if at, err = b.driver.Attributes(ctx, found.Content); err != nil {
			err = b.fault(ctx, "evidence", err)
		} else if at.ETag != found.ETag || at.Size != found.Meta.Size {
			err = errDamagedRecord
		}
	}
	if errors.Is(err, citekit.ErrDamaged) || errors.Is(err, citekit.ErrTooLarge) {
		err = missing("evidence") // it is made again
	}
	return found, err
}

// FindEvidence implements [citekit.EvidenceStore].
func (b *Bucket) FindEvidence(ctx context.Context, key string) (*citekit.StoredEvidence, error) {
	found, err := b.find(ctx, key)
	if err != nil {
		return b.counted(nil, err)
	}
	return b.counted(b.stored(found.bucketRecord), nil)
}

// OpenEvidence implements [citekit.EvidenceOpener]. Where the driver reads in
// ranges, large content that is deleted while it is open ends with an error
// that matches [io/fs.ErrNotExist]; content that is replaced can be read for an
// hour.
func (b *Bucket) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	found, err := b.find(ctx, key)
	if err != nil {
		return nil, nil, err
	}
	if found.Content == "" {
		return memoryContent{bytes.NewReader(found.inline)}, b.stored(found.bucketRecord), nil
	}
	reading, cancel := context.WithCancel(context.WithoutCancel(ctx)) // until it is closed
	open := func(offset int64) (io.ReadCloser, error) {
		body, _, err := b.driver.Read(reading, found.Content, driver.ReadOptions{Offset: offset, IfMatch: found.ETag})
		if err != nil {
			return nil, b.fault(reading, "evidence", err)
		}
		return body, nil
	}
	content := rangedContent{cancel: cancel}
	body, err := open(0)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	if whole, ok := body.(io.ReadSeekCloser); ok {
		return whole, b.stored(found.bucketRecord), nil
	}
	content.Ranged = ctxio.NewRanged(found.Meta.Size, body, open)
	return content, b.stored(found.bucketRecord), nil
}

// memoryContent is open evidence in memory.
type memoryContent struct{ *bytes.Reader }

func (memoryContent) Close() error { return nil }

// rangedContent is an object that is read from where its reader is.
type rangedContent struct {
	*ctxio.Ranged
	cancel context.CancelFunc // of what it reads
}

func (c rangedContent) Close() error {
	defer c.cancel()
	return c.Ranged.Close()
}

// StoreEvidence implements [citekit.EvidenceStore]. The content is stored before
// the record that refers to it.
func (b *Bucket) StoreEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	if err := errors.Join(checkKey(key), checkEvidenceName(meta.Name), ctx.Err()); err != nil {
		return nil, fmt.Errorf("store the evidence: %w", err)
	}
	stored, err := b.storeEvidence(ctx, key, meta, body)
	if err != nil {
		return nil, fmt.Errorf("store the evidence: %w", err)
	}
	return stored, nil
}

func (b *Bucket) storeEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	in := ctxio.NewSized(ctxio.Reader(ctx, body), meta.Size)
	first, err := io.ReadAll(io.LimitReader(in, maxInline+1))
	if err != nil {
		return nil, err
	}
	meta.Preview = slices.Clone(meta.Preview)
	record := bucketRecord{Meta: meta}
	inline := first
	if len(first) > maxInline {
		inline = nil
		record.Content = uniqueKey(contentPrefix + key)
		at, err := b.driver.Write(ctx, record.Content, io.MultiReader(bytes.NewReader(first), in), driver.WriteOptions{Size: meta.Size})
		if err != nil {
			return nil, cmp.Or(in.Err(), b.notStored(ctx, err))
		}
		record.ETag = at.ETag
	}
	record.Meta.Size, record.SHA256 = in.Size(), in.Sum()
	if record.Content != "" {
		if earlier, err := b.find(ctx, key); err == nil && earlier.Content != "" && earlier.SHA256 == record.SHA256 {
			b.remove(ctx, record.Content) // somebody may be reading the earlier one
			record.Content, record.ETag = earlier.Content, earlier.ETag
		}
	}
	data, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	data = append(append(data, '\n'), inline...)
	if len(data) > maxEvidenceRecord {
		return nil, fmt.Errorf("the description of the evidence has more than %d bytes: %w", maxEvidenceRecord-maxInline, citekit.ErrTooLarge)
	}
	if _, err := b.put(ctx, recordPrefix+key, data, driver.WriteOptions{}); err != nil {
		return nil, b.notStored(ctx, err)
	}
	return b.stored(record), nil
}

// notStored returns the error for evidence that the bucket did not take.
func (b *Bucket) notStored(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return notStored{&bucketError{err}}
}
