package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

// An evidenceRecord is the record of an evidence file.
type evidenceRecord struct {
	Meta   citekit.EvidenceMeta `json:"meta"`
	SHA256 string               `json:"sha256"`

	// Identity is the identity the file had when its content was last known to
	// be right; "" while the file is being put in place.
	Identity string `json:"identity"`
}

// A heldRecord is a record held in memory.
type heldRecord struct {
	evidenceRecord
	marked time.Time // when the record's file was last marked as used
}

// markEvery is how precisely the last use of evidence is recorded.
const markEvery = time.Minute

// FindEvidence implements [citekit.EvidenceStore]. It hashes the content again
// if the file may have been changed since it was stored.
func (d *Directory) FindEvidence(ctx context.Context, key string) (*citekit.StoredEvidence, error) {
	return d.counted(d.findEvidence(ctx, key))
}

func (d *Directory) findEvidence(ctx context.Context, key string) (*citekit.StoredEvidence, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	root, _, err := d.evidence.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing("evidence")
	}
	if err != nil {
		return nil, d.evidence.fault(evidenceUnreadable, err)
	}
	if held, ok := d.records.get(key); ok {
		if d.isIntact(root, held.evidenceRecord) {
			return d.found(root, key, held)
		}
		d.records.remove(key)
	}
	held, err := d.readVerified(ctx, root, key)
	for tries := 1; err == errReplaced && tries < maxTries; tries++ {
		held, err = d.readVerified(ctx, root, key)
	}
	if err != nil {
		return nil, err
	}
	d.records.put(key, held)
	return d.found(root, key, held)
}

// OpenEvidence implements [citekit.EvidenceOpener]. It looks for the file again
// after opening it, to be sure that the open file is the one that was checked.
func (d *Directory) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	for range maxTries {
		found, err := d.findEvidence(ctx, key)
		if err != nil {
			return nil, nil, err
		}
		f, same, err := d.openFound(ctx, key, found)
		if err != nil {
			return nil, nil, err
		}
		if same {
			return f, found, nil
		}
	}
	return nil, nil, errReplaced
}

// openFound opens evidence that was found, and reports whether it is still the
// stored evidence. If not, it returns no open file.
func (d *Directory) openFound(ctx context.Context, key string, found *citekit.StoredEvidence) (f *os.File, same bool, err error) {
	root, _, err := d.evidence.open()
	if err != nil {
		return nil, false, d.evidence.fault(evidenceUnreadable, err)
	}
	f, before, err := openPlain(root, found.Name, errEvidenceNotPlain)
	if err != nil {
		return nil, false, nil // it is gone: FindEvidence reports that
	}
	again, err := d.findEvidence(ctx, key)
	if err == nil && again.SHA256 == found.SHA256 && again.Name == found.Name {
		now, statErr := root.Lstat(found.Name)
		if statErr == nil && os.SameFile(before, now) && identity(before) == identity(now) {
			return f, true, nil
		}
	}
	f.Close()
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return nil, false, err
}

// maxTries is how many times evidence is looked up while it is being replaced.
const maxTries = 10

// errReplaced reports evidence that was replaced while it was being hashed.
var errReplaced = missing("evidence that stays as it is")

// readVerified reads a record whose evidence is intact.
func (d *Directory) readVerified(ctx context.Context, root *os.Root, key string) (heldRecord, error) {
	held, err := d.readHeld(root, key)
	if err != nil {
		return held, missing("evidence")
	}
	if d.isIntact(root, held.evidenceRecord) {
		return held, nil
	}
	return held, d.checkContent(ctx, root, key, &held.evidenceRecord)
}

func (d *Directory) readHeld(root *os.Root, key string) (heldRecord, error) {
	var held heldRecord
	name := recordName(evidenceDir, key)
	if err := d.readOwn(root, name, &held.evidenceRecord); err != nil {
		return held, err
	}
	if checkEvidenceName(held.Meta.Name) != nil {
		return held, errDamaged
	}
	info, err := root.Lstat(name)
	if err != nil {
		return held, err
	}
	held.marked = info.ModTime()
	return held, nil
}

// isIntact reports whether the file is the one that was stored, judging by its
// metadata, and no process has it open for writing.
func (d *Directory) isIntact(root *os.Root, r evidenceRecord) bool {
	if r.Identity == "" {
		return false
	}
	f, info, err := openPlain(root, r.Meta.Name, errEvidenceNotPlain)
	if err != nil {
		return false
	}
	defer f.Close()
	return identity(info) == r.Identity && watch(f) == settled
}

// checkContent hashes an evidence file whose metadata differ from the record.
// If the content is right, it renews the record; otherwise the evidence is
// treated as missing. Evidence that some process has open for writing is also
// treated as missing: it is made again, as another file.
func (d *Directory) checkContent(ctx context.Context, root *os.Root, key string, r *evidenceRecord) error {
	f, info, err := openPlain(root, r.Meta.Name, errEvidenceNotPlain)
	if err != nil {
		return missing("evidence")
	}
	defer f.Close()
	if info.Size() != r.Meta.Size {
		return missing("evidence")
	}
	before, now := identity(info), time.Now()
	state, err := waitForWriter(ctx, f)
	if err != nil {
		return err
	}
	if state == written {
		return missing("evidence")
	}
	sum, _, err := ctxio.Hash(ctx, f)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	after, statErr := fileIdentity(f)
	if err == nil && statErr == nil && before != after {
		return errReplaced
	}
	if err != nil || statErr != nil || sum != r.SHA256 {
		return missing("evidence")
	}
	return d.renew(root, key, r, f, now, state == settled)
}

// renew records the identity of a file whose content was found right, if a
// change of the file will change that identity.
func (d *Directory) renew(root *os.Root, key string, r *evidenceRecord, f *os.File, now time.Time, tells bool) error {
	if d.readOnly {
		return nil
	}
	err := d.perms.restore(f)
	if err != nil {
		return missing("evidence")
	}
	info, err := f.Stat()
	if err != nil {
		return missing("evidence")
	}
	known := r.Identity
	r.Identity = ""
	if tells && !isRacy(info, now) {
		r.Identity = identity(info)
	}
	if r.Identity != "" && r.Identity != known {
		// Otherwise the file is hashed again. The record stays true, and may
		// help another user who owns the file.
		_ = d.writeOwn(root, recordName(evidenceDir, key), r, false)
	}
	return nil
}

// waitForWriter is like watch, but waits a moment for a writer to end: a child
// process that is just starting has all our files open for an instant.
func waitForWriter(ctx context.Context, f *os.File) (fileState, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		state := watch(f)
		if state != written || wait > 128*time.Millisecond {
			return state, nil
		}
		select {
		case <-ctx.Done():
			return state, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// found returns evidence that was found, and marks it as used. Another process
// may evict it until it is marked, so found looks for it once more.
func (d *Directory) found(root *os.Root, key string, held heldRecord) (*citekit.StoredEvidence, error) {
	now := d.now()
	if now.Sub(held.marked).Abs() <= markEvery {
		return d.stored(held.evidenceRecord), nil
	}
	d.mark(root, key, now)
	if info, err := root.Lstat(held.Meta.Name); err != nil || !info.Mode().IsRegular() {
		d.records.remove(key)
		return nil, missing("evidence")
	}
	held.marked = now
	d.records.put(key, held)
	return d.stored(held.evidenceRecord), nil
}

// mark sets the time of last use of evidence, which decides what is evicted
// first. The record of another user, whose times this user cannot set, is
// rewritten.
func (d *Directory) mark(root *os.Root, key string, now time.Time) {
	if d.readOnly {
		return
	}
	name := recordName(evidenceDir, key)
	err := root.Chtimes(name, now, now)
	if !d.perms.isShared() || !errors.Is(err, fs.ErrPermission) {
		return
	}
	var r evidenceRecord
	if d.readOwn(root, name, &r) == nil {
		_ = d.writeOwn(root, name, r, false)
	}
}

func (d *Directory) stored(r evidenceRecord) *citekit.StoredEvidence {
	return &citekit.StoredEvidence{
		EvidenceMeta: r.Meta,
		Path:         filepath.Join(d.evidence.path, r.Meta.Name),
		SHA256:       r.SHA256,
	}
}

// StoreEvidence implements [citekit.EvidenceStore]. The content is durable
// before the file gets its name. The name itself is not made durable, so a
// power failure may lose evidence but not corrupt it. Anything else at the name
// is replaced, except a directory that is not empty.
func (d *Directory) StoreEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	stored, err := d.storeEvidence(ctx, key, meta, body)
	if err != nil {
		return nil, fmt.Errorf("store the evidence: %w", withoutPath(err))
	}
	return stored, nil
}

func (d *Directory) storeEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if err := checkEvidenceName(meta.Name); err != nil {
		return nil, err
	}
	root, t, err := d.createEvidence(ctx)
	if err != nil {
		return nil, d.evidence.fault(evidenceUnwritable, err)
	}
	sum, size, err := copyEvidence(ctx, t, meta.Size, d.budget, body)
	if err != nil {
		t.discard()
		return nil, err
	}
	meta.Size = size
	stored, err := d.putEvidence(ctx, root, key, t, evidenceRecord{Meta: meta, SHA256: sum})
	if err != nil {
		return nil, d.evidence.fault(evidenceUnwritable, err)
	}
	return stored, nil
}

// createEvidence makes the directories if they are missing, and the file that
// evidence is written to.
func (d *Directory) createEvidence(ctx context.Context) (*os.Root, *tempFile, error) {
	root, err := d.evidence.make()
	if err != nil {
		return nil, nil, err
	}
	if err := d.perms.makeMeta(root, evidenceDir); err != nil {
		return nil, nil, err
	}
	if now := d.now(); d.sweep.isDue(now) {
		if err := removeOldTemps(ctx, root, tempDir, now); err != nil {
			return nil, nil, err
		}
	}
	t, err := d.perms.createTemp(root, tempDir)
	return root, t, err
}

// finishEvidence ends writing. It sets the modification time back, so that any
// later change is visible in it, however soon it comes.
func finishEvidence(t *tempFile) error {
	past := time.Now().Add(-5 * time.Second)
	if err := t.root.Chtimes(t.name, past, past); err != nil {
		t.discard()
		return err
	}
	return t.finish(true)
}

// putEvidence finishes a file, gives it its name and records it. The record is
// written first: then every file has one and can be evicted.
func (d *Directory) putEvidence(ctx context.Context, root *os.Root, key string, t *tempFile, r evidenceRecord) (*citekit.StoredEvidence, error) {
	if err := finishEvidence(t); err != nil {
		return nil, err
	}
	unlock, err := d.evidence.lock(ctx, root)
	if err != nil {
		t.remove()
		return nil, err
	}
	defer unlock()
	if err := d.makeRoom(ctx, root, key, r.Meta.Size); err != nil {
		t.remove()
		return nil, err
	}
	d.records.remove(key)
	record := recordName(evidenceDir, key)
	if err := d.writeOwn(root, record, r, false); err != nil {
		t.remove()
		return nil, err
	}
	if err := t.rename(r.Meta.Name); err != nil {
		root.Remove(record)
		return nil, nameTaken(root, r.Meta.Name, err)
	}
	if r.Identity = identityOfStored(root, r.Meta.Name); r.Identity != "" {
		if err := d.writeOwn(root, record, r, false); err != nil {
			return nil, err
		}
		d.records.put(key, heldRecord{evidenceRecord: r, marked: d.now()})
	}
	return d.stored(r), nil
}

// identityOfStored returns the identity of an evidence file that was put in
// place, or "" if a change of the file might not change it.
func identityOfStored(root *os.Root, name string) string {
	f, info, err := openPlain(root, name, errEvidenceNotPlain)
	if err != nil {
		return ""
	}
	defer f.Close()
	if watch(f) != settled {
		return ""
	}
	return identity(info)
}

func nameTaken(root *os.Root, name string, err error) error {
	if info, statErr := root.Lstat(name); statErr == nil && info.IsDir() {
		return refusal("a directory that is not empty stands where the evidence file should be")
	}
	return err
}

// checkKey returns an error unless key can be part of a file name.
func checkKey(key string) error {
	if len(key) < 8 || len(key) > 128 || !ctxio.IsHex(key) {
		return fmt.Errorf("the evidence key is not 8 to 128 hex digits: %w", citekit.ErrSyntax)
	}
	return nil
}

const maxEvidenceName = 240 // bytes

// checkEvidenceName returns an error unless name is that of a visible file
// directly in the evidence directory.
func checkEvidenceName(name string) error {
	if name == "" || name[0] == '.' || len(name) > maxEvidenceName ||
		strings.ContainsAny(name, "/\\:*?\"<>|\x00") || isDeviceName(name) || !fs.ValidPath(name) {
		return fmt.Errorf("%q cannot be the name of an evidence file: %w", name, citekit.ErrSyntax)
	}
	return nil
}
