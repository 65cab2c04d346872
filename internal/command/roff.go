package command

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// A roff is a manual page being written, with the macros of man(7). The generator of
// package cobra/doc takes help for Markdown, which ours is not, and brings a parser of it.
type roff struct{ bytes.Buffer }

func (r *roff) page(name string) manualPage { return manualPage{name + ".1", r.Bytes()} }

// line writes a line of roff unchanged.
func (r *roff) line(s string) { r.WriteString(s + "\n") }

// begin writes the heading. It has no date, so that the bytes stay the same.
// Hyphenation is off, as many words are meant to be typed.
func (r *roff) begin(name, summary string) {
	r.line(`.\" Made by "citekit man" from the help.`)
	r.line(fmt.Sprintf(`.TH %s 1 "" "citekit" "User Commands"`, strings.ToUpper(name)))
	r.line(".nh")
	r.line(".ad l")
	r.section("Name")
	r.line(escapeRoff(name) + ` \- ` + escapeRoff(summary))
}

func (r *roff) section(title string) { r.line(".SH " + strings.ToUpper(title)) }

// fill writes words that roff wraps.
func (r *roff) fill(words string) { r.line(guardRoff(escapeRoff(words))) }

// text writes paragraphs separated by empty lines. Indented lines, such as commands
// and lists, keep their line breaks.
func (r *roff) text(text string) {
	first, verbatim := true, false
	leave := func() {
		if verbatim {
			r.line(".fi")
		}
		verbatim = false
	}
	parted := false
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		indented := strings.HasPrefix(line, "  ")
		switch {
		case line == "":
			leave()
			parted = true
			continue
		case parted || !first && indented != verbatim:
			leave()
			r.line(".PP")
		}
		if indented && !verbatim {
			r.line(".nf")
		}
		first, parted, verbatim = false, false, indented
		r.fill(strings.TrimPrefix(line, "  "))
	}
	leave()
}

func (r *roff) examples(examples string) {
	r.section("Examples")
	r.line(".nf")
	for line := range strings.SplitSeq(examples, "\n") {
		r.fill(line)
	}
	r.line(".fi")
}

// flags writes a section with what each flag does.
func (r *roff) flags(title string, f *pflag.FlagSet) {
	r.section(title)
	f.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		r.line(".TP")
		name := `\fB` + escapeRoff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB` + escapeRoff("-"+f.Shorthand) + `\fR, ` + name
		}
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			name += ` \fI` + escapeRoff(value) + `\fR`
			if f.NoOptDefVal != "" {
				name += "[=" + escapeRoff(f.NoOptDefVal) + "]"
			}
		}
		r.line(name)
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" && f.DefValue != "[]" {
			usage += " (default " + quotedDefault(f) + ")"
		}
		r.fill(usage)
	})
}

// quotedDefault returns the default of a flag as help shows it.
func quotedDefault(f *pflag.Flag) string {
	if f.Value.Type() == "string" {
		return strconv.Quote(f.DefValue)
	}
	return f.DefValue
}

// roffEscapes escapes the characters that roff interprets, or that it sets as other
// characters in UTF-8.
var roffEscapes = strings.NewReplacer(
	`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`,
)

// escapeRoff escapes text so that roff shows it unchanged. Characters beyond ASCII
// are written as code points.
func escapeRoff(text string) string {
	var b strings.Builder
	for _, c := range roffEscapes.Replace(text) {
		if c < 0x80 {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, c)
		}
	}
	return b.String()
}

// guardRoff prevents roff from reading a line as a request.
func guardRoff(line string) string {
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}
