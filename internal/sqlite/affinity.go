package sqlite

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// An affinity determines how a column converts values that it stores (section 3.1 of
// https://www.sqlite.org/datatype3.html).
type affinity byte

const (
	blobAffinity affinity = iota
	textAffinity
	numericAffinity
	integerAffinity
	realAffinity
)

func affinityOf(declared string) affinity {
	is := strings.ToUpper(declared)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(is, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("INT"):
		return integerAffinity
	case has("CHAR", "CLOB", "TEXT"):
		return textAffinity
	case is == "" || has("BLOB"):
		return blobAffinity
	case has("REAL", "FLOA", "DOUB"):
		return realAffinity
	}
	return numericAffinity
}

// defaultValue returns the constant default of a column, given its tokens, or Null.
func (db *Database) defaultValue(c Column, tokens []token) Value {
	if len(tokens) == 0 {
		return Value{}
	}
	sign := ""
	if tokens[0].sign("-") || tokens[0].sign("+") {
		sign, tokens = strings.Trim(tokens[0].text, "+"), tokens[1:]
	}
	if len(tokens) == 0 {
		return Value{}
	}
	first := tokens[0]
	switch {
	case first.is("x") && len(tokens) == 2 && tokens[1].quote == '\'':
		raw, err := hex.DecodeString(tokens[1].text)
		if err != nil {
			return Value{}
		}
		return Value{Kind: Blob, Bytes: raw, serial: 12 + 2*uint64(len(raw)), raw: raw}
	case len(tokens) > 1 || first.is("null"):
		return Value{}
	case first.quote != 0:
		return db.converted(first.text, c)
	case first.is("true"):
		return intValue(1)
	case first.is("false"):
		return intValue(0)
	}
	if v, ok := number(sign + first.text); ok {
		if affinityOf(c.Type) == textAffinity {
			return textValue(sign+first.text, db.Encoding)
		}
		return v
	}
	return Value{}
}

// converted returns a text converted as the column stores it.
func (db *Database) converted(text string, c Column) Value {
	if affinityOf(c.Type) >= numericAffinity {
		if v, ok := number(strings.TrimSpace(text)); ok {
			return v
		}
	}
	return textValue(text, db.Encoding)
}

func number(text string) (Value, bool) {
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return intValue(v), true
	}
	if strings.ContainsAny(text, "xXnNpP_") {
		return Value{}, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return realValue(v), err == nil
}
