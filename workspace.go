package citekit

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/citekit/citekit/internal/message"
)

// A Workspace stores maps, evidence and notes, and opens sources. A program makes one
// and passes it to [New]; the packages of citekit call its methods. Package workspace
// has one over a directory, one in memory, and one over whatever stores bytes by key:
// programs with storage of their own write a driver for that, of package
// workspace/driver. Those that implement Workspace themselves check these promises with
// package workspace/workspacetest.
//
// Implementations must be safe for concurrent use, also by other processes where the
// storage is shared. Methods that write, list or open return ctx.Err() once ctx is
// done. The others are quick and need not check ctx. Methods neither keep nor change
// the byte slices that are passed in; those that they return belong to the caller. Ids
// have passed [CheckResourceID]; a method that writes checks them again.
//
// A Workspace may also implement [EvidenceOpener], and Finder, Deleter, MapPather and
// EvidenceLeaser of package workspace, which are found by type assertion.
type Workspace interface {
	EvidenceStore
	NoteStore

	// ListMaps returns the ids of maps in ascending byte order, each once, beginning
	// with the first that is greater than after; at most limit of them, or all if limit
	// is zero. It does not parse maps. Maps that are written or deleted during the call
	// may be listed or not. The slice is never nil.
	ListMaps(ctx context.Context, after string, limit int) ([]string, error)

	// StatMap returns a stamp that changes whenever the map does. It is cheap. If there
	// is no such map, the error matches [fs.ErrNotExist].
	StatMap(ctx context.Context, id string) (Stamp, error)

	// ReadMap returns the bytes of a map with the stamp they had. For a map of more
	// than max bytes the error matches [ErrTooLarge]; if there is no such map,
	// [fs.ErrNotExist].
	ReadMap(ctx context.Context, id string, max int64) ([]byte, Stamp, error)

	// WriteMap stores a map durably, replacing any map with that id. It stores all of
	// it or nothing: readers get the old map or the new one. For an invalid id the
	// error matches [ErrSyntax].
	WriteMap(ctx context.Context, id string, data []byte) error

	// WriteMapIf is like WriteMap, but writes only if the stored map still has the
	// given stamp, or, if stamp is zero, only if no map is stored. Otherwise nothing
	// changes and the error matches [ErrConflict]: of several callers that replace the
	// same version, in this process or another, one succeeds. WriteMapIf returns the
	// new stamp.
	WriteMapIf(ctx context.Context, id string, data []byte, stamp Stamp) (Stamp, error)

	// OpenSource opens the file at path, which comes from a map and may be wrong or
	// malicious: relative to the base directory, or absolute. For a file outside the
	// roots, or not a regular file, the error matches [ErrForbidden]; if there is no
	// such file, [fs.ErrNotExist]. The caller closes the Source, and reads it before ctx
	// is done: reads of one that is far away then fail with ctx.Err(). A SQLite database
	// with a write-ahead log should be opened as it is after a checkpoint.
	OpenSource(ctx context.Context, path string) (*Source, error)

	// Close releases what the workspace holds. Stored data stays. It may be called again.
	Close() error
}

// An EvidenceStore keeps evidence by key. A store may lose evidence, for example to
// free space or in a power failure. The evidence is then made again. Keys are 8 to 128
// digits of lower-case hex.
type EvidenceStore interface {
	// FindEvidence returns the evidence stored under key, checked to be undamaged, or
	// an error matching [fs.ErrNotExist].
	FindEvidence(ctx context.Context, key string) (*StoredEvidence, error)

	// StoreEvidence stores body under key, all of it or nothing, and returns what
	// FindEvidence will return. It replaces earlier evidence. It reads body once and
	// does not close it. If reading body fails, the error wraps the cause. If that
	// happens, or body has another size than meta.Size, the earlier evidence stays.
	StoreEvidence(ctx context.Context, key string, meta EvidenceMeta, body io.Reader) (*StoredEvidence, error)
}

// An EvidenceOpener is an [EvidenceStore] whose evidence can be read even if the store
// does not keep it in files.
type EvidenceOpener interface {
	// OpenEvidence opens the evidence stored under key, after the same check and with
	// the same errors as FindEvidence. It returns the content, from its start, and its
	// metadata. The content does not change if the evidence is replaced or deleted
	// while it is open. The caller closes it. LocalFile may be as [NewSource] has it.
	OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *StoredEvidence, error)
}

// A NoteStore keeps notes: values of at most 64 KiB by kind and name, such as the facts
// that ingest records about each source. Each change names the version of the note that
// it replaces, so that two processes that change one at the same time find out.
//
// A kind is 1 to 64 letters a-z. A name is valid UTF-8 of at most 4,096 bytes, and may
// be empty. For any other kind or name the error matches [ErrSyntax].
//
// Only notes that the same user's citekit wrote in this workspace count; a note that
// somebody else planted counts as missing. Notes of the kind "pins", each of which
// records the version of a source whose map does not, survive a loss of power, and a
// damaged one never counts as missing. Notes of other kinds survive the end of the
// process, but may be lost later.
type NoteStore interface {
	// ReadNote returns the data of a note with the stamp it has. If there is no such
	// note, the error matches [fs.ErrNotExist]. If it is damaged, the error matches
	// [ErrDamaged], and the stamp can be used to replace or delete it.
	ReadNote(ctx context.Context, kind, name string) ([]byte, Stamp, error)

	// WriteNoteIf stores a note if the stored one still has the given stamp, or, if
	// stamp is zero, if there is none. Otherwise nothing changes and the error matches
	// [ErrConflict]. It stores all of the data or nothing, and returns the new stamp.
	// For data of more than 64 KiB the error matches [ErrTooLarge].
	WriteNoteIf(ctx context.Context, kind, name string, data []byte, stamp Stamp) (Stamp, error)

	// DeleteNoteIf deletes a note if it still has the stamp. If the note has another
	// stamp, the error matches [ErrConflict]; if it does not exist, [fs.ErrNotExist].
	DeleteNoteIf(ctx context.Context, kind, name string, stamp Stamp) error

	// ChangeNotes writes and deletes several notes of one kind, with different names,
	// at about the cost of one change. It returns their new stamps in the order of the
	// changes. If some of the notes have other stamps than their changes say, the error
	// is a [*NoteConflictError] with the names of all of them. Other errors are those
	// of WriteNoteIf; if a name is given twice, the error matches [ErrSyntax]. After an
	// error nothing has changed, with one exception: if the process ends during the
	// call, or the storage fails, the first of the changes may be done and the others
	// not.
	ChangeNotes(ctx context.Context, kind string, changes []NoteChange) ([]Stamp, error)

	// Notes yields the notes of a kind, each once, in no particular order. It skips
	// notes that cannot be read. Notes that are written during the call may be yielded
	// or not. It stops after an error.
	Notes(ctx context.Context, kind string) iter.Seq2[Note, error]
}

// A Note is one of the notes that [NoteStore.Notes] yields.
type Note struct {
	Name  string // unique within the kind
	Data  []byte // belongs to the caller
	Stamp Stamp  // of this version
}

// A NoteChange is what [NoteStore.ChangeNotes] does to one note.
type NoteChange struct {
	Name  string // of the note
	Data  []byte // nil deletes the note, if it exists
	Stamp Stamp  // of the note as read; zero if it did not exist
}

// A NoteConflictError reports notes that have other stamps than the changes to them
// said. It matches [ErrConflict].
type NoteConflictError struct {
	Names []string // in the order of the changes
}

// Error returns the number of notes and the text of [ErrConflict].
func (e *NoteConflictError) Error() string {
	return fmt.Sprintf("conflict in %s: %v", message.Count(len(e.Names), "note"), ErrConflict)
}

// Is reports whether target is [ErrConflict].
func (e *NoteConflictError) Is(target error) bool { return target == ErrConflict }

// A Stamp identifies one version of a stored map or note. Its Identity is opaque:
// compare stamps only for equality. The zero Stamp stands for a note or map that does
// not exist.
type Stamp struct {
	Identity string // opaque; "" only in the zero Stamp
}

// EvidenceMeta is the metadata stored with an evidence file.
type EvidenceMeta struct {
	// Name is the file name that the evidence should have, with its extension. The
	// Library makes it; it is legible, and unique for the key. It holds only characters
	// safe on every file system, and no separator.
	Name string `json:"name"`

	// Size is the number of bytes the body must have, or -1 if unknown.
	Size int64 `json:"size"`

	// Resource is the id of the map that the evidence was made by, or "" if it is of a
	// file without a map.
	Resource string `json:"resource,omitempty"`

	MediaType  string    `json:"media_type"`            // as [Content] has it
	Charset    string    `json:"charset,omitempty"`     // as [Content] has it
	Guessed    bool      `json:"guessed,omitempty"`     // the charset is inferred
	Actual     *Location `json:"actual,omitempty"`      // as [Content] has it
	Changes    []string  `json:"changes,omitempty"`     // as [Content] has them
	SourceHash string    `json:"source_hash,omitempty"` // SHA-256 of the source in lower-case hex; "" if it was not known

	// Keep says that the file, such as a part of an index, is costly to make again: a
	// store that removes evidence to make room keeps it while it is in use.
	Keep bool `json:"keep,omitempty"`

	// Preview describes a picture, as package preview writes it; nil for evidence.
	Preview json.RawMessage `json:"preview,omitempty"`
}

// StoredEvidence is an evidence file in a [Workspace].
type StoredEvidence struct {
	EvidenceMeta
	Path   string // absolute path, or a made-up one where there are no files
	SHA256 string // of the content, in lower case hex
}
