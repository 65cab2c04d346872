package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/verify"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	quote string
	texts []string
	opts  verify.TextOptions
	extra extraText
}

func verifyCommand(s *session) *cobra.Command {
	var f verifyFlags
	c := &cobra.Command{
		Use:         "verify [<what>|<file>...]",
		Annotations: anyMaps,
		Short:       "Check whether quotes occur in their sources",
		Long: `Checks whether a quote occurs at an address, in a resource, or anywhere; or,
with --text or only the name of a file, whether all citations of a text hold: quotes with their addresses,
and claims, whose addresses must exist. Each line says whether a quote or claim
holds, how its words occur in the source, and where, and shows the words and the
difference.

  exact             the words occur there; a remark tells if spaces or line ends
                    differ
  repaired          they occur there, apart from copying and typesetting
  elsewhere         they occur at the address that is shown
  altered           the source has other words
  not_found         the source has nothing similar
  unchecked         they could not be looked for; the line says why
  unquoted          a claim in its own words
  uncited           a sentence without an address; it fails if it has a quote and
                    names a source in brackets, or with --strict if it has a quote

The exit code is 0 if all holds, 1 if something does not or if nothing was
checked, as no text has an address, and 2 if the command line is invalid. With
--json, "holds" is null for a text in which nothing was checked.`,
		Example: lines(
			"citekit verify --quote 'chalk in the kettle' 'doc://manual#pages=3'",
			"citekit verify --quote 'chalk in the kettle' manual",
			"citekit verify answer.md",
			"citekit verify --strict --json --text docs/a.md docs/b.md",
			"citekit verify --text - < answer.md",
		),
		Args: between(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			s.extra = f.extra
			if f.quote == "" && len(f.texts) == 0 && len(args) > 0 {
				if err := textFiles(args); err != nil {
					return err
				}
				return s.verifyTexts(ctx, args, &f.opts)
			}
			switch {
			case (f.quote == "") == (len(f.texts) == 0):
				return usagef("verify", "verify needs --quote or --text, and only one of them")
			case f.quote == "":
				return s.verifyTexts(ctx, append(f.texts, args...), &f.opts)
			case len(args) > 1:
				return usagef("verify", "a quote is in one place; %s names another", term.Line(args[1]))
			}
			return s.verifyQuote(ctx, f, args)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.quote, "quote", "", "the quoted `WORDS`; \"…\" stands for words left out")
	flags.StringArrayVar(&f.texts, "text", nil, "verify the citations of the text in `FILE`, or with - of the standard input; further files may follow")
	flags.BoolVar(&f.opts.Strict, "strict", false, "fail claims whose words do not occur in the source, and quotes without an address")
	flags.BoolVar(&f.opts.Boxes, "boxes", false, "find the boxes of the words on their pages, for --json")
	f.extra.register(flags)
	return c
}

// textFiles returns an error unless all words are files or "-".
func textFiles(words []string) error {
	for _, word := range words {
		if word == "-" {
			continue
		}
		info, err := os.Stat(word)
		if errors.Is(err, fs.ErrNotExist) {
			return usagef("verify", "there is no file %s; verify needs the file of a text, or --quote with words for a place", term.Line(word))
		}
		if err != nil || info.IsDir() {
			return usagef("verify", "verify needs --quote for a place, or the file of a text, which %s is not", term.Line(word))
		}
	}
	return nil
}

func (s *session) verifyQuote(ctx context.Context, f verifyFlags, args []string) error {
	var verdict *verify.Verdict
	err := s.withCorpus(nil, func(c *corpus.Corpus) error {
		req := verify.Request{Quote: f.quote, Boxes: f.opts.Boxes}
		if len(args) == 1 {
			what, err := s.named(ctx, c.Library, args[0])
			if err != nil {
				return err
			}
			part, err := lookup.Find(ctx, c.Library, what)
			if err != nil {
				return err
			}
			req.Address = part.Address
		}
		var err error
		verdict, err = c.Verifier.Quote(ctx, req)
		return err
	})
	if err != nil {
		return asUsage("verify", adviseStorage(err))
	}
	if s.json {
		err = s.printJSON(map[string]any{"holds": verdict.Holds(), "verdicts": []any{verdict}})
	} else {
		s.printVerdict("", verdict.Holds(), verdict, "")
		if verdict.LeftOut > 0 {
			fmt.Fprintf(s.stderr, "citekit: %s left out, as the sources changed, are gone or cannot be read; 'citekit doctor' names them\n", message.Count(verdict.LeftOut, "resource"))
		}
	}
	if err == nil && !verdict.Holds() {
		err = errReported
	}
	return err
}

// A verifiedText is the report on the citations of a file.
type verifiedText struct {
	File   string
	text   string
	report *verify.Report
}

// MarshalJSON returns the report with the name of the file.
func (v verifiedText) MarshalJSON() ([]byte, error) {
	report, err := v.report.MarshalJSON()
	if err != nil {
		return nil, err
	}
	name, err := json.Marshal(v.File)
	return slices.Concat([]byte(`{"file":`), name, []byte(","), report[1:]), err
}

func (s *session) verifyTexts(ctx context.Context, files []string, opts *verify.TextOptions) error {
	var all []verifiedText
	for _, name := range files {
		text, err := s.readText(name)
		if err != nil {
			return err
		}
		all = append(all, verifiedText{File: name, text: text})
	}
	err := s.withCorpus(nil, func(c *corpus.Corpus) (err error) {
		for i := range all {
			if all[i].report, err = c.Verifier.Text(ctx, all[i].text, opts); err != nil {
				return fmt.Errorf("%s: %w", all[i].File, err)
			}
		}
		return nil
	})
	if err != nil {
		return adviseStorage(err)
	}
	holds := allHold(all)
	switch {
	case !s.json:
		s.printVerified(all)
	case len(all) == 1:
		err = s.printJSON(all[0])
	default:
		err = s.printJSON(struct {
			Holds *bool          `json:"holds"`
			Files []verifiedText `json:"files"`
		}{holds, all})
	}
	if err == nil && (holds == nil || !*holds) {
		err = errReported
	}
	return err
}

// allHold reports whether all texts that cite something hold; nil if none does.
func allHold(all []verifiedText) (holds *bool) {
	for _, v := range all {
		if !v.report.CitesNothing() {
			both := v.report.Holds() && (holds == nil || *holds)
			holds = &both
		}
	}
	return holds
}

// readText returns the text of a named file or of the standard input.
func (s *session) readText(name string) (string, error) {
	in := s.stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, verify.MaxText+1))
	return string(text), err
}

// printVerified prints a line for each verdict and for each sentence without a
// citation, in the order of the text, and before them which texts cite nothing.
func (s *session) printVerified(all []verifiedText) {
	s.tellOfTexts(all, true)
	entries, holding, uncited := 0, 0, 0
	for _, v := range all {
		lines := lineEnds(v.text)
		left := v.report.Uncited
		for _, e := range v.report.Entries {
			entries++
			if e.Holds() {
				holding++
			}
			at := e.At
			if e.Kind == verify.AddressKind {
				at = e.CitedAt
			}
			for len(left) > 0 && left[0].At.Bytes[0] < at.Bytes[0] {
				s.printUncited(v, left[0], lines)
				left = left[1:]
			}
			s.printVerdict(fmt.Sprintf("%s:%d", term.Line(v.File), lines.at(at.Bytes[0])), e.Holds(), &e.Verdict, e.Cited)
		}
		for _, u := range left {
			s.printUncited(v, u, lines)
		}
		uncited += len(v.report.Uncited)
	}
	if entries > 0 {
		fmt.Fprintf(s.stderr, "citekit: %s; %s without one\n", message.Holding(holding, entries, "citation"), message.Count(uncited, "sentence"))
	}
	s.tellOfTexts(all, false)
}

// printUncited prints a line about a sentence without a citation.
func (s *session) printUncited(v verifiedText, u verify.Sentence, lines lineNumbers) {
	state := "-"
	if u.Fails() {
		state = "FAIL"
	}
	s.printf("%s:%d\t%s\tuncited\t\t%s", term.Line(v.File), lines.at(u.At.Bytes[0]), state, shownWords(u.Text))
	if u.Meant.Resource != "" {
		s.printf("\tnot an address; write [%s]", u.Meant)
	}
	s.printf("\n")
}

// tellOfTexts prints the hints about the texts that cite nothing, or about the others.
func (s *session) tellOfTexts(all []verifiedText, nothing bool) {
	for _, v := range all {
		if hint := v.report.Hint(); hint != "" && v.report.CitesNothing() == nothing {
			fmt.Fprintf(s.stderr, "citekit: %s: %s\n", term.Line(v.File), hint)
		}
	}
}

// lineNumbers are the offsets just after the line ends of a text.
type lineNumbers []int

func lineEnds(text string) (ends lineNumbers) {
	for i := range len(text) {
		if text[i] == '\n' {
			ends = append(ends, i+1)
		}
	}
	return ends
}

// at returns the line number of an offset, from 1.
func (l lineNumbers) at(offset int64) int {
	n, _ := slices.BinarySearch(l, int(offset)+1)
	return n + 1
}

// printVerdict prints a line about a quote or claim: its place in the text unless
// where is "", whether it holds, its class, its address, its words, and remarks.
// cited is the address in the text.
func (s *session) printVerdict(where string, holds bool, v *verify.Verdict, cited string) {
	if where != "" {
		s.printf("%s\t", where)
	}
	state := "ok"
	if !holds {
		state = "FAIL"
	}
	address := term.Line(cited)
	if v.Address.Resource != "" {
		address = v.Address.String()
	}
	s.printf("%s\t%s\t%s\t%s", state, v.Class, address, shownWords(v.Quote))
	if about := remarks(v, cited); about != "" {
		s.printf("\t%s", about)
	}
	s.printf("\n")
}

// maxShownWords is how much of a quote is shown on a line, in bytes.
const maxShownWords = 160

func shownWords(text string) string {
	return term.Line(plain.Shorten(plain.Line(text), maxShownWords))
}

// leftOutMark is the words of a quote where it leaves out what it must not.
const leftOutMark = "…"

// machines says that words are those of a machine, if they are; else "".
func machines(transcribed, ocr bool) string {
	switch {
	case transcribed:
		return "transcribed by a machine"
	case ocr:
		return "recognised in a picture"
	}
	return ""
}

// remarks returns what there is to say about a verdict besides its class.
func remarks(v *verify.Verdict, cited string) string {
	var all []string
	for _, c := range v.Difference {
		switch {
		case v.Class == verify.Unquoted: // such a claim may use other words
		case c.Quote == leftOutMark && c.Note != "":
			all = append(all, fmt.Sprintf("“…” leaves out “%s”: %s", term.Line(plain.Line(c.Source)), c.Note))
		case c.Source == "":
			all = append(all, fmt.Sprintf("“%s” is not in the source", shownWords(c.Quote)))
		case c.Quote == "":
			all = append(all, fmt.Sprintf("the source has “%s” too", shownWords(c.Source)))
		default:
			all = append(all, fmt.Sprintf("“%s”: the source has “%s”", shownWords(c.Quote), shownWords(c.Source)))
		}
	}
	for _, r := range v.Repairs {
		remark := strings.ReplaceAll(string(r.Kind), "_", " ")
		if r.Source != "" {
			remark += fmt.Sprintf(" for “%s”", term.Line(plain.Line(r.Source))) // its start and end
		}
		all = append(all, remark)
	}
	if v.Class == verify.Elsewhere && cited != "" {
		all = append(all, "not at "+term.Line(cited))
	}
	if v.Class == verify.Unquoted && v.Similarity > 0 {
		all = append(all, fmt.Sprintf("similarity %.2f", v.Similarity))
	}
	for _, note := range v.Notes {
		all = append(all, term.Line(note))
	}
	if how := machines(v.Transcribed, v.OCR); how != "" {
		all = append(all, how)
	}
	if v.Problem != nil {
		all = append(all, term.Line(plain.Line(problem(v, cited != "" || v.Address.Resource != ""))))
	}
	if v.Stale {
		all = append(all, "the source has changed since it was cited; once it is mapped again ('citekit ingest'), 'citekit reanchor' moves citations, with --similar also those of words that changed")
	}
	return strings.Join(all, "; ")
}

// problem returns what went wrong with a verdict, without its address if a line
// shows that already.
func problem(v *verify.Verdict, isAddressShown bool) string {
	err := v.Problem
	if e := new(citekit.ResolveError); isAddressShown && errors.As(err, &e) && e.Op == "verify" {
		err = e.Err
	}
	return plainMessage(err)
}
