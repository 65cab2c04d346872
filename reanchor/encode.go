package reanchor

import (
	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/strictjson"
)

// MarshalJSON returns an object with "was", "address" (null if the part is gone,
// ambiguous or unknown), "how", "confidence", and, unless they are empty,
// "difference", "places", "candidates", "reason" and "error", as a code and a message.
func (r *Result) MarshalJSON() ([]byte, error) {
	w := new(strictjson.Writer)
	w.Open()
	w.Text("was", r.Was.String())
	if r.Address.Resource == "" {
		w.Value("address", nil)
	} else {
		w.Text("address", r.Address.String())
	}
	w.Text("how", string(r.How))
	w.Value("confidence", r.Confidence)
	if len(r.Difference) > 0 {
		w.Value("difference", r.Difference)
	}
	if r.Places > 1 {
		w.Value("places", r.Places)
	}
	if len(r.Candidates) > 0 {
		all := make([]string, len(r.Candidates))
		for i, a := range r.Candidates {
			all[i] = a.String()
		}
		w.Value("candidates", all)
	}
	w.Optional("reason", r.Reason)
	if r.Problem != nil {
		w.Value("error", map[string]string{"code": citekit.CodeOf(r.Problem), "message": r.Problem.Error()})
	}
	w.Close()
	return w.Bytes(), w.Err
}
