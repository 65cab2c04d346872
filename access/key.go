package access

import (
	"fmt"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/message"
)

// The limits of a file.
const (
	maxKeys  = 10_000
	maxNames = 256      // workspaces, toolsets or tools of a key
	maxName  = 128      // bytes of one name
	maxLabel = 200      // bytes
	maxFile  = 16 << 20 // bytes
)

// A Key is a key in a file, without its secret. Times are in UTC, in whole
// seconds.
type Key struct {
	ID    string `json:"id"`              // 10 letters a-z and digits 2-7; not secret
	Label string `json:"label,omitempty"` // for people, such as the owner or the purpose; one line of up to 200 bytes

	// Workspaces are 1 to 256 names; the first is the default for requests that
	// name none. Toolsets and Tools narrow what the key may use; nil means all.
	// See [Grant].
	Workspaces []string `json:"workspaces"`
	Toolsets   []string `json:"toolsets,omitempty"`
	Tools      []string `json:"tools,omitempty"`
	ReadOnly   bool     `json:"read_only,omitempty"`

	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"`   // zero means never
	Revoked  time.Time `json:"revoked,omitzero"`   // zero means not revoked
	LastUsed time.Time `json:"last_used,omitzero"` // within about a minute; zero if never used
}

// A KeyState is whether a key is valid.
type KeyState string

// The states of keys.
const (
	KeyActive  KeyState = "active"
	KeyExpired KeyState = "expired"
	KeyRevoked KeyState = "revoked"
)

// State returns the state of the key at a time.
func (k *Key) State(now time.Time) KeyState {
	switch {
	case !k.Revoked.IsZero():
		return KeyRevoked
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return KeyExpired
	}
	return KeyActive
}

// check returns an error if a field that a person chose is wrong.
func (k *Key) check() error {
	if len(k.Label) > maxLabel || !message.IsPlain(k.Label) {
		return fmt.Errorf("label is %s; labels are one line of up to %d bytes", message.Quote(k.Label), maxLabel)
	}
	if len(k.Workspaces) == 0 {
		return fmt.Errorf("workspaces is missing or empty; a key is for at least one workspace")
	}
	for _, list := range []struct {
		field string
		names []string
	}{{"workspaces", k.Workspaces}, {"toolsets", k.Toolsets}, {"tools", k.Tools}} {
		if err := checkNames(list.field, list.names); err != nil {
			return err
		}
	}
	return nil
}

func checkNames(field string, names []string) error {
	if names != nil && len(names) == 0 {
		return fmt.Errorf("%s is empty; leave it out to let the key use all", field)
	}
	if len(names) > maxNames {
		return fmt.Errorf("%s has %d names; a key has at most %d", field, len(names), maxNames)
	}
	seen := make(map[string]bool)
	for i, name := range names {
		switch {
		case name == "" || len(name) > maxName || strings.ContainsFunc(name, isNotInName):
			return fmt.Errorf("%s[%d] is %s; names have 1 to %d ASCII letters, digits, \"-\", \"_\" and \".\"", field, i, message.Quote(name), maxName)
		case seen[name]:
			return fmt.Errorf("%s[%d] is %s, which is given twice", field, i, message.Quote(name))
		}
		seen[name] = true
	}
	return nil
}

func isNotInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
}
