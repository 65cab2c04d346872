// Package workspace provides the storage for maps, sources and evidence: a
// [Directory] on disk, a [Memory] for tests and programs that embed citekit, and
// a [Bucket] over a driver for another store.
//
// # Layout of a directory
//
//	base/
//	  .resource_maps/         one JSON file for each map
//	    .lock                 locked (flock) while a map is written
//	  .citekit_output/        evidence files
//	    .lock                 locked while evidence is put in place
//	    .meta/evidence/       one record for each evidence file
//	    .meta/hashes/         hashes of sources, by path
//	    .meta/pins/           versions that sources are pinned to
//	    .meta/notes/          notes, a file for each kind; may be lost
//	    .meta/usage.json      total size of the evidence; counted again if lost
//	    .meta/tmp/            files being written
//
// Directories are made when something is first written, with mode 0700. Files
// have mode 0600. Options.FileMode, DirMode and Group set other modes, for a
// directory that several people share. A map that is replaced keeps its mode.
//
// # Promises
//
// Once WriteMap has returned without error, the map survives a power failure;
// at any moment the file holds the old map or the new one, never a mixture. A
// pin survives too. Other notes survive the end of the process that wrote them,
// but a power failure may lose the latest. Evidence may be lost in a power
// failure, but evidence that is found is whole: its content is hashed again
// unless the file is provably the one that was stored.
//
// Several processes may use one directory. Writers wait for each other by
// flock, so the lock of a process that died is free. WriteMap replaces any map;
// of several writers with the same stamp, one succeeds. On file systems without
// flock, writers do not wait: every file is still whole, but comparing stamps
// can miss a write that happens at the same time.
//
// Files are identified by device, inode, size and times, as in git's index.
// Without inodes, they are identified by volume and file index, or by path.
// This identity is not trusted if the file changed so recently that another
// change could have the same times, or, on Linux, while a process has the file
// open for writing: a process that has mapped the file can change it without
// changing its times. A read lease (F_SETLEASE) shows whether a process has the
// file open for writing. Where the system grants no lease, such as for a file
// of another user or on an in-memory file system, a source has no version until
// it is hashed, and evidence is hashed each time. Other systems offer no such
// check.
//
// # Seals
//
// Records below .meta are trusted only if this user's citekit wrote them. Each
// record, and each note, has a seal: an HMAC-SHA-256 over the content, the name
// and the place of the directory, under the key in Options.KeyDir. Records that
// came with a folder that was cloned, unpacked, copied or moved are treated as
// missing: evidence is made again, hashes are computed again, and sources are
// pinned to the version they have now. A damaged pin, in contrast, is an error.
// No file is removed or replaced because an unsealed record names it.
//
// # Notes
//
// Each pin is a file of its own, because a damaged pin must be distinguishable
// from a missing one. The notes of any other kind are lines of one file,
// <kind>.log. Changes are appended to it, each as a line with its length and
// its seal. Writers wait for each other by the lock of the evidence directory,
// and read what was appended before they compare stamps; notes that are changed
// together are appended together. A line that was not written whole is skipped.
// A file of more than 1 MiB that is mostly outdated is rewritten.
//
// # File names of maps
//
// The map of an id made of a-z, 0-9, ".", "_" and "-" is the file <id>.json. In
// other ids every other byte is written as %XX, as are a leading "." or "-" and
// the first letter of a Windows device name. If the id has upper-case ASCII
// letters, the name continues with "~" and 8 hex digits of the id's SHA-256, so
// that ids that differ only in case have different files even on a file system
// that ignores case. Names over 180 bytes are cut and end in "~" and 32 digits.
// Files with plain names that earlier implementations wrote for any id, such as
// Lecture_01.json, are found, read and updated where they are.
package workspace
