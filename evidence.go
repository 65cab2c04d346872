package citekit

// Evidence is what a resolve returns.
type Evidence struct {
	// OutputPath is the absolute path of the evidence file; "" if there is
	// none, which is null in JSON.
	OutputPath string

	Modality   Modality
	Address    Address
	Node       *Node // the node resolved, shared; nil if there was none
	ResourceID string

	MediaType string
	Charset   string // IANA name of the encoding of text evidence, lower case
	Size      int64  // bytes
	SHA256    string // of the evidence file, in lower case hex

	// SourceHash is the SHA-256 of the source, where it is known; no
	// resolve hashes a large source only to say so.
	SourceHash string

	// Actual is the location the file holds, where it is not the one of the
	// address; else nil.
	Actual *Location

	Cached bool // the file was there before this call
	Stale  bool // the source has changed since it was mapped
}

// MarshalJSON returns {"output_path", "modality", "address", "node",
// "resource_id", …}; the node comes without its children.
func (e *Evidence) MarshalJSON() ([]byte, error) { return nil, nil }

// A Problem is one thing wrong with a map.
type Problem struct {
	Path    string // JSON path, such as "nodes[3].children[0].location.pages"
	Node    string // id of the node at fault, or ""
	Warning bool   // the map can be used all the same
	Err     error
}

func (p Problem) Error() string {
	if p.Node == "" {
		return p.Path + ": " + p.Err.Error()
	}
	return p.Path + " (node '" + p.Node + "'): " + p.Err.Error()
}

func (p Problem) Unwrap() error { return p.Err }

// Check returns what is wrong with the map by itself; [Library.Check] also
// looks at its source.
func (m *ResourceMap) Check() []Problem { return nil }

// Validate returns the first problem of Check that is not a warning, naming
// the map, or nil.
func (m *ResourceMap) Validate() error { return nil }
