package citekit

import (
	"context"
	"iter"
)

// A Deleter is a [Workspace] that can delete what it keeps. Deleting and
// pruning in package ingest need one.
type Deleter interface {
	// DeleteMaps deletes maps in their order, durably, and after each the
	// note of the kind [PinNotes] that has its id as name. It ends with the
	// first that it cannot delete: a missing one is an error matching
	// [fs.ErrNotExist], one that has another stamp an error matching
	// [ErrConflict], for it was replaced meanwhile. It returns how many are
	// deleted. An error beside all of them is about what belongs to them.
	DeleteMaps(ctx context.Context, maps []MapVersion) (deleted int, err error)

	// Kept yields what is kept beside the maps, in no order. It skips
	// what cannot be read, and ends after an error.
	Kept(ctx context.Context) iter.Seq2[Kept, error]

	// DeleteKept deletes what Kept yielded. If it is gone by now, or has been
	// replaced, that is not an error.
	DeleteKept(ctx context.Context, k Kept) error
}

// A MapVersion is a map as it was when it was looked at.
type MapVersion struct {
	ID    string
	Stamp Stamp
}

// Values of [Kept.Kind].
const (
	KeptEvidence = "evidence" // an evidence file
	KeptPin      = "pin"      // a note of the kind [PinNotes]
	KeptGrant    = "grant"    // leave to read a file outside the roots that no map needs any more
	KeptScrap    = "leftover" // a file that nothing refers to, such as one left by a killed process
)

// A Kept is something that a workspace keeps beside its maps.
type Kept struct {
	Kind       string // [KeptEvidence] and so on
	Name       string // its name in the workspace
	ResourceID string // the map it belongs to; "" for evidence of a file without a map
	SourceHash string // of evidence: the version it is of; "" if that is not known
	Path       string // for display, relative to the base directory if it is below; "" if it has no file of its own
	Size       int64  // bytes
}
