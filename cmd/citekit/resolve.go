package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/render"
)

// A resolveRequest holds the flags of resolve.
type resolveRequest struct {
	resource string
	kind     string
	options  citekit.ResolveOptions
	output   string
	force    bool
	open     bool
	as       string
}

func resolveCommand() *command {
	var r resolveRequest
	return &command{
		name:    "resolve",
		args:    "<what>",
		summary: "Extract a node, an address or part of a file",
		about: `Writes exactly the requested part of the source to a file in the output
directory, and prints its address, for citing, and its path.

<what> is one of
  RESOURCE.NODE   a node of a map; ids may have dots, the longest resource id
                  that fits counts; RESOURCE alone is all of its source
  ADDRESS         such as doc://book#pages=12-15
  FILE#FRAGMENT   part of a file, without a map; FILE alone is all of it. A
                  relative path is relative to the base directory (--dir) or,
                  if nothing is there, to the working directory

Files are looked for first, in the base directory and then in the working
directory. If a file is the source of a resource and has not changed since it
was mapped, the address is that of the resource. RESOURCE#FRAGMENT is an address
without its scheme. The name or path of a source that is not a file here stands
for its resource. A name that is a file and also another resource is an error:
./NAME is always a file.

A fragment selects
  pages=3-5,9              of PDF and slides; with bbox= a region of a page
  blocks=12-15             of DOCX and HTML; cells=B2:C3 of one that is a table
  part=4&blocks=12-15      of EPUB; part=4-6 for whole parts
  sheet=Results            of a spreadsheet; with cells=B5:D10, rows=5-7 or
                           cols=B:D a part of it
  rows=5-7                 of CSV and, with table=orders, of a database;
                           also cols=name,price
  part=1.2, message=3      of mail
  member=dir/a.pdf         of an archive, with any of the others
  t=60-90, t=1:30-2:00     of video and audio
  bbox=0,0,0.5,0.5         of an image
  lines=10-25              of text
Quote it: "#" may mean something to the shell. page=, line=, xywh= and t=60,90
are read as RFC 8118, RFC 5147 and W3C Media Fragments define them.`,
		example: []string{
			"citekit resolve book.chapter-2",
			"citekit resolve 'book.pdf#pages=3-5'",
			"citekit resolve 'talk.mp4#t=60-90' --output clip.mp4",
			"citekit resolve 'notes.md#lines=10-20' --output -",
			"citekit resolve book.chapter-2 --open",
			"citekit resolve 'doc://book#pages=12-15' --virtual",
		},
		minArgs: 1, maxArgs: 1,
		flags: r.register,
		run:   func(ctx context.Context, s *session, args []string) error { return s.resolve(ctx, args[0], r) },
	}
}

func (r *resolveRequest) register(f *flagSet) {
	f.StringVar(&r.resource, "resource", "", "`ID` of the resource; <what> is then a node of it")
	f.StringVar(&r.kind, "type", "", "`TYPE` that FILE is, whatever it looks like, such as text (default: detected from the content)")
	f.BoolVar(&r.options.Virtual, "virtual", false, "only print the address; extract nothing, and do not check that the source has that place and is unchanged")
	f.StringVar((*string)(&r.options.Mode), "mode", string(citekit.ModeExact),
		"`MODE` of cutting time: exact, copy (without re-encoding, from the preceding key frame) or strict (exact, without hidden frames before the start)")
	f.BoolVar(&r.options.AllowStale, "allow-stale", false, "resolve although the source has changed since it was mapped")
	f.StringVar(&r.output, "output", "", "copy the evidence to `FILE`; - writes its bytes to the standard output")
	f.BoolVar(&r.force, "force", false, "with --output, replace FILE if it exists")
	f.alias("o", "output")
	f.StringVar(&r.as, "as", "", "`FORMAT` to convert the evidence to, for people to read: pdf, which needs LibreOffice")
	f.BoolVar(&r.open, "open", false, "open the evidence with the default program for its type")
}

func (s *session) resolve(ctx context.Context, what string, r resolveRequest) error {
	if r.output == "-" && s.json {
		return usagef("resolve", "--output - and --json both need the standard output")
	}
	if r.output != "" && r.options.Virtual {
		return usagef("resolve", "--virtual extracts nothing that --output could copy")
	}
	if r.open && (r.output == "-" || r.options.Virtual) {
		return usagef("resolve", "--open needs a file, which --virtual and --output - do not make")
	}
	if r.as != "" && r.as != "pdf" {
		return usagef("resolve", "--as %s; it is pdf", r.as)
	}
	if r.as != "" && r.options.Virtual {
		return usagef("resolve", "--virtual extracts nothing that --as could lay out")
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
		return cmp.Or(s.printEvidence(e, e.OutputPath), r.openIf(e))
	case "-":
		return s.writeEvidence(ctx, e.Evidence)
	}
	if err := copyEvidence(ctx, e.Evidence, r.output, r.force); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	if e.OutputPath, err = filepath.Abs(r.output); err != nil {
		return err
	}
	return cmp.Or(s.printEvidence(e, r.output), r.openIf(e))
}

// openIf opens evidence if asked to.
func (r *resolveRequest) openIf(e found) error {
	switch {
	case !r.open:
		return nil
	case e.OutputPath == "":
		return fmt.Errorf("%s is virtual; there is nothing to open", e.Address)
	}
	return openFile(e.OutputPath)
}

// A found is evidence and the file it was found by.
type found struct {
	*citekit.Evidence
	file string // as the person named it, if it has no map; else ""
}

// evidence finds out what the word means and resolves it.
func (s *session) evidence(ctx context.Context, what string, r resolveRequest) (found, error) {
	part, isFile := filePart{}, false
	if r.resource == "" {
		var err error
		if part, isFile, err = s.findFile(what); err != nil {
			return found{}, err
		}
		part.kind = citekit.Modality(r.kind)
	}
	if r.kind != "" && (!isFile || !part.kind.Valid()) {
		return found{}, usagef("resolve", "--type says what a FILE is: document, video, audio, image or text")
	}
	lib, err := s.open(part.allowed()...)
	if err != nil {
		return found{}, err
	}
	defer lib.Close()
	defer s.spin(ctx, "resolving "+what)()
	e, err := s.resolveMeant(ctx, lib, what, part, isFile, r)
	if err == nil && r.as == "pdf" && e.OutputPath != "" {
		if e.Evidence, err = render.PDF(ctx, lib, e.Evidence); err != nil {
			err = fmt.Errorf("--as pdf: %w", err)
		}
	}
	return e, err
}

// resolveMeant resolves a word, an address or a file.
func (s *session) resolveMeant(ctx context.Context, lib *citekit.Library, what string, part filePart, isFile bool, r resolveRequest) (found, error) {
	switch {
	case r.resource != "":
		return resolveNode(ctx, lib, nodeName{r.resource, what}, &r.options)
	case isFile && (part.fragment != "" || isPath(what)):
		return s.resolveSource(ctx, lib, part, &r.options)
	case strings.Contains(what, "://"):
		a, err := parseAddress(what)
		if err != nil {
			return found{}, adviseAddress(ctx, lib, what, err)
		}
		return resolveAddress(ctx, lib, a, &r.options)
	}
	e, err := s.resolveWord(ctx, lib, what, part, isFile, &r.options)
	if err != nil && !isFile {
		err = cmp.Or(s.patternError(what), err)
	}
	return e, err
}

// allowed returns the files that must be readable to resolve the part.
func (p filePart) allowed() []string {
	if p.path == "" {
		return nil
	}
	return []string{p.path}
}

// resolveWord resolves what may be a node, a resource or a whole file.
func (s *session) resolveWord(ctx context.Context, lib *citekit.Library, word string, part filePart, isFile bool, opts *citekit.ResolveOptions) (found, error) {
	if resource, fragment, ok := strings.Cut(word, "#"); ok && !isFile {
		return resolvePart(ctx, lib, resource, fragment, opts)
	}
	name, err := s.chooseNode(ctx, lib, word)
	switch {
	case isFile && (err != nil || name.node == ""):
		return s.resolveSource(ctx, lib, part, opts)
	case isFile:
		return found{}, ambiguous(part.name, name)
	case err != nil:
		return resolveNamed(ctx, lib, word, "", err, opts)
	case name.node != "":
		return resolveNode(ctx, lib, name, opts)
	}
	return resolveFragment(ctx, lib, name.resource, "", opts)
}

func ambiguous(file string, name nodeName) error {
	return usagef("resolve", "'%s' is a file, and also %v; write ./%s for the file, --resource for the other", file, name, file)
}

// resolveSource resolves part of a file. If the file is the unchanged source of a
// resource, the evidence belongs to that resource; otherwise it has no map.
func (s *session) resolveSource(ctx context.Context, lib *citekit.Library, part filePart, opts *citekit.ResolveOptions) (found, error) {
	ids, err := s.resourcesOf(ctx, lib, part)
	if err != nil {
		return found{}, err
	}
	if !isPath(part.name) && !slices.Contains(ids, part.name) && hasMap(ctx, lib, part.name) {
		return found{}, ambiguous(part.name, nodeName{resource: part.name})
	}
	if len(ids) != 1 {
		return resolveFile(ctx, lib, part, *opts)
	}
	e, err := resolveFragment(ctx, lib, ids[0], part.fragment, opts)
	wrong := errors.As(err, new(mismatched))
	if !wrong && !errors.Is(err, citekit.ErrStale) {
		return e, err
	}
	e, fileErr := resolveFile(ctx, lib, part, *opts)
	if wrong && fileErr != nil {
		return found{}, err // the file is unchanged since it was mapped
	}
	return e, fileErr
}

// resourcesOf returns the resources whose source is a file, by its path or by the
// path that it links to.
func (s *session) resourcesOf(ctx context.Context, lib *citekit.Library, part filePart) ([]string, error) {
	placer, err := s.placer()
	if err != nil {
		return nil, err
	}
	own := placer.inMap(part.path)
	ids, err := ingest.ResourcesOf(ctx, lib, own)
	if target := placer.inMap(resolveLinks(part.path)); err == nil && len(ids) == 0 && target != own {
		return ingest.ResourcesOf(ctx, lib, target)
	}
	return ids, err
}

// resolvePart resolves a fragment of word, which is the id of a resource, or the
// name or path of a source.
func resolvePart(ctx context.Context, lib *citekit.Library, word, fragment string, opts *citekit.ResolveOptions) (found, error) {
	if hasMap(ctx, lib, word) {
		return resolveFragment(ctx, lib, word, fragment, opts)
	}
	if base := filepath.Base(word); base != word {
		_, err := lib.Map(ctx, base)
		return resolveNamed(ctx, lib, word, fragment, err, opts)
	}
	_, err := lib.Map(ctx, word)
	return resolveNamed(ctx, lib, word, fragment, err, opts)
}

// resolveNamed resolves part of the resource whose source has a name or path that
// does not exist as a file. If there is no such resource, the error says so and
// includes err.
func resolveNamed(ctx context.Context, lib *citekit.Library, word, fragment string, err error, opts *citekit.ResolveOptions) (found, error) {
	ids, findErr := resourcesWithSource(ctx, lib, word)
	switch {
	case findErr != nil:
		return found{}, findErr
	case len(ids) > 1:
		return found{}, fmt.Errorf("'%s' is the source of %d resources: %s; name one of them: %w", word, len(ids), someOf(ids), citekit.ErrSyntax)
	case len(ids) == 1:
		return resolveFragment(ctx, lib, ids[0], fragment, opts)
	}
	err = orNoFile(ctx, lib, word, fragment != "", err)
	if instead := lineOf(ctx, lib, word); instead != "" && fragment == "" {
		err = hinted{err, "did you mean '" + instead + "'?"}
	}
	return found{}, err
}

var fileAndLine = lazyregexp.New(`^(.+?):([1-9][0-9]{0,8})(:[0-9]+)?:?$`)

// lineOf returns what selects a line of a text that is written as compilers and
// grep do, FILE:LINE or FILE:LINE:COLUMN: an address if the file is the source of
// one resource, else the file with a fragment. It returns "" for anything else.
func lineOf(ctx context.Context, lib *citekit.Library, word string) string {
	m := fileAndLine.FindStringSubmatch(word)
	if m == nil {
		return ""
	}
	if ids, err := resourcesWithSource(ctx, lib, m[1]); err == nil && len(ids) == 1 {
		line, _ := strconv.Atoi(m[2])
		loc := citekit.Location{Lines: citekit.Range{First: line, Last: line}}
		if about, err := lib.Map(ctx, ids[0]); err == nil {
			if loc.Modality = about.Type; loc.Validate() == nil {
				return citekit.Address{Resource: ids[0], Location: loc}.String()
			}
		}
		return ""
	}
	if info, err := os.Stat(m[1]); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return m[1] + "#lines=" + m[2]
}

// resourcesWithSource returns the resources whose source has the path word, or in
// any folder the name word.
func resourcesWithSource(ctx context.Context, lib *citekit.Library, word string) ([]string, error) {
	ids, err := ingest.ResourcesOf(ctx, lib, path.Clean(filepath.ToSlash(word)))
	if len(ids) == 0 && err == nil && filepath.Base(word) == word {
		return ingest.ResourcesNamed(ctx, lib, word)
	}
	return ids, err
}

// someOf returns the first few names, and says how many more there are.
func someOf(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// resolveFragment resolves the part of a resource that a fragment selects, or its
// whole source if there is no fragment.
func resolveFragment(ctx context.Context, lib *citekit.Library, id, fragment string, opts *citekit.ResolveOptions) (found, error) {
	m, err := lib.Map(ctx, id)
	if err != nil {
		return found{}, err
	}
	loc, version, err := parseFragment(fragment)
	if err != nil {
		return found{}, err
	}
	a := citekit.Address{Resource: id, Location: loc, Version: version}
	if loc.Member != "" && !opts.Virtual {
		return resolveMember(ctx, lib, a, m, opts)
	}
	if a.Location.Modality = m.Type; a.Location.Validate() != nil {
		return found{}, wrongScheme(m, loc, version)
	}
	return resolveAddress(ctx, lib, a, opts)
}

// resolveMember resolves part of a member of an archive, whose modality is that of
// the member: the first one that the member has and that allows the selector.
func resolveMember(ctx context.Context, lib *citekit.Library, a citekit.Address, m *citekit.ResourceMap, opts *citekit.ResolveOptions) (found, error) {
	var failed error
	for _, modality := range append([]citekit.Modality{m.Type}, citekit.Modalities()...) {
		if a.Location.Modality = modality; a.Location.Validate() != nil {
			continue
		}
		e, err := resolveAddress(ctx, lib, a, opts)
		if err == nil || !errors.Is(err, errors.ErrUnsupported) {
			return e, err
		}
		failed = cmp.Or(failed, err)
	}
	if failed == nil {
		failed = wrongScheme(m, a.Location, a.Version)
	}
	return found{}, failed
}

// adviseAddress returns a better error for an address that cannot be parsed, if what
// it seems to name exists.
func adviseAddress(ctx context.Context, lib *citekit.Library, word string, err error) error {
	scheme, rest, _ := strings.Cut(word, "://")
	escaped, fragment, _ := strings.Cut(rest, "#")
	id, escapeErr := url.PathUnescape(escaped)
	if escapeErr != nil || !hasMap(ctx, lib, id) {
		return err
	}
	loc, version, parseErr := parseFragment(fragment)
	m, mapErr := lib.Map(ctx, id)
	if parseErr != nil || mapErr != nil || strings.HasPrefix(citekit.Address{Resource: id, Location: citekit.Location{Modality: m.Type}}.String(), scheme+"://") {
		return err
	}
	return wrongScheme(m, loc, version)
}

// A mismatched error says which address would be valid for a resource.
type mismatched struct{ error }

func (m mismatched) Unwrap() error { return m.error }

// wrongScheme returns the error for a location that does not fit the type of a
// resource.
func wrongScheme(m *citekit.ResourceMap, loc citekit.Location, version string) error {
	if !m.Type.Valid() {
		return fmt.Errorf("map '%s' has no type that could be addressed; 'citekit check-map %s' says more: %w", m.ResourceID, m.ResourceID, citekit.ErrSyntax)
	}
	return mismatched{citekit.Address{Resource: m.ResourceID, Location: loc, Version: version}.Mismatch(m.Type)}
}

// orNoFile returns an error for a word that names nothing. It mentions a file if the
// word looks like one, and suggests resources.
func orNoFile(ctx context.Context, lib *citekit.Library, word string, hasFragment bool, err error) error {
	if info, statErr := os.Stat(word); statErr == nil && info.IsDir() {
		return fmt.Errorf("'%s' is a directory; name a file in it: %w", word, citekit.ErrSyntax)
	}
	var whole, missing *citekit.NotFoundError
	errors.As(nodeName{resource: filepath.Base(word)}.check(ctx, lib), &whole)
	switch {
	case hasFragment, strings.ContainsAny(word, `/\`):
		return noFile(word, whole)
	case !errors.As(err, &missing):
		return err
	case missing.Kind == "resource":
		if len(missing.Suggestions) == 0 && whole != nil {
			missing = whole
		}
		return fmt.Errorf("%w (nor is there a file '%s')", missing, word)
	case len(missing.Suggestions) == 0 && looksLikeFile(word):
		return fmt.Errorf("%w (%v)", err, noFile(word, whole))
	}
	return err
}

// patternError returns the error for a file pattern, or nil if word is not a
// pattern. Without "*" a word is a pattern only if it matches something.
func (s *session) patternError(word string) error {
	pattern, _, _ := strings.Cut(word, "#")
	if !strings.ContainsAny(pattern, "*?[") {
		return nil
	}
	matches, err := filepath.Glob(filepath.Join(s.dir, pattern))
	if len(matches) == 0 {
		matches, err = filepath.Glob(pattern)
	}
	switch {
	case err == nil && len(matches) > 0:
		return fmt.Errorf("'%s' is a pattern, and resolve takes one file; it matches %s: %w", pattern, someOf(matches), citekit.ErrSyntax)
	case strings.Contains(pattern, "*"):
		return fmt.Errorf("'%s' is a pattern, and resolve takes one file or resource; 'citekit list' names the resources: %w", pattern, citekit.ErrSyntax)
	}
	return nil
}

// noFile returns the error for a file that does not exist, with suggested resources.
func noFile(name string, missing *citekit.NotFoundError) error {
	if missing == nil || len(missing.Suggestions) == 0 {
		return fmt.Errorf("no file '%s': %w", name, fs.ErrNotExist)
	}
	return fmt.Errorf("no file '%s'; did you mean the resource '%s'?%w", name, strings.Join(missing.Suggestions, "', '"), silent{fs.ErrNotExist})
}

// A silent error has no text; it is only matched.
type silent struct{ error }

func (silent) Error() string { return "" }

func (s silent) Unwrap() error { return s.error }

// looksLikeFile reports whether a word ends like a file name.
func looksLikeFile(word string) bool {
	ext := strings.TrimPrefix(filepath.Ext(word), ".")
	return len(ext) >= 2 && len(ext) <= 5 && !strings.ContainsFunc(ext, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

func resolveNode(ctx context.Context, lib *citekit.Library, name nodeName, opts *citekit.ResolveOptions) (found, error) {
	e, err := lib.Resolve(ctx, name.resource, name.node, opts)
	return found{Evidence: e}, withHint(err, "")
}

func resolveAddress(ctx context.Context, lib *citekit.Library, a citekit.Address, opts *citekit.ResolveOptions) (found, error) {
	e, err := lib.ResolveAddress(ctx, a, opts)
	return found{Evidence: e}, withHint(err, a.Version)
}

// pinDigits is how many hex digits of the hash of a source go into an address whose
// resource id is only a file name.
const pinDigits = 16

// resolveFile resolves part of a file without a map. The address pins the version of
// the file if that is known, because the resource id is only a name.
func resolveFile(ctx context.Context, lib *citekit.Library, part filePart, opts citekit.ResolveOptions) (found, error) {
	loc, version, err := parseFragment(part.fragment)
	if err != nil {
		return found{}, err
	}
	opts.Version = version
	if opts.Doubt = part.kind == ""; part.kind != "" {
		loc.Modality = part.kind
	}
	e, err := lib.ResolveFile(ctx, part.path, loc, &opts)
	if err != nil {
		return found{}, namingFile(part, err)
	}
	if e.Address.Version == "" && e.SourceHash != "" {
		e.Address.Version = e.SourceHash[:pinDigits]
	}
	return found{e, part.name}, nil
}

// namingFile rewrites an error about a file without a map to name the file as the
// person did, not by an id that nobody has seen.
func namingFile(part filePart, err error) error {
	var failed *citekit.ResolveError
	if !errors.As(err, &failed) {
		return err
	}
	name := part.name
	if part.fragment != "" {
		name += "#" + part.fragment
	}
	return fmt.Errorf("%s %s: %w", failed.Op, name, failed.Err)
}

// withHint adds to an error about a resource the flag that would help. It suggests
// none that ignores a version pinned by the address.
func withHint(err error, pinned string) error {
	switch {
	case errors.Is(err, citekit.ErrStale) && pinned == "":
		return hinted{err, "--allow-stale resolves it all the same"}
	case isOutside(err):
		return hinted{err, "--root DIR allows the files of another directory, 'citekit ingest --allow-outside' allows single files permanently"}
	}
	return err
}

// isOutside reports whether a source was refused because it is outside the roots.
func isOutside(err error) bool {
	var refused interface{ Outside() bool }
	return errors.As(err, &refused) && refused.Outside()
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
	for _, change := range e.Changes {
		rows = append(rows, row{"changed", change})
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
