package charset_test

import (
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/citekit/citekit/internal/charset"
)

func TestDetect(t *testing.T) {
	for _, tt := range []struct {
		chars *charmap.Charmap
		text  string
		want  string
	}{
		{charmap.Windows1251, "Привет, мир!", "windows-1251"},
		{charmap.KOI8R, "Привет, мир!", "koi8-r"},
		{charmap.MacintoshCyrillic, "Я живу в России. Моя семья большая.", "x-mac-cyrillic"},
		{charmap.CodePage866, "Привет, мир!", "ibm866"},
		{charmap.KOI8U, "Її діти вже їдуть додому, ґава їм кричить.", "koi8-u"},
		{charmap.ISO8859_7, "Καλημέρα σε όλους", "iso-8859-7"},
		{charmap.ISO8859_8, "שלום לכולם, מה שלומכם", "iso-8859-8"},
		{charmap.ISO8859_6, "مرحبا بكم في هذا المكان", "iso-8859-6"},
		{charmap.Windows874, "สวัสดีครับ ยินดีต้อนรับ", "windows-874"},
		{charmap.Windows1254, "Bugün hava çok güzel, dışarı çıkıp yürüyüş yapalım mı? Değil mi?", "iso-8859-9"},
		{charmap.Windows1252, "Le café était fermé, déjà à l'été.", ""},
		{charmap.Windows1252, "“© 2003 Æsir”", ""},
		{charmap.Windows1252, "20 °C ± 1 °C", ""},
		{charmap.Windows1252, "¿Qué pasó, señor?", ""},
		{charmap.Windows1252, "plain", ""},
	} {
		data, err := tt.chars.NewEncoder().Bytes([]byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := charset.Detect(data); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte("\xcf\xf0\xe8\xe2\xe5\xf2"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := charset.Detect(b); got != charset.Detect(append([]byte(nil), b...)) {
			t.Errorf("%q is not told twice alike", b)
		}
	})
}
