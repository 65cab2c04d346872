package main

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

// leaks finds what a cut has that its address does not say: parts that nothing
// leads to, the properties of the document, and texts of other places.
func (m *measurement) leaks(t *table, r *fileReport, loc citekit.Location, cut []byte, text string) {
	parts, err := unzip(cut)
	if err != nil {
		if r.format != "eml" && r.format != "mbox" {
			m.found(t, "cut is no ZIP", r.path, "%+v: %v", loc, err)
		}
		return
	}
	if parts["[Content_Types].xml"] != nil {
		if lost := unreached(parts); len(lost) > 0 {
			m.found(t, "leak: unreached parts", r.path, "%+v: %v", loc, lost)
		}
	}
	for name := range parts {
		if strings.HasPrefix(name, "docProps/") || name == "meta.xml" || strings.Contains(name, "vbaProject") || strings.Contains(name, "activeX") {
			m.found(t, "leak: "+path.Base(name), r.path, "%+v", loc)
		}
	}
	all := strings.Builder{}
	for _, name := range sortedNames(parts) {
		if isXML(name) && !isCommon(name) {
			all.WriteString(plainText(withoutHead(parts[name])))
		}
	}
	kept := squeezed(text)
	cutText := squeezed(all.String())
	for _, secret := range r.secrets(loc) {
		if s := squeezed(secret.text); len(s) >= 16 && !strings.Contains(kept, s) && strings.Contains(cutText, s) {
			m.found(t, "leak: text of "+secret.of, r.path, "%+v: %q", loc, clip(secret.text, 80))
			return
		}
	}
}

func sortedNames(parts map[string][]byte) (names []string) {
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func isXML(name string) bool {
	return slices.Contains([]string{".xml", ".xhtml", ".html", ".htm", ".ncx", ".opf", ".rels", ".vml"}, strings.ToLower(path.Ext(name)))
}

// isCommon reports whether a part may have text that is not of one place: that
// of each page, and the name and contents of a book.
func isCommon(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(name, "word/header") || strings.HasPrefix(name, "word/footer") ||
		slices.Contains([]string{".opf", ".ncx"}, path.Ext(name)) || strings.Contains(strings.ToLower(base), "nav") || strings.Contains(base, "toc")
}

// withoutHead leaves out the head of a page: the title of a part of a book and
// its styles and scripts, which stay with any block of it, often say what stands
// elsewhere in the part, too.
func withoutHead(page []byte) []byte {
	start, end := bytes.Index(page, []byte("<head>")), bytes.Index(page, []byte("</head>"))
	if start < 0 || end < start {
		return page
	}
	return slices.Concat(page[:start], page[end:])
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

func unzip(data []byte) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	parts := make(map[string][]byte)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(io.LimitReader(r, 256<<20))
		r.Close()
		if err != nil {
			return nil, err
		}
		parts[f.Name] = b
	}
	return parts, nil
}

// unreached lists the parts of a package that no relationship leads to. The
// names of parts are the same in any case of their letters (ISO/IEC 29500-2,
// section 6.2.2.3).
func unreached(stored map[string][]byte) (lost []string) {
	parts := make(map[string][]byte, len(stored))
	for name, data := range stored {
		parts[strings.ToLower(name)] = data
	}
	reached := map[string]bool{"[content_types].xml": true, "_rels/.rels": true}
	var follow func(part string)
	follow = func(part string) {
		rels := path.Join(path.Dir(part), "_rels", path.Base(part)+".rels")
		if part == "" {
			rels = "_rels/.rels"
		}
		reached[rels] = true
		for _, target := range targets(part, parts[rels]) {
			if parts[target] != nil && !reached[target] {
				reached[target] = true
				follow(target)
			}
		}
	}
	follow("")
	for _, name := range sortedNames(parts) {
		if !reached[name] && !strings.HasSuffix(name, "/") {
			lost = append(lost, name)
		}
	}
	return lost
}

func targets(part string, rels []byte) (names []string) {
	var list struct {
		Relationship []struct {
			Target     string `xml:",attr"`
			TargetMode string `xml:",attr"`
		}
	}
	if xml.Unmarshal(rels, &list) != nil {
		return nil
	}
	for _, rel := range list.Relationship {
		target, _, _ := strings.Cut(rel.Target, "#")
		if rel.TargetMode == "External" || target == "" {
			continue
		}
		if !strings.HasPrefix(target, "/") {
			target = path.Join(path.Dir(part), target)
		}
		names = append(names, strings.ToLower(strings.TrimPrefix(target, "/")))
	}
	return names
}

// plainText returns the text of XML without its tags, whatever they mean.
func plainText(data []byte) string {
	var b strings.Builder
	for len(data) > 0 {
		i := bytes.IndexByte(data, '<')
		if i < 0 {
			i = len(data)
		}
		b.Write(data[:i])
		data = data[i:]
		if end := bytes.IndexByte(data, '>'); end >= 0 {
			data = data[end+1:]
		} else {
			break
		}
	}
	return entities.Replace(b.String())
}

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&#39;", "'", "&amp;", "&", "&#10;", "\n", "&#xA;", "\n", "&#160;", "\u00a0", "&nbsp;", "\u00a0")

// A secret is a text that a cut must not have.
type secret struct{ of, text string }

// secrets lists the lines of all runs outside a location, and the texts of
// notes and comments of the source that no run outside has: those of a cut are
// found in its own text, as they are in ReadText.
func (r *fileReport) secrets(loc citekit.Location) (list []secret) {
	own := make(map[string]bool)
	for _, run := range r.runs {
		if !within(loc, run.Location) {
			continue
		}
		for line := range strings.FieldsFuncSeq(run.Text, isBreak) {
			own[line] = true
		}
	}
	for _, run := range r.runs {
		if within(loc, run.Location) {
			continue
		}
		for line := range strings.FieldsFuncSeq(run.Text, isBreak) {
			if utf8.RuneCountInString(line) >= 16 && !own[line] {
				list = append(list, secret{"another place", line})
			}
		}
		if len(list) > 2000 {
			break
		}
	}
	return list
}

func isBreak(c rune) bool { return c == '\n' || c == '\t' }

func within(loc, run citekit.Location) bool {
	return loc.Contains(run) || run.Contains(loc)
}
