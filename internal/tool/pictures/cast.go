package main

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// shown is where the folder of the cast seems to be.
const shown = "/home/you/tides"

// session is what is typed in the cast.
var session = []string{
	"citekit ingest .",
	"citekit answer 'When is the range widest?'",
	"citekit resolve guide.2-spring-and-neap",
	"citekit verify --quote 'Ring the bell twice when you arrive' notes",
	"citekit verify --quote 'Ring the bell three times when you arrive' notes",
	"citekit resolve 'doc://guide#pages=9'",
}

// A step is a command and what it prints, errors too.
type step struct {
	command string
	lines   []string
	failed  bool
}

// record runs the session in dir with the program at citekit, and no other
// program, so that it is the same everywhere. Commands that fail are part of it.
func record(ctx context.Context, citekit, dir string) ([]step, error) {
	settings, err := os.MkdirTemp("", "citekit-pictures-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(settings)
	steps := make([]step, 0, len(session))
	for _, command := range session {
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(citekit), "XDG_CONFIG_HOME="+settings)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			return nil, fmt.Errorf("%s: %w", command, err)
		}
		text := strings.ReplaceAll(string(bytes.TrimRight(out, "\n")), dir, shown)
		steps = append(steps, step{command, strings.Split(text, "\n"), err != nil})
	}
	return steps, nil
}

const (
	columns    = 100 // a longer line goes on in the next
	charWidth  = 8.5
	lineHeight = 20
	margin     = 16
	top        = 40 // of the first line: the bar of the window is above it

	typing  = 0.9 // seconds from the prompt to the output
	reading = 0.7 // seconds for each line of output
	pause   = 6   // seconds from the last line to the start
)

// A line is drawn from a time on.
type line struct {
	text  string
	class string
	at    float64 // seconds
}

// cast returns the steps as an SVG in which they appear one after the other. A
// viewer without animation shows all of them.
func cast(steps []step) []byte {
	lines, at := []line{}, 0.5
	for i, s := range steps {
		if i > 0 {
			lines = append(lines, line{})
		}
		lines = append(lines, line{"$ " + s.command, "typed", at})
		at += typing
		class := "out"
		if s.failed {
			class = "bad"
		}
		for _, text := range s.lines {
			for _, part := range wrap(text) {
				lines = append(lines, line{part, class, at})
			}
		}
		at += reading * float64(len(s.lines))
	}
	return draw(lines, at+pause)
}

// draw writes the lines as an SVG that begins again after so many seconds.
func draw(lines []line, length float64) []byte {
	width, height := int(columns*charWidth)+2*margin, top+len(lines)*lineHeight+margin
	var svg bytes.Buffer
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="citekit in a terminal">
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d0d7de; white-space: pre }
.typed { fill: #7ee787; font-weight: 600 }
.bad { fill: #ff9492 }
@media (prefers-reduced-motion: no-preference) {
g { animation: %.1fs step-end infinite }
`, width, height, length)
	seen := make(map[float64]bool)
	for _, l := range lines {
		if l.text == "" || seen[l.at] {
			continue
		}
		seen[l.at] = true
		name := frame(l.at)
		fmt.Fprintf(&svg, "@keyframes %s { 0%% { opacity: 0 } %.2f%% { opacity: 1 } }\n.%[1]s { animation-name: %[1]s }\n", name, 100*l.at/length)
	}
	fmt.Fprintf(&svg, "}\n</style>\n<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#0d1117\"/>\n", width, height)
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&svg, "<circle cx=\"%d\" cy=\"16\" r=\"5\" fill=\"%s\"/>\n", margin+5+i*18, colour)
	}
	for i, l := range lines {
		if l.text == "" {
			continue
		}
		fmt.Fprintf(&svg, "<g class=\"%s\"><text class=\"%s\" x=\"%d\" y=\"%d\">%s</text></g>\n",
			frame(l.at), l.class, margin, top+(i+1)*lineHeight-6, html.EscapeString(l.text))
	}
	svg.WriteString("</svg>\n")
	return svg.Bytes()
}

// frame names the moment when lines appear.
func frame(at float64) string { return fmt.Sprintf("at%d", int(at*10+0.5)) }

// wrap cuts a line into parts of at most so many columns.
func wrap(text string) (parts []string) {
	text = strings.ReplaceAll(text, "\t", "  ")
	for utf8.RuneCountInString(text) > columns {
		cut := strings.LastIndexByte(string([]rune(text)[:columns]), ' ')
		if cut <= 2 {
			break // no word ends in it
		}
		parts = append(parts, text[:cut])
		text = "  " + strings.TrimLeft(text[cut:], " ")
	}
	return append(parts, text)
}
