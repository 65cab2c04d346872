package skill

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestCopy checks that the copy for people is the text.
func TestCopy(t *testing.T) {
	copied, err := os.ReadFile("../../../../skills/" + Name + "/SKILL.md")
	if err != nil || string(copied) != Text {
		t.Errorf("skills/%s/SKILL.md is another text than skill.txt: copy that (%v)", Name, err)
	}
}

// TestHead checks what the specification of skills asks for: a name like that of the
// folder, a description of at most 1,024 characters, and few enough lines to be read whole.
func TestHead(t *testing.T) {
	head, body, ok := strings.Cut(strings.TrimPrefix(Text, "---\n"), "\n---\n")
	var has struct{ Name, Description string }
	if err := yaml.Unmarshal([]byte(head), &has); err != nil || !ok {
		t.Fatal(err)
	}
	if has.Name != Name || has.Description == "" || len(has.Description) > 1024 {
		t.Errorf("got name %q, and a description of %d characters", has.Name, len(has.Description))
	}
	if lines := strings.Count(body, "\n"); lines >= 500 {
		t.Errorf("got %d lines", lines)
	}
}
