package charset_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/citekit/citekit/internal/charset"
)

func TestNames(t *testing.T) {
	for _, test := range []struct {
		e     encoding.Encoding
		names []string
	}{
		{japanese.ShiftJIS, []string{"文章1.txt", "文章2.txt"}},
		{japanese.ShiftJIS, []string{"資料/表紙.doc", "資料/ソース.txt", "README"}},
		{japanese.EUCJP, []string{"資料/はじめに.txt"}},
		{simplifiedchinese.GBK, []string{"审计压缩项目名称测试.txt"}},
		{simplifiedchinese.GBK, []string{"新建文件夹/说明.txt", "新建文件夹/a.txt", "图.png"}},
		{traditionalchinese.Big5, []string{"資料夾/一個人的文件.txt", "圖片.png"}},
		{korean.EUCKR, []string{"새 폴더/설명서.txt", "그림.png"}},
		{charmap.CodePage866, []string{"Документы/отчёт.txt", "Документы/письмо.doc"}},
		{charmap.CodePage437, []string{"Übergröße.txt", "Müller & Söhne/Straße.txt", "café.txt"}},
		{charmap.CodePage437, []string{"año nuevo.txt", "niño.txt"}},
		{charmap.CodePage437, []string{"é.txt"}},
	} {
		var stored []string
		for _, name := range test.names {
			raw, err := test.e.NewEncoder().String(name)
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, raw)
		}
		decode := charset.Names(stored)
		for i, name := range stored {
			if got := decode(name); got != test.names[i] {
				t.Errorf("%q is %q, want %q", name, got, test.names[i])
			}
		}
	}
	for _, test := range []struct {
		names        []string
		stored, want string
	}{
		{[]string{"für.txt", "日本"}, "für.txt", "für.txt"},
		{[]string{"für.txt", "M\x81ller.txt"}, "für.txt", "für.txt"}, // UTF-8 beside code page 437
		{[]string{"für.txt", "M\x81ller.txt"}, "M\x81ller.txt", "Müller.txt"},
		{[]string{strings.Repeat("\xfe", 9)}, "a\x81", "aü"}, // words of no charset
	} {
		if got := charset.Names(test.names)(test.stored); got != test.want {
			t.Errorf("%q among %q is %q, want %q", test.stored, test.names, got, test.want)
		}
	}
}
