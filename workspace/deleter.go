package workspace

import (
	"context"
	"iter"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
)

// A Deleter is a [citekit.Workspace] that can delete what it keeps. Deleting and
// pruning in package ingest need one.
type Deleter interface {
	// DeleteMaps deletes maps durably, in the given order. It deletes the pin
	// of each map too, after the map: the note of the kind [PinNotes] whose
	// name is the id. It stops at the first map that it cannot delete. The
	// error matches [fs.ErrNotExist] if that map does not exist, and
	// [citekit.ErrConflict] if it has another stamp, because it was replaced.
	//
	// DeleteMaps returns the number of deleted maps. If that is len(maps) and
	// there is an error, all maps are deleted, and the error concerns something
	// that belongs to one of them, such as its pin.
	DeleteMaps(ctx context.Context, maps []MapVersion) (deleted int, err error)

	// Kept yields everything that the workspace stores beside maps, in no
	// particular order. It skips single entries that it cannot read, such as a
	// damaged pin. It stops after it yields an error, such as that of an
	// unreadable folder.
	Kept(ctx context.Context) iter.Seq2[Kept, error]

	// DeleteKept deletes something that Kept yielded. It returns nil if that no
	// longer exists, or has been replaced.
	DeleteKept(ctx context.Context, k Kept) error
}

// A MapVersion names one version of a map.
type MapVersion struct {
	ID    string        // of the map
	Stamp citekit.Stamp // the stamp that the map has in this version
}

// Values of [Kept.Kind].
const (
	KeptEvidence = "evidence" // an evidence file
	KeptPin      = "pin"      // a note of the kind [PinNotes]
	KeptGrant    = "grant"    // permission to read a file outside the roots, no longer needed by any map
	KeptScrap    = "leftover" // a file that nothing refers to, such as one left by a killed process
)

// A Kept is something that a workspace keeps beside its maps.
type Kept struct {
	Kind       string // [KeptEvidence] and so on
	Name       string // its name in the workspace
	ResourceID string // id of the map it belongs to; "" for evidence of a file without a map
	SourceHash string // of evidence: SHA-256 of the source it was made from, in lower-case hex; "" if that is not known
	Path       string // for display, relative to the base directory if it is below; "" if it has no file of its own
	Size       int64  // bytes
}

// PinNotes is the kind of the notes of required versions. A map without a source
// hash is valid only for the version that its source had when the map was first
// used, and the note records that version; what an address pins is another thing. The
// name of the note is the id of the map. The note is deleted with the map: see [Deleter].
const PinNotes = ledger.Pins
