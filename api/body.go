package api

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
	"github.com/citekit/citekit/server/transport"
)

// maxFieldErrors is how many wrong fields of a body are told.
const maxFieldErrors = 10

// checkBody returns what is wrong with a body that must follow a schema. Keys are
// compared exactly, and none may stand twice, so that no two readers of a body take two
// values. A null counts as absent. In the returned body whole numbers that were written
// as 3.0 or 3e0 are written as encoding/json takes them.
func checkBody(registry huma.Registry, schema *huma.Schema, data []byte) ([]byte, []transport.FieldError) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	s, err := strictjson.NewScanner(data)
	if err != nil {
		root, reason := "", err.Error()
		if errors.Is(err, strictjson.ErrDepth) {
			reason = "nested too deeply"
		}
		return nil, []transport.FieldError{{Pointer: &root, Detail: reason}}
	}
	c := &bodyChecker{registry: registry, Scanner: s, data: data}
	_ = c.value(schema, "", true) // an error is in c.found
	if c.taken > 0 {
		data = append(c.written, data[c.taken:]...)
	}
	return data, c.found
}

// A bodyChecker compares a body with a schema.
type bodyChecker struct {
	*strictjson.Scanner
	registry huma.Registry
	found    []transport.FieldError

	data    []byte
	written []byte // data until taken, with whole numbers written anew
	taken   int
}

// wrong notes what is wrong with the value at a JSON pointer.
func (c *bodyChecker) wrong(at, format string, args ...any) {
	if len(c.found) < maxFieldErrors {
		c.found = append(c.found, transport.FieldError{Pointer: &at, Detail: fmt.Sprintf(format, args...)})
	}
}

// kinds are the names of the types of schemas in messages.
var kinds = map[string]string{
	huma.TypeString: "a string", huma.TypeBoolean: "a boolean", huma.TypeInteger: "a number", huma.TypeNumber: "a number",
	huma.TypeArray: "an array", huma.TypeObject: "an object",
}

// errTwice ends the check of a body in which a key stands twice.
var errTwice = errors.New("a key stands twice")

// value reads the next value.
func (c *bodyChecker) value(schema *huma.Schema, at string, required bool) error {
	for schema.Ref != "" {
		schema = c.registry.SchemaFromRef(schema.Ref)
	}
	is, want := strictjson.KindName(c.Kind()), kinds[schema.Type]
	switch {
	case is == "null" && !required:
		c.Skip()
	case is != want:
		if len(schema.Required) > 0 {
			want += " with " + strings.Join(schema.Required, " and ")
		}
		c.wrong(at, "must be %s, not %s", want, is)
		c.Skip()
	case want == "an object":
		return c.object(schema, at)
	case want == "an array":
		return c.array(schema, at)
	case want == "a string":
		c.text(schema, at)
	case want == "a number":
		c.number(schema, at)
	default:
		c.Skip()
	}
	return nil
}

func (c *bodyChecker) object(schema *huma.Schema, at string) error {
	seen := make(map[string]bool)
	err := c.Members(func(key string) error {
		seen[key] = true
		property, below := schema.Properties[key], at+"/"+escaped(key)
		if property == nil {
			c.wrong(below, "there is no such key%s", nearest(key, schema.Properties))
			c.Skip()
			return nil
		}
		return c.value(property, below, slices.Contains(schema.Required, key))
	})
	var twice *strictjson.Error
	if errors.As(err, &twice) {
		c.wrong(at+"/"+escaped(twice.Path), "%s", twice.Reason)
		return errTwice
	}
	if err != nil {
		return err
	}
	for _, key := range schema.Required {
		if !seen[key] {
			c.wrong(at+"/"+escaped(key), "is missing")
		}
	}
	return nil
}

func (c *bodyChecker) array(schema *huma.Schema, at string) error {
	n := 0
	err := c.Elements(func() error {
		n++
		if schema.MaxItems != nil && n > *schema.MaxItems {
			c.Skip()
			return nil
		}
		return c.value(schema.Items, at+"/"+strconv.Itoa(n-1), true)
	})
	switch {
	case err != nil:
		return err
	case schema.MinItems != nil && n < *schema.MinItems:
		c.wrong(at, "must have at least %s", message.Count(*schema.MinItems, "item"))
	case schema.MaxItems != nil && n > *schema.MaxItems:
		c.wrong(at, "has %d items; at most %d", n, *schema.MaxItems)
	}
	return nil
}

func (c *bodyChecker) text(schema *huma.Schema, at string) {
	literal := c.Skip()
	text, err := strictjson.Unquoted([]byte(literal))
	if err != nil || !strictjson.IsWholeText(literal) {
		c.wrong(at, "has half of a surrogate pair, which is no character")
		return
	}
	n := utf8.RuneCountInString(text)
	switch {
	case len(schema.Enum) > 0 && !slices.Contains(schema.Enum, any(text)):
		var names []string
		for _, one := range schema.Enum {
			names = append(names, fmt.Sprint(one))
		}
		c.wrong(at, "must be one of %s", strings.Join(names, ", "))
	case schema.MinLength != nil && n < *schema.MinLength:
		c.wrong(at, "must not be empty")
	case schema.MaxLength != nil && n > *schema.MaxLength:
		c.wrong(at, "has %d characters; at most %d", n, *schema.MaxLength)
	case schema.Format == "date-time":
		if new(time.Time).UnmarshalText([]byte(text)) != nil {
			c.wrong(at, "must be a time such as 2026-01-31T12:00:00Z")
		}
	}
}

func (c *bodyChecker) number(schema *huma.Schema, at string) {
	literal, _ := c.Number()
	kind := "a number"
	f, err := strconv.ParseFloat(literal, 64)
	ok := err == nil
	if schema.Type == huma.TypeInteger {
		var n int
		n, ok = strictjson.Whole(literal)
		f, kind = float64(n), "a whole number"
		if text := strconv.Itoa(n); ok && text != literal {
			c.written = append(append(c.written, c.data[c.taken:c.Offset()-len(literal)]...), text...)
			c.taken = c.Offset()
		}
	}
	least, most := schema.Minimum, schema.Maximum
	switch {
	case ok && (least == nil || f >= *least) && (most == nil || f <= *most):
	case least != nil && most != nil:
		c.wrong(at, "must be %s from %v to %v", kind, *least, *most)
	case least != nil && ok:
		c.wrong(at, "must be at least %v", *least)
	case most != nil && ok:
		c.wrong(at, "must be at most %v", *most)
	default:
		c.wrong(at, "must be %s", kind)
	}
}

// escaped returns a key as part of a JSON pointer.
func escaped(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(plain.Shorten(plain.ShowLine(key, maxKey), maxKey))
}

// maxKey is how much of a key is shown, in bytes.
const maxKey = 100

// nearest says which property a wrong key may mean.
func nearest(key string, properties map[string]*huma.Schema) string {
	var names []string
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	if near := message.Nearest(plain.Shorten(key, maxKey), names); near != "" {
		return "; did you mean " + near + "?"
	}
	return "; there are " + strings.Join(names, ", ")
}
