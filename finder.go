package citekit

import (
	"context"
	"iter"
)

// A Finder is a [Workspace] whose sources can be searched for. Package ingest
// needs one.
type Finder interface {
	// Find yields the sources that req asks for, each once, folder by
	// folder in the order of their names. A path that could not be read is
	// yielded as an error with that path, and the search goes on, unless ctx is
	// done.
	//
	// Folders are not followed out of the roots, nor through symbolic links.
	// A path outside matches [ErrForbidden], a missing one
	// [fs.ErrNotExist].
	Find(ctx context.Context, req FindRequest) iter.Seq2[Candidate, error]

	// LockIngest waits until no other caller, also of another process,
	// ingests into the workspace or deletes from it: which id a source gets
	// depends on the ids that others have. Release must be called once.
	LockIngest(ctx context.Context) (release func(), err error)
}

// A FindRequest says which sources to find.
type FindRequest struct {
	// Paths are files, folders and patterns, relative to the base directory
	// or absolute. A path that exists is taken as it is. In others "*", "?"
	// and "[a-z]" stand for characters of one name, and "**" for any number
	// of folders.
	Paths []string

	// NoIgnore also finds what .gitignore files leave out.
	NoIgnore bool

	// Hidden also finds names that begin with a dot. The directories of
	// citekit and of git are never searched.
	Hidden bool
}

// A Candidate is a source that was found, or a folder that was searched.
type Candidate struct {
	// Path is the path for [Workspace.OpenSource] and for the map:
	// relative to the base directory with forward slashes if it is below
	// that, else absolute.
	Path string

	Size int64 // bytes

	// Identity changes whenever the file may have changed; "" if that cannot
	// be told.
	Identity string

	// Named says that a path of the request is this file, rather than a
	// folder or pattern that it was found by.
	Named bool

	// Link says that this is a symbolic link found in a folder. It is not
	// followed.
	Link bool

	// Folder says that this is a folder, not a source. It is yielded before
	// its entries.
	Folder bool

	// Companions are the paths, as Path, of the subtitles, transcripts and
	// chapters beside a recording: the files that share its name up to an
	// extension such as .srt, .vtt, .ass or .json, sorted by name.
	Companions []string
}
