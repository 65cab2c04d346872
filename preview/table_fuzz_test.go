package preview_test

import (
	"encoding/json"
	"testing"

	"github.com/citekit/citekit/preview"
)

// FuzzTable reads hostile JSON of tables: what is read is written so that it can be read
// again, and has rows.
func FuzzTable(f *testing.F) {
	f.Add([]byte(`{"at":"pages=5&table=2","extent":"A1:B2","headers":1,"continues":"pages=4&table=1","evidence":"ruled","confidence":0.9,"bbox":[0.1,0.1,0.5,0.5],"cells":[{"at":"A1:B1","text":"a","notes":["b"],"header":true}]}`))
	f.Add([]byte(`{"at":"blocks=2&cells=A2:B2","extent":"A1:XFD1048576","cells":[{"at":"A1:XFD1048576","text":"\t"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var table preview.Table
		if json.Unmarshal(data, &table) != nil {
			return
		}
		again, err := table.MarshalJSON()
		if err != nil {
			return // a number has no JSON
		}
		var read preview.Table
		if err := json.Unmarshal(again, &read); err != nil {
			t.Errorf("%s: %v", again, err)
		}
		table.Rows()
		_, _, _ = table.CSV(), table.Header(), table.FirstRows()
		table.BoxesOf(0, 1)
	})
}
