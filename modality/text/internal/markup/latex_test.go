package markup_test

import (
	"testing"

	"github.com/citekit/citekit/modality/text/internal/markup"
)

func TestLaTeX(t *testing.T) {
	checkMaps(t, markup.LaTeX, []mapCase{
		{
			name: "levels, star, short title, labels and comments",
			src: `\documentclass{book}
\title{A \emph{Short}
  History%
}
\begin{document}
\maketitle
Words before. % not this
\part{One}
\chapter[short]{The \textbf{long}
  title}\label{ch:one}
First sentence. Second.

% \section{Commented}
\section*{100\% \& more}
\begin{verbatim}
\section{Verbatim}
\end{verbatim}
\begin{lstlisting}[language=TeX]
\section{Listing}
\end{lstlisting}
Use \verb|\section{Verb}| here.\\section
\subsection {Caf\'e na\"{\i}ve $x^2$}
\subsubsection{A {nested {group}}}
\paragraph{Run in.} Text of it.
\end{document}
\section{After the end}
`,
			title: "A Short History",
			want: `preamble 6-7 "" "Words before."
section 8-26 "One" ""
  section 9-26 "The long title" "First sentence. Second."
    section 14-26 "100% & more" "Use \\section{Verb} here. section"
      section 22-26 "Café naïve x^2" ""
        section 23-26 "A nested group" ""
          section 24-26 "Run in." "Text of it."
`,
		},
		{
			name: "no document environment, nothing that only looks like a section",
			src:  "Intro.\n\\sectionmark{no}\n\\section\n{On the next line}\nText.\n\\section[unclosed\n\\subsection{open\n",
			want: "preamble 1-2 \"\" \"Intro. no\"\nsection 3-7 \"On the next line\" \"Text. [unclosed open\"\n",
		},
		{name: "no sections", src: "Only text.\n", want: ""},
	})
}
