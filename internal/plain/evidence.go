package plain

import "strings"

const (
	maxStem   = 48 // bytes of a resource or label in the name of a file
	keyInName = 16 // hex digits
)

// EvidenceName returns the name of a file of evidence. It has the resource and the
// label of the part, for people, and the start of the key, which must have at
// least 16 digits and makes the name unique. An ext without a dot is left out.
func EvidenceName(resource, label, key, ext string) string {
	label = strings.ReplaceAll(label, ".", "_")
	return SlugStem(resource, maxStem) + "_" + SlugStem(label, maxStem) + "-" + key[:keyInName] + fileExt(ext)
}

func fileExt(ext string) string {
	if len(ext) < 2 || ext[0] != '.' {
		return ""
	}
	return "." + SlugStem(ext[1:], maxStem)
}
