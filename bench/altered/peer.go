package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/test/stdio"
)

// A peer is a checker of quotes: an MCP server over stdio with a tool, or a command
// that is run for each quote. In its arguments ${quote}, ${file}, ${name} (the file
// without its ending), ${path}, ${url} and ${text} stand for the quote and the text it
// is said to stand in, and ${folder} in all commands for the folder of the texts.
type peer struct {
	Name      string         `json:"name"`
	Version   []string       `json:"version"`             // a command whose first line is the version, or that line
	Prepare   [][]string     `json:"prepare,omitempty"`   // commands to run first
	Server    []string       `json:"server,omitempty"`    // starts the MCP server
	Tool      string         `json:"tool,omitempty"`      // of the server
	Arguments map[string]any `json:"arguments,omitempty"` // of the tool
	Command   []string       `json:"command,omitempty"`   // in place of a server
	Holds     string         `json:"holds"`               // expression that an answer has if the quote holds
	Fails     string         `json:"fails"`               // and if it does not

	holds, fails *regexp.Regexp
	placed       bool // it is told where the quote is said to stand
}

func readPeer(name string) (*peer, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	p := new(peer)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if (len(p.Server) > 0 && p.Tool != "") == (len(p.Command) > 0) {
		return nil, fmt.Errorf("%s: give either server and tool, or command", name)
	}
	if p.Holds == "" || p.Fails == "" || len(p.Version) == 0 {
		return nil, fmt.Errorf("%s: name, version, holds and fails are needed", name)
	}
	if p.holds, err = regexp.Compile(p.Holds); err == nil {
		p.fails, err = regexp.Compile(p.Fails)
	}
	asked := string(encode(p.Arguments)) + strings.Join(p.Command, " ")
	p.placed = regexp.MustCompile(`\$\{(file|name|path|url|text)\}`).MatchString(asked)
	return p, err
}

// An answer is what a peer said of a quote.
type answer struct {
	text string
	took time.Duration
}

// ask asks for every quote.
func (p *peer) ask(ctx context.Context, folder string, quotes []quote) (answers []answer, version string, err error) {
	served, err := serve(folder)
	if err != nil {
		return nil, "", err
	}
	defer served.Close()
	inFolder := strings.NewReplacer("${folder}", folder)
	for _, args := range p.Prepare {
		if out, err := run1(ctx, folder, fill(args, inFolder)); err != nil {
			return nil, "", fmt.Errorf("%w\n%s", err, out)
		}
	}
	version = strings.Join(p.Version, " ")
	if out, err := run1(ctx, folder, fill(p.Version, inFolder)); err == nil {
		version, _, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	}
	call := func(fields *strings.Replacer) (string, error) {
		out, err := run1(ctx, folder, fill(p.Command, fields))
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			err = nil // which says that the quote does not hold
		}
		return string(out), err
	}
	if len(p.Server) > 0 {
		server, err := stdio.Start(ctx, folder, fill(p.Server, inFolder)...)
		if err != nil {
			return nil, "", err
		}
		defer server.Stop()
		call = func(fields *strings.Replacer) (string, error) {
			result, err := server.Tool(p.Tool, fillAny(p.Arguments, fields))
			return result.Text, err
		}
	}
	for _, q := range quotes {
		text, err := os.ReadFile(filepath.Join(folder, q.File))
		if err != nil {
			return nil, "", err
		}
		fields := strings.NewReplacer("${folder}", folder, "${quote}", q.Quote, "${file}", q.File, "${name}", strings.TrimSuffix(q.File, filepath.Ext(q.File)),
			"${path}", filepath.Join(folder, q.File), "${url}", "http://"+served.Addr().String()+"/"+url.PathEscape(q.File), "${text}", string(text))
		began := time.Now()
		said, err := call(fields)
		if err != nil {
			return nil, "", fmt.Errorf("%q: %w", q.Quote, err)
		}
		answers = append(answers, answer{said, time.Since(began)})
	}
	return answers, version, nil
}

// run1 runs a command in a folder, and returns what it wrote.
func run1(ctx context.Context, folder string, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = folder
	return cmd.CombinedOutput()
}

// serve serves the texts over HTTP on this machine alone, for checkers that fetch them.
func serve(folder string) (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		go func() { _ = http.Serve(l, http.FileServer(http.Dir(folder))) }() //nolint:gosec // ends with the listener
	}
	return l, err
}

func fill(args []string, fields *strings.Replacer) (filled []string) {
	for _, arg := range args {
		filled = append(filled, fields.Replace(arg))
	}
	return filled
}

// fillAny fills the strings of a JSON value.
func fillAny(v any, fields *strings.Replacer) any {
	switch v := v.(type) {
	case string:
		return fields.Replace(v)
	case []any:
		filled := make([]any, len(v))
		for i := range v {
			filled[i] = fillAny(v[i], fields)
		}
		return filled
	case map[string]any:
		filled := make(map[string]any, len(v))
		for name := range v {
			filled[name] = fillAny(v[name], fields)
		}
		return filled
	}
	return v
}
