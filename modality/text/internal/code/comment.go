package code

import (
	"bytes"
	"slices"
	"strings"
)

// docBytes is how much of a comment is read for a summary.
const docBytes = 4 << 10

// commentText returns the first paragraph of comment, without its markers. comment
// is one block comment or a run of line comments. Lines without a letter or digit
// are left out, and so is text that a tag such as "@param" or "\param" begins. Of
// a long comment only the start is read.
func commentText(comment []byte) string {
	if len(comment) > docBytes {
		comment = comment[:docBytes]
	}
	var b strings.Builder
	for line := range bytes.Lines(comment) {
		text := commentLine(line)
		if isUnderline(text) && bytes.Count([]byte(b.String()), lineFeed) == 1 {
			b.Reset() // the text before is an underlined heading
			continue
		}
		if isField(text) {
			break
		}
		if tag := tagOf(text); tag != "" {
			if !introducingTags[tag] {
				break
			}
			text = bytes.TrimSpace(text[1+len(tag):])
		}
		switch {
		case len(text) > 0 && hasWord(text):
			b.Write(text)
			b.WriteByte('\n')
		case b.Len() > 0:
			return strings.TrimSpace(b.String())
		}
	}
	return strings.TrimSpace(b.String())
}

// commentLine returns a line of a comment without its markers.
func commentLine(line []byte) []byte {
	line = bytes.TrimSpace(line)
	line = bytes.TrimSuffix(line, []byte("*/"))
	line = bytes.TrimLeft(line, "/*#!<-;")
	return bytes.TrimSpace(bytes.TrimRight(line, "*"))
}

// tagOf returns the name of the tag that text begins with, or "".
func tagOf(text []byte) string {
	if len(text) < 2 || text[0] != '@' && text[0] != '\\' {
		return ""
	}
	end := 1
	for end < len(text) && (isLetter(text[end]) || text[end] == '-') {
		end++
	}
	return string(text[1:end])
}

// introducingTags are the tags before text that describes the documented symbol.
var introducingTags = wordSet(`brief short summary description desc details file fileoverview overview`)

// isField reports whether text is a field such as ":param x:", a directive such as
// ":nodoc:", or a note that the comment is inherited.
func isField(text []byte) bool {
	if len(text) > 2 && text[0] == ':' && isLetter(text[1]) {
		return bytes.IndexByte(text[1:], ':') > 0
	}
	return bytes.HasPrefix(text, []byte("{@"))
}

// isUnderline reports whether text repeats one character.
func isUnderline(text []byte) bool {
	return len(text) > 2 && bytes.IndexByte([]byte("=-~^"), text[0]) >= 0 && len(bytes.Trim(text, string(text[:1]))) == 0
}

// hasWord reports whether text has a letter or digit.
func hasWord(text []byte) bool {
	return slices.ContainsFunc(text, func(c byte) bool { return isLetter(c) || isDigit(c) })
}

// A commentRun is the latest comment that has its lines to itself: a block
// comment, or a run of line comments on consecutive lines.
type commentRun struct {
	start, end int
	seen       int  // end of the latest comment of any kind
	begins     bool // a line ends between the last token and seen
}

// add records a comment from start to end. The last token before it ended at
// prevEnd.
func (r *commentRun) add(src []byte, prevEnd, start, end int) {
	if start < r.seen {
		return // already read
	}
	follows := r.seen > prevEnd && r.end == r.seen
	between := bytes.Count(src[max(r.seen, prevEnd):start], lineFeed)
	begins := between > 0 || prevEnd == 0 || r.seen > prevEnd && r.begins
	r.seen, r.begins = end, begins || bytes.IndexByte(src[start:end], '\n') >= 0
	switch {
	case !begins:
		r.start, r.end = 0, 0 // it describes the code before it
	case follows && between <= 1 && isLineComment(src[r.start:]) && isLineComment(src[start:]) && src[r.start] == src[start]:
		r.end = end
	default:
		r.start, r.end = start, end
	}
}

// isLineComment reports whether the comment at the start of src ends with its
// line.
func isLineComment(src []byte) bool { return len(src) < 2 || src[1] != '*' }

// text returns the text of the comment if the code at start follows it without a
// blank line between.
func (r commentRun) text(src []byte, start int) string {
	if r.end == 0 || r.end > start {
		return ""
	}
	between := src[r.end:start]
	if len(bytes.TrimSpace(between)) > 0 || bytes.Count(between, lineFeed) > 1 {
		return ""
	}
	return commentText(src[r.start:r.end])
}

// fileComment returns the text of the comment that documents a whole source: the
// first one that a blank line sets off or that says so, except copyright notices.
// Comments begin with "#", or with "//" or "/*".
func fileComment(src []byte) string {
	for range 3 {
		src = bytes.TrimLeft(src, " \t\r\n")
		end := commentEnd(src)
		if end == 0 {
			return ""
		}
		comment := src[:end]
		src = src[end:]
		rest := bytes.TrimLeft(src, " \t\r")
		setOff := len(rest) < 2 || rest[0] == '\n' && len(bytes.TrimLeft(rest[1:], " \t\r")) > 0 && bytes.TrimLeft(rest[1:], " \t\r")[0] == '\n'
		if isNotice(comment) || !setOff && !bytes.Contains(comment, []byte("@file")) && !bytes.Contains(comment, []byte("@module")) {
			continue
		}
		if text := commentText(comment); text != "" {
			return text
		}
	}
	return ""
}

// commentEnd returns the end of the comment, or run of line comments, at the start
// of src; 0 if there is none.
func commentEnd(src []byte) int {
	if bytes.HasPrefix(src, []byte("/*")) {
		return slashCommentEnd(src, 0)
	}
	end := 0
	for i := 0; i < len(src) && (src[i] == '#' && !bytes.HasPrefix(src[i:], []byte("#[")) || bytes.HasPrefix(src[i:], []byte("//"))); {
		if end = lineEnd(src, i); end == len(src) {
			return end
		}
		i = spaceEnd(src, end+1)
	}
	return end
}

// isNotice reports whether a comment is a copyright or license notice.
func isNotice(comment []byte) bool {
	comment = bytes.ToLower(comment[:min(len(comment), docBytes)])
	return slices.ContainsFunc(notices, func(words string) bool { return bytes.Contains(comment, []byte(words)) })
}

// notices are words that notices have, and lines for programs.
var notices = []string{
	"copyright", "license", "licence", "spdx-", "(c) ", "all rights reserved", "eslint", "generated by", "@ts-", "vim:", "-*-",
	"shellcheck", "frozen_string_literal", "frozen-string-literal", "coding:",
}
