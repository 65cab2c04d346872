package index

// NeverMerge returns options of an index whose segments stay as they are put.
func NeverMerge() *Options { return &Options{neverMerge: true} }

// NeverMergeShards returns those of an index of several shards.
func NeverMergeShards(n int) *Options { return &Options{neverMerge: true, Shards: n} }

// SetMaxManifest sets the size of the largest note of a manifest until the function that
// it returns is called.
func SetMaxManifest(bytes int) (reset func()) {
	old := maxManifest
	maxManifest = bytes
	return func() { maxManifest = old }
}

// ManifestKind is the kind of the notes of a manifest.
const ManifestKind = manifestKind

// SetMostWaited sets how many bytes a search waits for until the function that it returns
// is called.
func SetMostWaited(bytes int64) (reset func()) {
	old := mostWaited
	mostWaited = bytes
	return func() { mostWaited = old }
}
