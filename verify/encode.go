package verify

import (
	"math"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/strictjson"
)

func (v *Verdict) write(w *strictjson.Writer) {
	w.Open()
	w.Text("quote", v.Quote)
	w.Text("class", string(v.Class))
	if v.Address.Resource == "" {
		w.Value("address", nil)
	} else {
		w.Text("address", v.Address.String())
	}
	if v.Text != v.Quote {
		w.Optional("text", v.Text)
	}
	if v.Span != (Span{}) {
		w.Value("span", v.Span)
	}
	v.writeBoxes(w)
	if len(v.Repairs) > 0 {
		w.Value("repairs", v.Repairs)
	}
	if len(v.Difference) > 0 {
		w.Value("difference", v.Difference)
	}
	w.Value("similarity", v.Similarity)
	v.writeOthers(w)
	if w.Flag("ocr", v.OCR); v.Confidence > 0 {
		w.Value("confidence", math.Round(v.Confidence*1000)/1000)
	}
	w.Flag("stale", v.Stale)
	w.Flag("transcribed", v.Transcribed)
	if v.LeftOut > 0 {
		w.Value("left_out", v.LeftOut)
	}
	if len(v.Notes) > 0 {
		w.Value("notes", v.Notes)
	}
	if v.Problem != nil {
		w.Value("error", map[string]string{"code": citekit.CodeOf(v.Problem), "message": v.Problem.Error()})
	}
	w.Close()
}

func (v *Verdict) writeBoxes(w *strictjson.Writer) {
	if len(v.Boxes) == 0 {
		return
	}
	type onPage struct {
		Page int        `json:"page"`
		Box  [4]float64 `json:"bbox"`
	}
	boxes := make([]onPage, len(v.Boxes))
	for i, b := range v.Boxes {
		boxes[i] = onPage{b.Page, [4]float64{b.Box.X1, b.Box.Y1, b.Box.X2, b.Box.Y2}}
	}
	w.Value("boxes", boxes)
}

func (v *Verdict) writeOthers(w *strictjson.Writer) {
	if len(v.Others) > 0 {
		others := make([]string, len(v.Others))
		for i, a := range v.Others {
			others[i] = a.String()
		}
		w.Value("others", others)
	}
	if v.Places > 1 {
		w.Value("places", v.Places)
		w.Flag("places_is_minimum", !v.Counted)
	}
}
