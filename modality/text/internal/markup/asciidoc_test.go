package markup_test

import (
	"os/exec"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/markup"
)

// TestAsciidoctor compares the sections of the AsciiDoc files at hand with
// those that Asciidoctor finds.
func TestAsciidoctor(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	ruby := sharedtest.Tool(t, "ruby")
	sharedtest.Tool(t, "asciidoctor")
	compareHeadings(t, markup.AsciiDoc, exec.Command(ruby, "testdata/headings.rb"), ".adoc", ".asciidoc")
}

func TestAsciiDoc(t *testing.T) {
	checkMaps(t, markup.AsciiDoc, []mapCase{
		{
			name: "header, blocks, discrete titles, inline markup",
			src: `= The *Title*
An Author <a@b.c>
:attr: value

Words before.

[[id]]
== A ` + "`code`" + ` & link:x[link] ==

First _sentence_. Second.

----
== No
----

[discrete]
== No

====
== No
====

==== Deep

Two lines
---------
* item
== No

## Mark
|===
|== No
|===
`,
			title: "The Title",
			want: `section 1-33 "The Title" "Words before."
  section 8-24 "A code & link" "First sentence. Second."
    section 23-24 "Deep" ""
  section 25-29 "Two lines" ""
  section 30-33 "Mark" ""
`,
		},
		{name: "no titles", src: "a\n\nb\n", want: ""},
	})
}
