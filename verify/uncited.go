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
// in brackets mean.
func (v *Verifier) sentences(ctx context.Context, c *checking, passages []citedtext.Passage) (all []Sentence) {
	known := make(map[string]citekit.Address)
	for _, p := range passages {
		s := Sentence{Text: p.Text, At: c.span(p.From, p.To), Quoted: p.Quoted, strict: c.opts.Strict}
		for _, reference := range references(c.text, p.From, p.To) {
			meant, ok := known[reference]
			if !ok && len(known) < maxReferences && ctx.Err() == nil {
				meant = lookup.Named(ctx, v.lib, reference)
				known[reference] = meant
			}
			if s.Meant = meant; meant.Resource != "" {
				break
			}
		}
		all = append(all, s)
	}
	return all
}

// maxReference is the longest reference in brackets, in bytes, and maxGap how far
// behind a passage it may begin.
const (
	maxReference = 256
	maxGap       = 16
)

// references returns what stands in brackets in a part of a text and right behind
// it. Round brackets count if they have the name of a file in them. Of a
// Markdown link only the target counts.
func references(text string, from, to int) (all []string) {
	for i := from; i < min(len(text), to+maxGap); i++ {
		if i >= to && strings.IndexByte(" \t\"”“»'’.*_", text[i]) < 0 && text[i] != '[' && text[i] != '(' && text[i] < 0x80 {
			break
		}
		var closing byte
		switch text[i] {
		case '[':
			closing = ']'
		case '(':
			closing = ')'
		case '\n':
			if i >= to {
				return all
			}
			continue
		default:
			continue
		}
		inside := text[i+1 : min(len(text), i+1+maxReference)]
		end := strings.IndexByte(inside, closing)
		if end < 0 || strings.ContainsAny(inside[:end], "\n[(") {
			continue
		}
		behind := inside[end+1:]
		if inside = inside[:end]; closing == ']' && !strings.HasPrefix(behind, "(") || closing == ')' && strings.Contains(inside, ".") {
			all = append(all, inside)
		}
		i += end + 1
	}
	return all
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

// Hint says what to do about quotes without an address, or is "".
func (r *Report) Hint() string {
	n := r.Quoted()
	if n == 0 {
		return ""
	}
	hint := "1 quote has no address and was not checked"
	if n > 1 {
		hint = fmt.Sprintf("%d quotes have no address and were not checked", n)
	}
	for _, s := range r.Uncited {
		if s.Quoted && s.Meant.Resource != "" {
			return fmt.Sprintf("%s; cite by address, such as [%s]", hint, s.Meant)
		}
	}
	return hint + "; write the address of the words in brackets behind them"
}
