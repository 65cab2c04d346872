package citekit

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/citekit/citekit/internal/message"
)

// A Workspace is where maps, sources and evidence live. The [Library] alone
// calls it; programs that keep things elsewhere implement it, or wrap one.
// Package workspace has one over a directory and one in memory, and package
// workspace/workspacetest checks these promises.
//
// Implementations must be safe for concurrent use, also by other processes
// where the storage is shared. Methods that write, list or open return
// ctx.Err() once ctx is done; others are quick and need not look. Byte slices
// that are passed in are neither kept nor changed, and those that are returned
// are the caller's. Ids have passed [CheckResourceID]; a method that writes
// checks them again.
//
// Further abilities are interfaces of their own, which the Library finds by
// type assertion: [EvidenceOpener], [Finder], [Deleter],
// [MapPather].
type Workspace interface {
	MapStore
	SourceStore
	EvidenceStore
	NoteStore

	// Close releases what the workspace holds. Stored data stays. Calling
	// it again does nothing.
	Close() error
}

// A MapStore keeps maps as bytes, by id. It does not look into them.
type MapStore interface {
	// ListMaps returns the ids of maps in ascending byte order, each once,
	// beginning with the first that is greater than after; at most limit of
	// them, or all if limit is zero. It parses no map. Maps that are written
	// or deleted meanwhile are listed or not. The slice is never nil.
	//
	// Stamps are left out: most stores look at each map for them.
	ListMaps(ctx context.Context, after string, limit int) ([]string, error)

	// StatMap returns a stamp that changes whenever the map does. It is
	// cheap. A missing map is an error matching
	// [fs.ErrNotExist].
	StatMap(ctx context.Context, id string) (Stamp, error)

	// ReadMap returns the bytes of a map with the stamp they had. A map of
	// more than max bytes is an error matching [ErrTooLarge], one that is
	// not there an error matching [fs.ErrNotExist].
	ReadMap(ctx context.Context, id string, max int64) ([]byte, Stamp, error)

	// WriteMap stores a map, whole or not at all, durably, whatever is there.
	// Readers get the old map or the new one. An id that cannot
	// be one is an error matching [ErrSyntax].
	WriteMap(ctx context.Context, id string, data []byte) error

	// WriteMapIf is WriteMap if the map still has the stamp, or, with the
	// zero stamp, if there is none. It returns the new stamp. If the map has
	// another stamp, is there or is gone, that is an error matching
	// [ErrConflict] and nothing changes: of several who replace the same
	// version, in this process or another, one succeeds.
	WriteMapIf(ctx context.Context, id string, data []byte, stamp Stamp) (Stamp, error)
}

// A MapPather is a [MapStore] whose maps a person can find. Errors and reports
// of the Library then say where.
type MapPather interface {
	// MapPath returns the path to show a person for where a map is or would
	// be, relative to the base directory, with forward slashes.
	MapPath(id string) string
}

// A SourceStore opens sources.
type SourceStore interface {
	// OpenSource opens the file at path, which comes from a map and may
	// lie: relative to the base directory, or absolute. Whatever is outside
	// the roots, or not a plain file, is an error matching [ErrForbidden],
	// and what is not there one matching [fs.ErrNotExist]. The caller closes
	// the Source.
	OpenSource(ctx context.Context, path string) (*Source, error)
}

// An EvidenceStore keeps evidence by key. It may lose evidence,
// for want of space or in a power failure; the evidence is then made again. Keys are 8 to 128
// digits of lower-case hex.
type EvidenceStore interface {
	// FindEvidence returns the evidence stored under key, checked to be
	// undamaged, or an error matching [fs.ErrNotExist].
	FindEvidence(ctx context.Context, key string) (*StoredEvidence, error)

	// StoreEvidence stores body under key, whole or not at all, and returns
	// what FindEvidence will. It replaces earlier evidence. It reads body once
	// and does not close it. If body fails, which the error wraps, or has
	// another size than meta.Size, the earlier evidence stays.
	StoreEvidence(ctx context.Context, key string, meta EvidenceMeta, body io.Reader) (*StoredEvidence, error)
}

// An EvidenceOpener is an [EvidenceStore] through which evidence can be read,
// also where it is in no file.
type EvidenceOpener interface {
	// OpenEvidence opens the evidence stored under key, checked as by
	// FindEvidence, whose errors it has. It returns the content, from its
	// start, and its metadata. The reader is not affected if the evidence is
	// replaced or deleted meanwhile.
	// The caller closes the content.
	OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *StoredEvidence, error)
}

// A NoteStore keeps notes: small values by kind and name, such as what ingest
// learnt about each source. Each change names the version of the note that
// it replaces, so that two processes that change one at the same time find out.
//
// A kind is 1 to 64 letters a-z. A name is valid UTF-8 of at most 4,096 bytes,
// and may be empty. Others are errors matching [ErrSyntax].
//
// Only notes that the same user's citekit wrote in this workspace count; a note
// that somebody else planted counts as missing. Notes of the kind [PinNotes] survive
// a loss of power, and one that is damaged never counts as missing. Notes of
// other kinds survive the end of the process, but may be lost later.
type NoteStore interface {
	// ReadNote returns the data of a note with the stamp it has. A note that
	// does not exist is an error matching [fs.ErrNotExist]. One that is damaged
	// is an error matching [ErrDamaged], and the stamp serves to replace or
	// delete it.
	ReadNote(ctx context.Context, kind, name string) ([]byte, Stamp, error)

	// WriteNoteIf stores a note, whole or not at all, if it still has the
	// stamp, or, with the zero stamp, if there is none. It returns the new
	// stamp. If the note has another stamp, is there or is gone, that is an
	// error matching [ErrConflict] and nothing changes. Data of more than
	// 64 KiB is an error matching [ErrTooLarge].
	WriteNoteIf(ctx context.Context, kind, name string, data []byte, stamp Stamp) (Stamp, error)

	// DeleteNoteIf deletes a note if it still has the stamp. Another stamp is
	// an error matching [ErrConflict], a note that is not there one matching
	// [fs.ErrNotExist].
	DeleteNoteIf(ctx context.Context, kind, name string, stamp Stamp) error

	// ChangeNotes writes and deletes notes of a kind, each of another name, at
	// about the cost of one, and returns their new stamps in the order of the
	// changes. If one of the notes has another stamp than its change says, the
	// error is a [*NoteConflictError] with all such notes; another error is
	// one of WriteNoteIf, and for a name that is given twice it matches
	// [ErrSyntax]. After an error nothing has changed, but if the process ends
	// meanwhile, or the storage fails, the first of the changes may be done and
	// the others not.
	ChangeNotes(ctx context.Context, kind string, changes []NoteChange) ([]Stamp, error)

	// Notes yields the notes of a kind, each once, in no order, and
	// skips those that cannot be read. Notes that are written meanwhile may be yielded or
	// not. It ends after an error.
	Notes(ctx context.Context, kind string) iter.Seq2[Note, error]
}

// PinNotes is the kind of the notes that hold the source of a map without a
// hash to the version it had when that version of the map was first used. The
// name is the id of the map, and the note goes with the map: see [Deleter].
const PinNotes = "pins"

// A Note is one of the notes that [NoteStore.Notes] yields.
type Note struct {
	Name  string
	Data  []byte // the caller's
	Stamp Stamp
}

// A NoteChange is what [NoteStore.ChangeNotes] does to one note.
type NoteChange struct {
	Name  string
	Data  []byte // nil deletes the note, if it exists
	Stamp Stamp  // of the note as read; zero if it did not exist
}

// A NoteConflictError reports notes that have other stamps than those they
// were to be changed with. It matches [ErrConflict].
type NoteConflictError struct {
	Names []string // in the order of the changes
}

func (e *NoteConflictError) Error() string {
	return fmt.Sprintf("%s changed meanwhile: %v", message.Count(len(e.Names), "note"), ErrConflict)
}

func (e *NoteConflictError) Is(target error) bool { return target == ErrConflict }

// A Stamp identifies one version of a stored map or note, by comparison only.
// The zero Stamp stands for a note or map that does not exist.
type Stamp struct {
	Identity string
}

// EvidenceMeta is the metadata stored with an evidence file.
type EvidenceMeta struct {
	// Name is the file name the evidence should have: a legible stem, made
	// by the Library, that is unique for the key. It holds only characters
	// safe on every file system, and no separator.
	Name string `json:"name"`

	// Size is the number of bytes the body must have, or -1 if unknown.
	Size int64 `json:"size"`

	// Resource is the id of the map that the evidence was made by, or "" if
	// it is of a file without a map.
	Resource string `json:"resource,omitempty"`

	MediaType  string    `json:"media_type"`
	Charset    string    `json:"charset,omitempty"`
	Guessed    bool      `json:"guessed,omitempty"` // the charset is inferred
	Actual     *Location `json:"actual,omitempty"`
	Changes    []string  `json:"changes,omitempty"` // as [Content] has them
	SourceHash string    `json:"source_hash,omitempty"`

	// Keep says that the file, such as a part of an index, is costly to make
	// again: a store that removes evidence to make room keeps it while it is
	// in use.
	Keep bool `json:"keep,omitempty"`

	// Preview describes a picture, as package preview writes it; nil
	// for evidence.
	Preview json.RawMessage `json:"preview,omitempty"`
}

// StoredEvidence is an evidence file in a [Workspace].
type StoredEvidence struct {
	EvidenceMeta
	Path   string // absolute path, or a made-up one where there are no files
	SHA256 string // of the content, in lower case hex
}
