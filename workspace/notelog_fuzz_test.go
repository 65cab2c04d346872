package workspace

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"testing"
)

func sealerOf(place string) *sealer {
	return &sealer{mac: hmac.New(sha256.New, []byte("a key")), before: []byte(place)}
}

// FuzzParseNoteLine checks that no line that was made elsewhere gives a note,
// and that of every file each byte is in one line, whatever the file holds.
func FuzzParseNoteLine(f *testing.F) {
	made, _ := sealerOf("here").appendLine(nil, "name\t\n\x00", []byte("data\nof two lines"))
	gone, _ := sealerOf("here").appendLine(nil, "name", nil)
	f.Add(made)
	f.Add(append(gone, made[:20]...))
	f.Add([]byte("3\ta\tb\n"))
	f.Add([]byte("-1\t\t\t\t\n\n7\tx\ty\t\"\"\t"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > maxNoteLine {
			return // of a line that is too long only the start is given
		}
		var whole []byte
		err := scanNotes(context.Background(), bytes.NewReader(file), 0, int64(len(file)), func(at int64, line []byte) bool {
			if at != int64(len(whole)) {
				t.Errorf("a line is said to be at %d, and the one before ends at %d", at, len(whole))
			}
			whole = append(whole, line...)
			if n, ok := sealerOf("there").unseal(line); ok {
				t.Errorf("%q was taken for the note %+v", line, n)
			}
			parseNoteLine(line)
			return true
		})
		if end := file[:bytes.LastIndexByte(file, '\n')+1]; err != nil || !bytes.HasPrefix(whole, end) {
			t.Errorf("%q was read as %q, %v", file, whole, err)
		}
	})
}

// FuzzNoteLine checks that every note is read as it was written, and no more of
// it once it is cut or changed.
func FuzzNoteLine(f *testing.F) {
	f.Add("a name", []byte("data"), 3)
	f.Add("\x00\t\"\xff", []byte("=-\n\r\t"), 40)
	f.Fuzz(func(t *testing.T, name string, data []byte, at int) {
		if data == nil {
			data = []byte{} // nil deletes
		}
		line, stamp := sealerOf("here").appendLine(nil, name, data)
		if bytes.IndexByte(line, '\n') != len(line)-1 {
			t.Fatalf("more than a line: %q", line)
		}
		n, ok := sealerOf("here").unseal(line)
		if !ok || n.Name != name || !bytes.Equal(n.Data, data) || n.Stamp != stamp {
			t.Errorf("%q, %q is read as %+v, %t", name, data, n, ok)
		}
		at = int(uint(at) % uint(len(line)-1))
		if n, ok := sealerOf("here").unseal(line[:at]); ok {
			t.Errorf("%q cut at %d is the note %+v", line, at, n)
		}
		line[at]++
		if n, ok := sealerOf("here").unseal(line); ok {
			t.Errorf("%q changed at %d is the note %+v", line, at, n)
		}
	})
}
