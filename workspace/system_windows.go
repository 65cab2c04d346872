package workspace

import "os"

const nonblock = 0

// holdTemp does nothing: a lock would prevent writing, and Windows does not
// remove an open file.
func holdTemp(*os.Root, string) *os.File { return nil }

func isHeld(*os.Root, string) (held, known bool) { return false, false }

// syncDir does nothing: directories cannot be synced here, and renames are
// journalled.
func syncDir(*os.Root, string) error { return nil }
