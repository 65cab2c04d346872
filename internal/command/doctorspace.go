package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

const (
	lookTime   = 10 * time.Minute // for the maps and sources of one base directory
	mostNamed  = 5                // resources named in a finding
	littleRoom = 1 << 30          // bytes
	noRoom     = 64 << 20         // bytes
	fewFiles   = 1000
)

// A space is a base directory with its options.
type space struct {
	name string // of a workspace, or ""
	dir  string
	opts workspace.Options
}

// checkSpaces checks the workspaces of the settings, or the base directory.
func (d *doctor) checkSpaces(ctx context.Context) {
	opts, err := d.session.workspaceOptions()
	if err != nil {
		return // checkKeyOfEvidence has reported it
	}
	if url := d.session.storeURL; url != "" && (d.settings == nil || len(d.settings.Workspaces) == 0) {
		d.checkStore(ctx, "workspace", url)
		return
	}
	if d.settings == nil || len(d.settings.Workspaces) == 0 {
		if d.settings != nil {
			opts.MaxEvidenceBytes = int64(d.settings.Limits.EvidencePerSpace)
		}
		d.checkSpace(ctx, space{dir: d.session.dir, opts: *opts})
		return
	}
	for _, name := range slices.Sorted(maps.Keys(d.settings.Workspaces)) {
		w := d.settings.Workspaces[name]
		if w.URL != "" {
			d.checkStore(ctx, "workspace "+name, w.URL)
			continue
		}
		own := *opts
		own.MapsDir, own.EvidenceDir, own.Roots = w.MapsDir, w.EvidenceDir, w.Roots
		own.MaxEvidenceBytes = int64(d.settings.Limits.EvidencePerSpace)
		d.checkSpace(ctx, space{name: name, dir: w.Dir, opts: own})
	}
}

func (d *doctor) checkSpace(ctx context.Context, sp space) {
	what := "base directory "
	if sp.name != "" {
		what = "workspace " + sp.name + " "
	}
	sound := d.checkFolder(what+sp.dir, sp.dir)
	for _, root := range sp.opts.Roots {
		sound = d.checkFolder("root "+root, root) && sound
	}
	if !sound {
		return
	}
	d.checkRoom(what+sp.dir, sp.dir)
	mapsDir := within(sp.dir, cmp.Or(sp.opts.MapsDir, ".resource_maps"))
	evidenceDir := within(sp.dir, cmp.Or(sp.opts.EvidenceDir, ".citekit_output"))
	d.checkOwnFolder("maps "+mapsDir, mapsDir, sp)
	d.checkOwnFolder("evidence "+evidenceDir, evidenceDir, sp)
	sp.opts.ReadOnly = true
	ws, err := workspace.Open(sp.dir, &sp.opts)
	if err != nil {
		d.fault(what+sp.dir, "", "%v", err)
		return
	}
	d.checkKept(ctx, ws, subjects{"maps " + mapsDir, "sources of " + sp.dir, "index of " + sp.dir, "evidence " + evidenceDir, "notes of " + evidenceDir},
		cmp.Or(sp.opts.MaxEvidenceBytes, 10<<30))
}

// checkStore checks what a store of another kind keeps. Its servers are not looked at.
func (d *doctor) checkStore(ctx context.Context, what, url string) {
	ws, err := d.session.openStore(ctx, url, true)
	if err == nil {
		err = storeReadiness(ws)(ctx)
	}
	if ws == nil && errors.Is(err, fs.ErrNotExist) {
		d.ok(what, "can be reached; %v", err)
		return
	}
	if err != nil {
		d.fault(what, "", "%v", err)
		if ws != nil {
			ws.Close()
		}
		return
	}
	d.ok(what, "can be read; how much room its servers have is not looked at, as that is for a workspace in a directory")
	of := " of " + what
	d.checkKept(ctx, ws, subjects{"maps" + of, "sources" + of, "index" + of, "evidence" + of, "notes" + of}, -1)
}

// subjects name the parts of a workspace.
type subjects struct{ maps, sources, index, evidence, notes string }

// checkKept checks what a workspace keeps, and closes it. It keeps at most so many bytes
// of evidence; a negative number means no limit.
func (d *doctor) checkKept(ctx context.Context, ws Store, of subjects, most int64) {
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	limited, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	known := d.checkMaps(limited, lib, of.maps)
	d.checkSources(limited, lib, known, of.sources)
	d.checkFailed(limited, lib, of.sources)
	d.checkIndex(limited, lib, known, of.index)
	d.checkEvidence(limited, ws, most, of.evidence)
	d.checkNotes(limited, ws, of.notes)
}

// checkNotes reports notes of ingest and pins that this user may not read.
func (d *doctor) checkNotes(ctx context.Context, ws citekit.NoteStore, subject string) {
	for _, kind := range []string{ledger.Kind, workspace.PinNotes} {
		for _, err := range ws.Notes(ctx, kind) {
			if err == nil || ctx.Err() != nil {
				continue
			}
			remedy := ""
			if path := deniedPath(err); path != "" {
				remedy = notOurs(path)
			}
			d.fault(subject, remedy, "no ingest is possible: %v", err)
			return
		}
	}
}

func within(base, dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(base, dir)
}

// checkFolder reports whether a folder of sources can be read.
func (d *doctor) checkFolder(subject, dir string) bool {
	err := readable(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.fault(subject, "make it, mount it, or correct its name", "it is not there")
	case err != nil:
		d.fault(subject, "let this user read it", "it cannot be read: %v", systemError(err))
	default:
		d.ok(subject, "can be read")
	}
	return err == nil
}

func readable(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Readdirnames(1); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// checkOwnFolder checks a folder that citekit writes to.
func (d *doctor) checkOwnFolder(subject, dir string, sp space) {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !mayWrite(filepath.Dir(dir)) {
			d.fault(subject, "let this user write in "+filepath.Dir(dir)+", or make the folder for it", "it is not there and cannot be made")
		}
	case err != nil:
		d.fault(subject, "let this user read it", "it cannot be read: %v", systemError(err))
	case info.Mode()&fs.ModeSymlink != 0:
		d.fault(subject, "name the directory it points to in the settings, or with --maps-dir or --output-dir", "it is a symbolic link, which is not followed")
	case !info.IsDir():
		d.fault(subject, "move it away", "it is not a directory")
	case readable(dir) != nil || !mayWrite(dir):
		d.fault(subject, "make this user its owner, or share it with a group: --group, --file-mode 0660", "this user may not read and write there: its mode is %v", info.Mode())
	default:
		if want := sp.opts.FileMode & 0o060; info.Mode().Perm()&want != want {
			d.warning(subject, "run chgrp and chmod g+rwX,g+s once on it and everything in it", "the group should be able to use it and cannot: its mode is %v", info.Mode())
			return
		}
		d.ok(subject, "can be read and written")
	}
}

// checkRoom checks how full a disk is.
func (d *doctor) checkRoom(subject, dir string) {
	bytes, files, ok := freeRoom(dir)
	const remedy = "make room; 'citekit prune' and 'citekit prune --evidence-max SIZE' delete what can be made again"
	switch {
	case !ok:
	case bytes < noRoom:
		d.fault(subject, remedy, "the disk is full: %s are left", byteSize(bytes))
	case bytes < littleRoom:
		d.warning(subject, remedy, "the disk is nearly full: %s are left", byteSize(bytes))
	case files >= 0 && files < fewFiles:
		d.fault(subject, remedy, "there is room for %d more files (inodes)", files)
	}
}

// checkMaps reads all maps and returns the ids of the valid ones.
func (d *doctor) checkMaps(ctx context.Context, lib *citekit.Library, subject string) (known []string) {
	ids, err := lib.Resources(ctx)
	if err != nil {
		d.fault(subject, "", "they cannot be listed: %v", err)
		return nil
	}
	var bad, closed []string
	var why string
	for i, id := range ids {
		_, err := lib.Map(ctx, id)
		if ctx.Err() != nil {
			d.warning(subject, "", "only %d of %d could be read in time", i, len(ids))
			break
		}
		if path := deniedPath(err); path != "" {
			closed, why = append(closed, id), cmp.Or(why, notOurs(path))
			continue
		}
		if err != nil {
			bad = append(bad, id)
			continue
		}
		known = append(known, id)
	}
	if len(closed) > 0 {
		d.fault(subject, why, "this user may not read %s: %s", message.Count(len(closed), "map"), firstOf(closed))
	}
	switch {
	case len(bad) > 0:
		d.fault(subject, "'citekit check-map ID' says what is wrong, 'citekit ingest' makes maps anew, and 'citekit rm ID' removes one",
			"%s not maps: %s", countedAre(len(bad), "file"), firstOf(bad))
	case len(closed) == 0:
		d.ok(subject, "%s", message.Count(len(ids), "resource"))
	}
	return known
}

// firstOf returns the first few names and how many there are besides.
func firstOf(names []string) string {
	text := strings.Join(names[:min(mostNamed, len(names))], ", ")
	if more := len(names) - mostNamed; more > 0 {
		text += " and " + message.Count(more, "other")
	}
	return text
}

// checkSources counts the sources that changed since they were mapped.
func (d *doctor) checkSources(ctx context.Context, lib *citekit.Library, ids []string, subject string) {
	states, err := ingest.States(ctx, lib, ids)
	by := make(map[ingest.State][]string)
	var outside []string
	for _, state := range states {
		if isOutside(state.Err) {
			outside = append(outside, state.ResourceID)
			continue
		}
		by[state.State] = append(by[state.State], state.ResourceID)
	}
	if stale := by[ingest.StateStale]; len(stale) > 0 {
		d.warning(subject, "'citekit ingest' maps them anew", "%s changed since they were mapped: %s", message.Count(len(stale), "source"), firstOf(stale))
	}
	if gone := by[ingest.StateVanished]; len(gone) > 0 {
		d.warning(subject, "is a disk not mounted? 'citekit ingest' finds sources that were moved, 'citekit prune' removes their maps", "%s not there: %s", countedAre(len(gone), "source"), firstOf(gone))
	}
	if len(outside) > 0 {
		d.warning(subject, rootRemedy, "%s outside the roots: %s", countedAre(len(outside), "source"), firstOf(outside))
	}
	if bad := by[ingest.StateUnreadable]; len(bad) > 0 {
		d.warning(subject, "'citekit list --long' says why", "%s cannot be read: %s", message.Count(len(bad), "source"), firstOf(bad))
	}
	switch {
	case err != nil:
		d.warning(subject, "", "only %d of %d could be checked in time", len(states), len(ids))
	case len(by[ingest.StateOK]) == len(ids):
		d.ok(subject, "as they were mapped")
	}
}

// checkFailed reports the sources that the last ingest could not map, with its reasons.
func (d *doctor) checkFailed(ctx context.Context, lib *citekit.Library, subject string) {
	var failed []string
	for stored, err := range lib.Workspace().Notes(ctx, ledger.Kind) {
		if err != nil {
			return // checkNotes reports it
		}
		n, ok := ledger.Parse(stored.Data)
		if !ok || n.Reason == "" {
			continue
		}
		src, err := lib.Workspace().OpenSource(ctx, stored.Name) // not hashed
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			src.Close()
		}
		failed = append(failed, stored.Name+": "+n.Reason)
	}
	if len(failed) == 0 {
		return
	}
	slices.Sort(failed)
	shown := strings.Join(failed[:min(len(failed), mostNamed)], "; ")
	if len(failed) > mostNamed {
		shown += "; …"
	}
	d.fault(subject, "mend, replace or remove them: 'citekit ingest' tries those again that changed, and 'citekit ingest FILE' any", "%s could not be mapped: %s", message.Count(len(failed), "source"), shown)
}

// checkIndex reports the state of the search index.
func (d *doctor) checkIndex(ctx context.Context, lib *citekit.Library, ids []string, subject string) {
	searcher := search.New(lib, nil)
	defer searcher.Close()
	held, err := searcher.Stats(ctx)
	const remedy = "nothing has to be done: the next search makes again what is missing"
	switch {
	case ctx.Err() != nil:
		d.warning(subject, "", "there was no time to look at it")
	case err != nil:
		d.warning(subject, remedy, "it cannot be read: %v", err)
	case held.Lost > 0:
		d.warning(subject, remedy, "%s damaged or gone", countedAre(held.Lost, "segment"))
	case held.Resources == 0 && len(ids) > 0:
		d.ok(subject, "there is none yet; the next ingest or search makes it")
	case !d.checkUnindexed(ctx, lib, searcher, ids, subject, remedy) && !d.checkSetAside(ctx, searcher, subject):
		d.ok(subject, "%s of %s, %s", message.Count(held.Entries, "entry"), message.Count(len(ids), "resource"), byteSize(held.Bytes))
	}
}

// checkSetAside reports of which resources the index has only a part. It returns whether
// there are any.
func (d *doctor) checkSetAside(ctx context.Context, searcher *search.Searcher, subject string) (found bool) {
	parts, err := searcher.SetAside(ctx)
	if err != nil {
		return false
	}
	const split = "split the source and run 'citekit ingest', or read on by address"
	for _, part := range []struct {
		ids         []string
		remedy, why string
	}{
		{parts.Begun, split, "it has only the beginning of %s, as all would take more work than it gives a source of such a size: %s"},
		{parts.Cut, split, "it has only the beginning of the text of %s, as it is too large: %s"},
		{parts.Unread, "'citekit read ID' tells which pages; 'citekit ingest --ocr' may read them", "some of the text of %s cannot be read: %s"},
	} {
		if len(part.ids) > 0 {
			d.warning(subject, part.remedy, part.why, message.Count(len(part.ids), "resource"), firstOf(part.ids))
			found = true
		}
	}
	return found
}

// rootRemedy says what to do about sources outside the roots.
const rootRemedy = "name their folder with --root, or in 'roots' of the settings; 'citekit rm ID' removes one"

// mostRead is how many texts are read to see whether they can be.
const mostRead = 100

// checkUnindexed reports which of all resources the index does not hold: those whose
// sources cannot be read, and those that the next search reads. Sources that changed
// are reported by checkSources. It looks at each resource, as the index may still
// hold some that were removed. It returns whether there are any.
func (d *doctor) checkUnindexed(ctx context.Context, lib *citekit.Library, searcher *search.Searcher, resources []string, subject, remedy string) (found bool) {
	ids, err := searcher.Unindexed(ctx)
	switch {
	case err != nil:
		d.warning(subject, remedy, "it cannot be read: %v", err)
		return true
	}
	known := make(map[string]bool, len(resources))
	for _, id := range resources {
		known[id] = true
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !known[id] })
	if len(ids) == 0 {
		return false
	}
	held, all := len(resources)-len(ids), len(resources)
	var bad, foreign, outside []string
	changed, asked := 0, ids[:min(mostRead, len(ids))]
	for _, id := range asked {
		err := readText(ctx, lib, id)
		var missing *citekit.NoResolverError
		switch {
		case err == nil:
		case ctx.Err() != nil:
			d.warning(subject, "", "it holds %d of %s; there was no time to look at the others", held, message.Count(all, "resource"))
			return true
		case errors.Is(err, citekit.ErrStale), errors.Is(err, fs.ErrNotExist):
			changed++
		case textlayer.HasNoText(err):
		case errors.As(err, &missing):
			foreign = append(foreign, id)
		case isOutside(err):
			outside = append(outside, id)
		default:
			bad = append(bad, id)
		}
	}
	if len(bad) > 0 {
		d.warning(subject, "replace the files and run 'citekit ingest', or 'citekit rm ID' removes one", "the text of %s cannot be read, so no search finds it: %s", message.Count(len(bad), "source"), firstOf(bad))
	}
	if len(foreign) > 0 {
		d.warning(subject, "search with the program that mapped them", "%s of a type that no resolver of this program reads, so no search here finds it: %s", countedAre(len(foreign), "source"), firstOf(foreign))
	}
	if len(outside) > 0 {
		d.warning(subject, rootRemedy, "%s outside the roots, and in no search: %s", countedAre(len(outside), "source"), firstOf(outside))
	}
	unread := len(bad) + len(foreign) + len(outside)
	if unread > 0 && unread+changed == len(ids) {
		return true
	}
	if changed > 0 && unread+changed == len(ids) {
		remedy = "'citekit ingest' maps anew the sources that changed"
	}
	d.warning(subject, remedy, "it holds %d of %s", held, message.Count(all, "resource"))
	return true
}

// readText reads the text of a resource and returns why it cannot be read.
func readText(ctx context.Context, lib *citekit.Library, id string) error {
	m, err := lib.Map(ctx, id)
	if err != nil {
		return err
	}
	for _, err := range lib.ReadText(ctx, id, m.Address(nil).Location) {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkEvidence reports how much evidence there is of at most so many bytes, and leftovers of processes.
func (d *doctor) checkEvidence(ctx context.Context, ws workspace.Deleter, most int64, subject string) {
	var total, scrap int64
	left := 0
	for kept, err := range ws.Kept(ctx) {
		if err != nil {
			d.warning(subject, "", "not all could be looked at: %v", err)
			return
		}
		switch kept.Kind {
		case workspace.KeptEvidence:
			total += kept.Size
		case workspace.KeptScrap:
			scrap += kept.Size
			left++
		}
	}
	switch {
	case most > 0 && total > most/10*9:
		d.warning(subject, "raise limits.evidence_per_workspace if evidence is often made again", "%s of at most %s; the least recently used is deleted", byteSize(total), byteSize(most))
	default:
		d.ok(subject, "%s", byteSize(total))
	}
	if left > 0 {
		d.warning(subject, "'citekit prune' deletes them", "%s without a record, %s: from killed processes, from another key, or from a copied folder", message.Count(left, "file"), byteSize(scrap))
	}
}
