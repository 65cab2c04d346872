package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cmd/citekit/internal/term"
	"github.com/citekit/citekit/mapadapter"
	"github.com/citekit/citekit/mcpadapter"
)

// completeCommand is called by the completion scripts. Its arguments are the words
// after "citekit" up to the cursor, the last of them unfinished. It first prints
// "words", "files" or "directories", the kind of further candidates the shell should
// offer, then its own candidates, one per line.
func completeCommand() *command {
	return &command{
		name:   "__complete",
		hidden: true,
		raw:    true,
		run: func(ctx context.Context, s *session, args []string) error {
			if len(args) > 0 && args[0] == "--" {
				args = args[1:]
			}
			if len(args) == 0 {
				args = []string{""}
			}
			c := completer{session: s}
			line, kept := joinSchemes(args)
			c.complete(ctx, joinAssignments(line))
			s.printf("%s\n", c.kind)
			for _, word := range c.words {
				s.printf("%s\n", strings.TrimPrefix(word, kept))
			}
			return nil
		},
	}
}

// joinAssignments joins --dir=DIR again, which bash splits into three words.
func joinAssignments(args []string) []string {
	var words []string
	for _, arg := range args {
		last := len(words) - 1
		if last >= 0 && (arg == "=" || strings.HasSuffix(words[last], "=")) && strings.HasPrefix(words[last], "-") {
			words[last] += arg
			continue
		}
		words = append(words, arg)
	}
	return words
}

// joinSchemes joins doc://book again, which bash splits into three words. Kept is the
// part of the last word that bash leaves as it is, such as "doc:", or "".
func joinSchemes(args []string) (words []string, kept string) {
	for _, arg := range args {
		last := len(words) - 1
		switch {
		case last >= 0 && arg == ":" && isScheme(words[last]):
			words[last] += arg
			kept = words[last]
			continue
		case last >= 0 && kept != "" && words[last] == kept && strings.HasPrefix(arg, "//"):
			words[last] += arg
			continue
		}
		words, kept = append(words, arg), ""
	}
	return words, kept
}

// isScheme reports whether a word is the scheme of addresses.
func isScheme(word string) bool {
	return slices.ContainsFunc(citekit.Modalities(), func(m citekit.Modality) bool { return schemeOf(m) == word })
}

// schemeOf returns the scheme of addresses of a modality, such as "doc".
func schemeOf(m citekit.Modality) string {
	scheme, _, _ := strings.Cut(citekit.Address{Resource: "x", Location: citekit.Location{Modality: m}}.String(), "://")
	return scheme
}

// What a shell should offer besides the printed words.
const (
	onlyWords   = "words"
	files       = "files"
	directories = "directories"
)

const maxOffered = 1000 // words

// A completer finds the words that may come next.
type completer struct {
	*session
	flags *flagSet // as set by the words so far
	kind  string
	words []string
}

func (c *completer) complete(ctx context.Context, line []string) {
	c.kind = onlyWords
	typed := line[len(line)-1]
	flags := newFlagSet("")
	c.flags = flags
	c.register(flags)
	cmd, positional, open := c.readLine(flags, line[:len(line)-1])
	switch {
	case open != nil:
		c.offerValue(ctx, cmd, open, typed)
	case strings.HasPrefix(typed, "-"):
		c.offerFlags(flags, typed)
	case cmd == nil:
		c.offerCommands(typed)
	default:
		c.offerArguments(ctx, cmd, positional, typed)
	}
}

// readLine parses the finished words and ignores errors in them. It returns the
// command, its arguments, and the flag that still needs a value.
func (c *completer) readLine(flags *flagSet, line []string) (cmd *command, positional []string, open *flag.Flag) {
	for len(line) > 0 {
		word := line[0]
		name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		known := flags.Lookup(name)
		switch {
		case strings.HasPrefix(word, "-") && known != nil && !hasValue && !isBool(known) && len(line) == 1:
			return cmd, positional, known
		case strings.HasPrefix(word, "-") && word != "-":
			rest, err := flags.parseFlag(line)
			if err != nil {
				rest = line[1:]
			}
			line = rest
			continue
		case cmd != nil:
			positional = append(positional, word)
		default:
			if cmd, _ = findCommand(word); cmd != nil && cmd.flags != nil {
				cmd.flags(flags)
			}
		}
		line = line[1:]
	}
	return cmd, positional, nil
}

func (c *completer) offer(typed string, words ...string) {
	for _, word := range words {
		if strings.HasPrefix(word, typed) && word == term.Line(word) && len(c.words) < maxOffered {
			c.words = append(c.words, word)
		}
	}
}

func (c *completer) offerCommands(typed string) {
	for _, known := range commands() {
		if !known.hidden {
			c.offer(typed, known.name)
		}
	}
}

func (c *completer) offerFlags(flags *flagSet, typed string) {
	flags.VisitAll(func(f *flag.Flag) {
		if f.Usage != "" {
			c.offer(typed, dashed(f.Name))
		}
	})
}

// offerValue offers values for a flag. Before the command, cmd is nil.
func (c *completer) offerValue(ctx context.Context, cmd *command, f *flag.Flag, typed string) {
	switch f.Name {
	case "as":
		if cmd != nil && cmd.name == "cite" {
			c.offer(typed, citeForms...)
		} else {
			c.offer(typed, "pdf")
		}
	case "text":
		if cmd != nil && cmd.name == "verify" {
			c.kind = files
		}
	case "from":
		c.offer(typed, citeSources...)
	case "by":
		c.offer(typed, "passages", "nodes", "resources")
	case "dir", "root", "maps-dir", "output-dir":
		c.kind = directories
	case "output", "o", "config", "keys", "key-file", "log-file", "audit-log", "tls-cert", "tls-key":
		c.kind = files
	case "source":
		c.offerSources(typed)
	case "adapter":
		c.kind = files
		c.offer(typed, mapadapter.Names()...)
	case "type", "t":
		c.offer(typed, "document", "video", "audio", "image", "text")
	case "mapper", "m":
		c.kind = files
		c.offer(typed, "structure", "gemini", "openai")
	case "mode":
		c.offer(typed, string(citekit.ModeExact), string(citekit.ModeCopy), string(citekit.ModeStrict))
	case "log-level":
		c.offer(typed, "debug", "info", "warn", "error")
	case "log-format":
		c.offer(typed, "text", "json")
	case "transport":
		c.offer(typed, transportStdio, transportHTTP)
	case "resource", "document":
		c.offerResources(ctx, typed, "")
	case "toolsets":
		c.offerInList(typed, mcpadapter.Toolsets())
	case "tools":
		c.offerInList(typed, mcpadapter.ToolNames())
	}
}

// offerInList offers words for the last element of a comma-separated list.
func (c *completer) offerInList(typed string, words []string) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	for _, word := range words {
		c.offer(typed, before+word)
	}
}

func (c *completer) offerArguments(ctx context.Context, cmd *command, positional []string, typed string) {
	if cmd.maxArgs >= 0 && len(positional) >= cmd.maxArgs {
		return
	}
	switch cmd.name {
	case "ingest", "allowed":
		c.offerSources(typed)
	case "adapt":
		c.kind = files
	case "resolve":
		c.kind = files
		c.offerNodes(ctx, typed)
	case "inspect", "read", "cite", "verify", "similar":
		c.offerNodes(ctx, typed)
	case "list", "structure", "context", "rm":
		c.offerResources(ctx, typed, "")
	case "check-map":
		c.kind = files
		c.offerResources(ctx, typed, "")
	case "completion":
		if len(positional) == 0 {
			c.offer(typed, "install")
		}
		if len(positional) == 0 || positional[0] == "install" {
			c.offer(typed, "bash", "zsh", "fish")
		}
	case "man":
		c.kind = directories
	case "help":
		if len(positional) == 0 {
			c.offerCommands(typed)
		} else if about, err := findCommand(positional[0]); err == nil {
			c.offer(typed, about.actions...)
		}
	case "key":
		c.offerKeys(ctx, positional, typed)
	}
}

// offerSources offers paths relative to the base directory. If that is the working
// directory, it leaves paths to the shell.
func (c *completer) offerSources(typed string) {
	base, err := filepath.Abs(c.dir)
	here, hereErr := os.Getwd()
	if err != nil || hereErr != nil || resolveLinks(base) == resolveLinks(here) || filepath.IsAbs(typed) || strings.HasPrefix(typed, "~") {
		c.kind = files
		return
	}
	dir, start := filepath.Split(typed)
	entries, err := os.ReadDir(filepath.Join(base, dir))
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(start, ".") {
			continue
		}
		name := dir + e.Name()
		if info, err := os.Stat(filepath.Join(base, name)); err == nil && info.IsDir() {
			name += string(filepath.Separator)
		}
		c.offer(typed, name)
	}
}

// offerResources offers the ids of resources, each followed by suffix.
func (c *completer) offerResources(ctx context.Context, typed, suffix string) {
	lib, err := c.open()
	if err != nil {
		return
	}
	defer lib.Close()
	ids, _ := lib.Resources(ctx)
	for _, id := range ids {
		c.offer(typed, id+suffix)
	}
}

// offerNodes offers the nodes of the resource in typed, or resources if typed names
// none yet.
func (c *completer) offerNodes(ctx context.Context, typed string) {
	lib, err := c.open()
	if err != nil {
		return
	}
	defer lib.Close()
	ids, _ := lib.Resources(ctx)
	if scheme, _, ok := strings.Cut(typed, "://"); ok {
		c.offerAddresses(ctx, lib, ids, scheme, typed)
		return
	}
	for end := strings.LastIndexByte(typed, '.'); end > 0; end = strings.LastIndexByte(typed[:end], '.') {
		if _, exists := slices.BinarySearch(ids, typed[:end]); !exists {
			continue
		}
		m, err := lib.Map(ctx, typed[:end])
		if err != nil {
			continue
		}
		for n := range m.All() {
			c.offer(typed, typed[:end]+"."+n.ID)
		}
	}
	if len(c.words) == 0 {
		for _, id := range ids {
			c.offer(typed, id+".")
		}
	}
}

// mostAddressed is how many maps are read for addresses.
const mostAddressed = 1000

// offerAddresses offers the addresses of the resources whose addresses have a scheme.
func (c *completer) offerAddresses(ctx context.Context, lib *citekit.Library, ids []string, scheme, typed string) {
	read := 0
	for _, id := range ids {
		for _, m := range citekit.Modalities() {
			address := citekit.Address{Resource: id, Location: citekit.Location{Modality: m}}.String()
			if schemeOf(m) != scheme || !strings.HasPrefix(address, typed) {
				continue
			}
			read++
			if about, err := lib.Map(ctx, id); err == nil && about.Type == m {
				c.offer(typed, address)
			}
		}
		if ctx.Err() != nil || len(c.words) >= maxOffered || read >= mostAddressed {
			return
		}
	}
}
