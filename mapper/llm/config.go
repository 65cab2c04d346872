package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
)

// Seconds is a duration, written as a number in JSON, such as 120 or 0.5.
type Seconds float64

// maxSeconds is a year: longer than any request, and still within
// time.Duration.
const maxSeconds = 365 * 24 * 3600

// Duration returns s as a duration of at most a year, or the value of otherwise
// if s is not positive.
func (s Seconds) Duration(otherwise time.Duration) time.Duration {
	if !(s > 0) {
		return otherwise
	}
	return time.Duration(float64(min(s, maxSeconds)) * float64(time.Second))
}

// ParseConfig reads one JSON object into several structs, such as the options
// of a model and those of a [Mapper]. A member that none of them has is an
// error matching [citekit.ErrSyntax], so that a misspelt name is noticed. Empty
// data is read as an empty object.
func ParseConfig(data []byte, structs ...any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return fmt.Errorf("the configuration is not a JSON object: %w", citekit.ErrSyntax)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if err := setMember(name, members[name], structs); err != nil {
			return err
		}
	}
	return nil
}

func setMember(name string, value json.RawMessage, structs []any) error {
	object, err := json.Marshal(map[string]json.RawMessage{name: value})
	if err != nil {
		return err
	}
	known := false
	for _, target := range structs {
		decoder := json.NewDecoder(bytes.NewReader(object))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(target)
		if isUnknownField(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("the configuration: %s is of the wrong kind: %w", clip(name), citekit.ErrSyntax)
		}
		known = true
	}
	if !known {
		return fmt.Errorf("the configuration has no %q: %w", clip(name), citekit.ErrSyntax)
	}
	return nil
}

// isUnknownField recognises the error by its text, because the package gives no
// other way.
func isUnknownField(err error) bool {
	return err != nil && strings.HasPrefix(err.Error(), "json: unknown field ")
}
