package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// An origin is one file of the list: where it is published and what it is.
type origin struct {
	hash   string // SHA-256 in hex, or "-" if it is not known yet
	format string // extension without its dot
	repo   string // owner/name
	commit string
	path   string // within the repository; one that ends with / is packed
}

func (o origin) String() string {
	return fmt.Sprintf("%s\t%s\t%s@%s:%s", o.hash, o.format, o.repo, o.commit, o.path)
}

// fileName is what a file of the list is called in the folder.
func (o origin) fileName() string { return o.hash[:min(16, len(o.hash))] + "." + o.format }

// readList reads lines of a hash, a format and an origin, with tabs between
// them. Lines that begin with # are comments.
func readList(name string) ([]origin, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []origin
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") || lines.Text() == "" {
			continue
		}
		o, ok := parseOrigin(lines.Text())
		if !ok {
			return nil, fmt.Errorf("%s:%d: not a line of hash, format and owner/name@commit:path", name, n)
		}
		list = append(list, o)
	}
	return list, lines.Err()
}

func parseOrigin(line string) (o origin, ok bool) {
	fields := strings.SplitN(line, "\t", 3)
	if len(fields) != 3 {
		return origin{}, false
	}
	o.hash, o.format = fields[0], fields[1]
	rest, path, ok := strings.Cut(fields[2], ":")
	if !ok {
		return origin{}, false
	}
	o.path = path
	o.repo, o.commit, ok = strings.Cut(rest, "@")
	return o, ok
}
