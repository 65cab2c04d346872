package markup_test

import (
	"testing"

	"github.com/citekit/citekit/modality/text/internal/markup"
)

func TestOrg(t *testing.T) {
	checkMaps(t, markup.Org, []mapCase{
		{
			name: "keywords, priority, tags, blocks, drawers",
			src: `#+TITLE: The /Plan/
#+AUTHOR: Somebody

Words before.
* TODO [#A] First *bold* =code=  :work:home:
SCHEDULED: <2024-01-01>
:PROPERTIES:
:ID: x
:END:
Prose of [[https://example.org][a link]]. More.
- an item
#+begin_src org
,* not a heading
#+end_src
** DONE Second
*** Not todo
*bold* is no heading
** TODOS are not a keyword
* COMMENT Hidden
** 
** Last
`,
			title: "The Plan",
			want: `preamble 4-4 "" "Words before."
section 5-18 "First bold code" "Prose of a link. More."
  section 15-17 "Second" ""
    section 16-17 "Not todo" "bold is no heading"
  section 18-18 "TODOS are not a keyword" ""
section 19-21 "Hidden" "**"
  section 21-21 "Last" ""
`,
		},
		{
			name: "states of the file",
			src:  "#+TODO: NEXT(n) | GONE(g)\n* NEXT One\n* TODO Two\n",
			want: "section 2-2 \"One\" \"\"\nsection 3-3 \"TODO Two\" \"\"\n",
		},
		{name: "no headings", src: "Text.\n - item\n", want: ""},
	})
}
