package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A kind is how the values of a type are written.
type kind struct {
	words string   // what a value must be
	tags  []string // of the scalars of YAML that may be one
	parse func(text string) (any, error)
}

var kinds = map[reflect.Type]kind{
	durationType: {"a time such as 30s, 500ms or 10m", []string{"!!str"}, func(text string) (any, error) { return parseDuration(text) }},
	sizeType: {"a number of bytes, or one with its unit such as 512MiB", []string{"!!int", "!!str"},
		func(text string) (any, error) { return parseSize(text) }},
	jsonType:                    {sectionKind.words, nil, func(text string) (any, error) { return parseJSON(text) }},
	reflect.TypeFor[string]():   {"a text", []string{"!!str"}, func(text string) (any, error) { return text, nil }},
	reflect.TypeFor[bool]():     {"true or false", []string{"!!bool"}, parseBool},
	reflect.TypeFor[int]():      {"a whole number", []string{"!!int"}, parseInt},
	reflect.TypeFor[float64]():  {"a number", []string{"!!int", "!!float"}, parseFloat},
	reflect.TypeFor[[]string](): {"a list such as [a, b]", nil, parseList},
}

var sectionKind = kind{words: "a section of settings"}

// kindOf returns the kind of a type of settings, or that of sections.
func kindOf(t reflect.Type) kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if known, ok := kinds[t]; ok {
		return known
	}
	return sectionKind
}

func parseBool(text string) (any, error) {
	if text != "true" && text != "false" {
		return nil, errors.New("write true or false")
	}
	return text == "true", nil
}

func parseInt(text string) (any, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil, errors.New("write a whole number")
	}
	return n, nil
}

func parseFloat(text string) (any, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, errors.New("write a number")
	}
	return n, nil
}

// parseList reads elements separated by commas.
func parseList(text string) (any, error) {
	list := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	if len(list) == 0 { // no tools would mean all
		return nil, errors.New("write at least one name, or leave it out")
	}
	return list, nil
}

// A Duration is a duration in the form of Go, such as 1m30s.
type Duration time.Duration

// String returns the duration without zeros at its end: 10m and not 10m0s.
func (d Duration) String() string {
	text := time.Duration(d).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// MarshalJSON implements [json.Marshaler].
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

func parseDuration(text string) (Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("write a time with its unit, such as 30s, 500ms or 10m")
	}
	return Duration(d), nil
}

// A Size is a number of bytes.
type Size int64

var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// String returns the size as a whole number of the largest possible unit.
func (s Size) String() string {
	for i := 3; i >= 0; i-- {
		if unit := int64(units[i].bytes); s != 0 && int64(s)%unit == 0 {
			return strconv.FormatInt(int64(s)/unit, 10) + units[i].name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalJSON implements [json.Marshaler]: a size is a number in JSON.
func (s Size) MarshalJSON() ([]byte, error) { return json.Marshal(int64(s)) }

func parseSize(text string) (Size, error) {
	number, unit := text, 1.0
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	whole, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("write a number of bytes, or one with its unit, such as 512MiB or 10GB")
	}
	if math.Abs(float64(whole))*unit >= 1<<62 {
		return 0, fmt.Errorf("it is too large")
	}
	return Size(whole * int64(unit)), nil
}

// JSON is a JSON object for a part of the program with its own settings; "" if
// there is none.
type JSON string

// MarshalJSON implements [json.Marshaler].
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == "" {
		return []byte("{}"), nil
	}
	return []byte(j), nil
}

func parseJSON(text string) (JSON, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &members); err != nil || members == nil {
		return "", fmt.Errorf("write a JSON object, such as {\"model\": \"…\"}")
	}
	var short bytes.Buffer
	if err := json.Compact(&short, []byte(text)); err != nil {
		return "", err
	}
	return JSON(short.String()), nil
}
