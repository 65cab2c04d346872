package markup_test

import (
	"os/exec"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/text/internal/markup"
)

// TestDocutils compares the sections of the reStructuredText files at hand with
// those that docutils finds.
func TestDocutils(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	python := sharedtest.Python(t, "docutils")
	compareHeadings(t, markup.ReST, exec.Command(python, "testdata/headings.py", "rest"), ".rst")
}

func TestReST(t *testing.T) {
	checkMaps(t, markup.ReST, []mapCase{
		{
			name: "overlines, levels by appearance, inline markup",
			src: `.. comment

Words before.

==============
  Big ` + "``title``" + `
==============

First *sentence*. A ` + "`link <http://x>`_" + ` here. Code::

    Not
    ===

Sub_
----
- item
Deep :mod:` + "`re`" + `
~~~~~~~~~~~~
Sub two
-------

----

.. note::

   No
   --

=====  =====
a      b
=====  =====
c
d      e
=====  =====

Short
==
`,
			title: "Big title",
			want: `preamble 1-4 "" "Words before."
section 5-37 "Big title" "First sentence. A link here. Code"
  section 14-18 "Sub" ""
    section 17-18 "Deep re" ""
  section 19-37 "Sub two" "Short =="
`,
		},
		{
			name:  "literal blocks that are quoted, and paragraphs of several lines",
			src:   "A::\n\n> x\n> y\n\nB\nC\n===\n\n>>> 1\n===\n\nD\n=\n",
			want:  "preamble 1-12 \"\" \"A B C ===\"\nsection 13-14 \"D\" \"\"\n",
			title: "D",
		},
		{name: "no titles", src: "a\n\nb\n", want: ""},
	})
}
