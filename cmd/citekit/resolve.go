package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/term"
)

// A resolveRequest is what the flags of resolve say.
type resolveRequest struct {
	resource string
	options  citekit.ResolveOptions
	output   string
	force    bool
}

func resolveCommand() *command {
	var r resolveRequest
	return &command{
		name:    "resolve",
		args:    "<what>",
		summary: "Extract a node, an address or part of a file",
		about: `Writes exactly the part of the source that is asked for to a file in the
output directory, and prints its address, for citing, and its path.

<what> is one of
  RESOURCE.NODE   a node of a map; ids may have dots, the longest resource id
                  that fits counts; RESOURCE alone is all of its source
  ADDRESS         such as doc://book#pages=12-15
  FILE#FRAGMENT   part of a file, without a map; FILE alone is all of it

A fragment is pages=3-5,9 for documents, t=60-90 or t=1:30-2:00 for video and
audio, bbox=0,0,0.5,0.5 for images (and with pages= for a region of a page),
lines=10-25 for text. Quote it: "#" may mean something to the shell. page=,
line=, xywh= and t=60,90 are read as RFC 8118, RFC 5147 and W3C Media
Fragments define them.`,
		example: []string{
			"citekit resolve book.chapter-2",
			"citekit resolve 'book.pdf#pages=3-5'",
			"citekit resolve 'talk.mp4#t=60-90' --output clip.mp4",
			"citekit resolve 'notes.md#lines=10-20' --output -",
			"citekit resolve 'doc://book#pages=12-15' --virtual",
		},
		minArgs: 1, maxArgs: 1,
		flags: r.register,
		run:   func(ctx context.Context, s *session, args []string) error { return s.resolve(ctx, args[0], r) },
	}
}

func (r *resolveRequest) register(f *flagSet) {
	f.StringVar(&r.resource, "resource", "", "`ID` of the resource; <what> is then a node of it")
	f.BoolVar(&r.options.Virtual, "virtual", false, "only give the address; extract nothing")
	f.StringVar((*string)(&r.options.Mode), "mode", string(citekit.ModeExact),
		"`MODE` of cutting time: exact, copy (without re-encoding, from the key frame before) or strict (exact, without hidden frames before the start)")
	f.BoolVar(&r.options.AllowStale, "allow-stale", false, "resolve although the source has changed since it was mapped")
	f.StringVar(&r.output, "output", "", "copy the evidence to `FILE`; - writes its bytes to the standard output")
	f.BoolVar(&r.force, "force", false, "with --output, replace FILE if it exists")
	f.alias("o", "output")
}

func (s *session) resolve(ctx context.Context, what string, r resolveRequest) error {
	if r.output == "-" && s.json {
		return usagef("resolve", "--output - and --json both need the standard output")
	}
	if r.output != "" && r.options.Virtual {
		return usagef("resolve", "--virtual extracts nothing that --output could copy")
	}
	if err := checkOutput(r.output, r.force); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	e, err := s.evidence(ctx, what, r)
	if err != nil {
		return err
	}
	if r.output != "" && e.OutputPath == "" {
		return fmt.Errorf("%s is virtual; there is nothing to copy to --output", e.Address)
	}
	switch r.output {
	case "":
		return s.printEvidence(e, e.OutputPath)
	case "-":
		return s.writeEvidence(ctx, e.Evidence)
	}
	if err := copyEvidence(ctx, e.Evidence, r.output, r.force); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	if e.OutputPath, err = filepath.Abs(r.output); err != nil {
		return err
	}
	return s.printEvidence(e, r.output)
}

// A found is evidence with what it was found by.
type found struct {
	*citekit.Evidence
	file string // as the person named it, if it has no map; else ""
}

// evidence finds out what is meant and resolves it.
func (s *session) evidence(ctx context.Context, what string, r resolveRequest) (found, error) {
	part, isFile := filePart{}, false
	if r.resource == "" {
		part, isFile = findFile(what)
	}
	lib, err := s.open(part.allowed()...)
	if err != nil {
		return found{}, err
	}
	defer lib.Close()
	defer s.spin(ctx, "resolving "+what)()
	switch {
	case r.resource != "":
		return resolveNode(ctx, lib, nodeName{r.resource, what}, &r.options)
	case isFile && (part.fragment != "" || isPath(what)):
		return resolveFile(ctx, lib, part, r.options)
	case strings.Contains(what, "://"):
		a, err := parseAddress(what)
		if err != nil {
			return found{}, err
		}
		return resolveAddress(ctx, lib, a, &r.options)
	}
	return s.resolveWord(ctx, lib, what, part, isFile, &r.options)
}

// allowed returns the files that resolving the part needs.
func (p filePart) allowed() []string {
	if p.path == "" {
		return nil
	}
	return []string{p.path}
}

// resolveWord resolves what may be a node, a resource or a whole file.
func (s *session) resolveWord(ctx context.Context, lib *library, word string, part filePart, isFile bool, opts *citekit.ResolveOptions) (found, error) {
	name, err := s.chooseNode(ctx, lib, word)
	switch {
	case isFile && err != nil:
		return resolveFile(ctx, lib, part, *opts)
	case isFile:
		return found{}, usagef("resolve", "'%s' is a file, and also %v; write ./%s for the file, --resource for the other", word, name, word)
	case err != nil:
		return found{}, orNoFile(word, err)
	case name.node != "":
		return resolveNode(ctx, lib, name, opts)
	}
	m, err := lib.Map(ctx, name.resource)
	if err != nil {
		return found{}, err
	}
	return resolveAddress(ctx, lib, citekit.Address{Resource: name.resource, Location: citekit.Location{Modality: m.Type}}, opts)
}

// orNoFile returns an error for a word that names nothing: it is about a file
// if the word looks like one.
func orNoFile(word string, err error) error {
	if info, statErr := os.Stat(word); statErr == nil && info.IsDir() {
		return fmt.Errorf("'%s' is a directory; name a file in it: %w", word, citekit.ErrSyntax)
	}
	file, _, hasFragment := strings.Cut(word, "#")
	if hasFragment || strings.ContainsAny(word, `/\`) {
		return fmt.Errorf("no file '%s': %w", file, fs.ErrNotExist)
	}
	var missing *citekit.NotFoundError
	if errors.As(err, &missing) && missing.Kind == "resource" {
		return fmt.Errorf("%w (nor is there a file '%s')", missing, word)
	}
	return err
}

func resolveNode(ctx context.Context, lib *library, name nodeName, opts *citekit.ResolveOptions) (found, error) {
	e, err := lib.Resolve(ctx, name.resource, name.node, opts)
	return found{Evidence: e}, withHint(err, "")
}

func resolveAddress(ctx context.Context, lib *library, a citekit.Address, opts *citekit.ResolveOptions) (found, error) {
	e, err := lib.ResolveAddress(ctx, a, opts)
	return found{Evidence: e}, withHint(err, a.Version)
}

// pinDigits is how many digits of the source's hash an address gets that only
// the content of the file tells from that of another file of the name.
const pinDigits = 16

// resolveFile resolves part of a file that has no map. The address pins the
// version of the file, where that is known: its resource id is only a name.
func resolveFile(ctx context.Context, lib *library, part filePart, opts citekit.ResolveOptions) (found, error) {
	loc, version, err := parseFragment(part.fragment)
	if err != nil {
		return found{}, err
	}
	opts.Version = version
	e, err := lib.ResolveFile(ctx, part.path, loc, &opts)
	if err != nil {
		return found{}, err
	}
	if e.Address.Version == "" && e.SourceHash != "" {
		e.Address.Version = e.SourceHash[:pinDigits]
	}
	return found{e, part.name}, nil
}

// withHint adds to an error about a resource which flag would help. A version
// that the address pins is never waived.
func withHint(err error, pinned string) error {
	switch {
	case errors.Is(err, citekit.ErrStale) && pinned == "":
		return hinted{err, "--allow-stale resolves it all the same"}
	case errors.Is(err, citekit.ErrForbidden):
		return hinted{err, "--root DIR allows the plain files of a further directory"}
	}
	return err
}

// spin shows on a terminal that something takes its time.
func (s *session) spin(ctx context.Context, label string) (stop func()) {
	if s.json || !term.IsTerminal(s.stderr) {
		return func() {}
	}
	return term.Spin(ctx, s.stderr, label)
}

func (s *session) printEvidence(e found, path string) error {
	if s.json {
		return s.printJSON(e)
	}
	rows := []row{{"address", e.Address.String()}}
	if e.file != "" {
		rows = append(rows, row{"file", e.file + "  (no map: cite the address with the file)"})
	}
	if e.Node != nil {
		rows = append(rows, row{"node", titled(e.Node)})
	}
	if path != "" {
		rows = append(rows, row{"path", path}, row{"type", mediaType(e.Evidence)}, row{"size", byteSize(e.Size)}, row{"sha256", e.SHA256})
	}
	if e.Actual != nil {
		actual := citekit.Address{Resource: e.ResourceID, Location: *e.Actual}
		rows = append(rows, row{"actual", actual.String()})
	}
	if e.Stale {
		rows = append(rows, row{"stale", "the source has changed since it was mapped"})
	}
	s.printRows(rows)
	return nil
}

func mediaType(e *citekit.Evidence) string {
	if e.Charset != "" && !strings.Contains(e.MediaType, "charset") {
		return e.MediaType + "; charset=" + e.Charset
	}
	return e.MediaType
}
