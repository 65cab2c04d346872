package workspace

import (
	"io/fs"
	"os"
	"strconv"
	"time"
)

// identity returns a string made from the size, times and numbers of a file. It
// changes whenever one of them does.
func identity(info fs.FileInfo) string {
	b := make([]byte, 0, 80)
	b = strconv.AppendInt(b, info.Size(), 10)
	b = append(b, '.')
	b = strconv.AppendInt(b, info.ModTime().UnixNano(), 36)
	return string(appendSystemIdentity(b, info))
}

// fileIdentity is like identity, for an open file.
func fileIdentity(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", withoutPath(err)
	}
	return identity(info), nil
}

// logSuffix is what SQLite adds to the name of a database for that of its
// write-ahead log.
const logSuffix = "-wal"

// identityWithLog returns the identity of a database and its write-ahead log.
func identityWithLog(id string, log fs.FileInfo) string { return id + "+" + identity(log) }

// isRacy reports whether a file was changed so shortly before now, the time its
// metadata were read, that a further change might not change the metadata.
func isRacy(info fs.FileInfo, now time.Time) bool {
	return within(info.ModTime(), now) || within(changeTime(info), now)
}

func within(t, now time.Time) bool {
	granularity := 100 * time.Millisecond
	if t.Nanosecond() == 0 {
		granularity = 2100 * time.Millisecond // FAT counts in steps of 2 s
	}
	return now.Sub(t).Abs() <= granularity
}
