package command

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/workspace"
)

func restoreCommand(s *session) *cobra.Command {
	var flags restoreFlags
	c := &cobra.Command{
		Use:   "restore <file.tar.gz>",
		Short: "Restore what backup saved",
		Long: `Brings maps, the required versions of their sources, and the texts of earlier ones
from an archive of 'citekit backup' back into the base directory. The archive is
read to its end before anything is written: one that is damaged, or not from
backup, changes nothing. Existing maps stay, and so does everything else, unless
--force is given. An interrupted restore can be run again.

It says which folder the archive was made of, and when, and warns if sources that
the maps name are not there: then it may be the archive of another folder.

The key of evidence comes back if there is none. Keys of callers are written
only to the file that --keys names, and files outside the base directory are
allowed again only with --allowed. If the file of keys exists, --force is needed;
keys that are revoked in it stay revoked. If that file is lost, keys that were
revoked after the backup are valid again: check 'citekit key list'.`,
		Example: lines("citekit restore /backup/docs.tar.gz --dir /srv/docs", "citekit restore docs.tar.gz --dir new --keys /var/lib/citekit/keys.json"),
		Args:    between(1, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return s.restore(cmd.Context(), args[0], flags) },
	}
	f := c.Flags()
	f.StringVar(&flags.keys, "keys", "", "write the keys of callers to this `FILE`")
	f.BoolVar(&flags.allowed, "allowed", false, "also allow the files outside the base directory again")
	f.BoolVarP(&flags.force, "force", "f", false, "replace existing maps, versions and keys")
	return c
}

type restoreFlags struct {
	keys           string
	allowed, force bool
}

// Limits of an archive.
const (
	maxSaved      = 64 << 20 // of one file in it, in bytes
	maxSavedFiles = 4_000_000
	maxSavedText  = 16 << 30 // of a text, which is not read into memory
	maxSavedInAll = 64 << 30
)

// errNoBackup is the error for a file that is not a valid archive.
var errNoBackup = errors.New("it is not a backup of citekit, or is damaged")

func (s *session) restore(ctx context.Context, name string, flags restoreFlags) error {
	if err := s.needsDirectory("'citekit restore'", "restore it into a directory, and copy that with 'citekit copy'"); err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := readBackup(ctx, f, func(savedFile) error { return nil }); err != nil {
		return fmt.Errorf("'%s': %w", name, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if flags.keys != "" {
		if _, err := os.Lstat(flags.keys); err == nil && !flags.force {
			return fmt.Errorf("'%s' exists; --force replaces it", flags.keys)
		}
	}
	opts, err := s.workspaceOptions()
	if err != nil {
		return err
	}
	r := &restorer{flags: flags, keyPath: keyPath(opts), dir: s.dir}
	if err := r.key(ctx, f); err != nil { // before anything is sealed with it
		return err
	}
	ws, err := s.workspace(nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	r.ws = ws.(backedUp) // a directory
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := readBackup(ctx, f, func(file savedFile) error { return r.put(ctx, file) }); err != nil {
		return err
	}
	return s.tellRestored(r)
}

func (s *session) tellRestored(r *restorer) error {
	if s.json {
		return s.printJSON(struct {
			saved
			Kept    int       `json:"kept"`
			Dir     string    `json:"archive_dir,omitempty"`
			Created time.Time `json:"archive_created"`
			Sources int       `json:"sources"`
			Missing int       `json:"sources_missing"`
		}{r.done, r.kept, r.head.Dir, r.head.Created, r.sources, r.sources - r.found})
	}
	if r.head.Dir != "" {
		s.printf("the archive was made of %s on %s\n", term.Line(r.head.Dir), day(r.head.Created))
	}
	if r.found < r.sources {
		s.warn(fmt.Sprintf("warning: the sources of %d of %s are not in %s; is this the archive of another folder?", r.sources-r.found, message.Count(r.sources, "map"), s.baseName()))
	}
	s.printf("restored %s\n", r.done)
	if r.kept > 0 {
		s.printf("%s there already and kept; --force replaces\n", countedAre(r.kept, "thing"))
	}
	if r.outside > 0 {
		s.printf("%s outside the base directory not allowed again; --allowed does it\n", countedAre(r.outside, "file"))
	}
	return nil
}

// A savedFile is a file in an archive.
type savedFile struct {
	name string
	data []byte    // unless it is a text
	size int64     // in bytes
	text io.Reader // that of a savedText, valid during the call; it may be left unread
}

// readBackup reads an archive and calls f with each file in it. Names are never used
// as paths: links, and names that backup does not write, are refused.
func readBackup(ctx context.Context, r io.Reader, f func(savedFile) error) error {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoBackup, err)
	}
	archive, total, seen := tar.NewReader(zip), int64(0), make(map[string]bool)
	var last string // file, and what is in it
	var resourceMap []byte
	for n := 0; ; n++ {
		head, err := archive.Next()
		if err == io.EOF && n > 0 {
			return drain(zip)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errNoBackup, err)
		}
		if total += max(head.Size, 0); n >= maxSavedFiles || total > maxSavedInAll {
			return fmt.Errorf("%w: it is too large", errNoBackup)
		}
		if err := errors.Join(ctx.Err(), checkSaved(head, n)); err != nil {
			return err
		}
		if seen[head.Name] {
			return fmt.Errorf("%w: %s is in it twice", errNoBackup, message.Quote(head.Name))
		}
		seen[head.Name] = true
		if _, ok := parseSavedText(head.Name); ok { // what is cut short fails in Next
			if err := f(savedFile{name: head.Name, size: head.Size, text: archive}); err != nil {
				return err
			}
			continue
		}
		data, err := io.ReadAll(io.LimitReader(archive, maxSaved))
		if err != nil || int64(len(data)) != head.Size {
			return fmt.Errorf("%w: %s is cut short", errNoBackup, message.Quote(head.Name))
		}
		if err := checkSavedData(head.Name, data); err != nil {
			return err
		}
		if id, ok := savedMap(head.Name, backupTranscripts); ok && !isTranscriptOf(last, resourceMap, id, data) {
			return fmt.Errorf("%w: %s is not what the map before it names", errNoBackup, message.Quote(head.Name))
		}
		last, resourceMap = head.Name, data
		if err := f(savedFile{name: head.Name, data: data, size: head.Size}); err != nil {
			return err
		}
	}
}

// drain reads to the end of an archive, so that its checksum is verified.
func drain(zip *gzip.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(zip, maxSaved))
	if err != nil || n == maxSaved {
		return fmt.Errorf("%w: its end is wrong", errNoBackup)
	}
	return nil
}

// checkSaved returns an error if the header of the n-th file is invalid.
func checkSaved(head *tar.Header, n int) error {
	_, isText := parseSavedText(head.Name)
	most := int64(maxSaved)
	if isText {
		most = maxSavedText
	}
	switch {
	case n == 0 && head.Name != backupHead:
		return fmt.Errorf("%w: it does not begin with %s", errNoBackup, backupHead)
	case head.Typeflag != tar.TypeReg:
		return fmt.Errorf("%w: %s is not a regular file", errNoBackup, message.Quote(head.Name))
	case head.Size < 0 || head.Size > most:
		return fmt.Errorf("%w: %s has %d bytes, and at most %d are allowed", errNoBackup, message.Quote(head.Name), head.Size, most)
	}
	switch head.Name {
	case backupHead, backupPins, backupAllowed, backupSeal, backupKeys:
		return nil
	}
	_, isMap := savedMap(head.Name, backupMaps)
	if _, isTranscript := savedMap(head.Name, backupTranscripts); !isMap && !isTranscript && !isText {
		return fmt.Errorf("%w: %s is not a file that backup saves", errNoBackup, message.Quote(head.Name))
	}
	return nil
}

// checkSavedData returns an error if the content of a file is invalid.
func checkSavedData(name string, data []byte) error {
	var err error
	switch name {
	case backupHead:
		var head backupHeader
		if err = json.Unmarshal(data, &head); err == nil && head.Version != backupVersion {
			err = fmt.Errorf("version %d; this program reads %d", head.Version, backupVersion)
		}
	case backupPins:
		err = json.Unmarshal(data, new([]savedPin))
	case backupAllowed:
		err = json.Unmarshal(data, new([]workspace.Allowed))
	case backupKeys:
		if !json.Valid(data) {
			err = errors.New("it is not JSON")
		}
	case backupSeal:
		if len(data) != 32 {
			err = errors.New("it is not a key of 32 bytes")
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errNoBackup, name, err)
	}
	return nil
}

// savedMap returns the id of the map in a file of an archive, or of its transcript, by the
// folder.
func savedMap(name, folder string) (id string, ok bool) {
	escaped, isMap := strings.CutPrefix(name, folder)
	escaped, isJSON := strings.CutSuffix(escaped, ".json")
	id, err := url.PathUnescape(escaped)
	return id, isMap && isJSON && err == nil && url.PathEscape(id) == escaped && citekit.CheckResourceID(id) == nil
}

// A restorer restores an archive.
type restorer struct {
	ws      backedUp
	flags   restoreFlags
	keyPath string
	dir     string // the base directory
	head    backupHeader
	done    saved
	sources int // maps of a source in the base directory
	found   int // those whose source is there
	kept    int // things that existed already
	outside int // files allowed outside the base directory

	resourceMap []byte // that was last read
}

// key writes the key of evidence unless there is one.
func (r *restorer) key(ctx context.Context, f io.Reader) error {
	if r.keyPath == "" {
		return nil
	}
	return readBackup(ctx, f, func(file savedFile) error {
		if file.name != backupSeal {
			return nil
		}
		if _, err := os.Lstat(r.keyPath); err == nil && !r.flags.force {
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(r.keyPath), 0o700); err != nil {
			return err
		}
		r.done.Key = true
		return writeBytes(r.keyPath, file.data)
	})
}

func writeBytes(path string, data []byte) error {
	return writeWhole(path, privateMode, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

func (r *restorer) put(ctx context.Context, file savedFile) error {
	name, data := file.name, file.data
	if text, ok := parseSavedText(name); ok {
		return r.text(ctx, text, file)
	}
	switch name {
	case backupHead:
		return json.Unmarshal(data, &r.head)
	case backupSeal:
		return nil
	case backupPins:
		return r.putPins(ctx, data)
	case backupAllowed:
		return r.allow(ctx, data)
	case backupKeys:
		if r.flags.keys == "" {
			return nil
		}
		r.done.Keys = true
		return restoreKeys(ctx, r.flags.keys, data)
	}
	if id, ok := savedMap(name, backupTranscripts); ok {
		return r.transcript(ctx, id, data)
	}
	id, _ := savedMap(name, backupMaps)
	r.resourceMap = data
	r.lookForSource(data)
	return r.putMap(ctx, id, data)
}

// isTranscriptOf reports whether a file of an archive is the map with an id, and names a
// transcript with such content.
func isTranscriptOf(name string, resourceMap []byte, id string, data []byte) bool {
	var m citekit.ResourceMap
	if of, ok := savedMap(name, backupMaps); !ok || of != id || m.UnmarshalJSON(resourceMap) != nil {
		return false
	}
	_, hash, ok := about.TranscriptOf(&m)
	sum := sha256.Sum256(data)
	return ok && hash == hex.EncodeToString(sum[:])
}

// transcript puts back what a machine wrote down for the map before it.
func (r *restorer) transcript(ctx context.Context, id string, data []byte) error {
	var m citekit.ResourceMap
	if err := m.UnmarshalJSON(r.resourceMap); err != nil {
		return err
	}
	key, _, _ := about.TranscriptOf(&m)
	if _, err := r.ws.FindEvidence(ctx, key); !errors.Is(err, fs.ErrNotExist) {
		return err // it is there
	}
	r.done.Transcripts++
	_, err := r.ws.StoreEvidence(ctx, key, citekit.EvidenceMeta{
		Name: about.TranscriptName(key), Size: int64(len(data)), Resource: id,
		MediaType: "application/json", SourceHash: m.SourceHash(), Keep: true,
	}, bytes.NewReader(data))
	return err
}

// text puts back a text that reanchor needs.
func (r *restorer) text(ctx context.Context, text savedText, file savedFile) error {
	if _, err := r.ws.FindEvidence(ctx, text.key); !errors.Is(err, fs.ErrNotExist) {
		return err // it is there
	}
	r.done.Texts++
	_, err := r.ws.StoreEvidence(ctx, text.key, citekit.EvidenceMeta{
		Name: about.TextName(text.key), Size: file.size, Resource: text.id,
		MediaType: "application/octet-stream", SourceHash: text.hash,
	}, file.text)
	return err
}

// lookForSource counts a map that names a source in the base directory, and whether
// that source is there.
func (r *restorer) lookForSource(data []byte) {
	var m struct {
		Path string `json:"source_path"`
	}
	if json.Unmarshal(data, &m) != nil || !filepath.IsLocal(filepath.FromSlash(m.Path)) {
		return
	}
	r.sources++
	if _, err := os.Stat(filepath.Join(r.dir, filepath.FromSlash(m.Path))); err == nil {
		r.found++
	}
}

func (r *restorer) putMap(ctx context.Context, id string, data []byte) error {
	var err error
	if r.flags.force {
		err = r.ws.WriteMap(ctx, id, data)
	} else {
		_, err = r.ws.WriteMapIf(ctx, id, data, citekit.Stamp{})
	}
	return r.counted(err, &r.done.Maps)
}

// counted counts one thing as written, or as kept if it existed.
func (r *restorer) counted(err error, written *int) error {
	if errors.Is(err, citekit.ErrConflict) {
		r.kept++
		return nil
	}
	if err == nil {
		*written++
	}
	return err
}

func (r *restorer) putPins(ctx context.Context, data []byte) error {
	var pins []savedPin
	if err := json.Unmarshal(data, &pins); err != nil {
		return err
	}
	for _, pin := range pins {
		var stamp citekit.Stamp
		if r.flags.force {
			_, now, err := r.ws.ReadNote(ctx, workspace.PinNotes, pin.ID)
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrDamaged) {
				return err
			}
			stamp = now
		}
		_, err := r.ws.WriteNoteIf(ctx, workspace.PinNotes, pin.ID, pin.Data, stamp)
		if err := r.counted(err, &r.done.Pins); err != nil {
			return err
		}
	}
	return nil
}

// allow allows citing files outside the base directory again, if the person agrees.
func (r *restorer) allow(ctx context.Context, data []byte) error {
	var allowed []workspace.Allowed
	if err := json.Unmarshal(data, &allowed); err != nil {
		return err
	}
	for _, a := range allowed {
		if !r.flags.allowed {
			r.outside++
			continue
		}
		if err := r.ws.Allow(ctx, a.Path, a.Maps...); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		r.done.Allowed++
	}
	return nil
}

// restoreKeys writes the keys of callers to a file. Keys that the existing file says
// were revoked stay revoked.
func restoreKeys(ctx context.Context, path string, data []byte) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return writeBytes(path, data)
	}
	keys, err := access.OpenKeyFile(path, nil)
	if err != nil {
		return err
	}
	return errors.Join(keys.Restore(ctx, data), keys.Close())
}
