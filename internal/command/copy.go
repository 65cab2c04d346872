package command

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/workspace"
)

func copyCommand(s *session) *cobra.Command {
	var flags copyFlags
	c := &cobra.Command{
		Use:   "copy <from> <to>",
		Short: "Copy a workspace to another store",
		Long: `Copies the maps of a workspace, the transcripts that a machine made, the pinned
versions of sources, the texts that 'citekit reanchor' needs, the notes of ingest,
and the permissions to cite files outside a base directory. <from> and <to> are
directories, or URLs of workspaces in other stores. With --sources the sources of
the maps are copied too, and with --evidence what was extracted of them and their
other texts. The index of searches is made again.

What is there already with the same content is left alone, so an interrupted
copy is run again and goes on. What is there with another content is kept and
named, and the exit code is 1, unless --force replaces it; a source is never
replaced. The bytes of sources and evidence are compared with their SHA-256 as
they are written, and what differs is not stored. Nothing is changed in <from>.`,
		Example: lines(
			"citekit copy ~/papers 'pg://citekit@db/citekit?bucket=s3://papers' --sources",
			"citekit copy 'pg://citekit@db/citekit?bucket=s3://papers' ./papers --sources --evidence",
			"citekit copy --dry-run ~/papers ~/copy",
		),
		Args: between(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return s.copy(cmd.Context(), args[0], args[1], flags) },
	}
	f := c.Flags()
	f.BoolVar(&flags.sources, "sources", false, "also copy the sources of the maps")
	f.BoolVar(&flags.evidence, "evidence", false, "also copy evidence, and texts of sources")
	f.BoolVarP(&flags.dryRun, "dry-run", "n", false, "only count what would be copied")
	f.BoolVarP(&flags.force, "force", "f", false, "replace maps and required versions that differ")
	return c
}

type copyFlags struct{ sources, evidence, dryRun, force bool }

// copyWorkers is how many things are copied at a time: each waits for its stores.
const copyWorkers = 8

// A copied counts things of one kind.
type copied struct {
	Copied  int   `json:"copied"`
	Bytes   int64 `json:"bytes"` // of those
	Same    int   `json:"same"`  // there already
	Differ  int   `json:"differ,omitempty"`
	Missing int   `json:"missing,omitempty"` // not in <from>
	Failed  int   `json:"failed,omitempty"`
}

// A copyReport says what was copied.
type copyReport struct {
	DryRun bool   `json:"dry_run,omitempty"`
	Maps   copied `json:"maps"`
	Pins   copied `json:"pins"`
	Notes  copied `json:"notes"`
	Grants copied `json:"grants"`

	Transcripts copied `json:"transcripts,omitzero"` // that a machine made; with their maps
	Texts       copied `json:"texts,omitzero"`       // that reanchor needs

	Sources  *copied `json:"sources,omitempty"`
	Evidence *copied `json:"evidence,omitempty"`
}

// A copier copies one workspace to another.
type copier struct {
	*session
	flags    copyFlags
	from, to Store
	library  *citekit.Library // over to, which it does not close

	mu     sync.Mutex
	report copyReport
	named  int               // things that were named in warnings
	all    int               // maps in from
	hashes map[string]string // of the source of each map in from, "" if unknown
	forced []string          // maps that were replaced
	kept   map[string]bool   // the keys of texts that reanchor needs
	bar    *term.Bar
}

func (s *session) copy(ctx context.Context, from, to string, flags copyFlags) (err error) {
	for _, flag := range []string{"dir", "workspace", "root", "maps-dir", "output-dir"} {
		if s.flags.Changed(flag) {
			return usagef("copy", "flag --%s says nothing here: both workspaces are arguments", flag)
		}
	}
	if from == to {
		return usagef("copy", "%s is the workspace to copy from and to", term.Line(from))
	}
	c := &copier{session: s, flags: flags, hashes: make(map[string]string)}
	if c.from, err = s.openNamed(ctx, from, true); err != nil {
		return fmt.Errorf("the workspace to copy from: %w", err)
	}
	defer c.from.Close()
	c.to, err = s.openNamed(ctx, to, flags.dryRun)
	if _, isStore := directoryOf(to); isStore && flags.dryRun && errors.Is(err, fs.ErrNotExist) {
		c.to, err = workspace.NewMemory(nil), nil // it is still to be made
	}
	if err != nil {
		return fmt.Errorf("the workspace to copy to: %w", err)
	}
	defer c.to.Close()
	c.library, c.report.DryRun = citekit.New(c.to, nil, nil), flags.dryRun
	if s.showsProgress() {
		c.bar = term.NewBar(s.stderr)
	}
	err = c.run(ctx)
	c.bar.Stop()
	return cmp.Or(c.print(err), err, c.incomplete())
}

// openNamed opens the workspace that a path or a URL names.
func (s *session) openNamed(ctx context.Context, named string, readOnly bool) (Store, error) {
	dir, isStore := directoryOf(named)
	if isStore {
		return s.openStore(ctx, named, readOnly)
	}
	opts, err := s.workspaceOptions()
	if err != nil {
		return nil, err
	}
	opts.ReadOnly = readOnly
	ws, err := workspace.Open(dir, opts)
	if err != nil {
		return nil, hinted{err, "make the folder, or write its path or the URL of a workspace"}
	}
	return ws, nil
}

// run copies everything: sources before what needs them, and pins before their maps.
func (c *copier) run(ctx context.Context) error {
	ids, err := c.from.ListMaps(ctx, "", 0)
	if err != nil {
		return err
	}
	c.all = len(ids)
	if c.flags.sources {
		c.report.Sources = new(copied)
		sources := make(map[string]bool)
		if err := c.each(ctx, ids, "sources", func(ctx context.Context, id string) error { return c.findSources(ctx, id, sources) }); err != nil {
			return err
		}
		if err := c.each(ctx, slices.Sorted(maps.Keys(sources)), "sources", func(ctx context.Context, path string) error {
			return c.tell(ctx, c.report.Sources, "source "+path, c.source(ctx, path))
		}); err != nil {
			return err
		}
	}
	if err := c.pins(ctx); err != nil {
		return err
	}
	if err := c.each(ctx, ids, "maps", c.resourceMap); err != nil {
		return err
	}
	if err := c.stale(ctx); err != nil {
		return err
	}
	if err := c.ledger(ctx); err != nil {
		return err
	}
	if err := c.grants(ctx); err != nil {
		return err
	}
	if err := c.texts(ctx); err != nil {
		return err
	}
	if c.flags.evidence {
		c.report.Evidence = new(copied)
		return c.evidence(ctx)
	}
	return nil
}

// each calls f for each name, several at a time, until one of the calls fails.
func (c *copier) each(ctx context.Context, names []string, what string, f func(context.Context, string) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan string)
	var workers sync.WaitGroup
	for range min(copyWorkers, len(names)) {
		workers.Go(func() {
			for name := range next {
				if err := f(ctx, name); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	for i, name := range names {
		c.bar.Set(float64(i)/float64(len(names)), fmt.Sprintf("%d of %d %s", i, len(names), what), name)
		select {
		case next <- name:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// count changes a count.
func (c *copier) count(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

// mostCopyWarnings is how many things are named that were not copied.
const mostCopyWarnings = 20

// differs counts something that is there with another content, and names it.
func (c *copier) differs(of *copied, what string) {
	c.count(func() { of.Differ++; c.name(what + " is there with another content and was kept; --force replaces it") })
}

func (c *copier) name(text string) {
	if c.named++; c.named <= mostCopyWarnings {
		c.bar.Above(func() { c.warn(text) })
	}
}

// tell counts and names what could not be copied, unless ctx is done.
func (c *copier) tell(ctx context.Context, of *copied, what string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, fs.ErrNotExist):
		c.count(func() { of.Missing++; c.name(what + " is not there to copy") })
	default:
		c.count(func() { of.Failed++; c.name(what + ": " + err.Error()) })
	}
	return nil
}

// resourceMap copies a map.
func (c *copier) resourceMap(ctx context.Context, id string) error {
	data, _, err := c.from.ReadMap(ctx, id, maxSaved)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return fmt.Errorf("map %s: %w", id, err)
	}
	var m citekit.ResourceMap
	valid := m.UnmarshalJSON(data) == nil
	if valid {
		if err := c.tell(ctx, &c.report.Transcripts, "the transcript of "+id, c.transcript(ctx, &m)); err != nil {
			return err
		}
	}
	c.count(func() {
		if c.hashes[id] = ""; valid {
			c.hashes[id] = m.SourceHash()
		}
	})
	now, stamp, err := c.to.ReadMap(ctx, id, maxSaved)
	of := &c.report.Maps
	switch {
	case err == nil && bytes.Equal(data, now):
		c.count(func() { of.Same++ })
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrTooLarge):
		return fmt.Errorf("map %s: %w", id, err)
	case !errors.Is(err, fs.ErrNotExist) && !c.flags.force:
		c.differs(of, "map "+id)
		return nil
	}
	if !c.flags.dryRun {
		if _, err = c.to.WriteMapIf(ctx, id, data, stamp); errors.Is(err, citekit.ErrConflict) {
			return c.resourceMap(ctx, id) // written meanwhile
		} else if err != nil {
			return fmt.Errorf("map %s: %w", id, err)
		}
		if stamp != (citekit.Stamp{}) {
			c.count(func() { c.forced = append(c.forced, id) })
		}
	}
	c.count(func() { of.Copied++; of.Bytes += int64(len(data)) })
	return nil
}

// transcript copies what a machine wrote down for a map, if that names such.
func (c *copier) transcript(ctx context.Context, m *citekit.ResourceMap) error {
	if key, _, ok := about.TranscriptOf(m); ok {
		return c.piece(ctx, key, &c.report.Transcripts)
	}
	return nil
}

// stale names the maps that were replaced and do not fit the sources that are there.
func (c *copier) stale(ctx context.Context) error {
	states, err := ingest.States(ctx, c.library, c.forced)
	for _, state := range states {
		if state.State == ingest.StateStale {
			c.count(func() {
				c.name(state.ResourceID + " has a map of another version than its source there; 'citekit ingest' there makes one that fits")
			})
		}
	}
	return err
}

// pins copies the versions that maps require of their sources.
func (c *copier) pins(ctx context.Context) error {
	for note, err := range c.from.Notes(ctx, workspace.PinNotes) {
		if err == nil {
			err = c.note(ctx, &c.report.Pins, workspace.PinNotes, note.Name, note.Data)
		}
		if err != nil {
			return fmt.Errorf("required version of %s: %w", note.Name, err)
		}
	}
	return ctx.Err()
}

// note copies a note.
func (c *copier) note(ctx context.Context, of *copied, kind, name string, data []byte) error {
	now, stamp, err := c.to.ReadNote(ctx, kind, name)
	switch {
	case err == nil && bytes.Equal(data, now):
		c.count(func() { of.Same++ })
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrDamaged):
		return err
	case !errors.Is(err, fs.ErrNotExist) && !c.flags.force:
		c.differs(of, "the required version of "+name)
		return nil
	}
	if !c.flags.dryRun {
		if _, err = c.to.WriteNoteIf(ctx, kind, name, data, stamp); errors.Is(err, citekit.ErrConflict) {
			return c.note(ctx, of, kind, name, data)
		} else if err != nil {
			return err
		}
	}
	c.count(func() { of.Copied++; of.Bytes += int64(len(data)) })
	return nil
}

// noteBatch is how many notes of ingest are written at a time.
const noteBatch = 500

// ledger copies the notes of ingest about sources of which to has none. What a note says
// of a map and of a source as they are stored becomes what is so there, so that the next
// ingest finds them unchanged.
func (c *copier) ledger(ctx context.Context) error {
	held := make(map[string]bool)
	for note, err := range c.to.Notes(ctx, ledger.Kind) {
		if err != nil {
			return fmt.Errorf("notes of ingest: %w", err)
		}
		held[note.Name] = true
	}
	of := &c.report.Notes
	var batch []citekit.NoteChange
	write := func() error {
		if len(batch) == 0 || c.flags.dryRun {
			return nil
		}
		_, err := c.to.ChangeNotes(ctx, ledger.Kind, batch)
		if errors.Is(err, citekit.ErrConflict) { // an ingest is running there, and knows better
			err = nil
		}
		batch = batch[:0]
		return err
	}
	for stored, err := range c.from.Notes(ctx, ledger.Kind) {
		if err != nil {
			return fmt.Errorf("notes of ingest: %w", err)
		}
		n, ok := ledger.Parse(stored.Data)
		if !ok {
			continue
		}
		if held[stored.Name] {
			of.Same++
			continue
		}
		if n.Stamp != "" {
			stamp, err := c.to.StatMap(ctx, n.ID)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			was, err := c.from.StatMap(ctx, n.ID)
			if err == nil && was.Identity == n.Stamp {
				n.Stamp = stamp.Identity
			}
		}
		n.Identity = ""
		batch = append(batch, citekit.NoteChange{Name: stored.Name, Data: n.Encode()})
		of.Copied++
		of.Bytes += int64(len(stored.Data))
		if len(batch) == noteBatch {
			if err := write(); err != nil {
				return err
			}
		}
	}
	return cmp.Or(write(), ctx.Err())
}

// grants copies the permissions to cite files outside a base directory, which say
// nothing to a store of another kind.
func (c *copier) grants(ctx context.Context) error {
	from, ok := c.from.(granter)
	if !ok {
		return nil
	}
	all, err := from.Allowed(ctx)
	if err != nil {
		return err
	}
	to, ok := c.to.(granter)
	if !ok {
		if len(all) > 0 {
			c.count(func() {
				c.report.Grants.Missing = len(all)
				c.name(message.Count(len(all), "file") + " outside the base directory: another store has none; put them into its bucket, and map them there")
			})
		}
		return nil
	}
	held := make(map[string]bool)
	there, err := to.Allowed(ctx)
	if err != nil {
		return err
	}
	for _, a := range there {
		held[a.Path] = true
	}
	for _, a := range all {
		if held[a.Path] {
			c.report.Grants.Same++
			continue
		}
		if !c.flags.dryRun {
			err = to.Allow(ctx, a.Path, a.Maps...)
		}
		if err != nil {
			if err := c.tell(ctx, &c.report.Grants, "permission for "+a.Path, err); err != nil {
				return err
			}
			continue
		}
		c.report.Grants.Copied++
	}
	return nil
}

// findSources adds the paths of the source and the transcript of a map.
func (c *copier) findSources(ctx context.Context, id string, all map[string]bool) error {
	data, _, err := c.from.ReadMap(ctx, id, maxSaved)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("map %s: %w", id, err)
	}
	var m citekit.ResourceMap
	if err := m.UnmarshalJSON(data); err != nil {
		return nil // it is copied as it is
	}
	transcript, _ := m.Transcript()
	if about.IsTranscribed(m.Metadata) { // no file
		transcript = ""
	}
	c.count(func() {
		for _, path := range []string{m.SourcePath, transcript} {
			if path != "" {
				all[path] = true
			}
		}
	})
	return nil
}

// source copies a source.
func (c *copier) source(ctx context.Context, path string) error {
	if filepath.IsAbs(filepath.FromSlash(path)) {
		return fmt.Errorf("it is outside the base directory: %w", citekit.ErrForbidden)
	}
	src, err := c.from.OpenSource(ctx, path)
	if err != nil {
		return err
	}
	defer src.Close()
	of := c.report.Sources
	now, err := c.to.OpenSource(ctx, path)
	if err == nil {
		same, err := sameSource(ctx, src, now)
		if err != nil {
			return err
		}
		if same {
			c.count(func() { of.Same++ })
		} else {
			c.count(func() { of.Differ++; c.name("source " + path + " is there with another content and was kept") })
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !c.flags.dryRun {
		wanted, err := src.Hash(ctx)
		if err != nil {
			return err
		}
		adder := api.Service{Library: c.library}
		if _, err := adder.AddFile(ctx, path, checked(src.Reader(), src.Size(), wanted)); err != nil {
			return err
		}
		if err := src.CheckUnchanged(); err != nil {
			return err
		}
	}
	c.count(func() { of.Copied++; of.Bytes += src.Size() })
	return nil
}

// sameSource reports whether two sources have the same content. It closes b.
func sameSource(ctx context.Context, a, b *citekit.Source) (bool, error) {
	defer b.Close()
	if a.Size() != b.Size() {
		return false, nil
	}
	one, err := a.Hash(ctx)
	if err != nil {
		return false, err
	}
	other, err := b.Hash(ctx)
	return one == other, err
}

// texts copies the texts that reanchor needs.
func (c *copier) texts(ctx context.Context) error {
	c.kept = make(map[string]bool)
	for text, err := range textsOfReanchor(ctx, c.from, c.hashes) {
		if err != nil {
			return err
		}
		c.kept[text.key] = true
	}
	return c.pieces(ctx, slices.Sorted(maps.Keys(c.kept)), "texts", &c.report.Texts)
}

// evidence copies evidence and other texts, but no parts of an index, which is made again.
func (c *copier) evidence(ctx context.Context) error {
	var keys []string
	for kept, err := range c.from.Kept(ctx) {
		if err != nil {
			return err
		}
		if kept.Kind == workspace.KeptEvidence && !c.kept[kept.Name] {
			keys = append(keys, kept.Name)
		}
	}
	return c.pieces(ctx, keys, "pieces of evidence", c.report.Evidence)
}

// pieces copies pieces of evidence, and counts them.
func (c *copier) pieces(ctx context.Context, keys []string, what string, of *copied) error {
	return c.each(ctx, keys, what, func(ctx context.Context, key string) error {
		err := c.piece(ctx, key, of)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a store may lose evidence
		}
		return c.tell(ctx, of, "evidence "+key, err)
	})
}

// piece copies one piece of evidence, and counts it.
func (c *copier) piece(ctx context.Context, key string, of *copied) error {
	content, stored, err := c.from.OpenEvidence(ctx, key)
	if err != nil {
		return err
	}
	defer content.Close()
	if stored.Keep && of == c.report.Evidence { // a part of an index, or a transcript
		return nil
	}
	now, err := c.to.FindEvidence(ctx, key)
	switch {
	case err == nil && now.SHA256 == stored.SHA256:
		c.count(func() { of.Same++ })
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if !c.flags.dryRun {
		written, err := c.to.StoreEvidence(ctx, key, stored.EvidenceMeta, checked(content, stored.Size, stored.SHA256))
		if err != nil {
			return err
		}
		if written.SHA256 != stored.SHA256 {
			return fmt.Errorf("it was stored as SHA-256 %s, and is %s: %w", written.SHA256, stored.SHA256, citekit.ErrDamaged)
		}
	}
	c.count(func() { of.Copied++; of.Bytes += stored.Size })
	return nil
}

// A checkedReader fails at its end if the content has another size or SHA-256 than it
// should: then whoever reads it stores nothing.
type checkedReader struct {
	r      io.Reader
	left   int64
	sum    hash.Hash
	wanted string // in hex
}

func checked(r io.Reader, size int64, wanted string) io.Reader {
	return &checkedReader{r, size, sha256.New(), wanted}
}

func (c *checkedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.sum.Write(p[:n])
	c.left -= int64(n)
	if err == io.EOF {
		if got := hex.EncodeToString(c.sum.Sum(nil)); c.left != 0 || got != c.wanted {
			return n, fmt.Errorf("it changed meanwhile: its SHA-256 is %s, and was %s: %w", got, c.wanted, citekit.ErrStale)
		}
	}
	return n, err
}

// print says what was copied; err ended it early, or is nil.
func (c *copier) print(err error) error {
	if c.json {
		if err != nil {
			return nil
		}
		return c.printJSON(c.report)
	}
	did := "copied"
	if c.flags.dryRun {
		did = "to copy"
	}
	show := func(what string, of *copied) {
		if of == nil || *of == (copied{}) {
			return
		}
		line := fmt.Sprintf("%s: %d %s", what, of.Copied, did)
		if of.Bytes > 0 {
			line += ", " + byteSize(of.Bytes)
		}
		for _, more := range []struct {
			n    int
			what string
		}{{of.Same, "there already"}, {of.Differ, "that differ"}, {of.Missing, "missing"}, {of.Failed, "failed"}} {
			if more.n > 0 {
				line += fmt.Sprintf("; %d %s", more.n, more.what)
			}
		}
		c.printf("%s\n", line)
	}
	r := &c.report
	show("sources", r.Sources)
	show("required versions", &r.Pins)
	show("maps", &r.Maps)
	show("transcripts", &r.Transcripts)
	show("notes of ingest", &r.Notes)
	show("permissions", &r.Grants)
	show("texts of earlier versions", &r.Texts)
	show("evidence", r.Evidence)
	if err == nil && c.all == 0 {
		c.printf("there are no maps to copy\n")
	}
	if more := c.named - mostCopyWarnings; more > 0 {
		c.warn("and " + message.Count(more, "thing") + " more")
	}
	return nil
}

// incomplete returns errReported if something differs or could not be copied.
func (c *copier) incomplete() error {
	r := &c.report
	for _, of := range []*copied{&r.Maps, &r.Transcripts, &r.Pins, r.Sources, r.Evidence, &r.Grants} {
		if of != nil && of.Differ+of.Missing+of.Failed > 0 {
			return errReported
		}
	}
	return nil
}
