package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/testcorpus"
)

// TestCellsOfSheets gives cells of a workbook as CSV and JSON, with and without a map.
func TestCellsOfSheets(t *testing.T) {
	s, dir := newStoreTest(t), t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "book.xlsx"), testcorpus.Workbook([]string{"who", "said"}, nil, []string{"Ann, B.", `a "b"`}, []string{"", "-7"}), 0o600))
	const sheet = "sheet=Q4"
	for _, mapped := range []bool{false, true} {
		if mapped {
			s.must("--dir", dir, "ingest", ".")
		}
		resolve := func(at string, as ...string) string {
			return s.must(append([]string{"--dir", dir, "resolve", "-o", "-", filepath.Join(dir, "book.xlsx") + at}, as...)...)
		}
		data := resolve("", "--as", "json")
		if want := `"at":"` + sheet + `","extent":"A1:B4","cells":[`; !strings.Contains(data, want) || !strings.Contains(data, `{"at":"B3","text":"a \"b\""}`) {
			t.Errorf("JSON, mapped %v: %s; want %s", mapped, data, want)
		}
		for at, want := range map[string]string{
			"":                           "who,said\r\n,\r\n\"Ann, B.\",\"a \"\"b\"\"\"\r\n,-7\r\n",
			"#" + sheet + "&cells=B2:B4": "\r\n\"a \"\"b\"\"\"\r\n-7\r\n",
			"#" + sheet + "&rows=3":      "\"Ann, B.\",\"a \"\"b\"\"\"\r\n",
			"#" + sheet + "&cols=B":      "said\r\n\r\n\"a \"\"b\"\"\"\r\n-7\r\n",
		} {
			if got := resolve(at, "--as", "csv"); got != want {
				t.Errorf("%q, mapped %v: %q, want %q", at, mapped, got, want)
			}
		}
	}
}
