package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/render"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/preview"
)

// A resolveRequest holds the flags of resolve.
type resolveRequest struct {
	resource string
	kind     string
	options  citekit.ResolveOptions
	output   string
	force    bool
	open     bool
	show     bool
	shown    term.Pictures // how, with show
	as       string
}

func resolveCommand(s *session) *cobra.Command {
	var r resolveRequest
	c := &cobra.Command{
		Use:         "resolve <what>",
		Annotations: someMaps,
		Short:       "Extract a node, an address or part of a file",
		Long: `Writes exactly the requested part of the source to a file in the output
directory, and prints its address, for citing, and its path.

<what> is one of
  RESOURCE.NODE   a node of a map; ids may have dots: the longest id of a
                  resource is used; RESOURCE alone is all of its source
  ADDRESS         such as doc://book#pages=12-15
  FILE#FRAGMENT   part of a file, without a map; FILE alone is all of it. A
                  relative path is relative to the base directory (--dir) or,
                  if nothing is there, to the working directory

Files are looked for first, in the base directory and then in the working
directory. If a file is the source of a resource and has not changed since it
was mapped, the address is that of the resource. RESOURCE#FRAGMENT is an address
without its scheme. If there is no such file, the name or path of a mapped
source stands for its resource. If NAME is a file, and also the id of a resource
with another source, it is an error; ./NAME is always a file.

A fragment selects
  pages=3-5,9              of PDF and slides; with bbox= a region of a page, or
                           with table=2 and cells=B3:D7 a table on it
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
		Example: lines(
			"citekit resolve book.chapter-2",
			"citekit resolve 'book.pdf#pages=3-5'",
			"citekit resolve 'talk.mp4#t=60-90' --output clip.mp4",
			"citekit resolve 'notes.md#lines=10-20' --output -",
			"citekit resolve book.chapter-2 --open",
			"citekit resolve 'book.pdf#pages=3' --show",
			"citekit resolve 'doc://book#pages=12-15' --virtual",
		),
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return s.resolve(cmd.Context(), args[0], r) },
	}
	r.register(c.Flags())
	return c
}

func (r *resolveRequest) register(f *pflag.FlagSet) {
	f.StringVar(&r.resource, "resource", "", "`ID` of the resource; <what> is then a node of it")
	f.StringVar(&r.kind, "type", "", "`TYPE` that FILE is, whatever it looks like, such as text (default: detected from the content)")
	f.BoolVar(&r.options.Virtual, "virtual", false, "only print the address; extract nothing, and do not check that the source has that place and is unchanged")
	f.StringVar((*string)(&r.options.Mode), "mode", string(citekit.ModeExact),
		"`MODE` of cutting time: exact, copy (without re-encoding, from the preceding key frame) or strict (exact, without hidden frames before the start)")
	f.BoolVar(&r.options.AllowStale, "allow-stale", false, "resolve although the source has changed since it was mapped")
	f.StringVarP(&r.output, "output", "o", "", "copy the evidence to `FILE`; - writes its bytes to the standard output")
	f.BoolVar(&r.force, "force", false, "with --output, replace FILE if it exists")
	f.StringVar(&r.as, "as", "", "`FORMAT` to convert the evidence to: csv or json, of the cells of a table; or pdf, for people to read, which needs LibreOffice")
	f.BoolVar(&r.show, "show", false, "show a picture of the evidence, on a terminal that can (kitty, Ghostty, iTerm2, WezTerm, and those with sixels)")
	f.BoolVar(&r.open, "open", false, "open the evidence with the default program for its type")
}

func (s *session) resolve(ctx context.Context, what string, r resolveRequest) error {
	if what == "" {
		return usagef("resolve", "an empty word; give a node, a resource, an address or a file")
	}
	if r.output == "-" && s.json {
		return usagef("resolve", "--output - and --json both need the standard output")
	}
	if r.output != "" && r.options.Virtual {
		return usagef("resolve", "--virtual extracts nothing that --output could copy")
	}
	if r.open && (r.output == "-" || r.options.Virtual) {
		return usagef("resolve", "--open needs a file, which --virtual and --output - do not make")
	}
	if r.show && (s.json || r.output == "-" || r.options.Virtual) {
		return usagef("resolve", "--show draws on a terminal, which --json, --output - and --virtual leave no place for; --open opens the evidence")
	}
	switch r.options.Mode {
	case citekit.ModeExact, citekit.ModeCopy, citekit.ModeStrict:
	default:
		return usagef("resolve", "mode %q; it is one of exact, copy, strict", string(r.options.Mode))
	}
	if r.as != "" && r.as != "pdf" && r.as != "csv" && r.as != "json" {
		return usagef("resolve", "--as %s; it is one of pdf, csv, json", r.as)
	}
	if r.as != "" && r.options.Virtual {
		return usagef("resolve", "--virtual extracts nothing that --as could lay out")
	}
	if err := checkOutput(r.output, r.force); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	if r.show {
		r.shown = term.PicturesOf(s.stdout)
	}
	e, err := s.evidence(ctx, what, r)
	if err != nil {
		return err
	}
	if r.show {
		defer s.show(e, r.shown)
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
	if kind, named := kindOf(e.OutputPath), kindOf(r.output); kind != "" && named != "" && kind != named {
		s.warn(fmt.Sprintf("the evidence is %s, which the name %s does not say; programs may need a name that ends in %s", e.MediaType, filepath.Base(r.output), filepath.Ext(e.OutputPath)))
	}
	if e.OutputPath, err = filepath.Abs(r.output); err != nil {
		return err
	}
	return cmp.Or(s.printEvidence(e, r.output), r.openIf(e))
}

// kinds are extensions of files that only programs for their format open, each line
// those of one format.
const kinds = `.pdf
.docx
.odt
.xlsx
.ods
.pptx
.odp
.epub
.db .db3 .sqlite .sqlite3
.parquet
.zip .jar .cbz
.tar
.png
.jpg .jpeg
.gif
.tif .tiff
.bmp
.webp
.mp4 .m4v .m4a .m4b
.mov
.mkv .mka
.webm
.avi
.ts
.mp3
.ogg .oga .ogv .opus
.aac
.flac
.wav`

// kindOf returns which of the kinds the name of a file says it is, or "".
func kindOf(name string) string {
	ext := strings.ToLower(filepath.Ext(name))
	for kind := range strings.SplitSeq(kinds, "\n") {
		if ext != "" && slices.Contains(strings.Fields(kind), ext) {
			return kind
		}
	}
	return ""
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
	file string // as the person named it, if it has no map of this version; else ""
	path string // of that file, for the workspace
	old  bool   // it has a map of an earlier version

	picture *preview.Preview // to show
	undrawn error            // why there is no picture
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
	notFile := usagef("resolve", "--type says what a FILE is: document, video, audio, image or text")
	if r.kind != "" && (!isFile && s.storeURL == "" || !citekit.Modality(r.kind).Valid()) {
		return found{}, notFile
	}
	lib, err := s.open(part.allowed()...)
	if err != nil {
		return found{}, err
	}
	defer lib.Close()
	defer s.spin(ctx, "resolving "+what)()
	if r.kind != "" && s.storeURL != "" {
		if part, isFile = findSource(ctx, lib, what); !isFile || r.resource != "" {
			return found{}, notFile
		}
		part.kind = citekit.Modality(r.kind)
	}
	e, err := s.resolveMeant(ctx, lib, what, part, isFile, r)
	if s.storeURL != "" && r.resource == "" && errors.Is(err, fs.ErrNotExist) {
		if part, ok := findSource(ctx, lib, what); ok { // it has no map
			e, err = resolveFile(ctx, lib, part, r.options)
		}
	}
	if err == nil && r.as == "pdf" && e.OutputPath != "" {
		if e.Evidence, err = render.PDF(ctx, lib, e.Evidence); err != nil {
			err = fmt.Errorf("--as pdf: %w", err)
		}
	}
	if err == nil && (r.as == "csv" || r.as == "json") && e.OutputPath != "" {
		if e.Evidence, err = render.Cells(ctx, lib, e.Evidence, r.as, e.path); err != nil {
			err = fmt.Errorf("--as %s: %w", r.as, err)
		}
	}
	if err == nil {
		err = s.localize(ctx, lib, e.Evidence)
	}
	if err == nil && r.shown != term.NoPictures {
		e.picture, e.undrawn = s.draw(ctx, lib, e, part)
	}
	return e, err
}

func (s *session) printEvidence(e found, path string) error {
	if s.json {
		return s.printJSON(e)
	}
	rows := []row{{"address", e.Address.String()}}
	if e.file != "" {
		why := "no map: cite the address with the file"
		if e.old {
			why = "changed since it was mapped: 'citekit ingest' maps it again"
		}
		rows = append(rows, row{"file", e.file + "  (" + why + ")"})
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
