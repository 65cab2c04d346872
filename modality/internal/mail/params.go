package mail

import (
	"cmp"
	"strconv"
	"strings"
)

// A value is what a field such as Content-Type says: a word and parameters.
type value struct {
	word   string // in lower case, without blanks
	params map[string]string
}

// maxParams is how many parameters of a field are read.
const maxParams = 64

// parseValue reads a value with parameters (RFC 2045, section 5.1), valid or not.
// Parameters that RFC 2231 splits are joined and decoded. Encoded words are
// decoded too, because many programs write file names so.
func parseValue(text string) value {
	word, rest := cutParam(text)
	v := value{word: firstType(stripComments(word)), params: make(map[string]string)}
	pieces := make(map[string]map[int]string) // of parameters that are split
	for n := 0; rest != "" && n < maxParams; n++ {
		var param string
		param, rest = cutParam(rest)
		name, content, ok := strings.Cut(param, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if !ok || name == "" {
			continue
		}
		content = unquote(content)
		base, number, isPiece := cutPiece(name)
		switch _, there := v.params[name]; {
		case isPiece:
			if pieces[base] == nil {
				pieces[base] = make(map[int]string)
			}
			pieces[base][number] = content
		case !there:
			if name != "boundary" { // which is as it is written
				content = decodeWords(content)
			}
			v.params[name] = content
		}
	}
	for base, pieces := range pieces {
		if text := joinPieces(pieces); text != "" {
			v.params[base] = text
		}
	}
	return v
}

// firstType returns the media type, or the word, that text begins with. Blanks
// around its slash are left out, and so is text that follows without a semicolon.
func firstType(text string) string {
	words := strings.Fields(strings.ToLower(text))
	if len(words) > 1 && strings.Contains(strings.Trim(words[0], "/"), "/") {
		return words[0]
	}
	return strings.Join(words, "")
}

// cutParam cuts text at the first ";" that is not within quotes.
func cutParam(text string) (param, rest string) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ';' && !quoted:
			return text[:i], text[i+1:]
		}
	}
	if quoted { // a quote that never ends quotes nothing
		if i := strings.IndexByte(text, ';'); i >= 0 {
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// unquote returns a value of a parameter without its quotes and what follows
// them.
func unquote(text string) string {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	var out strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			out.WriteByte(text[i])
		case c == '"':
			return out.String()
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// stripComments leaves out what is in parentheses.
func stripComments(text string) string {
	if strings.IndexByte(text, '(') < 0 {
		return text
	}
	depth := 0
	return strings.Map(func(c rune) rune {
		switch {
		case c == '(':
			depth++
			return -1
		case c == ')' && depth > 0:
			depth--
			return -1
		case depth > 0:
			return -1
		}
		return c
	}, text)
}

// The numbers of pieces that are percent-encoded are odd, so that one map holds
// both kinds: 2 n or 2 n + 1 for piece n.

// cutPiece reads a name as RFC 2231 has them: "name*", "name*0" or "name*0*".
func cutPiece(name string) (base string, number int, ok bool) {
	base, suffix, ok := strings.Cut(name, "*")
	if !ok {
		return "", 0, false
	}
	suffix, encoded := strings.CutSuffix(suffix, "*")
	n, err := 0, error(nil)
	if suffix == "" {
		encoded = true
	} else if n, err = strconv.Atoi(suffix); err != nil || n < 0 || n >= maxParams {
		return "", 0, false
	}
	if encoded {
		return base, 2*n + 1, true
	}
	return base, 2 * n, true
}

// joinPieces joins the pieces of a parameter from 0 on, and decodes it.
func joinPieces(pieces map[int]string) string {
	var bytes []byte
	label, quoted := "", true
	for n := range maxParams {
		if text, ok := pieces[2*n+1]; ok {
			if n == 0 {
				if first, rest, ok := strings.Cut(text, "'"); ok {
					if _, content, ok := strings.Cut(rest, "'"); ok {
						label, text = first, content
					}
				}
			}
			bytes, quoted = appendUnescaped(bytes, []byte(text), '%'), false
			continue
		}
		text, ok := pieces[2*n]
		if !ok {
			break
		}
		bytes = append(bytes, text...)
	}
	if quoted {
		return decodeWords(string(bytes))
	}
	return decodeText(cmp.Or(label, "utf-8"), bytes)
}
