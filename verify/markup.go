package verify

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/quotation"
)

// noteMarkup says that a quote is not of what its source shows.
const noteMarkup = "it stands in the markup of the source; it is not text that the page shows"

// findMarkup looks for the quote in the markup at the address, which the text of the
// source leaves out, and then, unless the text has the quote, in all of its markup.
// It reports whether it set the verdict.
func (c *call) findMarkup(ctx context.Context, inText bool) bool {
	cited := c.req.Address
	if c.lookInMarkup(ctx, cited) {
		return true
	}
	all := citekit.Address{Resource: cited.Resource, Location: citekit.Location{Modality: cited.Location.Modality, Member: cited.Location.Member}}
	if inText || cited.Location.Equal(all.Location) || !c.lookInMarkup(ctx, all) {
		return false
	}
	c.verdict.Class = Elsewhere
	return true
}

// lookInMarkup looks for the quote in the markup at an address. If it is there, it sets
// the verdict. What cannot be read has no markup.
func (c *call) lookInMarkup(ctx context.Context, a citekit.Address) bool {
	text, err := c.markup(ctx, a)
	if err != nil || text.Raw() == "" {
		return false
	}
	places := text.Find(c.quote, 0, len(text.Raw()), mostMarkup)
	at := slices.IndexFunc(places.Matches, func(m quotation.Match) bool {
		return !cutsShown(text.Raw(), m.From, m.To) && !isStruck(text.Raw(), m.From)
	})
	if at < 0 {
		return false
	}
	m := places.Matches[at]
	v := c.verdict
	c.setRepairs(m)
	v.Address = citekit.Address{Resource: a.Resource, Location: a.Location}
	if loc := &v.Address.Location; loc.Blocks.IsZero() { // the lines of the quote
		first := max(loc.Lines.First, 1) + strings.Count(text.Raw()[:m.From], "\n")
		loc.Lines = citekit.Range{First: first, Last: first + strings.Count(text.Raw()[m.From:m.To-1], "\n")}
	}
	v.Text, v.Places, v.Counted = text.Raw()[m.From:m.To], max(places.Count, 1), places.Counted
	c.note(noteMarkup)
	return true
}

// mostMarkup is how many places of a quote in markup are looked at.
const mostMarkup = 32

// cutsShown reports whether a part of markup begins or ends within what the page shows as
// one word, such as the 910 of &minus;910, or the 12 of 12<b>34</b>: the page shows another
// one, and its text has been asked.
func cutsShown(raw string, from, to int) bool {
	before, after := raw[:from], raw[to:]
	if first, _ := utf8.DecodeRuneInString(raw[from:to]); first != '<' && first != '>' {
		if entityBefore.MatchString(before[max(0, len(before)-longestEntity):]) {
			return true
		}
		bare := before
		for strings.HasSuffix(bare, ">") && strings.Contains(bare, "<") {
			bare = bare[:strings.LastIndexByte(bare, '<')]
		}
		if last, _ := utf8.DecodeLastRuneInString(bare); len(bare) < len(before) && isShown(last) {
			return true
		}
	}
	if last, _ := utf8.DecodeLastRuneInString(raw[from:to]); last != '<' && last != '>' {
		if entityAfter.MatchString(after[:min(len(after), longestEntity)]) {
			return true
		}
		bare := after
		for strings.HasPrefix(bare, "<") && strings.Contains(bare, ">") {
			bare = bare[strings.IndexByte(bare, '>')+1:]
		}
		if first, _ := utf8.DecodeRuneInString(bare); len(bare) < len(after) && isShown(first) {
			return true
		}
	}
	return false
}

// isStruck reports whether an offset of markup is in text that is struck out, which the text
// of the page has with a mark.
func isStruck(raw string, at int) bool {
	depth := 0
	for _, tag := range struckTag.FindAllSubmatch([]byte(raw[:at]), -1) {
		if len(tag[1]) == 0 {
			depth++
		} else {
			depth = max(depth-1, 0)
		}
	}
	return depth > 0
}

// longestEntity is the most bytes of a reference to a character.
const longestEntity = 40

var (
	entityBefore = lazyregexp.New(`&#?\w+;$`)
	entityAfter  = lazyregexp.New(`^&#?\w+;`)
	struckTag    = lazyregexp.New(`(?i)<(/?)(?:del|s|strike)(?:[\s/][^>]*)?>`)
)

// isShown reports whether a letter next to a tag belongs to a word or number there.
func isShown(r rune) bool { return r != utf8.RuneError && !unicode.IsSpace(r) && r != '<' }

// A MarkupReader is a [citekit.TextReader] that leaves the markup out of the text of
// some sources, which their readers may quote too.
type MarkupReader interface {
	citekit.TextReader

	// ReadMarkup yields the text at loc as ReadText does, with the markup that the
	// source has there. Errors are as for Resolve; one matches
	// [errors.ErrUnsupported] if ReadText leaves nothing out of src.
	ReadMarkup(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error]
}

// markup returns the markup at an address, prepared. Its lines end with LF.
func (c *call) markup(ctx context.Context, a citekit.Address) (*quotation.Text, error) {
	if m := a.Location.Modality; m != citekit.Text && m != "" && a.Location.Member == "" {
		return nil, errors.ErrUnsupported
	}
	opened, err := c.lib.Open(ctx, a)
	if err != nil {
		return nil, err
	}
	defer opened.Source.Close()
	resolver, err := c.lib.Resolver(opened.Location.Modality)
	if err != nil {
		return nil, err
	}
	reader, ok := resolver.(MarkupReader)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	hash, err := opened.Source.Hash(ctx)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s\x00markup\x00%s\x00%s", a, hash, opened.Location)
	return c.texts.Get(ctx, key, func(ctx context.Context) (*quotation.Text, int64, error) {
		var all strings.Builder
		runs := reader.ReadMarkup(ctx, opened.Source, opened.Location)
		for run, err := range concurrent.Seq(runs, func(any) error { return errors.ErrUnsupported }) {
			if err == nil && all.Len()+len(run.Text) > mostRead {
				err = citekit.ErrTooLarge
			}
			if err != nil {
				return nil, 0, err
			}
			part := strings.ReplaceAll(run.Text, "\r\n", "\n")
			if run.Location.Lines.Len() > strings.Count(part, "\n")+1 {
				part = strings.ReplaceAll(part, "\r", "\n")
			}
			all.WriteString(part)
		}
		// What the page shows is in its text: here a quote has the signs of the markup.
		text := quotation.Prepare(all.String(), quotation.Options{Verbatim: true})
		return text, text.Cost(), nil
	})
}
