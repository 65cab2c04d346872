package workspace

import (
	"context"
	"iter"
)

// A Finder is a [citekit.Workspace] whose sources can be searched for. Package ingest
// needs one.
type Finder interface {
	// Find yields the sources that req asks for, each once, folder by folder in
	// the order of their names. If it cannot read a path, it yields an error
	// and a Candidate with that path, and goes on, unless ctx is done.
	//
	// Find does not follow folders out of the roots, nor symbolic links. The
	// error for a path outside the roots matches [citekit.ErrForbidden], and the error
	// for a missing path [fs.ErrNotExist].
	Find(ctx context.Context, req FindRequest) iter.Seq2[Candidate, error]

	// LockIngest waits until no other caller, in this process or another, is
	// ingesting into the workspace or deleting from it. The caller must call
	// release once. The lock is needed because the id of a new map depends on
	// the ids that exist.
	LockIngest(ctx context.Context) (release func(), err error)
}

// A FindRequest says which sources to find.
type FindRequest struct {
	// Paths are files, folders and patterns, relative to the base directory or
	// absolute. A path that exists is used literally. Any other path is a
	// pattern: "*", "?" and "[a-z]" match characters within one name, and "**"
	// matches any number of folders; a backslash takes the next character
	// literally. The folders that it begins with, if they exist, are used
	// literally.
	Paths []string

	// NoIgnore also finds what .gitignore files leave out.
	NoIgnore bool

	// Hidden also finds names that begin with a dot. The directories of
	// citekit and of git are never searched.
	Hidden bool
}

// A Candidate is a source that was found, or a folder that was searched.
type Candidate struct {
	// Path is the path for [citekit.Workspace] and for the map:
	// relative to the base directory with forward slashes if it is below
	// that, else absolute.
	Path string

	Size int64 // bytes

	// Identity changes whenever the file may have changed; "" if that cannot
	// be told.
	Identity string

	// Named says that the request names this file itself. It is false if the
	// file was found in a folder or by a pattern.
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
