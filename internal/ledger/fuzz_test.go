package ledger

import (
	"testing"
	"unicode/utf8"
)

// FuzzParse checks that what is parsed is written and read back as it is.
func FuzzParse(f *testing.F) {
	full := Note{
		Identity: "1 2\t3", Companions: "c", Hash: "h", Size: 12, ID: "a\nb", Type: "text", Asked: `"quoted"`,
		Mapper: "m", Method: "lines", Nodes: 3, Stamp: "s", ByHand: Edited, Skipped: "why",
	}
	failed := full
	failed.Failed = "f"
	told := failed
	told.Reason, told.Code, told.Tried = "it is\n\"broken\"", "INTERNAL", "t"
	for _, n := range []Note{{}, full, failed, told} {
		f.Add(n.Encode())
	}
	for _, s := range []string{"", "1", "2\t1", "1\t\t\t\t\t\t\t\t\t\t\t\t\t", "1\tx\t-1\t\"\t\"\\x\"", "1\t9999999999999999999999\t0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, ok := Parse(data)
		if !ok {
			return
		}
		again, ok := Parse(n.Encode())
		if !ok || again != n {
			t.Errorf("%q is read as %+v, and that as %+v, %t", data, n, again, ok)
		}
	})
}

// A note without a failure is written as versions wrote it that knew of none.
func TestOlderNotes(t *testing.T) {
	older := "1\t12\t3\ti\tc\th\tid\ttext\ta\tm\tlines\ts\t\twhy"
	n, ok := Parse([]byte(older))
	if !ok || n.Skipped != "why" || n.Failed != "" || string(n.Encode()) != older {
		t.Errorf("%+v, %t, %q", n, ok, n.Encode())
	}
	n.Failed = "f"
	if again, ok := Parse(n.Encode()); !ok || again != n || string(n.Encode()) != older+"\tf" {
		t.Errorf("%+v, %t", again, ok)
	}
	n.Reason = "broken"
	if again, ok := Parse(n.Encode()); !ok || again != n {
		t.Errorf("%+v, %t", again, ok)
	}
}

// FuzzNote checks that every note is read as it was written, and that what a
// store keeps of long texts are whole characters.
func FuzzNote(f *testing.F) {
	f.Add("path\tid", `"`, "a\nb", int64(-1))
	f.Add("", "\xff\x00", "ü", int64(1)<<62)
	f.Fuzz(func(t *testing.T, identity, id, skipped string, size int64) {
		n := Note{Identity: identity, ID: id, Skipped: skipped, Size: size}.Bounded()
		if got, ok := Parse(n.Encode()); !ok || got != n {
			t.Errorf("%+v is read as %+v, %t", n, got, ok)
		}
		if len(n.Skipped) > maxText || utf8.ValidString(skipped) && !utf8.ValidString(n.Skipped) {
			t.Errorf("%q was cut to %q", skipped, n.Skipped)
		}
	})
}
