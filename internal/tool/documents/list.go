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

// String returns the line of a file.
func (o origin) String() string {
	return fmt.Sprintf("%s\t%s\t%s", o.hash, o.format, o.path)
}

// fileName is what a file of the list is called in the folder.
func (o origin) fileName() string { return o.hash[:min(16, len(o.hash))] + "." + o.format }

// readList reads the list. A line of an at sign, a repository, a commit and a
// licence, with tabs between them, is followed by lines of a hash, a format and
// a path in it. Lines that begin with # are comments.
func readList(name string) ([]origin, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []origin
	var of origin // the repository
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		fields := strings.SplitN(lines.Text(), "\t", 4)
		switch {
		case strings.HasPrefix(lines.Text(), "#") || lines.Text() == "":
		case len(fields) == 4 && fields[0] == "@":
			of = origin{repo: fields[1], commit: fields[2]}
		case len(fields) == 3 && of.repo != "":
			list = append(list, origin{hash: fields[0], format: fields[1], repo: of.repo, commit: of.commit, path: fields[2]})
		default:
			return nil, fmt.Errorf("%s:%d: neither a repository nor a file", name, n)
		}
	}
	return list, lines.Err()
}
