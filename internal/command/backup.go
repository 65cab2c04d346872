package command

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/workspace"
)

func backupCommand(s *session) *cobra.Command {
	var flags backupFlags
	c := &cobra.Command{
		Use:         "backup <file.tar.gz>",
		Annotations: anyMaps,
		Short:       "Save maps, and other data that cannot be made again",
		Long: `Writes all maps to an archive, with the transcripts that a machine made, the
pinned versions of sources, the list of allowed files outside the base directory,
the key of evidence, and with --keys the keys of callers. The archive holds
secrets, so only its owner can read it, and it must be outside the base directory
and the roots.

Sources are not saved: they need a backup of their own. Evidence, texts and the
index are not saved either, as they can be made again. A server may be running
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

	Key  bool `json:"evidence_key"`
	Keys bool `json:"keys"`
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
	s.printf("saved %s and %s; the file holds secrets: let nobody else read it\n", message.Count(done.Maps, "map"), message.Count(done.Pins, "pinned version"))
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
}

func newBackup(w io.Writer) *backup {
	zip := gzip.NewWriter(w)
	return &backup{zip: zip, tar: tar.NewWriter(zip), now: time.Now().UTC().Truncate(time.Second)}
}

func (b *backup) close() error { return errors.Join(b.tar.Close(), b.zip.Close()) }

func (b *backup) add(name string, data []byte) error {
	err := b.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: privateMode, Size: int64(len(data)), ModTime: b.now, Format: tar.FormatPAX})
	if err == nil {
		_, err = b.tar.Write(data)
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
	citekit.Workspace
	citekit.EvidenceOpener
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
		if err := b.transcript(ctx, ws, id, data); err != nil {
			return fmt.Errorf("the transcript of %s: %w", id, err)
		}
	}
	return nil
}

// transcript adds what a machine wrote down for a map, unless it is lost.
func (b *backup) transcript(ctx context.Context, ws backedUp, id string, resourceMap []byte) error {
	var m citekit.ResourceMap
	if m.UnmarshalJSON(resourceMap) != nil {
		return nil
	}
	key, _, ok := about.TranscriptOf(&m)
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
