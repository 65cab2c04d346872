package mail_test

import (
	"io"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/internal/mail"
)

// FuzzMail reads anything as a mail: the parts that its map names resolve, and
// text is at places that are valid.
func FuzzMail(f *testing.F) {
	f.Add([]byte(letter))
	f.Add([]byte(box))
	for _, text := range garbage() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := new(mail.Resolver)
		src := source("a.eml", string(data))
		d, err := r.Map(t.Context(), src, citekit.MapRequest{Modality: citekit.Text})
		if err != nil {
			if citekit.CodeOf(err) == message.CodeInternal {
				t.Fatal(err)
			}
			return
		}
		extent, err := r.Measure(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		m := citekit.ResourceMap{Nodes: d.Nodes}
		for n := range m.All() {
			if err := extent.Check(n.Location); err != nil {
				t.Errorf("%s: %v", n.Location, err)
			}
			c, err := r.Resolve(t.Context(), src, citekit.Request{Location: n.Location})
			if err != nil {
				t.Errorf("%s: %v", n.Location, err)
				continue
			}
			if got, err := io.ReadAll(c.Body); err != nil || c.Size >= 0 && c.Size != int64(len(got)) {
				t.Errorf("%s: %d bytes of %d, %v", n.Location, len(got), c.Size, err)
			}
		}
		for run, err := range r.ReadText(t.Context(), src, citekit.Location{Modality: citekit.Text}) {
			if err != nil {
				t.Fatal(err)
			}
			if err := run.Location.Validate(); err != nil {
				t.Error(err)
			}
			for _, err := range r.ReadText(t.Context(), src, run.Location) {
				if err != nil {
					t.Errorf("%s: %v", run.Location, err)
				}
			}
		}
	})
}
