package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Trim selects the evidence that [Directory.TrimEvidence] removes. The zero
// value removes none.
type Trim struct {
	UnusedFor time.Duration // remove evidence that was not used for this long; zero means none
	MaxBytes  int64         // then remove the least recently used until this many bytes are left; zero means no limit
	DryRun    bool          // only count, remove nothing
}

// Trimmed reports what [Directory.TrimEvidence] removed and left.
type Trimmed struct {
	Files int   `json:"files"` // number of removed files
	Bytes int64 `json:"bytes"` // their total size

	Left int64 `json:"left"` // bytes of evidence that stay; more than MaxBytes if they are in use
}

// trimBatch is how many files are removed before other writers get a turn.
const trimBatch = 256

// TrimEvidence removes evidence; it is made again when it is requested. The
// least recently used goes first. Evidence that was used in the last 10 minutes
// stays, and so does evidence with EvidenceMeta.Keep that was used in the last
// 30 days, and the transcript of a map. TrimEvidence may run while others read and write.
func (d *Directory) TrimEvidence(ctx context.Context, trim Trim) (Trimmed, error) {
	done, err := d.trimEvidence(ctx, trim)
	if err != nil {
		return done, fmt.Errorf("remove evidence: %w", withoutPath(d.evidence.fault(evidenceUnwritable, err)))
	}
	return done, nil
}

func (d *Directory) trimEvidence(ctx context.Context, trim Trim) (done Trimmed, err error) {
	root, _, err := d.evidence.open()
	if err != nil {
		return done, ignoreMissing(err)
	}
	files, err := d.lookThrough(ctx, root)
	if err != nil {
		return done, ignoreMissing(err)
	}
	for _, f := range files {
		done.Left += f.size
	}
	going := d.going(ctx, files, trim, done.Left)
	for len(going) > 0 {
		batch := going[:min(trimBatch, len(going))]
		going = going[len(batch):]
		if err := d.trimSome(ctx, root, batch, trim.DryRun, &done); err != nil {
			return done, err
		}
	}
	return done, nil
}

// lookThrough returns all evidence, least recently used first.
func (d *Directory) lookThrough(ctx context.Context, root *os.Root) ([]storedFile, error) {
	if _, err := d.key.get(); err != nil { // without the key, our own evidence would look foreign
		return nil, err
	}
	files, err := d.evidenceFiles(ctx, root, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	sortByUse(files)
	return files, err
}

// going returns the files to remove. The sizes of all files add up to total.
func (d *Directory) going(ctx context.Context, files []storedFile, trim Trim, total int64) (going []storedFile) {
	now := d.now()
	for _, f := range files {
		old := trim.UnusedFor > 0 && now.Sub(f.used) > trim.UnusedFor
		if f.inUse(now) || !old && (trim.MaxBytes <= 0 || total <= trim.MaxBytes) || d.isTranscript(ctx, f) {
			continue
		}
		going = append(going, f)
		total -= f.size
	}
	return going
}

// trimSome removes the files that were not used since they were listed.
func (d *Directory) trimSome(ctx context.Context, root *os.Root, files []storedFile, dryRun bool, done *Trimmed) error {
	if !dryRun {
		unlock, err := d.evidence.lock(ctx, root)
		if err != nil {
			return err
		}
		defer unlock()
	}
	var freed int64
	for _, f := range files {
		if dryRun || d.remove(root, f) {
			done.Files++
			freed += f.size
		}
	}
	done.Bytes += freed
	done.Left -= freed
	if !dryRun && freed > 0 {
		d.freed(root, freed)
	}
	return nil
}
