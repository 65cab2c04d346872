package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
)

// searchFlags are the flags of search, some of them shared with commands that rank
// in the same way.
type searchFlags struct {
	request       search.Request
	modalities    []string
	after, before string
	extra         extraText
	open          int    // the number of the result to show in the browser, from 1; 0 shows none
	command       string // command that has the flags
}

func searchCommand(s *session) *cobra.Command {
	f := searchFlags{command: "search"}
	models := semanticsFlags{command: "search"}
	c := &cobra.Command{
		Use:         "search <query>...",
		Annotations: anyMaps,
		Short:       "Search the text of resources",
		Long: `Searches the text of all resources and the titles of their nodes, and prints the
results, best first: the address, the title, and the matching words with some
text around them. In a pipe each line has these three, separated by tabs, and
a fourth, such as "and 4 copies", if passages have the same words.

The query is a question or a few words, which need not all be there: results
with more of them, and with rarer ones, come first. Words such as "what" and
"the" do not count beside others, and what is in quotes counts more.

A query that reads as an expression, or any with --syntax expression, has orders:

  "exact words"   must be there, in this order
  head*           any word that begins with head
  -word           must not be there; write -- before the query
  title:word      must be in the title

It reads as one if there are at most eight other words, none of them such as
"what" or "the", or with a punctuation sign. If nothing meets the orders, the
results are those without them.

Other words need not all be there: results with more of them, and with rarer
ones, come first. 'citekit ingest' reads the texts; a search reads those that it
left out, with --no-index or as it was interrupted. Sources that changed since
they were mapped are left out.

--path is the path of a source or of a folder, or a pattern: * stands for
characters of a name, ** for any number of folders, and \[ is a bracket in a
name. A pattern without / is for names in any folder. The id of a resource is
taken as --resource.

With --embedder passages are also compared by meaning; the first search makes
their vectors, which are kept. --embedder and --reranker send passages to the
server that they name. Keys are taken from CITEKIT_EMBEDDER_KEY and
CITEKIT_RERANKER_KEY, for OpenAI itself from OPENAI_API_KEY.`,
		Example: lines(
			"citekit search water temperature",
			"citekit search --by nodes -- '\"least squares\"' -history",
			"citekit search 'title:installation' --type document --after 2024-01-01",
			"citekit search kettle --mode hybrid --json",
			"citekit search 'heating water' --embedder ollama:nomic-embed-text",
		),
		Args: between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.extra = f.extra
			return s.search(cmd.Context(), strings.Join(args, " "), f, models)
		},
	}
	flags := c.Flags()
	flags.StringVar((*string)(&f.request.Mode), "mode", "", "find by `MODE`: knowledge (words), graph (what is linked to the best hits), hybrid or auto (default auto, which is knowledge)")
	flags.StringVar((*string)(&f.request.Syntax), "syntax", "", "read the query as `SYNTAX`: expression or question (default as it reads)")
	f.register(flags)
	flags.BoolVar(&f.request.Boxes, "boxes", false, "narrow the address to the box around the text, if the box has no other text")
	flags.BoolVar(&f.request.Expand, "expand", false, "also search for words that are typical of the ten best passages")
	flags.IntVar(&f.open, "open", 0, "show the `N`-th result in the browser, as 'citekit view' does; --open alone shows the first")
	flags.Lookup("open").NoOptDefVal = "1"
	models.register(flags)
	return c
}

func (f *searchFlags) register(flags *pflag.FlagSet) {
	flags.StringVar((*string)(&f.request.By), "by", "", "find `WHAT`: passages, nodes or resources (default passages)")
	countVar(flags, &f.request.TopK, "top-k", "k", search.DefaultTopK, 1, "at most `N` results, 1 to 50")
	also(flags, "top-k", "limit", "n")
	flags.BoolVar(&f.request.Rationale, "why", false, "show why each result was found, on a terminal or with --json")
	f.registerFilters(flags)
}

// registerFilters defines the flags that filter results.
func (f *searchFlags) registerFilters(flags *pflag.FlagSet) {
	f.extra.register(flags)
	filters := &f.request.Filters
	flags.StringArrayVar(&filters.Resources, "resource", nil, "only in the resource `ID`; repeatable")
	flags.StringArrayVar(&filters.Without, "exclude", nil, "not in the resource `ID`, or of that file; repeatable")
	flags.StringArrayVar(&f.modalities, "type", nil, "only in resources of `TYPE`, such as document or text; repeatable")
	flags.StringArrayVar(&filters.Types, "node-type", nil, "only in nodes of `TYPE`, such as section or function; repeatable")
	flags.StringArrayVar(&filters.Authors, "author", nil, "only in resources by `NAME`; repeatable")
	flags.StringArrayVar(&filters.Labels, "label", nil, "only in resources with the label `WORD`; repeatable")
	flags.StringVar(&f.after, "after", "", "only in resources dated `DATE` or later, such as 2024-12-31; a resource without a date counts by when it was mapped")
	flags.StringVar(&f.before, "before", "", "only in resources dated `DATE` or earlier; a resource without a date counts by when it was mapped")
	flags.StringVar(&filters.Path, "path", "", "only in sources whose path matches `PATTERN`, such as '*.md', docs/ or 'docs/**/*.md'")
	also(flags, "path", "in", "")
}

func (s *session) search(ctx context.Context, query string, f searchFlags, models semanticsFlags) error {
	req, err := f.read()
	if err != nil {
		return err
	}
	semantics, err := models.open()
	if err != nil {
		return err
	}
	if f.open < 0 || f.open > search.MaxTopK {
		return usagef("search", "flag --open: bad value %d: results are numbered from 1 to %d", f.open, search.MaxTopK)
	}
	req.Query = query
	var found *search.Results
	var closed error
	err = s.withCorpus(&corpus.Options{Search: &search.Options{Semantics: semantics}}, func(c *corpus.Corpus) (err error) {
		if semantics != nil {
			if err := s.embed(ctx, c.Searcher); err != nil {
				return err
			}
		}
		if err := s.nameFilters(ctx, c.Library, &req.Filters); err != nil {
			return err
		}
		if found, err = c.Searcher.Search(ctx, req); err == nil {
			closed = closedMap(ctx, c.Library, found.LeftOutIDs)
		}
		return err
	})
	if closed != nil {
		defer s.warn(closed.Error())
	}
	if err := s.printFound("search", found, err); err != nil || f.open == 0 {
		return err
	}
	if f.open > len(found.Results) {
		return usagef("search", "--open=%d: there are only %s", f.open, message.Count(len(found.Results), "result"))
	}
	return s.view(ctx, found.Results[f.open-1].Address.String(), true, &viewFlags{semantics: models, model: mapperFlags{command: "search"}})
}

// printFound prints results, or returns err with advice.
func (s *session) printFound(command string, found *search.Results, err error) error {
	if err != nil {
		return asUsage(command, adviseStorage(err))
	}
	if s.json {
		return s.printJSON(found)
	}
	s.printResults(found)
	return nil
}

// read returns the request that the flags ask for.
func (f *searchFlags) read() (req search.Request, err error) {
	req = f.request
	for _, m := range f.modalities {
		req.Filters.Modalities = append(req.Filters.Modalities, citekit.Modality(m))
	}
	if req.Filters.After, err = parseDate(f.command, "after", f.after); err == nil {
		req.Filters.Before, err = parseDate(f.command, "before", f.before)
	}
	return req, err
}

// nameFilters puts the ids of resources in the place of their files in filters, and in
// that of a path which is an id.
func (s *session) nameFilters(ctx context.Context, lib *citekit.Library, f *search.Filters) (err error) {
	if hasMap(ctx, lib, f.Path) {
		f.Resources, f.Path = append(f.Resources, f.Path), ""
	}
	if f.Resources, err = s.resources(ctx, lib, f.Resources); err != nil {
		return err
	}
	if f.Without, err = s.resources(ctx, lib, f.Without); err != nil {
		return err
	}
	for _, id := range f.Without {
		if _, err := lookup.Resource(ctx, lib, id); err != nil {
			return fmt.Errorf("--exclude: %w", adviseResource(ctx, lib, err, id))
		}
	}
	return nil
}

// withCorpus calls f with the base directory, opened for searching. A bar shows the
// progress of reading texts.
func (s *session) withCorpus(opts *corpus.Options, f func(*corpus.Corpus) error) error {
	x, err := s.openSearchFolder(opts, &indexProgress{compile: s.compiling})
	if err != nil {
		return err
	}
	defer x.close()
	return f(x.Corpus)
}

// A searchFolder is a folder that is open for searching.
type searchFolder struct {
	*corpus.Corpus
	owned   bool // the library ends with it
	reading *indexProgress
}

// openSearchFolder opens the base directory for searching, with the progress on a bar of
// reading.
func (s *session) openSearchFolder(opts *corpus.Options, reading *indexProgress) (*searchFolder, error) {
	lib, err := s.openReporting(reading.compiling)
	if err != nil {
		return nil, err
	}
	x := s.searchingIn(lib, opts, reading)
	if err := x.Searcher.Err(); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	x.owned = true
	return x, nil
}

// searchingIn is openSearchFolder over a library that the caller closes.
func (s *session) searchingIn(lib *citekit.Library, opts *corpus.Options, reading *indexProgress) *searchFolder {
	if s.showsProgress() {
		reading.begin(term.NewBar(s.stderr))
	}
	o := *cmp.Or(opts, new(corpus.Options))
	o.Texts = &textlayer.Options{Progress: reading.text}
	o.Search = cmp.Or(o.Search, new(search.Options))
	if semantics := o.Search.Semantics; semantics != nil {
		semantics.Wait, semantics.Progress = modelPatience, reading.passages
	}
	o.Search.Progress, o.Search.Program = reading.resource, programKey()
	return &searchFolder{Corpus: corpus.New(lib, &o), reading: reading}
}

func (x *searchFolder) close() {
	x.Searcher.Close()
	x.reading.stop()
	if x.owned {
		x.Library.Close()
	}
}

// adviseStorage adds advice to an error about an output directory that cannot be
// written.
func adviseStorage(err error) error {
	if errors.Is(err, fs.ErrPermission) && !errors.Is(err, citekit.ErrForbidden) {
		return fmt.Errorf("%w; --output-dir DIR stores the index elsewhere", err)
	}
	return err
}

// parseDate parses a date, or a time in ISO 8601.
func parseDate(command, flag, value string) (time.Time, error) {
	if t, err := search.ParseTime(value, flag == "before"); err == nil {
		return t, nil
	}
	return time.Time{}, usagef(command, "--%s %s; write a day such as 2024-12-31, or a time such as 2024-12-31T23:59:59Z", flag, term.Line(value))
}

// An indexProgress shows the progress of reading texts on a bar, if there is one.
type indexProgress struct {
	compile func(context.Context) (done func()) // shows that PDFium is being compiled; nil shows it on the bar

	mu       sync.Mutex
	bar      *term.Bar
	done, of int // resources
}

// compiling shows that PDFium is being compiled.
func (x *indexProgress) compiling(ctx context.Context) (done func()) {
	if x.compile != nil {
		return x.compile(ctx)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bar.Count(preparing)
}

// resource reports how many resources have been read.
func (x *indexProgress) resource(done, of int) {
	x.mu.Lock()
	x.done, x.of = done, of
	x.mu.Unlock()
	x.show(0, "")
}

// text reports the progress of reading one resource.
func (x *indexProgress) text(_ context.Context, p textlayer.Progress) {
	if p.Of > 0 {
		x.show(float64(p.Done)/float64(p.Of), p.Resource)
	}
}

// passages reports how many passages have vectors.
func (x *indexProgress) passages(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.bar.Set(1, "embedding", message.Count(n, "passage"))
}

func (x *indexProgress) show(part float64, name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	done, of := x.done, max(x.of, 1)
	x.bar.Set(min(1, (float64(done)+part)/float64(of)), fmt.Sprintf("reading %d/%d", min(done+1, of), of), name)
}

// begin shows progress from now on, on a bar that may be nil.
func (x *indexProgress) begin(bar *term.Bar) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.bar = bar
}

func (x *indexProgress) stop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.bar.Stop()
	x.bar = nil
}

// Escape sequences that emphasize words on a terminal.
const (
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	reset = "\x1b[0m"
)

func (s *session) printResults(found *search.Results) {
	onTerminal := term.IsTTY(s.stdout)
	for i, r := range found.Results {
		title := strings.Join(append(slices.Clone(r.Path), r.Title), " › ")
		copies := ""
		if r.CopyCount > 0 {
			copies = "and 1 copy"
			if r.CopyCount > 1 {
				copies = fmt.Sprintf("and %d copies", r.CopyCount)
			}
		}
		if how := machines(r.Transcribed, r.OCR); how != "" {
			copies = strings.TrimSpace(copies + " (" + how + ")")
		}
		if !onTerminal {
			if copies != "" {
				copies = "\t" + copies
			}
			s.printf("%s\t%s\t%s%s\n", r.Address, term.Line(plain.Line(title)), term.Line(plain.Line(r.Snippet)), copies)
			continue
		}
		if i > 0 {
			s.printf("\n")
		}
		s.printf("%s%s%s  %s%s%s\n", bold, r.Address, reset, dim, term.Line(plain.Line(title)), reset)
		s.printf("  %s\n", highlighted(r))
		if copies != "" {
			s.printf("  %s%s%s\n", dim, copies, reset)
		}
		for _, why := range r.Rationale {
			s.printf("  %s%s: %.3g%s\n", dim, term.Line(reasonOf(why)), why.Score, reset)
		}
	}
	s.tellOfSearch(found)
}

// reasonOf returns why a result was found.
func reasonOf(why *search.Reason) string {
	if why.Relation != "" {
		return fmt.Sprintf("%s: %s → %s", why.Relation, why.From, why.To)
	}
	return why.Term + " in " + strings.Join(why.Fields, " and ")
}

// highlighted returns the snippet of a result on one line, with the query words in
// bold.
func highlighted(r *search.Result) string {
	points, at := []rune(r.Snippet), 0
	var line strings.Builder
	for _, h := range r.Highlights {
		line.WriteString(onOneLine(points[at:h[0]]) + bold + onOneLine(points[h[0]:h[1]]) + reset)
		at = h[1]
	}
	return line.String() + onOneLine(points[at:])
}

// onOneLine returns text without line breaks and terminal control characters.
func onOneLine(points []rune) string {
	text := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, string(points))
	return term.Line(text)
}

// tellOfSearch tells a person what the results alone do not show.
func (s *session) tellOfSearch(found *search.Results) {
	switch {
	case len(found.Results) == 0:
		s.warn("nothing found")
		if found.Hint != "" {
			s.warn(found.Hint)
		}
	case found.Total > len(found.Results):
		atLeast, more := "", ""
		if !found.Exact {
			atLeast = "at least "
		}
		if len(found.Results) < search.MaxTopK {
			more = "; --top-k shows more"
		}
		fmt.Fprintf(s.stderr, "citekit: %d of %s%d%s\n", len(found.Results), atLeast, found.Total, more)
	case !found.Exact && len(found.Results) < search.MaxTopK:
		fmt.Fprintf(s.stderr, "citekit: the best %d; --top-k may show more\n", len(found.Results))
	}
	s.tellOfLeftOut(found)
	switch {
	case found.Degraded != "":
		fmt.Fprintf(s.stderr, "citekit: the ranking is not complete: %s\n", found.Degraded)
	case !found.Complete && found.Hint != "":
		if len(found.Results) > 0 { // else it was printed
			s.warn(found.Hint)
		}
	case found.Hint != "" && len(found.Results) > 0:
		s.warn(found.Hint)
	case !found.Complete:
		s.warn("not everything was searched: the index could not be brought up to date")
	}
}

// tellOfLeftOut tells a person which resources a search left out, and what to do.
func (s *session) tellOfLeftOut(found *search.Results) {
	tell := func(n int, ids []string, why, remedy string) {
		if n == 0 {
			return
		}
		names := strings.Join(ids[:min(n, len(ids))], ", ")
		if n > len(ids) {
			names += ", …"
		}
		if names != "" {
			names = ": " + names
		}
		fmt.Fprintf(s.stderr, "citekit: %s left out, as the sources %s%s; %s\n", message.Count(n, "resource"), why, term.Line(names), remedy)
	}
	changed := slices.DeleteFunc(slices.Clone(found.LeftOutIDs), func(id string) bool { return slices.Contains(found.UnreadableIDs, id) })
	tell(found.LeftOut-found.Unreadable, changed, "changed or are gone", "'citekit ingest' maps changed ones again; restore those that are gone, or remove them with 'citekit prune'")
	tell(found.Unreadable, found.UnreadableIDs, "cannot be read", "replace the files and run 'citekit ingest', give --root for those outside the roots, or 'citekit rm' the resources, unless 'citekit doctor' says that another program reads them")
}
