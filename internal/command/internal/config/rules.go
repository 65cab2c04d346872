package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/mcpadapter"
)

// rules are how the value of a setting is checked. In a tag they are words
// separated by spaces: oneof=A|B (which begins with | if the value may be
// empty), min=N, max=N and more=N for numbers, path, url, address, level, tool,
// toolset, dialect, and reload for settings that a running server can change.
type rules struct {
	oneOf          []string
	min, max, more *float64
	path           bool // relative to the folder of the settings file
	url            bool
	address        bool
	level          bool // of a log, in the form of log/slog
	reload         bool
}

// toolNames returns the tools of all dialects. The fields are looked at for each setting.
var toolNames = sync.OnceValue(func() []string { return corpus.Toolsets().Tools() })

func parseRules(tag string) (r rules) {
	for word := range strings.FieldsSeq(tag) {
		name, value, _ := strings.Cut(word, "=")
		number, _ := strconv.ParseFloat(value, 64)
		switch name {
		case "oneof":
			r.oneOf = strings.Split(value, "|")
		case "min":
			r.min = &number
		case "max":
			r.max = &number
		case "more":
			r.more = &number
		case "dialect":
			r.oneOf = corpus.Dialects()
		case "tool":
			r.oneOf = toolNames()
		case "toolset":
			r.oneOf = append(mcpadapter.Toolsets(), "all")
		case "path":
			r.path = true
		case "url":
			r.url = true
		case "address":
			r.address = true
		case "level":
			r.level = true
		case "reload":
			r.reload = true
		}
	}
	return r
}

// check returns what is wrong with a value, or "".
func (r rules) check(value any) string {
	switch v := value.(type) {
	case string:
		return r.checkText(v)
	case []string:
		for _, text := range v {
			if fault := r.checkText(text); fault != "" {
				return fault
			}
		}
	case int:
		return r.checkNumber(float64(v), strconv.Itoa(v))
	case float64:
		return r.checkNumber(v, strconv.FormatFloat(v, 'g', -1, 64))
	case Size:
		return r.checkNumber(float64(v), v.String())
	case Duration:
		return r.checkNumber(float64(v), v.String())
	case JSON:
		return checkObject(v)
	}
	return ""
}

func (r rules) checkNumber(v float64, text string) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return bad(text, "write a number")
	case r.more != nil && v <= *r.more:
		return bad(text, fmt.Sprintf("it must be more than %v", *r.more))
	case r.min != nil && r.max != nil && (v < *r.min || v > *r.max):
		if *r.max == 65535 {
			return bad(text, "ports run from 0 to 65535")
		}
		return bad(text, fmt.Sprintf("it runs from %v to %v", *r.min, *r.max))
	case r.max != nil && r.min == nil && v > *r.max:
		return bad(text, "it is too large")
	case r.min != nil && v < *r.min:
		return bad(text, fmt.Sprintf("it must not be less than %v", *r.min))
	}
	return ""
}

func (r rules) checkText(text string) string {
	switch {
	case strings.ContainsRune(text, 0):
		return "it has a zero byte"
	case hasPassword(text):
		return inAddress
	case r.oneOf != nil && !slices.Contains(r.oneOf, text):
		return bad(text, orNear(text, r.oneOf))
	case r.level && new(slog.Level).UnmarshalText([]byte(text)) != nil:
		return bad(text, orNear(text, []string{"debug", "info", "warn", "error"}))
	case text == "":
		return ""
	case r.url:
		if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return bad(text, "write a URL such as https://example.org")
		}
	case r.address:
		if _, port, err := net.SplitHostPort(text); err != nil || !isPort(port) {
			return bad(text, "write HOST:PORT such as 127.0.0.1:9464")
		}
	}
	return ""
}

// checkObject returns what is wrong with the settings of another part of the
// program. That part itself checks whether it knows them.
func checkObject(object JSON) string {
	if hasPassword(string(object)) {
		return inAddress
	}
	var members map[string]json.RawMessage
	if object != "" && json.Unmarshal([]byte(object), &members) != nil {
		return "it is not a JSON object"
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name == "key" || isSecret(name) {
			return message.Clip(name) + ": secrets are not settings; key_env names the environment variable that has the key"
		}
	}
	return ""
}

// inAddress is the message for a URL with a user name or password.
const inAddress = "it has a user name or a password: secrets are not settings, and stay in environment variables"

// secretWords occur in the usual names of secrets, which must not be settings.
var secretWords = []string{"api_key", "apikey", "password", "passwd", "secret", "credential", "bearer"}

func isSecret(name string) bool {
	name = strings.ToLower(name)
	return name == "token" || name == "tokens" || strings.HasSuffix(name, "_token") ||
		slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}

// hasPassword reports whether a text has a URL with a user name in it.
func hasPassword(text string) bool {
	for {
		before, rest, ok := strings.Cut(text, "://")
		if !ok {
			return false
		}
		host := rest
		if i := strings.IndexAny(host, "/?#\" "); i >= 0 {
			host = host[:i]
		}
		user, _, has := strings.Cut(host, "@")
		if has && (!strings.HasSuffix(before, "pg") || strings.Contains(user, ":")) { // the user of a database is no secret
			return true
		}
		text = rest
	}
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && strconv.FormatUint(port, 10) == text
}

// orNear returns the word that was probably meant, or the list of known words.
func orNear(word string, known []string) string {
	if near := nearest(word, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "it is " + either(known)
}

// nearest returns the word that a mistyped one may mean, or "".
func nearest(word string, known []string) string {
	for _, near := range message.Closest(word, slices.Values(known), 1, 2) {
		return near
	}
	return ""
}

func either(words []string) string {
	if words[0] == "" { // the default
		words = words[1:]
	}
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
