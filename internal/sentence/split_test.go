package sentence

import (
	"slices"
	"testing"
)

func split(text string) (all []string) {
	for start, end := range Split(text) {
		all = append(all, text[start:end])
	}
	return all
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Dr. Lang measured it. It was\n3.5 mm, approx. Nothing more.", []string{"Dr. Lang measured it.", "It was\n3.5 mm, approx. Nothing more."}},
		{"A title\n\nThe text. ", []string{"A title", "The text."}},
		{"全文検索です。次の文。「引用。」終わり", []string{"全文検索です。", "次の文。", "「引用。」", "終わり"}},
		{"See v1.2.3 of it. Is it so? Yes!", []string{"See v1.2.3 of it.", "Is it so?", "Yes!"}},
		{"It ends. and goes on. So it does.", []string{"It ends. and goes on.", "So it does."}},
		{"Der Kessel wird z. B. mit Essig entkalkt. Das dauert ca. Zwei Stunden bzw. Drei.", []string{"Der Kessel wird z. B. mit Essig entkalkt.", "Das dauert ca. Zwei Stunden bzw. Drei."}},
		{"Nach Abs. 3 der Satzung gilt das. Siehe Nr. 7, d. h. Seite 12.", []string{"Nach Abs. 3 der Satzung gilt das.", "Siehe Nr. 7, d. h. Seite 12."}},
		{"See Fig. 3 of Corp. Data. It is so.", []string{"See Fig. 3 of Corp. Data.", "It is so."}},
		{"水很热！真的吗？是的。", []string{"水很热！", "真的吗？", "是的。"}},
		{"Am 5. Juli fiel sie aus. Am 6. Frau Lang.", []string{"Am 5. Juli fiel sie aus.", "Am 6.", "Frau Lang."}},
		{"Zu zahlen bis zum 31.\u00a0März im Jahr. Dr.\u202fSmith kam.", []string{"Zu zahlen bis zum 31.\u00a0März im Jahr.", "Dr.\u202fSmith kam."}},
		{" \n \n", nil},
	} {
		if got := split(c.text); !slices.Equal(got, c.want) {
			t.Errorf("Split(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("A. B c. \n\n D\xff")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for start, end := range Split(text) {
			if start < last || end <= start || end > len(text) {
				t.Fatalf("from %d to %d after %d", start, end, last)
			}
			last = end
		}
	})
}
