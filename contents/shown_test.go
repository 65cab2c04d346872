package contents_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// TestVisible reads a text with characters that cannot be seen: as they are, and as
// codes, with runs that fit the text as it comes.
func TestVisible(t *testing.T) {
	const hidden = "# Tea\n\nSay \u202enothing\u202c to no\u200bone.\n\nTea.\n"
	const shown = "# Tea\n\nSay \\u202Enothing\\u202C to no\\u200Bone.\n\nTea.\n"
	s := newShelf(t, map[string]string{"tea.md": hidden, "long.md": strings.Repeat("a\u200b\u202eb ", 2000)})
	for _, test := range []struct {
		visible bool
		text    string
		hidden  int
		note    string
	}{
		{false, hidden, 0, ""},
		{true, shown, 3, "3 characters that cannot be seen"},
	} {
		c := s.read(t, contents.Request{IDs: []string{"tea"}, Visible: test.visible, Runs: true})
		item := c.Items[0]
		if item.Text != test.text || item.Hidden != test.hidden {
			t.Errorf("visible %v: %q, %d hidden", test.visible, item.Text, item.Hidden)
		}
		data, err := json.Marshal(c)
		if err != nil || strings.Contains(string(data), `"note"`) != test.visible || !strings.Contains(string(data), test.note) {
			t.Errorf("visible %v: %s, %v", test.visible, data, err)
		}
		checkRuns(t, item)
		var pieces strings.Builder
		for _, r := range item.Runs {
			pieces.WriteString(string([]rune(item.Text)[r.Start:r.End]))
		}
		if pieces.String() != test.text {
			t.Errorf("visible %v: runs of %q", test.visible, pieces.String())
		}
	}
	// The codes take space: the answer keeps its bound, and the rest comes later.
	whole, req := "", contents.Request{IDs: []string{"long"}, Visible: true, MaxTokens: 2000}
	for range 100 {
		c := s.read(t, req)
		whole += c.Items[0].Text
		if req.Cursor = c.NextCursor; req.Cursor == "" {
			break
		}
	}
	if want := strings.Repeat(`a\u200B\u202Eb `, 2000); whole != want {
		t.Errorf("%d bytes in all, want %d", len(whole), len(want))
	}
}

// TestStated reads the parts that a map relates, with what it states.
func TestStated(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("a.txt", []byte("Rain falls.\nSow.\nRain helps the farmer.\n"))
	if err := ws.WriteMap(t.Context(), "a", []byte(`{"resource_id":"a","type":"text","title":"","source_path":"a.txt",
		"metadata":{"adapter":"graphrag","relations":[{"from":"rain","to":"farmer","text":"helps\nmuch","evidence":["unit"]}]},
		"nodes":[{"id":"rain","title":"Rain","location":{"modality":"text","lines":[1,1]}},{"id":"farmer","title":"Farmer","location":{"modality":"text","lines":[2,2]}},
			{"id":"unit","title":"Unit","location":{"modality":"text","lines":[3,3]}}]}`)); err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	c, err := contents.New(lib, nil).Read(t.Context(), contents.Request{
		IDs: []string{"a.rain", "a.rain"}, Expand: contents.Expansion{Relations: 1}, // twice counts once
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range c.Items {
		line := item.ID
		if item.Relation != nil {
			data, err := json.Marshal(item.Relation)
			if err != nil {
				t.Fatal(err)
			}
			line += " " + string(data)
		}
		got = append(got, line)
	}
	want := `a.rain
text://a#lines=2-2 {"kind":"relationship","from":"text://a#lines=1-1","to":"text://a#lines=2-2","text":"helps much","origin":"adapter","proofs":["text://a#lines=3-3"]}`
	if all := strings.Join(got, "\n"); !strings.HasPrefix(all, want) {
		t.Errorf("got\n%s\nwant\n%s", all, want)
	}
}
