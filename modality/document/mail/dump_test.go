package mail

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"io"
	"crypto/sha256"
	"testing"

	"github.com/citekit/citekit"
)

func TestDump(t *testing.T) {
	dir := os.Getenv("MAILDIR")
	if dir == "" {
		t.Skip()
	}
	paths, _ := filepath.Glob(dir + "/*")
	out := map[string]any{}
	ctx := context.Background()
	for _, p := range paths {
		f, _ := os.Open(p)
		st, _ := f.Stat()
		src := citekit.NewSource(f, citekit.SourceInfo{Name: filepath.Base(p), Size: st.Size(), Identity: p})
		r := new(Resolver)
		file, err := r.open(ctx, src, citekit.Location{Modality: citekit.Text})
		if err != nil {
			out[filepath.Base(p)] = map[string]any{"err": err.Error()}
			continue
		}
		var msgs []any
		n := 0
		if file.box != nil {
			n = len(file.box.starts)
		}
		for i := range max(n, 1) {
			k := i + 1
			if file.box == nil {
				k = 0
			}
			m, err := file.message(ctx, k)
			if err != nil {
				t.Error(p, err)
				continue
			}
			parts := [][]any{}
			for _, num := range m.order {
				e := m.parts[num]
				c, err := r.Resolve(ctx, src, citekit.Request{Location: citekit.Location{Modality: citekit.Text, Message: k, Part: num}})
				if err != nil {
					t.Error(p, num, err)
					continue
				}
				b, err := io.ReadAll(c.Body)
				if err != nil {
					t.Error(p, num, err)
				}
				parts = append(parts, []any{num, e.kind, len(b), fmt.Sprintf("%x", sha256.Sum256(b)), e.fileName(ctx), c.Charset, e.isMultipart(), e.message != nil})
			}
			why := ""
			if m.why != nil {
				why = m.why.Error()
			}
			msgs = append(msgs, map[string]any{"parts": parts, "why": why, "subject": m.root.header.text("subject")})
		}
		text := ""
		for run, err := range r.ReadText(ctx, src, citekit.Location{Modality: citekit.Text}) {
			if err != nil {
				t.Error(p, "text", err)
			}
			text += run.Text
		}
		if _, err := r.Map(ctx, src, citekit.MapRequest{Modality: citekit.Text}); err != nil {
			t.Error(p, "map", err)
		}
		out[filepath.Base(p)] = map[string]any{"box": file.box != nil, "messages": msgs, "text": text}
		f.Close()
	}
	b, _ := json.Marshal(out)
	os.WriteFile(os.Getenv("MAILOUT"), b, 0o600)
}
