package ooxml

import "strings"

// symbolFont are the characters of the font Symbol from 0x20 to 0x7E, and from 0xA0 to 0xFE.
var symbolFont = [2][]rune{
	[]rune(" !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"),
	[]rune("€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"),
}

// wingdings are characters of fonts of pictures, by the names of the fonts in lower case.
var wingdings = map[string]map[rune]rune{
	"wingdings": {
		' ': ' ', '"': '✂', '(': '☎', '*': '✉', 'J': '☺', 'K': '😐', 'L': '☹', 'l': '●', 'm': '❍', 'n': '■', 'o': '□', 'q': '❑', 'u': '◆', 'v': '❖', 'x': '⌧',
		0x80: '⓪', 0x81: '①', 0x82: '②', 0x83: '③', 0x84: '④', 0x85: '⑤', 0x86: '⑥', 0x87: '⑦', 0x88: '⑧', 0x89: '⑨', 0x8a: '⑩',
		0x8b: '⓿', 0x8c: '❶', 0x8d: '❷', 0x8e: '❸', 0x8f: '❹', 0x90: '❺', 0x91: '❻', 0x92: '❼', 0x93: '❽', 0x94: '❾', 0x95: '❿',
		0x9e: '·', 0x9f: '•', 0xa7: '▪', 0xa8: '◻', 0xab: '★', 0xd8: '➢', 0xdf: '←', 0xe0: '→', 0xe1: '↑', 0xe2: '↓', 0xe8: '➔', 0xef: '⇦', 0xf0: '⇨', 0xf1: '⇧', 0xf2: '⇩', 0xf3: '⬄',
		0xfb: '✗', 0xfc: '✓', 0xfd: '☒', 0xfe: '☑',
	},
	"wingdings 2": {
		' ': ' ', 'O': '✗', 'P': '✓', 'Q': '☒', 'R': '☑', 'S': '☒', 'T': '☒', 0xa2: '■', 0xa3: '□',
	},
}

// Unknown stands for a symbol of which only a font knows the meaning.
const Unknown = '\ufffd'

// Symbol returns the character that a font shows for r, which is [Unknown] if only the font
// knows. Fonts of symbols have theirs from 0x20 to 0xFE, and from U+F020.
func Symbol(font string, r rune) rune {
	isPrivate := r >= 0xe000 && r <= 0xf8ff
	code := r
	if r >= 0xf000 && r <= 0xf0ff {
		code -= 0xf000
	}
	font = strings.ToLower(strings.TrimSpace(font))
	pictures, known := wingdings[font]
	switch {
	case code >= 0x100:
	case font == "symbol" && code >= 0xa0 && int(code-0xa0) < len(symbolFont[1]):
		return symbolFont[1][code-0xa0]
	case font == "symbol" && code >= ' ' && int(code-' ') < len(symbolFont[0]):
		return symbolFont[0][code-' ']
	case known || font == "symbol" || strings.HasPrefix(font, "wingdings") || strings.HasPrefix(font, "webdings"):
		if p, ok := pictures[code]; ok {
			return p
		}
		return Unknown
	}
	if isPrivate {
		return Unknown
	}
	return r
}

// Symbols returns text in a font with the symbols that are private to fonts as [Symbol] has
// them. Other characters, and symbols that are not known, stay.
func Symbols(font, text string) string {
	if !strings.ContainsFunc(text, isOfFont) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if isOfFont(r) {
			if s := Symbol(font, r); s != Unknown {
				return s
			}
		}
		return r
	}, text)
}

func isOfFont(r rune) bool { return r >= 0xf000 && r <= 0xf0ff }
