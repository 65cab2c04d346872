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
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

func backupCommand(s *session) *cobra.Command {
	var flags backupFlags
	c := &cobra.Command{
		Use:         "backup <file.tar.gz>",
		Annotations: anyMaps,
		Short:       "Save maps, and other data that cannot be made again",
		Long: `Writes all maps to an archive, with the transcripts that a machine made, the
required versions of sources, the texts that 'citekit reanchor' needs, the list of
allowed files outside the base directory, the key of evidence, and with --keys the
keys of callers. The archive holds secrets, so only its owner can read it, and it
must be outside the base directory and the roots.

Sources are not saved: they need a backup of their own. Evidence, other texts and
the index are not saved either, as they can be made again. A server may be running
meanwhile: a map that it changes is saved as it was before or after the change.`,
		Example: lines("citekit backup ../maps.tar.gz", "citekit backup --dir /srv/docs --keys /var/lib/citekit/keys.json /backup/docs.tar.gz"),
		Args:    between(1, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return s.backup(cmd.Context(), args[0], flags) },
	}
	f := c.Flags()
	f.StringVar(&flags.keys, "keys", "", "also save this `FILE` of the keys of callers")
	f.BoolVarP(&flags.force, "force", "f", false, "replace an existing archive")
	return c
}

type backupFlags struct {
	keys  string
	force bool
}

// The names of the files in an archive.
const (
	backupHead    = "citekit-backup.json" // comes first
	backupPins    = "pins.json"
	backupAllowed = "allowed.json"
	backupSeal    = "evidence.key"
	backupKeys    = "keys.json"
	backupMaps    = "maps/" // followed by the escaped id and .json

	backupTranscripts = "transcripts/" // the same; each follows the map that names it

	backupTexts = "texts/" // followed by a savedText

	backupVersion = 1
)

// privateMode lets only the owner read a file.
const privateMode = 0o600

// A backupHeader identifies an archive.
type backupHeader struct {
	Version int       `json:"citekit_backup"`
	Created time.Time `json:"created"`
	Dir     string    `json:"dir,omitempty"` // the absolute path of the base directory; older archives have none
}

// A savedPin is the version that a map requires of its source.
type savedPin struct {
	ID   string `json:"id"`
	Data []byte `json:"data"`
}

// A saved is the outcome of backup or restore.
type saved struct {
	Maps    int `json:"maps"`
	Pins    int `json:"pins"`
	Allowed int `json:"allowed"`

	Transcripts int `json:"transcripts,omitempty"`
	Texts       int `json:"texts,omitempty"` // that reanchor needs

	Key  bool `json:"evidence_key"`
	Keys bool `json:"keys"`
}

// String says what there is of each kind of which there is always something to say.
func (d saved) String() string {
	text := message.Count(d.Maps, "map") + ", " + message.Count(d.Pins, "required version")
	if d.Texts > 0 {
		text += ", " + message.Count(d.Texts, "text") + " for reanchor"
	}
	return text
}

func (s *session) backup(ctx context.Context, name string, flags backupFlags) error {
	if err := s.needsDirectory("'citekit backup'", "back up the database and keep versions of the bucket, or copy it to a directory with 'citekit copy'"); err != nil {
		return err
	}
	if _, err := os.Lstat(name); err == nil && !flags.force {
		return fmt.Errorf("'%s' exists; --force replaces it", name)
	}
	if err := checkFolderOf(name); err != nil {
		return err
	}
	opts, err := s.workspaceOptions()
	if err != nil {
		return err
	}
	if err := checkOutside(name, append([]string{s.dir}, opts.Roots...)); err != nil {
		return err
	}
	opts.ReadOnly = true
	ws, err := workspace.Open(s.dir, opts)
	if err != nil {
		return fmt.Errorf("--dir %s: %w", s.dir, err)
	}
	defer ws.Close()
	var done saved
	err = writeWhole(name, privateMode, func(f *os.File) error {
		b := newBackup(f)
		if err := b.all(ctx, s.dir, ws, opts, flags.keys); err != nil {
			return err
		}
		done = b.done
		return b.close()
	})
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(done)
	}
	s.printf("saved %s; the file holds secrets: let nobody else read it\n", done)
	return nil
}

// checkOutside returns an error if an archive would be in one of the folders,
// whose files callers may read.
func checkOutside(name string, folders []string) error {
	target := realPath(filepath.Dir(name))
	for _, folder := range folders {
		if whole := realPath(folder); inside(whole, target) {
			return fmt.Errorf("the archive holds secrets, and would be in '%s', whose files callers may read; name a file outside it, such as '%s'",
				folder, filepath.Join(filepath.Dir(whole), filepath.Base(name)))
		}
	}
	return nil
}

// A backup writes an archive.
type backup struct {
	zip  *gzip.Writer
	tar  *tar.Writer
	now  time.Time
	done saved

	hashes map[string]string // of the source of each map, "" if unknown
}

func newBackup(w io.Writer) *backup {
	zip := gzip.NewWriter(w)
	return &backup{zip: zip, tar: tar.NewWriter(zip), now: time.Now().UTC().Truncate(time.Second), hashes: make(map[string]string)}
}

func (b *backup) close() error { return errors.Join(b.tar.Close(), b.zip.Close()) }

func (b *backup) add(name string, data []byte) error {
	return b.addAll(name, int64(len(data)), bytes.NewReader(data))
}

// addAll adds a file of so many bytes.
func (b *backup) addAll(name string, size int64, data io.Reader) error {
	err := b.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: privateMode, Size: size, ModTime: b.now, Format: tar.FormatPAX})
	if err == nil {
		_, err = io.Copy(b.tar, data)
	}
	return err
}

func (b *backup) addJSON(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return b.add(name, data)
}

func (b *backup) all(ctx context.Context, dir string, ws backedUp, opts *workspace.Options, keys string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := b.addJSON(backupHead, backupHeader{backupVersion, b.now, dir}); err != nil {
		return err
	}
	if err := b.maps(ctx, ws); err != nil {
		return err
	}
	if err := b.texts(ctx, ws); err != nil {
		return err
	}
	if err := b.pins(ctx, ws); err != nil {
		return err
	}
	allowed, err := ws.Allowed(ctx)
	if err != nil {
		return err
	}
	b.done.Allowed = len(allowed)
	if err := b.addJSON(backupAllowed, allowed); err != nil {
		return err
	}
	if b.done.Key, err = b.file(backupSeal, keyPath(opts), true); err != nil {
		return err
	}
	if keys != "" {
		b.done.Keys, err = b.file(backupKeys, keys, false)
	}
	return err
}

// A backedUp workspace has all that an archive holds.
type backedUp interface {
	Store
	granter
}

// maps adds all maps except those deleted meanwhile.
func (b *backup) maps(ctx context.Context, ws backedUp) error {
	ids, err := ws.ListMaps(ctx, "", 0)
	if err != nil {
		return err
	}
	for _, id := range ids {
		data, _, err := ws.ReadMap(ctx, id, maxSaved)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		if err := b.add(backupMaps+url.PathEscape(id)+".json", data); err != nil {
			return err
		}
		b.done.Maps++
		var m citekit.ResourceMap
		b.hashes[id] = ""
		if m.UnmarshalJSON(data) != nil {
			continue // it is saved as it is
		}
		b.hashes[id] = m.SourceHash()
		if err := b.transcript(ctx, ws, id, &m); err != nil {
			return fmt.Errorf("the transcript of %s: %w", id, err)
		}
	}
	return nil
}

// transcript adds what a machine wrote down for a map, unless it is lost.
func (b *backup) transcript(ctx context.Context, ws backedUp, id string, m *citekit.ResourceMap) error {
	key, _, ok := about.TranscriptOf(m)
	if !ok {
		return nil
	}
	content, stored, err := ws.OpenEvidence(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := about.ReadTranscript(content, stored.Name, citekit.ErrForbidden)
	if err != nil {
		return err
	}
	b.done.Transcripts++
	return b.add(backupTranscripts+url.PathEscape(id)+".json", []byte(text))
}

// texts adds the texts that reanchor needs.
func (b *backup) texts(ctx context.Context, ws backedUp) error {
	for text, err := range textsOfReanchor(ctx, ws, b.hashes) {
		if err == nil {
			err = b.text(ctx, ws, text)
		}
		if err != nil {
			return fmt.Errorf("texts of earlier versions: %w", err)
		}
	}
	return nil
}

func (b *backup) text(ctx context.Context, ws backedUp, text savedText) error {
	content, stored, err := ws.OpenEvidence(ctx, text.key)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, citekit.ErrDamaged) {
		return nil // deleted meanwhile, or lost
	}
	if err != nil {
		return err
	}
	defer content.Close()
	b.done.Texts++
	return b.addAll(text.String(), stored.Size, content)
}

// smallText is how large a stored text of a present version may be that reanchor alone
// keeps: with its places, that of a source of up to [textlayer.Options.SmallBytes].
const smallText = 128 << 10

// textsOfReanchor yields the texts by which reanchor finds what was cited: those of
// versions of sources other than the mapped ones, whose hashes it has by the id of the
// map, and small ones of the mapped versions, which are kept for when they are earlier.
func textsOfReanchor(ctx context.Context, ws workspace.Deleter, hashes map[string]string) iter.Seq2[savedText, error] {
	return func(yield func(savedText, error) bool) {
		for k, err := range ws.Kept(ctx) {
			hash, mapped := hashes[k.ResourceID]
			text := savedText{key: k.Name, hash: k.SourceHash, id: k.ResourceID}
			is := err == nil && k.Kind == workspace.KeptEvidence && filepath.Ext(k.Path) == textlayer.Ext &&
				mapped && text.check() && (k.SourceHash != hash || k.Size <= smallText)
			if (is || err != nil) && !yield(text, err) || err != nil {
				return
			}
		}
	}
}

// A savedText names a text in an archive.
type savedText struct{ key, hash, id string } // of the evidence, of the version of the source, of the map

func (t savedText) String() string {
	return backupTexts + t.key + "/" + t.hash + "/" + url.PathEscape(t.id)
}

func (t savedText) check() bool {
	return isSHA256(t.key) && isSHA256(t.hash) && citekit.CheckResourceID(t.id) == nil
}

func isSHA256(s string) bool {
	sum, err := hex.DecodeString(s)
	return err == nil && len(sum) == sha256.Size && s == strings.ToLower(s)
}

// parseSavedText returns the text that a file of an archive has.
func parseSavedText(name string) (t savedText, ok bool) {
	parts := strings.Split(name, "/")
	if len(parts) != 4 {
		return t, false
	}
	id, err := url.PathUnescape(parts[3])
	t = savedText{key: parts[1], hash: parts[2], id: id}
	return t, err == nil && t.check() && t.String() == name
}

func (b *backup) pins(ctx context.Context, ws citekit.Workspace) error {
	pins := []savedPin{}
	for note, err := range ws.Notes(ctx, workspace.PinNotes) {
		if err != nil {
			return err
		}
		pins = append(pins, savedPin{note.Name, note.Data})
	}
	b.done.Pins = len(pins)
	return b.addJSON(backupPins, pins)
}

// file adds a file. A missing file is an error unless it is optional.
func (b *backup) file(name, path string, optional bool) (bool, error) {
	if path == "" {
		return false, nil
	}
	f, err := os.Open(path)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSaved+1))
	if err == nil && len(data) > maxSaved {
		err = fmt.Errorf("'%s' has more than %s: %w", path, byteSize(maxSaved), citekit.ErrTooLarge)
	}
	if err != nil {
		return false, err
	}
	return true, b.add(name, data)
}

// keyPath returns the path of the key of evidence, or "" if it has none.
func keyPath(opts *workspace.Options) string {
	switch {
	case opts.KeyFile != "":
		return opts.KeyFile
	case opts.KeyDir != "":
		return filepath.Join(opts.KeyDir, "evidence.key")
	}
	return ""
}
