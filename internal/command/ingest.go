package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/modality"
)

// ingestFlags are the flags of ingest.
type ingestFlags struct {
	kind        string
	id          string
	concurrency int
	maxSize     byteCount
	force       bool
	noIgnore    bool
	hidden      bool
	ocr         extraText // its scans and program
	comments    bool
	verbose     bool
	watch       bool
	outside     bool
	yes         bool
	follow      bool
	noFollow    bool
	noIndex     bool
	shards      int
	queue       bool
	mapper      mapperFlags
	transcriber transcriberFlags
}

func (i *ingestFlags) register(f *pflag.FlagSet) {
	f.StringVarP(&i.kind, "type", "t", "", "`TYPE` of every source: document, video, audio, image or text (default: detected from the content)")
	f.StringVar(&i.id, "id", "", "`ID` of the map, for a single source (default: made from its name)")
	f.IntVarP(&i.concurrency, "concurrency", "c", 5, "map `N` sources at a time")
	f.Var(&i.maxSize, "max-size", "skip sources of more than `SIZE` bytes, such as 500M or 2G")
	f.BoolVarP(&i.force, "force", "f", false, "map unchanged sources again, and replace maps made or changed by hand")
	f.BoolVar(&i.noIgnore, "no-ignore", false, "also map files that .gitignore files exclude")
	f.BoolVar(&i.hidden, "hidden", false, "also map files and folders whose names begin with a dot")
	f.BoolVar(&i.ocr.scans, "ocr", false, "read scanned pages with tesseract, for a --mapper that is a model and for the search index, as in 'citekit search --ocr'")
	i.ocr.registerProgram(f)
	f.BoolVar(&i.comments, "comments", false, "read the comments in DOCX and ODT files, for a --mapper that is a model and for the search index, as in 'citekit search --comments'")
	f.BoolVarP(&i.verbose, "verbose", "v", false, "also list unchanged and skipped sources, and why others failed again")
	f.BoolVarP(&i.watch, "watch", "w", false, "keep mapping changed sources until interrupted")
	f.BoolVar(&i.outside, "allow-outside", false, "also map files outside the base directory and the roots, and remember that they may be cited")
	f.BoolVarP(&i.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&i.follow, "follow-renames", false, "let maps follow renamed sources without asking (default if there is no terminal to ask on)")
	f.BoolVar(&i.noFollow, "no-follow-renames", false, "map renamed sources as new ones")
	f.BoolVar(&i.noIndex, "no-index", false, "do not read the texts for search; the next search then does")
	f.IntVar(&i.shards, "shards", 0, "spread the search index over `N` parts, at most 256, for more than ten million passages or many workers; what is there moves (default: as it is)")
	i.mapper.register(f)
	i.transcriber.register(f)
}

// check returns an error if the flags contradict each other.
func (i *ingestFlags) check() error {
	switch kind := citekit.Modality(i.kind); {
	case i.follow && i.noFollow:
		return usagef("ingest", "--follow-renames and --no-follow-renames contradict each other")
	case kind != "" && (!kind.BuiltIn() || kind == citekit.Virtual):
		return usagef("ingest", "--type %s; it is one of document, video, audio, image, text", term.Line(i.kind))
	case i.queue && (kind != "" || i.id != "" || i.watch || i.ocr != (extraText{}) || i.comments || i.mapper.name != "" || i.transcriber.name != ""):
		return usagef("ingest", "--queue takes none of --type, --id, --watch, --ocr, --ocr-program, --comments, --mapper and --transcriber: workers map as they are started")
	case i.shards < 0 || i.shards > 256:
		return usagef("ingest", "--shards %d; it is 1 to 256", i.shards)
	case i.shards > 0 && i.noIndex:
		return usagef("ingest", "--shards and --no-index contradict each other")
	case i.concurrency < 1:
		return usagef("ingest", "--concurrency %d; it is at least 1", i.concurrency)
	case i.id != "" && citekit.CheckResourceID(i.id) != nil:
		return usagef("ingest", "--id: %v", citekit.CheckResourceID(i.id))
	}
	return nil
}

func ingestCommand(s *session) *cobra.Command {
	flags := ingestFlags{transcriber: transcriberFlags{command: "ingest"}}
	c := &cobra.Command{
		Use:   "ingest <path>...",
		Short: "Make maps of files and folders",
		Long: `Finds the structure of each source and stores it as its map: chapters and pages
of documents, chapters and spoken words of recordings, sections of texts,
symbols of code. Nothing leaves this machine and no key is needed, unless
--mapper names a model.

The texts are then read into the search index, so that a search finds all of
them at once. The last lines say how many resources can be searched, and which
cannot and why. Ctrl-C keeps what is done, and the next ingest goes on there.

Folders are searched, and .gitignore files are respected. A path that does not
exist is a pattern, with ** for any number of folders; \[ is a bracket in a
name. Sources that have not changed since their map was made are left alone, and
a map follows its source to another name or folder. A map that another program made with a format of its own is left
alone too: if its source has changed, map it with that program.

Relative paths are relative to the base directory (--dir), wherever you are.
Files outside it and the roots (--root) are refused, unless --allow-outside is
given: each such file may then be cited as long as its map exists. 'citekit
allowed' lists these files.

A --mapper that is a program reads a JSON object with "source" (path, modality,
extent) and "schema", and writes a map or {"nodes": [...]}.

A --transcriber writes down recordings that have no words in them or beside them.
What it hears is marked as transcribed wherever it is shown, and stays until the
recording or the transcriber changes. A program gets the path of a WAV file of
at most ten minutes, and writes SRT, WebVTT or the JSON of whisper or vosk.
Ctrl-C keeps finished pieces. A server gets the sound only if you give its URL.`,
		Example: lines(
			"citekit ingest book.pdf lecture.mp4",
			"citekit ingest . --watch",
			"citekit ingest 'src/**/*.go'",
			"citekit --dir ~/papers ingest .",
			"citekit ingest talk.mp3 --id keynote --force",
			"citekit ingest talks --transcriber whisper.cpp --transcriber-config '{\"model\": \"ggml-base.bin\"}'",
		),
		Args: between(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.ingest(cmd.Context(), args, &flags)
		},
	}
	flags.register(c.Flags())
	if s.options.Queue != nil {
		c.Flags().BoolVar(&flags.queue, "queue", false, "add the sources that are new or have changed to the queue, which workers empty; with --force all of them")
	}
	return c
}

// An ingestion is one run of the command.
type ingestion struct {
	*session
	flags  *ingestFlags
	lib    *citekit.Library
	given  []givenPath
	paths  []string // as given to the library
	grants *grantRecorder
	opts   ingest.Options
	mapper chosenMapper
	total  map[ingest.Status]int

	asSearch bool          // the library is as that of a search
	starting sync.Mutex    // held while index is opened
	index    *searchFolder // once texts were read; or nil

	watching   bool            // the first run is over
	toldIndex  string          // the last error of the index that was told
	toldUnread map[string]bool // the resources, with reasons, that were told as not searchable

	told map[string]string // while watching: the last line printed for a path without a new map
}

func (s *session) ingest(ctx context.Context, args []string, flags *ingestFlags) error {
	folder := s.outputFolder()
	_, missing := os.Lstat(folder)
	err := s.ingestInto(ctx, args, flags)
	named := !slices.ContainsFunc(args, func(arg string) bool { info, err := os.Stat(arg); return err == nil && info.IsDir() }) // of a folder, what failed before is only counted
	if err != nil && named && folder != "" && errors.Is(missing, fs.ErrNotExist) && !holdsMaps(s.dir) {
		removeTraces(folder)
	}
	return err
}

func (s *session) ingestInto(ctx context.Context, args []string, flags *ingestFlags) error {
	in := &ingestion{session: s, flags: flags}
	if err := in.open(args); err != nil {
		return err
	}
	defer in.lib.Close()
	defer in.grants.close()
	defer in.closeIndex()
	if err := in.confirmOutside(ctx); err != nil {
		return err
	}
	if in.flags.queue {
		return in.addToQueue(ctx)
	}
	if in.flags.watch {
		return in.watch(ctx)
	}
	report, err := in.run(ctx)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = errInterrupted
	}
	return in.outcome(report, err)
}

// open opens the library and sets the options. If the person allows it, the paths
// outside the base directory become further roots.
func (in *ingestion) open(args []string) error {
	if err := in.flags.check(); err != nil {
		return err
	}
	if in.flags.outside {
		if err := in.needsDirectory("--allow-outside", "put the file into the bucket of the sources"); err != nil {
			return err
		}
	}
	in.extra = in.flags.ocr
	in.extra.comments = in.flags.comments
	roots, err := in.place(args)
	if err != nil {
		return err
	}
	resolvers := configure(modality.All(), in.extra, in.compiling)
	if in.mapper, err = in.flags.mapper.open(resolvers); err != nil {
		return err
	}
	if in.lib, err = in.openWith(resolvers, roots); err != nil {
		return err
	}
	in.asSearch = len(roots) == 0
	if in.grants, err = in.openGrants(); err != nil {
		return errors.Join(err, in.lib.Close())
	}
	transcriber, err := in.flags.transcriber.open()
	if err != nil {
		return errors.Join(err, in.lib.Close())
	}
	in.tellRemote(transcriber)
	in.opts = ingest.Options{
		Type:           citekit.Modality(in.flags.kind),
		ResourceID:     in.flags.id,
		Mapper:         in.mapper.Mapper,
		MapperName:     in.mapper.name,
		Transcriber:    transcriber,
		Concurrency:    in.flags.concurrency,
		MaxSourceBytes: int64(in.flags.maxSize),
		Force:          in.flags.force,
		NoIgnore:       in.flags.noIgnore,
		Hidden:         in.flags.hidden,
		Program:        programKey(in.flags.ocr.scans, in.flags.ocr.program, in.flags.comments),
	}
	return nil
}

// rootFor returns the directory to read a named path from: the path itself if it is
// a directory, else its parent.
func rootFor(abs string) string {
	for {
		if info, err := os.Stat(abs); err == nil && info.IsDir() {
			return abs
		}
		if parent := filepath.Dir(abs); parent != abs {
			abs = parent
			continue
		}
		return abs
	}
}

// run maps the sources and reports on them.
func (in *ingestion) run(ctx context.Context) (*ingest.Report, error) {
	opts := in.opts
	in.total = make(map[ingest.Status]int)
	if in.showsProgress() {
		in.bar.Store(term.NewBar(in.stderr))
		opts.Progress = in.showProgress
	}
	opts.Renames = in.renames(ctx)
	opts.Each = func(item ingest.Item) {
		in.total[item.Status]++
		isNew := in.grants.grant(ctx, in.lib, item)
		in.bar.Load().Above(func() { in.showItem(in.explained(item), isNew) })
	}
	if !in.flags.noIndex && !in.flags.watch {
		opts.Index = in
	}
	above, flag := in.mapsAbove()
	report, err := ingest.Run(ctx, in.lib, in.paths, &opts)
	in.bar.Load().Stop()
	for i, item := range report.Items {
		report.Items[i] = in.explained(item)
	}
	in.warnOfEnrichment(ctx, report)
	if above != "" {
		in.warnOfMapsAbove(ctx, above, flag, report.Items)
	}
	if in.flags.outside && !in.flags.watch {
		err = errors.Join(err, in.tidyGrants(ctx, in.grants.ws))
	}
	return report, errors.Join(err, in.grants.failed())
}

// warnOfEnrichment warns of maps that a model should have enriched but did not.
func (in *ingestion) warnOfEnrichment(ctx context.Context, report *ingest.Report) {
	if !in.flags.mapper.enrich {
		return
	}
	for _, item := range report.Items {
		if item.Status != ingest.Mapped {
			continue
		}
		m, err := in.lib.Map(ctx, item.ResourceID)
		if err != nil {
			continue
		}
		enrichment, _ := m.Metadata["enrichment"].(map[string]any)
		if why, _ := enrichment["error"].(string); why != "" {
			fmt.Fprintf(in.stderr, "citekit: warning: %s\n", term.Line(item.Path+": mapped, but not enriched: "+why))
		}
	}
}

func (in *ingestion) showProgress(p ingest.Progress) {
	part := float64(p.Done)
	if p.Part < 1 && p.Total == 1 {
		part = p.Part
	}
	text := fmt.Sprintf("%d of %d", p.Done, p.Total)
	if p.Speech != nil {
		speech := *p.Speech
		if p.Total == 1 { // the bar says how much time is left
			speech.Left, text = 0, speech.String()
		} else {
			text += ", " + speech.String()
		}
	}
	in.bar.Load().Set(part/float64(max(p.Total, 1)), text, p.Path)
}

// showItem prints one line for an item that is news or may be cited from now on.
func (in *ingestion) showItem(item ingest.Item, granted bool) {
	news := !in.flags.watch || granted || in.isNews(item)
	switch {
	case in.json:
		if in.flags.watch && news && item.Status != ingest.Unchanged {
			in.printJSONLine(item)
		}
		return
	case !news, item.Status == ingest.Failed && !in.flags.watch: // failures are printed at the end
		return
	case item.Status == ingest.Unchanged, item.Status == ingest.Skipped:
		if !in.flags.verbose && !granted {
			return
		}
	}
	text := describeItem(item)
	if granted {
		text += "; " + in.mayBeCited()
	}
	in.printf("%s\n", term.Line(text))
	in.out.Flush()
}

// isNews reports whether this watch has not yet printed what the item says.
func (in *ingestion) isNews(item ingest.Item) bool {
	switch item.Status {
	case ingest.Mapped, ingest.Copied, ingest.Renamed:
		delete(in.told, item.Path)
		return true
	}
	text := describeItem(item)
	if in.told[item.Path] == text {
		return false
	}
	if in.told == nil {
		in.told = make(map[string]string)
	}
	in.told[item.Path] = text
	return item.Status != ingest.Unchanged || !in.watching
}

func describeItem(item ingest.Item) string {
	var b strings.Builder
	b.WriteString(string(item.Status) + " ")
	if item.From != "" {
		b.WriteString(item.From + " → ")
	}
	b.WriteString(item.Path)
	if item.ResourceID != "" && item.Status != ingest.Failed {
		b.WriteString(" as " + item.ResourceID)
	}
	if item.Err != nil {
		b.WriteString(": " + plainMessage(item.Err))
		return b.String()
	}
	if item.Nodes > 0 {
		b.WriteString(" (" + message.Count(item.Nodes, "node"))
		if item.Method != "" {
			b.WriteString(", " + item.Method)
		}
		b.WriteString(")")
	}
	return b.String()
}

// outcome prints the result, each failure with its reason. If err ended the ingest
// early, it prints what was done until then.
func (in *ingestion) outcome(report *ingest.Report, err error) error {
	switch {
	case err != nil && len(report.Items) == 0:
		return err
	case in.json && in.flags.watch:
		return cmp.Or(err, reported(report))
	case in.json:
		return in.printOutcome(report, err)
	}
	in.out.Flush()
	for _, item := range report.Items {
		if item.Status == ingest.Failed && !in.flags.watch && (in.flags.verbose || !item.FailedBefore) {
			in.warn(describeFailure(item))
		}
	}
	in.hintOutside(report)
	in.printf("%s\n", in.summary())
	var unread []string
	if in.extra.program == "" && !in.extra.scans {
		unread = unreadPages(report.Items)
	}
	for _, line := range searchable(withoutScans(report, len(unread) > 0), in.flags.verbose) {
		in.printf("%s\n", term.Line(line))
	}
	if before := failedBefore(report.Items); before > 0 && !in.flags.verbose {
		in.printf("%s failed as before and did not change since (-v says why, --force tries again)\n", message.Count(before, "source"))
	}
	if secret := secretFiles(report.Items); secret != "" {
		in.warn(secret)
	}
	if missed := missedDocuments(report.Items); missed != "" {
		in.printf("%s\n", term.Line(missed))
	}
	for _, line := range slices.Concat(damagedFiles(report.Items), damagedMembers(report.Items), skippedMembers(report.Items), unsearchedText(report.Items)) {
		in.printf("%s\n", term.Line(line))
	}
	for _, line := range unread {
		in.printf("%s\n", term.Line(line))
	}
	if usage := in.usage(); usage != nil {
		in.printf("%s\n", describeUsage(*usage))
	}
	in.out.Flush()
	if report.Index != nil && report.Index.Err != nil {
		in.warn(report.Index.Err.Error() + "; the next ingest or search tries again")
	}
	return cmp.Or(err, reported(report))
}

// describeFailure returns why a source failed, preceded by its path unless the
// reason names it.
func describeFailure(item ingest.Item) string {
	reason := plainMessage(item.Err)
	if strings.Contains(reason, strconv.Quote(item.Path)) {
		return reason
	}
	if item.Path == "" {
		return reason
	}
	return item.Path + ": " + reason
}

// printOutcome prints the result as one JSON value.
func (in *ingestion) printOutcome(report *ingest.Report, err error) error {
	outcome := struct {
		Items   []ingest.Item         `json:"items"`
		Summary map[ingest.Status]int `json:"summary"`
		Index   *ingest.Indexed       `json:"index,omitempty"`
		Usage   *llm.Usage            `json:"usage,omitempty"`
		Error   *errorDetail          `json:"error,omitempty"`
	}{Items: report.Items, Summary: in.total, Index: report.Index, Usage: in.usage()}
	if err != nil {
		outcome.Error = detail(err)
		in.warn(outcome.Error.Message)
		err = errReported
	}
	return cmp.Or(in.printJSON(outcome), err, reported(report))
}

// usage returns the use of a model, or nil if none was used.
func (in *ingestion) usage() *llm.Usage {
	if in.mapper.usage == nil {
		return nil
	}
	usage := in.mapper.usage()
	return &usage
}

func reported(report *ingest.Report) error {
	if report.Count(ingest.Failed) > 0 || report.Index != nil && report.Index.Err != nil {
		return errReported
	}
	return nil
}

// summary says how many sources have each status, and how to see more.
func (in *ingestion) summary() string {
	text := summarize(in.total)
	if in.total[ingest.Skipped] > 0 && !in.flags.verbose {
		text += " (-v names what was skipped)"
	}
	return text
}

func total(counts map[string]int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

func summarize(total map[ingest.Status]int) string {
	var parts []string
	for _, status := range []ingest.Status{
		ingest.Mapped, ingest.Copied, ingest.Renamed, ingest.Unchanged,
		ingest.Skipped, ingest.Vanished, ingest.Failed,
	} {
		if n := total[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if len(parts) == 0 {
		return "nothing to map"
	}
	return strings.Join(parts, ", ")
}
