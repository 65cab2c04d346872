package contents

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

// MarshalJSON returns an object with "contents", "complete" and, if there is a
// rest, "next_cursor". It is complete if there is no rest, it is not Late and no item has
// Missing text.
func (c *Contents) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	w.Open()
	w.Key("contents")
	w.WriteByte('[')
	for i, item := range c.Items {
		if i > 0 {
			w.WriteByte(',')
		}
		item.write(w)
	}
	w.WriteByte(']')
	missing := slices.ContainsFunc(c.Items, func(i *Item) bool { return i.Missing })
	w.Value("complete", c.NextCursor == "" && !c.Late && !missing)
	w.Optional("next_cursor", c.NextCursor)
	w.Close()
	return w.Bytes(), w.Err
}

func (i *Item) write(w *strictjson.Writer) {
	w.Open()
	w.Text("id", i.ID)
	w.Optional("resource_id", i.ResourceID)
	w.Optional("node_id", i.NodeID)
	if i.ResourceID != "" {
		w.Text("address", i.Address.String())
	}
	w.Optional("media_type", i.MediaType)
	if i.Relation != nil {
		w.Value("relation", i.Relation)
	}
	w.Text("text", i.Text)
	w.Value("tokens", i.Tokens)
	w.Flag("transcribed", i.Transcribed)
	w.Flag("ocr", i.OCR)
	if i.TextStates != nil {
		w.Value(about.TextStateKey, i.TextStates)
	}
	if len(i.Runs) > 0 {
		w.Value("runs", i.Runs)
	}
	if i.Table != nil {
		w.Value("table", i.Table)
	}
	w.Optional("note", i.note())
	if code := citekit.CodeOf(i.Err); code != "" {
		w.Flag("stale", code == message.CodeStale)
		w.Value("error", struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		}{code, i.Err.Error()})
	}
	w.Close()
}

// note returns the Note, with one on codes in the text.
func (i *Item) note() string {
	switch {
	case i.Hidden == 0:
		return i.Note
	case i.Note == "":
		return plain.HiddenNote(i.Hidden)
	}
	return i.Note + "; " + plain.HiddenNote(i.Hidden)
}

// MarshalJSON returns an object with "address", "start" and "end", and, for recognised
// text, "ocr" and "confidence".
func (r Run) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Address    string  `json:"address"`
		Start      int     `json:"start"`
		End        int     `json:"end"`
		OCR        bool    `json:"ocr,omitempty"`
		Confidence float64 `json:"confidence,omitempty"`
	}{r.Address.String(), r.Start, r.End, r.OCR, math.Round(r.Confidence*1000) / 1000})
}

// MarshalJSON returns an object with "kind", "from", "to", "hops" if there are
// several, and, for a relation stated by a map, "text", "origin" and "proofs".
func (r *Relation) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	w.Open()
	w.Text("kind", r.Kind)
	w.Text("from", r.From.String())
	w.Text("to", r.To.String())
	if r.Hops > 1 {
		w.Value("hops", r.Hops)
	}
	w.Optional("text", r.Text)
	w.Optional("origin", string(r.Origin))
	if len(r.Proofs) > 0 {
		w.Value("proofs", r.Proofs)
	}
	w.Close()
	return w.Bytes(), w.Err
}
