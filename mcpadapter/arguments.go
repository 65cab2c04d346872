package mcpadapter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/strictjson"
)

// A kind is the type of an argument.
type kind int

const (
	text  kind = iota // a string
	flag              // true or false
	count             // a whole number from 0
	texts             // a list of strings, or one
	group             // an object of its own arguments
)

// A parameter is one argument that a tool takes.
type parameter struct {
	name        string
	kind        kind
	required    bool
	choices     []string    // the values allowed; empty means any
	positive    bool        // of a count: 0 is refused
	least       int         // of a count, for the schema; the call checks it
	greatest    int         // of a count, for the schema; zero means none
	longest     int         // bytes of a text; zero means maxID
	most        int         // texts of a list; zero means maxPaths
	members     []parameter // of a group
	old         []string    // other names that are accepted, and are not in the schema
	untold      bool        // the schema leaves the members out, as another tool's schema has them
	description string
}

// maxID is the length limit of an id to look up, in bytes: far above any id that
// a map should have, and short enough to be repeated in a message.
const maxID = 16 << 10

// arguments are the decoded arguments of a call, by name. An argument that was
// not given is absent.
type arguments map[string]any

func (a arguments) has(name string) bool {
	_, ok := a[name]
	return ok
}

func (a arguments) text(name string) string {
	s, _ := a[name].(string)
	return s
}

func (a arguments) texts(name string) []string {
	list, _ := a[name].([]string)
	return list
}

func (a arguments) count(name string) int {
	n, _ := a[name].(int)
	return n
}

func (a arguments) group(name string) arguments {
	g, _ := a[name].(arguments)
	return g
}

func (a arguments) flag(name string) bool {
	b, _ := a[name].(bool)
	return b
}

// decodeArguments reads the arguments of a call. A null counts as absent. A
// scalar of another type is converted if its meaning is plain, as agents write
// "12" for 12 and "true" for true. The error matches [citekit.ErrSyntax] and
// names the arguments that the tool takes.
func decodeArguments(raw json.RawMessage, parameters []parameter) (arguments, error) {
	return decodeMembers(raw, parameters, "this tool")
}

// decodeMembers reads the arguments of a tool or a group, whose name errors say.
func decodeMembers(raw json.RawMessage, parameters []parameter, owner string) (arguments, error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	given, err := strictjson.Members(raw)
	if err != nil {
		return nil, badArgument("the arguments are not a JSON object")
	}
	args := make(arguments, len(given))
	seen := make(map[string]bool, len(given))
	for _, m := range given {
		i := slices.IndexFunc(parameters, func(p parameter) bool { return p.name == m.Key })
		if i < 0 {
			i = slices.IndexFunc(parameters, func(p parameter) bool { return slices.Contains(p.old, m.Key) })
		}
		if i < 0 {
			return nil, badArgument("unknown argument %s%s; %s", quote(m.Key), meantParameter(m.Key, parameters), listParameters(parameters, owner))
		}
		p := parameters[i]
		switch {
		case seen[p.name] && m.Key != p.name:
			return nil, badArgument("argument '%s' is another name of '%s'; give one of them", m.Key, p.name)
		case seen[p.name]:
			return nil, badArgument("argument '%s' is given twice", m.Key)
		}
		seen[p.name] = true
		if string(m.Value) == "null" {
			continue
		}
		name := p.name
		p.name = m.Key // as errors call it
		if args[name], err = p.decode(m.Value); err != nil {
			return nil, err
		}
	}
	for _, p := range parameters {
		if p.required && !args.has(p.name) {
			return nil, badArgument("argument '%s' is missing; %s", p.name, listParameters(parameters, owner))
		}
	}
	return args, nil
}

// An inputError reports a wrong argument of a call. It matches
// [citekit.ErrSyntax].
type inputError string

func (e inputError) Error() string { return string(e) }

func (inputError) Is(target error) bool { return target == citekit.ErrSyntax }

// checkResourceID refuses an id that no resource can have. Any other syntax error
// is then an error of the map.
func checkResourceID(args arguments) error {
	if !args.has("resource_id") || args.text("resource_id") == "" && args.text("address") != "" {
		return nil
	}
	err := citekit.CheckResourceID(args.text("resource_id"))
	if err == nil {
		return nil
	}
	return inputError(withoutSyntax(err))
}

// withoutSyntax returns the message of err without the text of
// [citekit.ErrSyntax], which repeats the code.
func withoutSyntax(err error) string {
	return strings.TrimSuffix(err.Error(), ": "+citekit.ErrSyntax.Error())
}

func badArgument(format string, args ...any) error {
	return inputError(fmt.Sprintf(format, args...))
}

// inGroup says which member of a group an unknown argument is, if it is one; it
// may be in the singular, or an id.
func inGroup(name string, parameters []parameter) string {
	stem := strings.TrimSuffix(name, "_id")
	for _, p := range parameters {
		for _, m := range p.members {
			if m.name == name || m.name == stem+"s" || strings.TrimSuffix(m.name, "ies") == strings.TrimSuffix(name, "y") {
				return "; give it as " + p.name + "." + m.name
			}
		}
	}
	return ""
}

// meantParameter says which argument a wrong name may mean.
func meantParameter(wrong string, parameters []parameter) string {
	names := make([]string, len(parameters))
	for i, p := range parameters {
		names[i] = p.name
	}
	return meantArgument(Native, wrong, names, func(name string) string {
		return parameters[slices.Index(names, name)].wanted()
	}, inGroup(wrong, parameters))
}

func listParameters(parameters []parameter, owner string) string {
	if len(parameters) == 0 {
		return owner + " takes none"
	}
	var names []string
	for _, p := range parameters {
		name := p.name
		if !p.required {
			name += " (optional)"
		}
		names = append(names, name)
	}
	return owner + " takes " + strings.Join(names, ", ")
}

func (p parameter) decode(raw json.RawMessage) (any, error) {
	switch p.kind {
	case flag:
		return p.decodeFlag(raw)
	case count:
		return p.decodeCount(raw)
	case texts:
		return p.decodeTexts(raw)
	case group:
		raw = unwrapped(raw, '{')
		if raw[0] != '{' {
			return nil, p.wrongType(raw)
		}
		return decodeMembers(raw, p.members, p.name)
	}
	return p.decodeText(raw)
}

// unwrapped returns the list or the object that a JSON string holds, as agents
// write "[\"a\"]" for ["a"]; of other texts, raw.
func unwrapped(raw json.RawMessage, opening byte) json.RawMessage {
	value, ok := scalarText(raw)
	inner := []byte(strings.TrimSpace(value))
	if !ok || raw[0] != '"' || len(inner) == 0 || inner[0] != opening || !json.Valid(inner) {
		return raw
	}
	return inner
}

func (p parameter) decodeTexts(raw json.RawMessage) (any, error) {
	raw = unwrapped(raw, '[')
	var values []json.RawMessage
	if raw[0] != '[' {
		values = []json.RawMessage{raw}
	} else if err := json.Unmarshal(raw, &values); err != nil {
		return nil, p.wrongType(raw)
	}
	if len(values) == 0 && !p.required {
		return []string{}, nil
	}
	if most := cmp.Or(p.most, maxPaths); len(values) == 0 || len(values) > most {
		return nil, badArgument("argument '%s' has %d values; it must have 1 to %d", p.name, len(values), most)
	}
	var list []string
	for _, value := range values {
		if _, ok := scalarText(value); !ok && raw[0] == '[' {
			return nil, badArgument("argument '%s' has %s in it; it must be %s", p.name, describeJSON(value), p.wanted())
		}
		text, err := p.decodeText(value)
		if err != nil {
			return nil, err
		}
		list = append(list, text.(string))
	}
	return list, nil
}

// wanted says what an argument must be.
func (p parameter) wanted() string {
	switch p.kind {
	case flag:
		return "true or false"
	case count:
		return "a whole number"
	case texts:
		return "a list of strings, or one string"
	case group:
		return "an object"
	}
	return "a string"
}

func (p parameter) decodeText(raw json.RawMessage) (any, error) {
	value, ok := scalarText(raw)
	if !ok || string(raw) == "true" || string(raw) == "false" {
		return nil, p.wrongType(raw)
	}
	if most := cmp.Or(p.longest, maxID); len(value) > most {
		return nil, badArgument("argument '%s' has %d bytes; at most %d", p.name, len(value), most)
	}
	if len(p.choices) > 0 && value != "" && !slices.Contains(p.choices, value) {
		return nil, badArgument("argument '%s' is %s; it must be one of %s", p.name, quote(value), strings.Join(p.choices, ", "))
	}
	return value, nil
}

func (p parameter) decodeFlag(raw json.RawMessage) (any, error) {
	value, _ := scalarText(raw)
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, p.wrongType(raw)
}

func (p parameter) decodeCount(raw json.RawMessage) (any, error) {
	value, ok := scalarText(raw)
	v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if !ok || err != nil || v != math.Trunc(v) {
		return nil, p.wrongType(raw)
	}
	if v < 0 || v > math.MaxInt32 {
		return nil, badArgument("argument '%s' is %s; it must be from 0 to %d", p.name, quote(value), math.MaxInt32)
	}
	return int(v), nil
}

func (p parameter) wrongType(raw json.RawMessage) error {
	return badArgument("argument '%s' is %s; it must be %s", p.name, describeJSON(raw), p.wanted())
}

// scalarText returns the value of a JSON string, or the JSON text of a number or
// literal.
func scalarText(raw json.RawMessage) (value string, ok bool) {
	switch raw[0] {
	case '{', '[':
		return "", false
	case '"':
		return value, json.Unmarshal(raw, &value) == nil
	}
	return string(raw), true
}

func describeJSON(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	value, _ := scalarText(raw)
	return quote(value)
}
