package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/citedtext"
	"github.com/citekit/citekit/internal/lookup"
)

// maxReferences is how many references of a text are looked up.
const maxReferences = 1000

// sentences returns uncited passages of a text, with the addresses that references
// in brackets mean. It also returns how many quotes among them have references that
// were not looked up.
func (v *Verifier) sentences(ctx context.Context, c *textCall, passages []citedtext.Passage) (all []Sentence, left int) {
	known := make(map[string]citekit.Address)
	namer := lookup.NewNamer(v.lib)
	for _, p := range passages {
		s := Sentence{Text: p.Text, At: c.span(p.From, p.To), Quoted: p.Quoted, strict: c.opts.Strict}
		for _, reference := range references(c.text, p.From, p.To) {
			meant, ok := known[reference]
			if !ok {
				if len(known) < maxReferences {
					meant = namer.Address(ctx, reference)
				}
				if len(known) == maxReferences || ctx.Err() != nil {
					if s.Quoted {
						left++
					}
					break
				}
				known[reference] = meant
			}
			if s.Meant = meant; meant.Resource != "" {
				break
			}
		}
		all = append(all, s)
	}
	return all, left
}

// maxReference is the longest reference in brackets, in bytes, and maxGap how far
// behind a passage it may begin.
const (
	maxReference = 256
	maxGap       = 16
)

// references returns what stands in brackets in a part of a text and right behind
// it, the outer brackets before those within them. Round brackets count if they have
// the name of a file in them. Of a Markdown link only the target counts.
func references(text string, from, to int) (all []string) {
	for i := from; i < min(len(text), to+maxGap); i++ {
		if i >= to && strings.IndexByte(" \t\"”“»'’.*_", text[i]) < 0 && text[i] != '[' && text[i] != '(' && text[i] < 0x80 {
			break
		}
		if i >= to && text[i] == '\n' {
			break
		}
		inside, ok := bracketed(text[i:])
		if !ok {
			continue
		}
		isLink := text[i] == '[' && strings.HasPrefix(text[i+len(inside)+2:], "(")
		switch {
		case isLink:
			i += len(inside) + 1
		case text[i] == '[' || strings.Contains(inside, "."):
			all = append(all, inside)
		}
	}
	return all
}

// bracketed returns what is in the brackets that a text begins with: up to the one
// that closes them, or, if those within do not match, the first of their kind.
func bracketed(text string) (inside string, ok bool) {
	opening, closing := byte('['), byte(']')
	if text[0] == '(' {
		opening, closing = '(', ')'
	}
	if text[0] != opening {
		return "", false
	}
	text = text[1:min(len(text), 1+maxReference)]
	text, _, _ = strings.Cut(text, "\n")
	depth, first := 1, -1
	for i := range len(text) {
		switch text[i] {
		case opening:
			depth++
		case closing:
			if first < 0 {
				first = i
			}
			if depth--; depth == 0 {
				return text[:i], true
			}
		}
	}
	return text[:max(0, first)], first >= 0
}

// Fails reports whether a sentence without an address keeps a text from holding: it
// is or contains a quote, and names in brackets a source that it does not cite by
// its address, or the check is strict.
func (s *Sentence) Fails() bool { return s.Quoted && (s.strict || s.Meant.Resource != "") }

// Quoted returns the number of quotes, or sentences with quotes, that have no
// address, and so were not checked.
func (r *Report) Quoted() int {
	n := 0
	for _, s := range r.Uncited {
		if s.Quoted {
			n++
		}
	}
	return n
}

// Hint says that nothing was checked, if the text cites nothing, and what to do about
// quotes without an address; "" if there is nothing to say.
func (r *Report) Hint() string {
	hint, n := "", r.Quoted()
	switch {
	case r.CitesNothing():
		hint = "nothing was checked, as the text has no address of a source"
	case n == 0:
		return ""
	case n == 1:
		hint = "1 quote has no address and was not checked"
	default:
		hint = fmt.Sprintf("%d quotes have no address and were not checked", n)
	}
	for _, s := range r.Uncited {
		if s.Meant.Resource != "" && (s.Quoted || n == 0) {
			return fmt.Sprintf("%s; cite by address, such as [%s]", hint, s.Meant)
		}
	}
	return hint + "; write the address of the words in brackets behind them"
}
