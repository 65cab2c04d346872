package sniff

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

var formatText = Format{ID: "text", Name: "text", Kind: Text, MediaType: "text/plain", Ext: ".txt"}

// markedText knows text with the byte order mark of UTF-16 or UTF-32. The
// units after the mark decide, for the marks are also the beginnings of
// frames of sound.
func markedText(h head) (Format, error) {
	for _, m := range []struct {
		mark       string
		width, low int // bytes of a unit, and which of them is the lowest
	}{
		{"\xff\xfe\x00\x00", 4, 0}, {"\x00\x00\xfe\xff", 4, 3}, {"\xff\xfe", 2, 0}, {"\xfe\xff", 2, 1},
	} {
		if bytes.HasPrefix(h.b, []byte(m.mark)) && isWide(h.b[len(m.mark):], m.width, m.low) {
			return formatText, nil
		}
	}
	return Format{}, nil
}

// isWide reports whether few units are control characters.
func isWide(b []byte, width, low int) bool {
	units, odd := 0, 0
	for ; len(b) >= width; b = b[width:] {
		units++
		rest := 0
		for i, c := range b[:width] {
			if i != low {
				rest |= int(c)
			}
		}
		if rest == 0 && isControl(b[low]) {
			odd++
		}
	}
	return odd*10 <= units
}

func isControlRune(r rune) bool { return r < utf8.RuneSelf && isControl(byte(r)) }

func isControl(c byte) bool {
	return c < 0x20 && strings.IndexByte("\a\b\t\n\v\f\r\x1b", c) < 0
}

// isText reports whether b is plain text in UTF-8. Its last character may be cut
// off.
func isText(b []byte) bool {
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if isControl(c) {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return len(b)-i < utf8.UTFMax && !utf8.FullRune(b[i:])
		}
		i += n
	}
	return len(b) > 0
}

// textual are formats that are text, which some take for media or pictures.
var textual = []struct {
	sign string
	Format
}{
	{"#EXTM3U", Format{ID: "m3u", Name: "an HLS playlist", MediaType: "application/vnd.apple.mpegurl", Ext: ".m3u8"}},
	{"ffconcat", Format{ID: "ffconcat", Name: "a list of files to join"}},
	{"v=0", Format{ID: "sdp", Name: "a session description (SDP)", MediaType: "application/sdp", Ext: ".sdp"}},
	{"WEBVTT", Format{ID: "vtt", Name: "WebVTT subtitles", MediaType: "text/vtt", Ext: ".vtt"}},
	{"[Script Info]", Format{ID: "ass", Name: "ASS subtitles", Ext: ".ass"}},
	{"push graphic-context", Format{ID: "mvg", Name: "an MVG drawing", MediaType: "image/x-mvg", Ext: ".mvg"}},
	{"viewbox ", Format{ID: "mvg", Name: "an MVG drawing", MediaType: "image/x-mvg", Ext: ".mvg"}},
	{"%!PS", Format{ID: "ps", Name: "a PostScript program", MediaType: "application/postscript", Ext: ".ps", Office: "PS"}},
	{`{\rtf`, Format{ID: "rtf", Name: "an RTF document", MediaType: "application/rtf", Ext: ".rtf", Office: "RTF"}},
	{"<MPD", Format{ID: "mpd", Name: "a DASH manifest", MediaType: "application/dash+xml", Ext: ".mpd"}},
	{"<?xml", Format{ID: "xml", Name: "XML, such as a DASH manifest", MediaType: "application/xml", Ext: ".xml"}},
	{"<", Format{ID: "html", Name: "a document in HTML or XML"}},
}

// plainText knows what is text to its look. Only the name for messages differs.
func plainText(h head) (Format, error) {
	if !h.text {
		return Format{}, nil
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(h.b, []byte("\xef\xbb\xbf")), " \t\r\n")
	if bytes.HasPrefix(text, []byte("<")) && bytes.Contains(bytes.ToLower(text), []byte("<svg")) {
		return Format{ID: "svg", Name: "an SVG drawing", Kind: Text, MediaType: "image/svg+xml", Ext: ".svg"}, nil
	}
	if isAnymap(text) {
		return Format{ID: "anymap", Name: "a portable anymap", Kind: Text, MediaType: "image/x-portable-anymap", Ext: ".pnm"}, nil
	}
	for _, f := range textual {
		if bytes.HasPrefix(text, []byte(f.sign)) {
			f.Kind = Text
			return f.Format, nil
		}
	}
	return formatText, nil
}

// legacyText takes for text what has none of the characters that no text has,
// of whatever encoding.
func legacyText(h head) (Format, error) {
	if h.binary {
		return Format{}, nil
	}
	return formatText, nil
}

// isAnymap reports whether b begins as a PBM, PGM, PPM or PAM file.
func isAnymap(b []byte) bool {
	if len(b) < 4 || b[0] != 'P' || b[1] < '1' || b[1] > '7' || strings.IndexByte(" \t\r\n", b[2]) < 0 {
		return false
	}
	return isDigit(b[3]) || b[3] == '#' || b[1] == '7'
}
