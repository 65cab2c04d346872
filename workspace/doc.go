// Package workspace has the places where maps, sources and evidence live: a
// [Directory] on disk, and a [Memory] for tests and programs that embed
// citekit.
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
//	    .meta/pins/           versions that sources are held to
//	    .meta/notes/          notes, a file for each kind; may be lost
//	    .meta/tmp/            files being written
//
// Directories are made when something is first written, with mode 0700; files
// have mode 0600, unless Options.FileMode, DirMode and Group say otherwise, for a
// directory that several people share. A map that is replaced keeps the mode it had.
//
// # Promises
//
// A map that WriteMap reported stored survives a loss of power; at any moment
// there is the old map or the new one, never a mixture. A pin survives too. Other notes
// survive the end of the process that wrote them, and a loss of power may take
// the latest.
// Evidence may be lost in a loss of power, but what is found is whole: its
// content is hashed again unless the file is provably the one that was
// stored.
//
// Several processes may use one directory. Writers wait for each other by
// flock, so the lock of a process that died is free. WriteMap replaces what is
// there; of those who write with a stamp one succeeds. On file systems without
// flock they do not wait: every file is still whole, and stamps are compared
// only as well as the moment allows.
//
// Files are told apart by device, inode, size and times, as git's index does.
// Where there are no inodes it is volume and file index, or the path. These
// are not relied on if the file changed within the clock's granularity before,
// nor, on Linux, while somebody has it open for writing: a page that is mapped
// and was written to is written again without the times moving. A read lease
// (F_SETLEASE) tells. A source of which it tells nothing, such as one of
// another person or on a file system in memory, has no version until it is
// hashed, and evidence there is hashed each time. Other systems do not tell.
//
// # Seals
//
// What is below .meta is believed only if this person's citekit wrote it: each
// record, and the notes, have a seal, an HMAC-SHA-256 over the content, the
// name and the place of the directory, under the key in Options.KeyDir. What
// came with a folder that was cloned, unpacked, copied or moved is as if
// missing: evidence is made again, hashes are computed again, and sources are
// pinned to the version they have now. A pin that is damaged, in contrast, is
// an error. No file is removed or replaced because a record names it that has
// no seal.
//
// # Notes
//
// A pin is a note in a file of its own, as one that is damaged must be told
// from one that is not there. The notes of any other kind are lines of one file,
// <kind>.log, to which changes are appended, each line with its length and its
// seal. Writers wait for each other by the lock of the evidence directory, and
// read what was appended before they compare stamps; what is changed together
// is appended together. A line that was not
// written whole is skipped. A file of more than 1 MiB that is mostly outdated
// is written anew.
//
// # File names of maps
//
// The map of an id made of a-z, 0-9, ".", "_" and "-" is the file <id>.json.
// In other ids every other byte is written as %XX, as are a leading "." or
// "-" and the first letter of a device name of Windows. If the id has
// upper-case ASCII letters, the name goes on with "~" and 8 hex digits of the
// id's SHA-256, so that ids that differ only in case have different files
// also where the file system does not tell case apart. Names over 180 bytes
// are cut and end in "~" and 32 digits. Files with plain names that earlier
// implementations wrote for any id, such as Lecture_01.json, are found, read
// and updated where they are.
package workspace
