package mcpadapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/strictjson"
)

// A shape is a JSON Schema of arguments, with the keywords that are checked.
type shape struct {
	Type        string            `json:"type"`
	Properties  map[string]*shape `json:"properties"`
	Required    []string          `json:"required"`
	Open        bool              `json:"additionalProperties"`
	Items       *shape            `json:"items"`
	Enum        []json.RawMessage `json:"enum"`
	Const       json.RawMessage   `json:"const"`
	OneOf       []*shape          `json:"oneOf"`
	AnyOf       []*shape          `json:"anyOf"`
	Ref         string            `json:"$ref"`
	Definitions map[string]*shape `json:"definitions"`
	Minimum     *float64          `json:"minimum"`
	Maximum     *float64          `json:"maximum"`
	MinLength   int               `json:"minLength"`
	MaxLength   *int              `json:"maxLength"`
	MinItems    int               `json:"minItems"`
	MaxItems    *int              `json:"maxItems"`
	Format      string            `json:"format"`
	Default     json.RawMessage   `json:"default"`

	// These describe and bind nothing.
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Examples    json.RawMessage `json:"examples"`
	Schema      string          `json:"$schema"`

	names   []string // of the properties, as they are written
	root    *shape   // of the schema
	dialect string   // whose schema it is; of a root
}

// parseShape reads the schema of the arguments of a tool.
func parseShape(dialect string, schema json.RawMessage) (*shape, error) {
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.DisallowUnknownFields()
	s := &shape{dialect: dialect}
	if err := decoder.Decode(s); err != nil {
		return nil, fmt.Errorf("the schema cannot be checked: %w", err)
	}
	if s.Type != "object" {
		return nil, fmt.Errorf("the schema has type '%s'; that of arguments is object", s.Type)
	}
	return s, s.prepare(s, schema)
}

// prepare follows the references below a shape of a root, and notes the order of its
// properties.
func (s *shape) prepare(root *shape, schema json.RawMessage) error {
	s.root = root
	list, err := strictjson.Members(schema)
	if err != nil {
		return err
	}
	written := make(map[string]json.RawMessage, len(list))
	for _, m := range list {
		written[m.Key] = m.Value
	}
	switch s.Type {
	case "", "object", "array", "string", "integer", "number", "boolean":
	default:
		return fmt.Errorf("type '%s' cannot be checked", s.Type)
	}
	if s.Format != "" && s.Format != "date-time" {
		return fmt.Errorf("format '%s' cannot be checked", s.Format)
	}
	if s.Ref != "" {
		to := root.Definitions[strings.TrimPrefix(s.Ref, "#/definitions/")]
		if to == nil || to.Ref != "" {
			return fmt.Errorf("'%s' is none of the definitions", s.Ref)
		}
		*s = *to
		return nil // prepared, as the definitions come first
	}
	for _, below := range []struct {
		key string
		of  map[string]*shape
	}{{"definitions", s.Definitions}, {"properties", s.Properties}} {
		members, _ := strictjson.Members(written[below.key]) // none if it is absent
		for _, m := range members {
			if below.key == "properties" {
				s.names = append(s.names, m.Key)
			}
			if err := below.of[m.Key].prepare(root, m.Value); err != nil {
				return fmt.Errorf("%s: %w", m.Key, err)
			}
		}
	}
	for key, list := range map[string][]*shape{"oneOf": s.OneOf, "anyOf": s.AnyOf} {
		var raw []json.RawMessage
		_ = json.Unmarshal(written[key], &raw) // decoded before
		for i := range raw {
			if err := list[i].prepare(root, raw[i]); err != nil {
				return err
			}
		}
	}
	if raw, ok := written["items"]; ok {
		return s.Items.prepare(root, raw)
	}
	return nil
}

// arguments checks the arguments of a call and returns them with the defaults filled in,
// nulls left out, and numbers and flags that came as text converted. The error matches
// [citekit.ErrSyntax] and names the argument by its path.
func (s *shape) arguments(raw json.RawMessage) (json.RawMessage, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if raw[0] != '{' || !json.Valid(raw) {
		return nil, badArgument("the arguments are not a JSON object")
	}
	return s.object("", raw)
}

// check is arguments for the value at a path.
func (s *shape) check(path string, raw json.RawMessage) (json.RawMessage, error) {
	var err error
	switch s.Type {
	case "object":
		if raw = unwrapped(raw, '{'); raw[0] != '{' {
			return nil, s.wrong(path, raw)
		}
	case "array":
		if raw = unwrapped(raw, '['); raw[0] != '[' {
			raw = slices.Concat([]byte("["), raw, []byte("]"))
		}
	case "string":
		raw, err = s.text(path, raw)
	case "integer", "number":
		raw, err = s.number(path, raw)
	case "boolean":
		value, _ := scalarText(raw)
		if value = strings.ToLower(strings.TrimSpace(value)); value != "true" && value != "false" {
			return nil, s.wrong(path, raw)
		}
		raw = json.RawMessage(value)
	}
	if err != nil {
		return nil, err
	}
	if s.Const != nil && !equalScalars(s.Const, raw) {
		return nil, badArgument("argument '%s' is %s; it must be %s", path, describeJSON(raw), s.Const)
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(one json.RawMessage) bool { return equalScalars(one, raw) }) {
		return nil, badArgument("argument '%s' is %s; it must be one of %s", path, describeJSON(raw), joinedScalars(s.Enum))
	}
	switch {
	case s.OneOf != nil:
		return oneOf(s.OneOf, path, raw)
	case s.AnyOf != nil:
		return oneOf(s.AnyOf, path, raw)
	case s.Type == "object":
		return s.object(path, raw)
	case s.Type == "array":
		return s.array(path, raw)
	}
	return raw, nil
}

// oneOf checks a value against shapes of which it must have one. The error is that of the
// shape whose constants the value has, as those tell the shapes apart.
func oneOf(shapes []*shape, path string, raw json.RawMessage) (json.RawMessage, error) {
	var likely error
	var kinds []string
	for _, s := range shapes {
		taken, err := s.check(path, raw)
		if err == nil {
			return taken, nil
		}
		if s.hasConstants(raw) {
			likely = err
		}
		for _, name := range s.names {
			if c := s.Properties[name].Const; c != nil {
				kinds = append(kinds, name+" "+string(c))
			}
		}
	}
	if likely != nil {
		return nil, likely
	}
	if len(kinds) == 0 {
		return nil, badArgument("argument '%s' is %s, which is not allowed", path, describeJSON(raw))
	}
	return nil, badArgument("argument '%s' must be an object with %s", path, strings.Join(kinds, " or "))
}

// hasConstants reports whether an object has the constants of a shape.
func (s *shape) hasConstants(raw json.RawMessage) bool {
	list, err := strictjson.Members(raw)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(list, func(m strictjson.Member) bool {
		p := s.Properties[m.Key]
		return p != nil && p.Const != nil && equalScalars(p.Const, m.Value)
	})
}

// object checks the members of an object.
func (s *shape) object(path string, raw json.RawMessage) (json.RawMessage, error) {
	list, err := strictjson.Members(raw)
	if err != nil {
		return nil, s.wrong(path, raw)
	}
	owner := "this tool"
	if path != "" {
		owner = path
	}
	w := new(strictjson.Writer)
	w.Open()
	given := make(map[string]bool, len(list))
	for _, m := range list {
		p, known := s.Properties[m.Key]
		switch {
		case !known && s.Open:
			w.Raw(m.Key, m.Value)
			continue
		case !known:
			return nil, badArgument("unknown argument %s%s; %s takes %s", quote(below(path, m.Key)), s.meant(m.Key), owner, s.takes())
		case given[m.Key]:
			return nil, badArgument("argument '%s' is given twice", below(path, m.Key))
		case string(m.Value) == "null":
			continue
		}
		given[m.Key] = true
		value, err := p.check(below(path, m.Key), m.Value)
		if err != nil {
			return nil, err
		}
		w.Raw(m.Key, value)
	}
	for _, name := range s.Required {
		if !given[name] {
			return nil, badArgument("argument '%s' is missing; %s takes %s", below(path, name), owner, s.takes())
		}
	}
	for _, name := range s.names {
		if p := s.Properties[name]; !given[name] && p.Default != nil {
			w.Raw(name, p.Default)
		}
	}
	w.Close()
	return w.Bytes(), w.Err
}

// meant says which property, here or in an object below, a wrong name may mean.
func (s *shape) meant(wrong string) string {
	below := ""
	for _, name := range s.names {
		if near := message.Nearest(wrong, s.Properties[name].names); near != "" && below == "" {
			below = "; give it as " + name + "." + near
		}
	}
	if near := message.Nearest(wrong, s.names); near != "" {
		below = ""
	}
	return meantArgument(s.root.dialect, wrong, s.names, func(name string) string { return s.Properties[name].wanted() }, below)
}

// takes lists the properties with their types.
func (s *shape) takes() string {
	if len(s.names) == 0 {
		return "none"
	}
	var names []string
	for _, name := range s.names {
		if !slices.Contains(s.Required, name) {
			name += " (optional)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// array checks the elements of an array.
func (s *shape) array(path string, raw json.RawMessage) (json.RawMessage, error) {
	var values []json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, s.wrong(path, raw)
	}
	if n := len(values); n < s.MinItems || s.MaxItems != nil && n > *s.MaxItems {
		bound := fmt.Sprintf("at least %d", s.MinItems)
		if s.MaxItems != nil {
			bound = fmt.Sprintf("%d to %d", s.MinItems, *s.MaxItems)
		}
		return nil, badArgument("argument '%s' has %d values; it must have %s", path, n, bound)
	}
	if s.Items == nil {
		return raw, nil
	}
	for i := range values {
		var err error
		if values[i], err = s.Items.check(path+"["+strconv.Itoa(i)+"]", values[i]); err != nil {
			return nil, err
		}
	}
	return slices.Concat([]byte("["), bytes.Join(rawBytes(values), []byte(",")), []byte("]")), nil
}

// text checks a string, which may have come as a number, and returns it.
func (s *shape) text(path string, raw json.RawMessage) (json.RawMessage, error) {
	value, ok := scalarText(raw)
	if ok && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9') {
		raw = json.RawMessage(strconv.Quote(value))
	}
	if !ok || raw[0] != '"' {
		return nil, s.wrong(path, raw)
	}
	if n := utf8.RuneCountInString(value); n < s.MinLength || s.MaxLength != nil && n > *s.MaxLength {
		if s.MaxLength == nil {
			return nil, badArgument("argument '%s' has %s; it must have at least %d", path, message.Count(n, "character"), s.MinLength)
		}
		return nil, badArgument("argument '%s' has %s; it must have %d to %d", path, message.Count(n, "character"), s.MinLength, *s.MaxLength)
	}
	if s.Format == "date-time" {
		if _, err := time.Parse(time.RFC3339, value); err != nil {
			return nil, badArgument("argument '%s' is %s; it must be a time such as 2025-10-27T00:00:00Z", path, quote(value))
		}
	}
	return raw, nil
}

// number checks a number, which may have come as text, and returns it.
func (s *shape) number(path string, raw json.RawMessage) (json.RawMessage, error) {
	value, ok := scalarText(raw)
	value = strings.TrimSpace(value)
	if !ok || !json.Valid([]byte(value)) || value == "" || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return nil, s.wrong(path, raw)
	}
	n, err := strconv.ParseFloat(value, 64)
	if whole, isWhole := strictjson.Whole(value); s.Type == "integer" {
		if !isWhole {
			return nil, s.wrong(path, raw)
		}
		value = strconv.Itoa(whole)
	}
	if err != nil || s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum {
		var bounds []string
		if s.Minimum != nil {
			bounds = append(bounds, "at least "+strconv.FormatFloat(*s.Minimum, 'f', -1, 64))
		}
		if s.Maximum != nil {
			bounds = append(bounds, "at most "+strconv.FormatFloat(*s.Maximum, 'f', -1, 64))
		}
		return nil, badArgument("argument '%s' is %s; it must be %s", path, quote(value), strings.Join(bounds, " and "))
	}
	return json.RawMessage(value), nil
}

// wrong returns the error about a value of another type.
func (s *shape) wrong(path string, raw json.RawMessage) error {
	return badArgument("argument '%s' is %s; it must be %s", path, describeJSON(raw), s.wanted())
}

// wanted says what a value must be.
func (s *shape) wanted() string {
	switch s.Type {
	case "object":
		return "an object"
	case "array":
		return "a list"
	case "integer":
		return "a whole number"
	case "number":
		return "a number"
	case "boolean":
		return "true or false"
	}
	return "a string"
}

// below returns the path of a member of the object at a path.
func below(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// equalScalars reports whether two strings, numbers or literals are equal.
func equalScalars(a, b json.RawMessage) bool {
	one, oneOK := scalarText(a)
	other, otherOK := scalarText(b)
	return oneOK && otherOK && one == other && (a[0] == '"') == (b[0] == '"')
}

func joinedScalars(list []json.RawMessage) string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i], _ = scalarText(one)
	}
	return strings.Join(texts, ", ")
}

func rawBytes(list []json.RawMessage) [][]byte {
	all := make([][]byte, len(list))
	for i := range list {
		all[i] = list[i]
	}
	return all
}
