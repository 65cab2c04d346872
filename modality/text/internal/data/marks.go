package data

import (
	"bytes"
	"strings"
)

// A marker recognizes the lines that begin parts in one kind of text, such as the
// files in a diff. It returns the title of the part.
type marker func(line []byte) (title string, ok bool)

// markerOf returns the marker for text that begins like sample, or nil.
func markerOf(sample []byte) marker {
	sample = sample[:min(len(sample), sampleBytes)]
	has := func(start string) bool {
		return bytes.HasPrefix(sample, []byte(start)) || bytes.Contains(sample, []byte("\n"+start))
	}
	switch {
	case has("diff --git "):
		return gitDiff
	case has("--- ") && has("+++ ") && has("@@ -"):
		return plainDiff
	case bytes.HasPrefix(sample, []byte("From ")) && (has("From: ") || has("Subject: ")):
		return mailbox
	case bytes.HasPrefix(sample, []byte(".\\\"")), bytes.HasPrefix(sample, []byte("'\\\"")), has(".TH "), has(".Dd "):
		return manual
	case has("=head1 "):
		return pod
	}
	return nil
}

// gitDiff marks the files in a diff written by Git.
func gitDiff(line []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(line, []byte("diff --git "))
	if !ok {
		return "", false
	}
	if i := bytes.LastIndex(rest, []byte(" b/")); i >= 0 {
		rest = rest[i+len(" b/"):]
	}
	return title(string(rest)), true
}

// plainDiff marks the files in any other unified diff.
func plainDiff(line []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(line, []byte("--- "))
	if !ok {
		return "", false
	}
	name, _, _ := bytes.Cut(rest, []byte("\t"))
	return title(string(name)), true
}

// mailbox marks the messages in a mailbox. Their subjects become titles.
func mailbox(line []byte) (string, bool) {
	return "", bytes.HasPrefix(line, []byte("From ")) && bytes.Count(line, []byte(":")) >= 2
}

// manual marks the sections of a manual page.
func manual(line []byte) (string, bool) {
	for _, macro := range []string{".SH ", ".Sh "} {
		if rest, ok := bytes.CutPrefix(line, []byte(macro)); ok {
			return title(strings.ReplaceAll(string(rest), `"`, "")), true
		}
	}
	return "", false
}

// pod marks the sections of Perl documentation.
func pod(line []byte) (string, bool) {
	for _, command := range []string{"=head1 ", "=head2 "} {
		if rest, ok := bytes.CutPrefix(line, []byte(command)); ok {
			return title(string(rest)), true
		}
	}
	return "", false
}

// subject returns the subject in a header line of a message.
func subject(line []byte) string {
	rest, _ := bytes.CutPrefix(line, []byte("Subject: "))
	if len(rest) == len(line) {
		return ""
	}
	return title(string(rest))
}
