package data_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text/internal/data"
)

// outlineOf returns the titles of nodes with their lines, one a line.
func outlineOf(nodes []*citekit.Node, indent string) string {
	var b strings.Builder
	for _, n := range nodes {
		fmt.Fprintf(&b, "%s%s %d-%d\n%s", indent, n.Title, n.Location.Lines.First, n.Location.Lines.Last, outlineOf(n.Children, indent+"  "))
	}
	return b.String()
}

const para = "The words of this paragraph are of no importance at all.\nThey only fill some lines below a title.\n"

func TestSections(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"titles", "A LICENSE\n\n  0. Terms.\n\n" + para + "\n  1. Source.\n\n" + para + "\n  2. No Warranty.\n\n" + para + "\n  END OF TERMS\n\nMore.\n",
			"A LICENSE 1-2\n0. Terms. 3-7\n1. Source. 8-12\n2. No Warranty. 13-17\nEND OF TERMS 18-20\n"},
		{"nested", "1. Scope\n\n" + para + "\n1.1. Aim\n\n" + para + "\n1.2. Terms\n\n" + para + "\n2. Use\n\n" + para,
			"1. Scope 1-15\n  1.1. Aim 6-10\n  1.2. Terms 11-15\n2. Use 16-19\n"},
		{"contents before", "1. Scope ........ 3\n2. Use ........ 4\n\n1. Scope\n2. Use\n3. End\n\n1. Scope\n\n" + para + "\n2. Use\n\n" + para + "\n3. End\n\n" + para,
			"1. Scope ........ 3 1-7\n1. Scope 8-12\n2. Use 13-17\n3. End 18-21\n"},
		{"a list in a section", "1. Scope\n\n" + para + "\n   1. one thing\n\n   2. Another\n\n   3. More\n\n2. Use\n\n" + para + "\n3. End\n\n" + para,
			"1. Scope 1-11\n2. Use 12-16\n3. End 17-20\n"},
		{"articles", "Article I\n\nSection 1. Congress\n\n" + para + "\nSection 2. House\n\n" + para + "\nArticle II\n\nSection 1. President\n\n" + para + "\nArticle III\n\n" + para,
			"Article I 1-12\n  Section 1. Congress 3-7\n  Section 2. House 8-12\nArticle II 13-19\n  Section 1. President 15-19\nArticle III 20-23\n"},
		{"paragraph signs", "§ 1 Zweck\n\n" + para + "\n§ 2 Begriffe\n\n" + para + "\n§ 3 Schluss\n\n" + para,
			"§ 1 Zweck 1-5\n§ 2 Begriffe 6-10\n§ 3 Schluss 11-14\n"},
		{"Roman", "I. Origins\n\n" + para + "\nII. Growth\n\n" + para + "\nIII. Fall\n\n" + para,
			"I. Origins 1-5\nII. Growth 6-10\nIII. Fall 11-14\n"},
		{"clauses", strings.Join([]string{"1. Grant of Rights. Subject to this you may\n" + para + "\n" + para, "2. Duties. You must do as it says, and\n" + para + "\n" + para,
			"3. Ends. It all ends\n" + para + "\n" + para, "4. Law. The law is\n" + para + "\n" + para}, "\n"),
			"1. Grant of Rights. 1-7\n2. Duties. 8-14\n3. Ends. 15-21\n4. Law. 22-27\n"},
		{"a list", "To do:\n\n1. Install it\n\n2. Configure it\n\n3. Run it\n\n4. Enjoy\n", ""},
		{"a tight list", "To do:\n\n1. Install it\n2. Configure it\n3. Run it\n\n" + para, ""},
		{"items of a sentence or two", "1. Install the program, which\n   takes a while.\n\n2. Configure it, then\n   wait.\n\n3. Run it and\n   look.\n\n4. Enjoy it\n   well.\n", ""},
		{"dates", "1984 Was a year\n\n" + para + "\n1985 Was another\n\n" + para + "\n1986 Too\n\n" + para, ""},
		{"numbers that do not run on", "3. Third\n\n" + para + "\n7. Seventh\n\n" + para + "\n2. Second\n\n" + para, ""},
	} {
		s, err := data.MapSections(t.Context(), []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := outlineOf(s.Nodes, ""); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, got, tt.want)
		}
	}
}

// FuzzSections checks that sections are in order and inside their parents.
func FuzzSections(f *testing.F) {
	for _, seed := range []string{"1. A\n\nx\n\n2. B\n\nx\n\n3. C\n\nx\n", "I. A\n\n1. B\n\nII. C\n", "§ 1\n\n§ 2\n\n§ 3\nx", "Article I\n\nSection 1\n\nx\n", "* 1. A *\n\n1.1 B"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := data.MapSections(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		total := strings.Count(string(text), "\n") + 1
		checkInside(t, s.Nodes, 1, total)
	})
}

func checkInside(t *testing.T, nodes []*citekit.Node, first, last int) {
	for _, n := range nodes {
		l := n.Location.Lines
		if l.First < first || l.Last > last || l.Last < l.First {
			t.Fatalf("lines %v outside of %d-%d", l, first, last)
		}
		checkInside(t, n.Children, l.First, l.Last)
		first = l.Last + 1
	}
}
