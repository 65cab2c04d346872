package command

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/mapadapter"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/search"
)

// What a shell should offer besides the words.
const (
	onlyWords   = cobra.ShellCompDirectiveNoFileComp
	files       = cobra.ShellCompDirectiveDefault
	directories = cobra.ShellCompDirectiveFilterDirs
)

const maxOffered = 1000 // words

// A completer finds the words that may come next.
type completer struct {
	*session
	command *cobra.Command // the root before a command
	kind    cobra.ShellCompDirective
	words   []string
}

// addCompletion lets all commands complete their arguments and the values of flags.
func (s *session) addCompletion(root *cobra.Command) {
	for _, c := range append(root.Commands(), root) {
		c.ValidArgsFunction = s.completion((*completer).offerArguments)
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			c.RegisterFlagCompletionFunc(f.Name, s.completion(func(c *completer, ctx context.Context, _ []string, typed string) {
				c.offerValue(ctx, f.Name, typed)
			}))
		})
	}
}

// completion returns the function of a command that offers words.
func (s *session) completion(offer func(*completer, context.Context, []string, string)) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		c := completer{session: s, command: command, kind: onlyWords}
		if s.chooseWorkspace() != nil {
			return nil, onlyWords
		}
		offer(&c, command.Context(), args, typed)
		if c.kind == files && len(c.words) > 0 {
			c.offerFiles(typed) // shells look for files only if there are no words
		}
		if len(c.words) == 1 && (strings.HasSuffix(c.words[0], ".") || strings.HasSuffix(c.words[0], "/")) {
			c.kind |= cobra.ShellCompDirectiveNoSpace
		}
		return c.words, c.kind
	}
}

func (c *completer) offer(typed string, words ...string) {
	for _, word := range words {
		if strings.HasPrefix(word, typed) && word == term.Line(word) && len(c.words) < maxOffered {
			c.words = append(c.words, word)
		}
	}
}

// offerFiles offers the files and folders whose paths begin with what was typed.
func (c *completer) offerFiles(typed string) {
	folder, name := filepath.Split(typed)
	entries, _ := os.ReadDir(cmp.Or(folder, ".")) // of a folder that cannot be read, none
	for _, e := range entries {
		path := folder + e.Name()
		if e.IsDir() {
			path += string(filepath.Separator)
		}
		if strings.HasPrefix(name, ".") || !strings.HasPrefix(e.Name(), ".") {
			c.offer(typed, path)
		}
	}
}

// offerValue offers values for a flag.
func (c *completer) offerValue(ctx context.Context, flag, typed string) {
	switch flag {
	case "as":
		if c.command.Name() == "cite" {
			written, _ := citeFormNames()
			c.offer(typed, written...)
		} else {
			c.offer(typed, "pdf")
		}
	case "text":
		if c.command.Name() == "verify" {
			c.kind = files
		}
	case "from":
		_, read := citeFormNames()
		c.offer(typed, read...)
	case "by":
		c.offer(typed, "passages", "nodes", "resources")
	case "dir", "root", "maps-dir", "output-dir", "workspace":
		c.kind = directories
	case "output", "config", "keys", "key-file", "log-file", "audit-log", "tls-cert", "tls-key":
		c.kind = files
	case "source":
		c.offerSources(typed)
	case "adapter":
		c.kind = files
		c.offer(typed, mapadapter.Names()...)
	case "type":
		c.offer(typed, "document", "video", "audio", "image", "text")
	case "mapper":
		c.kind = files
		c.offer(typed, "structure", "gemini", "openai")
	case "transcriber":
		c.kind = files
		c.offer(typed, "whisper.cpp", "openai-whisper", "faster-whisper", "vosk", "pocketsphinx")
	case "mode":
		if c.command.Name() == "resolve" {
			c.offer(typed, string(citekit.ModeExact), string(citekit.ModeCopy), string(citekit.ModeStrict))
		} else {
			c.offer(typed, string(search.Auto), string(search.Knowledge), string(search.Graph), string(search.Hybrid))
		}
	case "log-level":
		c.offer(typed, "debug", "info", "warn", "error")
	case "log-format":
		c.offer(typed, "text", "json")
	case "transport":
		c.offer(typed, transportStdio, transportHTTP, transportSSE)
	case "resource", "document":
		c.offerResources(ctx, typed)
	case "toolsets":
		c.offerInList(typed, mcpadapter.Toolsets())
	case "tools":
		c.offerInList(typed, corpus.Toolsets().Tools())
	case "dialect":
		c.offerInList(typed, corpus.Dialects())
	}
}

// offerInList offers words for the last element of a comma-separated list.
func (c *completer) offerInList(typed string, words []string) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	for _, word := range words {
		c.offer(typed, before+word)
	}
}

func (c *completer) offerArguments(ctx context.Context, positional []string, typed string) {
	if c.command.ValidateArgs(append(positional, typed)) != nil {
		return // it takes no more
	}
	switch c.command.Name() {
	case "ingest", "allowed":
		c.offerSources(typed)
	case "adapt", "dossier":
		c.kind = files
	case "resolve":
		c.kind = files
		c.offerNodes(ctx, typed)
	case "inspect", "read", "cite", "verify", "similar":
		c.offerNodes(ctx, typed)
	case "list", "structure", "context", "rm":
		c.offerResources(ctx, typed)
	case "check-map":
		c.kind = files
		c.offerResources(ctx, typed)
	case "completion":
		if len(positional) == 0 {
			c.offer(typed, "install")
		}
		if len(positional) == 0 || positional[0] == "install" {
			c.offer(typed, "bash", "zsh", "fish")
		}
	case "man", "copy":
		c.kind = directories
	case "help":
		if len(positional) == 0 {
			for _, known := range c.command.Root().Commands() {
				c.offer(typed, known.Name())
			}
		} else {
			c.offer(typed, actionsOf[positional[0]]...)
		}
	case "key":
		c.offerKeys(ctx, positional, typed)
	}
}

// schemeOf returns the scheme of addresses of a modality, such as "doc".
func schemeOf(m citekit.Modality) string {
	scheme, _, _ := strings.Cut(citekit.Address{Resource: "x", Location: citekit.Location{Modality: m}}.String(), "://")
	return scheme
}

// offerSources offers paths relative to the base directory. If that is the working
// directory, it leaves paths to the shell.
func (c *completer) offerSources(typed string) {
	if c.storeURL != "" {
		return
	}
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

// offerResources offers the ids of resources.
func (c *completer) offerResources(ctx context.Context, typed string) {
	lib, err := c.open()
	if err != nil {
		return
	}
	defer lib.Close()
	ids, _ := lib.Resources(ctx)
	c.offer(typed, ids...)
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
		for _, m := range lib.Modalities() {
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
