package text_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text"
)

const (
	japaneseText = "むかしむかし、あるところに、おじいさんとおばあさんが住んでいました。\nおじいさんは山へ芝刈りに、おばあさんは川へ洗濯に行きました。\n"
	koreanText   = "옛날 옛적에 깊은 산속에 호랑이가 살고 있었습니다.\n어느 날 호랑이는 배가 고파서 마을로 내려왔습니다.\n"
	simplified   = "很久很久以前，在一个遥远的地方，住着一位老人和他的孩子们。\n他们每天早上一起去山上工作，晚上回家吃饭。\n"
	traditional  = "很久很久以前，在一個遙遠的地方，住著一位老人和他的孩子們。\n他們每天早上一起去山上工作，晚上回家吃飯。\n"
	french       = "L'été dernier, à la fin d'une journée très chaude, le café était fermé.\nDéjà vu, Noël, garçon, œuvre, où, même, naïve.\n"
	russian      = "Давным-давно в далёком лесу жили старик со старухой.\nКаждое утро они ходили на реку за водой и ловили рыбу.\n"
	greek        = "Μια φορά κι έναν καιρό ζούσε ένας γέρος με τη γριά του.\nΚάθε πρωί πήγαιναν στο ποτάμι και έπιαναν ψάρια.\n"
	hebrew       = "פעם אחת חיו להם זקן וזקנה ביער רחוק.\nכל בוקר הם הלכו אל הנהר כדי להביא מים.\n"
	hungarian    = "Egyszer volt, hol nem volt, élt egyszer egy öregember és egy öregasszony.\nŐk minden reggel a folyóhoz mentek, és erdőből gyűjtöttek tűzifát.\n"
	polish       = "Dawno, dawno temu żył sobie stary człowiek ze swoją żoną.\nKażdego ranka chodzili nad rzekę, żeby łowić ryby i przynieść świeżą wodę.\n"
	german       = "Über den Wolken muß die Freiheit wohl grenzenlos sein.\nÄpfel, Öfen, Übel, süß, schön.\n"
)

func encoded(t *testing.T, e encoding.Encoding, s string) []byte {
	t.Helper()
	data, err := e.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCharset(t *testing.T) {
	for _, tt := range []struct {
		name string
		data []byte
		want string
		text string // what ReadText yields
	}{
		{"ASCII", []byte("abc\n"), "utf-8", "abc\n"},
		{"UTF-8", []byte(german), "utf-8", german},
		{"UTF-8 with damage", []byte(strings.Repeat(german, 3) + "\xff\n"), "utf-8", strings.Repeat(german, 3) + "\ufffd\n"},
		{"UTF-16LE without mark", utf16le(german), "utf-16le", german},
		{"UTF-16BE without mark", utf16be(german), "utf-16be", german},
		{"UTF-16LE of Chinese without mark", utf16le(simplified), "utf-16le", simplified},
		{"UTF-16LE with damage", append(utf16le("\ufeff"+german), 0, 0xd8, 'x', 0, 1, 0), "utf-16le", german + "\ufffdx\x01"},
		{"UTF-16LE with half a unit", append(utf16le("\ufeff"+german), 'x'), "utf-16le", german + "\ufffd"},
		{"mark of UTF-32LE, but UTF-16LE", utf16le("\ufeff\x00" + german), "utf-16le", "\x00" + german},
		{"UTF-32LE without mark", utf32(binary.LittleEndian, german), "utf-32le", german},
		{"UTF-32BE without mark", utf32(binary.BigEndian, german), "utf-32be", german},
		{"Latin-1", encoded(t, charmap.ISO8859_1, german), "iso-8859-1", german},
		{"Windows-1252", encoded(t, charmap.Windows1252, french), "windows-1252", french},
		{"Windows-1252 quotes", []byte("\x93quoted\x94\n"), "windows-1252", "“quoted”\n"},
		{"Shift JIS", encoded(t, japanese.ShiftJIS, japaneseText), "shift_jis", japaneseText},
		{"EUC-JP", encoded(t, japanese.EUCJP, japaneseText), "euc-jp", japaneseText},
		{"EUC-KR", encoded(t, korean.EUCKR, koreanText), "euc-kr", koreanText},
		{"GB 2312", encoded(t, simplifiedchinese.GBK, simplified), "gb18030", simplified},
		{"Big5", encoded(t, traditionalchinese.Big5, traditional), "big5", traditional},
		{"declared in HTML", encoded(t, charmap.ISO8859_5, "<meta charset=\"iso-8859-5\">Привет\n"), "iso-8859-5", "<meta charset=\"iso-8859-5\">Привет\n"},
		{"declared in a comment", encoded(t, charmap.KOI8R, "# -*- coding: koi8-r -*-\nПривет\n"), "koi8-r", "# -*- coding: koi8-r -*-\nПривет\n"},
		{"declared, but no charset", []byte("# coding: klingon\n\xe9t\xe9\n"), "iso-8859-1", "# coding: klingon\nété\n"},
		{"Russian in windows-1251", encoded(t, charmap.Windows1251, russian), "windows-1251", russian},
		{"Russian in KOI8-R", encoded(t, charmap.KOI8R, russian), "koi8-r", russian},
		{"Russian in MacCyrillic", encoded(t, charmap.MacintoshCyrillic, russian), "x-mac-cyrillic", russian},
		{"Russian in IBM 866", encoded(t, charmap.CodePage866, russian), "ibm866", russian},
		{"Russian in IBM 855", encoded(t, charmap.CodePage855, russian), "ibm855", russian},
		{"Russian in ISO 8859-5", encoded(t, charmap.ISO8859_5, russian), "iso-8859-5", russian},
		{"Greek in ISO 8859-7", encoded(t, charmap.ISO8859_7, greek), "iso-8859-7", greek},
		{"Greek in windows-1253", encoded(t, charmap.Windows1253, "Άρχισε — "+greek), "windows-1253", "Άρχισε — " + greek},
		{"Hebrew in ISO 8859-8", encoded(t, charmap.ISO8859_8, hebrew), "iso-8859-8", hebrew},
		{"Hebrew in windows-1255", encoded(t, charmap.Windows1255, "“"+hebrew+"”"), "windows-1255", "“" + hebrew + "”"},
		{"Hungarian in ISO 8859-2", encoded(t, charmap.ISO8859_2, hungarian), "iso-8859-2", hungarian},
		{"Polish in windows-1250", encoded(t, charmap.Windows1250, polish), "windows-1250", polish},
		{"French of the Macintosh", encoded(t, charmap.Macintosh, french+french), "macintosh", french + french},
		{"ISO-2022-JP", encoded(t, japanese.ISO2022JP, japaneseText), "iso-2022-jp", japaneseText},
		{"ISO-2022-KR", iso2022kr(t, koreanText), "iso-2022-kr", "\n" + koreanText},
		{"colours of a terminal", []byte("\x1b[1m\x1b(Bbold\x1b[0m\n"), "utf-8", "\x1b[1m\x1b(Bbold\x1b[0m\n"},
		{"declared wrongly", []byte("<meta charset=\"shift_jis\">\n\xe9\n"), "iso-8859-1", "<meta charset=\"shift_jis\">\né\n"},
	} {
		r := new(text.Resolver)
		_, x, err := resolve(t.Context(), r, source("a", tt.data), citekit.Location{Modality: citekit.Text})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if x.Charset != tt.want {
			t.Errorf("%s: charset %s, want %s", tt.name, x.Charset, tt.want)
		}
		if got := allText(t, r, source("a", tt.data)); got != tt.text {
			t.Errorf("%s: text %q, want %q", tt.name, got, tt.text)
		}
	}
}

// iso2022kr encodes s as RFC 1557 has it, below the line that announces it.
func iso2022kr(t *testing.T, s string) []byte {
	t.Helper()
	out := []byte("\x1b$)C\n")
	shifted := false
	for _, b := range encoded(t, korean.EUCKR, s) {
		if high := b >= 0x80; high != shifted {
			out = append(out, map[bool]byte{true: 0x0e, false: 0x0f}[high])
			shifted = high
		}
		out = append(out, b&0x7f)
	}
	return out
}

func allText(t *testing.T, r *text.Resolver, src *citekit.Source) string {
	t.Helper()
	var b strings.Builder
	for run, err := range r.ReadText(t.Context(), src, citekit.Location{Modality: citekit.Text}) {
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(run.Text)
	}
	return b.String()
}

// TestCharsetOfLaterLines has another encoding after the first 64 KB.
func TestCharsetOfLaterLines(t *testing.T) {
	data := append(bytes.Repeat([]byte("plain text\n"), 10_000), "\xe9t\xe9\n\x80 5\n"...)
	for _, tt := range []struct {
		loc  citekit.Location
		want string
	}{
		{lines(1, 10_000), "utf-8"},
		{lines(10_001, 10_001), "iso-8859-1"},
		{lines(9_000, 10_002), "windows-1252"},
		{citekit.Location{Modality: citekit.Text}, "windows-1252"},
	} {
		_, x, err := resolve(t.Context(), new(text.Resolver), source("a", data), tt.loc)
		if err != nil {
			t.Fatal(err)
		}
		if x.Charset != tt.want {
			t.Errorf("lines %v: charset %s, want %s", tt.loc.Lines, x.Charset, tt.want)
		}
	}
}

// TestCharacterAcrossSample has a character that the sample of 64 KB and the
// steps of reading cut.
func TestCharacterAcrossSample(t *testing.T) {
	sharedtest.Once(t)
	for shift := range 4 {
		data := strings.Repeat("x", shift) + strings.Repeat("𝄞", 1<<19)
		_, x, err := resolve(t.Context(), new(text.Resolver), source("a", data), lines(1, 1))
		if err != nil || x.Charset != "utf-8" {
			t.Errorf("shifted by %d: %v, %v", shift, x, err)
		}
		if got := allText(t, new(text.Resolver), source("a", data)); got != data {
			t.Errorf("shifted by %d: the text is not the source", shift)
		}
	}
}
