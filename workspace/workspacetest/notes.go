package workspacetest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// kinds are the kinds of notes to check: some workspaces store pins separately.
var kinds = []string{"kind", workspace.PinNotes}

var someNotes = map[string]string{
	"": "no name", "../é\n": "odd", "docs/a.txt": "", "docs/A.txt": "upper", strings.Repeat("n", 4096): "long name",
	"bytes": "\x00\xff\n\t\"", "large": strings.Repeat("\x01", 64<<10),
}

func checkNotes(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	for _, kind := range kinds {
		if _, _, err := ws.ReadNote(ctx, kind, "a"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s: ReadNote of nothing: %v, want fs.ErrNotExist", kind, err)
		}
		checkAllNotes(t, ws, kind, nil)
		for name, data := range someNotes {
			if _, err := ws.WriteNoteIf(ctx, kind, name, []byte(data), citekit.Stamp{}); err != nil {
				t.Fatalf("%s: WriteNoteIf of the new note %.20q: %v, want no error", kind, name, err)
			}
		}
		stamps := checkAllNotes(t, ws, kind, someNotes)
		changed := map[string]string{"": "changed"}
		for name, data := range someNotes {
			if name == "" {
				continue
			}
			if len(name) < 8 {
				if err := ws.DeleteNoteIf(ctx, kind, name, stamps[name]); err != nil {
					t.Fatalf("%s: DeleteNoteIf of %q: %v, want no error", kind, name, err)
				}
				continue
			}
			changed[name] = data
		}
		if _, err := ws.WriteNoteIf(ctx, kind, "", []byte("changed"), stamps[""]); err != nil {
			t.Fatalf("%s: WriteNoteIf: %v, want no error", kind, err)
		}
		checkAllNotes(t, ws, kind, changed)
	}
	checkAllNotes(t, ws, "other", nil)
}

// checkAllNotes checks the notes of a kind in each way to read them, and
// returns their stamps.
func checkAllNotes(t testing.TB, ws citekit.Workspace, kind string, want map[string]string) map[string]citekit.Stamp {
	t.Helper()
	stamps := make(map[string]citekit.Stamp)
	for n, err := range ws.Notes(t.Context(), kind) {
		if err != nil {
			t.Fatalf("%s: Notes: %v, want no error", kind, err)
		}
		data, there := want[n.Name]
		_, twice := stamps[n.Name]
		if twice || !there || string(n.Data) != data {
			if !there {
				data = "nothing"
			}
			t.Fatalf("%s: Notes yields %.20q with %.20q (a second time: %v); want %.20q, once", kind, n.Name, n.Data, twice, data)
		}
		stamps[n.Name] = n.Stamp
	}
	if len(stamps) != len(want) {
		t.Fatalf("%s: Notes yields %d notes, want %d", kind, len(stamps), len(want))
	}
	for name, data := range want {
		read, stamp, err := ws.ReadNote(t.Context(), kind, name)
		if err != nil || string(read) != data || stamp != stamps[name] || stamp == (citekit.Stamp{}) {
			t.Fatalf("%s: ReadNote(%.20q) = %.20q, %v, %v; want %.20q and %v, with which it is listed, and not zero", kind, name, read, stamp, err, data, stamps[name])
		}
	}
	for range ws.Notes(t.Context(), kind) {
		break // stop early
	}
	return stamps
}

func checkBadNotes(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	for _, bad := range []struct {
		kind, name string
		size       int
		want       error
	}{
		{"", "n", 1, citekit.ErrSyntax},
		{"../x", "n", 1, citekit.ErrSyntax},
		{"Kind", "n", 1, citekit.ErrSyntax},
		{strings.Repeat("k", 65), "n", 1, citekit.ErrSyntax},
		{"kind", "\xff", 1, citekit.ErrSyntax},
		{"kind", strings.Repeat("n", 4097), 1, citekit.ErrSyntax},
		{"kind", "n", 64<<10 + 1, citekit.ErrTooLarge},
		{workspace.PinNotes, "n", 64<<10 + 1, citekit.ErrTooLarge},
	} {
		label := fmt.Sprintf("a note of kind %.10q, name %.10q and %d bytes", bad.kind, bad.name, bad.size)
		if _, err := ws.WriteNoteIf(ctx, bad.kind, bad.name, make([]byte, bad.size), citekit.Stamp{}); !errors.Is(err, bad.want) {
			t.Fatalf("WriteNoteIf of %s: %v, want an error that matches %v", label, err, bad.want)
		}
		if bad.want != citekit.ErrSyntax {
			continue
		}
		if _, _, err := ws.ReadNote(ctx, bad.kind, bad.name); !errors.Is(err, bad.want) {
			t.Fatalf("ReadNote of %s: %v, want an error that matches %v", label, err, bad.want)
		}
	}
	for _, kind := range kinds {
		checkAllNotes(t, ws, kind, nil)
	}
}

func checkNoteConflicts(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	for _, kind := range kinds {
		write := func(data string, stamp citekit.Stamp) (citekit.Stamp, error) {
			return ws.WriteNoteIf(ctx, kind, "n", []byte(data), stamp)
		}
		another := citekit.Stamp{Identity: "another"}
		if _, err := write("0", another); !errors.Is(err, citekit.ErrConflict) {
			t.Fatalf("%s: WriteNoteIf of a note that is gone: %v, want citekit.ErrConflict", kind, err)
		}
		if err := ws.DeleteNoteIf(ctx, kind, "n", another); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s: DeleteNoteIf of nothing: %v, want fs.ErrNotExist", kind, err)
		}
		first, err := write("1", citekit.Stamp{})
		if err != nil {
			t.Fatalf("%s: WriteNoteIf of a new note: %v, want no error", kind, err)
		}
		if _, err := write("2", citekit.Stamp{}); !errors.Is(err, citekit.ErrConflict) {
			t.Fatalf("%s: WriteNoteIf of a new note that is there: %v, want citekit.ErrConflict", kind, err)
		}
		second, err := write("1", first)
		if err != nil || second == first {
			t.Fatalf("%s: WriteNoteIf gave the stamp %v, %v; want another than %v", kind, second, err, first)
		}
		if _, err := write("3", first); !errors.Is(err, citekit.ErrConflict) {
			t.Fatalf("%s: WriteNoteIf of a note that was replaced: %v, want citekit.ErrConflict", kind, err)
		}
		if err := ws.DeleteNoteIf(ctx, kind, "n", first); !errors.Is(err, citekit.ErrConflict) {
			t.Fatalf("%s: DeleteNoteIf of a note that was replaced: %v, want citekit.ErrConflict", kind, err)
		}
		if data, stamp, err := ws.ReadNote(ctx, kind, "n"); err != nil || string(data) != "1" || stamp != second {
			t.Fatalf("%s: ReadNote = %q, %v, %v; want \"1\" and %v, which WriteNoteIf gave", kind, data, stamp, err, second)
		}
		if err := ws.DeleteNoteIf(ctx, kind, "n", second); err != nil {
			t.Fatalf("%s: DeleteNoteIf: %v, want no error", kind, err)
		}
		if third, err := write("1", citekit.Stamp{}); err != nil || third == first || third == second {
			t.Fatalf("%s: WriteNoteIf after DeleteNoteIf gave the stamp %v, %v; want one that the note never had", kind, third, err)
		}
	}
}

// checkSlices changes the slices that it passed and received: the stored data
// must not change.
func checkSlices(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	want := []byte("written")
	spoil := func(data []byte) {
		for i := range data[:cap(data)] {
			data[:cap(data)][i] = '!'
		}
	}
	data := bytes.Clone(want)
	if err := ws.WriteMap(ctx, "m", data); err != nil || !bytes.Equal(data, want) {
		t.Fatalf("WriteMap left its argument as %q, %v; want %q", data, err, want)
	}
	spoil(data)
	for range 2 {
		read, _, err := ws.ReadMap(ctx, "m", 100)
		if err != nil || !bytes.Equal(read, want) {
			t.Fatalf("ReadMap = %q, %v, after a slice was changed that was written or read; want %q", read, err, want)
		}
		spoil(read)
	}
	for _, kind := range kinds {
		data := bytes.Clone(want)
		if _, err := ws.WriteNoteIf(ctx, kind, "n", data, citekit.Stamp{}); err != nil || !bytes.Equal(data, want) {
			t.Fatalf("%s: WriteNoteIf left its argument as %q, %v; want %q", kind, data, err, want)
		}
		spoil(data)
		for range 2 {
			read, _, err := ws.ReadNote(ctx, kind, "n")
			if err != nil || !bytes.Equal(read, want) {
				t.Fatalf("%s: ReadNote = %q, %v, after a slice was changed that was written or read; want %q", kind, read, err, want)
			}
			spoil(read)
			for n, err := range ws.Notes(ctx, kind) {
				if err != nil || !bytes.Equal(n.Data, want) {
					t.Fatalf("%s: Notes yields %q, %v, after a slice was changed; want %q", kind, n.Data, err, want)
				}
				spoil(n.Data)
			}
		}
	}
	ids, err := ws.ListMaps(ctx, "", 0)
	if err != nil || len(ids) != 1 {
		t.Fatalf("ListMaps = %q, %v; want \"m\"", ids, err)
	}
	ids[0] = "changed"
	checkListed(t, ws, "", 0, "m")
}
