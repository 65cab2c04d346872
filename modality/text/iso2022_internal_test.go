package text

import (
	"bytes"
	"testing"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/transform"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestSampleCutsCharacter begins texts in one line with further bytes, so that the end
// of the sample cuts a character or an escape sequence in each possible place.
func TestSampleCutsCharacter(t *testing.T) {
	sharedtest.Once(t)
	prefixes := 12
	if testing.Short() {
		prefixes = 3
	}
	const words = "むかしむかし、あるところに、おじいさんとおばあさんが住んでいました。"
	const chinese = "很久很久以前，在一个遥远的地方，住着一位老人和他的孩子们。"
	const traditional = "很久很久以前，在一個遙遠的地方，住著一位老人和他的孩子們。"
	const hangul = "옛날 옛적에 깊은 산속에 호랑이가 살고 있었습니다. "
	for _, test := range []struct {
		want string
		e    transform.Transformer
		text string
	}{
		{"iso-2022-jp", japanese.ISO2022JP.NewEncoder(), words},
		{"iso-2022-jp", japanese.ISO2022JP.NewEncoder(), "x" + words[:3] + "y"},
		{"shift_jis", japanese.ShiftJIS.NewEncoder(), words},
		{"euc-jp", japanese.EUCJP.NewEncoder(), words},
		{"euc-kr", korean.EUCKR.NewEncoder(), hangul},
		{"gb18030", simplifiedchinese.GBK.NewEncoder(), chinese},
		{"big5", traditionalchinese.Big5.NewEncoder(), traditional},
	} {
		encoded, _, err := transform.Bytes(test.e, []byte(test.text))
		if err != nil {
			t.Fatal(err)
		}
		line := bytes.Repeat(encoded, sampleBytes/len(encoded)+1)
		for prefix := range prefixes {
			whole := append(bytes.Repeat([]byte("x"), prefix), line...)
			if c, _ := detect(sample{text: whole[:sampleBytes], head: true}, true); c.charset != test.want {
				t.Errorf("%q after %d bytes: %s, want %s", test.text, prefix, c.charset, test.want)
			}
		}
	}
}

// TestEscapesCost counts the bytes that are compared with escape sequences, in texts of
// one line in which no or every sequence is known.
func TestEscapesCost(t *testing.T) {
	for _, part := range []string{"\x1b", "\x1b!", "x\x1b$Bab\x1b(B", "\x1b$"} {
		for _, n := range []int{1 << 10, 1 << 12, 1 << 16} {
			src := bytes.Repeat([]byte(part), n)
			d := new(iso2022)
			if _, _, err := decode(d, src, true); err != nil {
				t.Fatal(err)
			}
			if most := longestEscape * len(src); d.compared > most || d.compared == 0 {
				t.Errorf("%q, %d times: %d bytes compared, want at most %d", part, n, d.compared, most)
			}
		}
	}
}
