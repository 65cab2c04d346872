package selector

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
)

const (
	minVersion = 8 // hex digits
	maxVersion = 64
	maxVirtual = 8 << 10 // bytes
)

// Params reads the parameters of an address, which stand after "#": the values that of
// returns for their names, nil for one that does not exist, and the version of the
// source. The function reads reports whether a value is valid for a selector.
func Params(fragment string, of func(name string) Value, reads func(name, value string) bool) (version string, err error) {
	seen := make(map[string]bool)
	for param := range strings.SplitSeq(fragment, "&") {
		name, value, ok := strings.Cut(param, "=")
		if !ok {
			return "", errors.New(NoValue(param, reads))
		}
		if seen[name] {
			return "", fmt.Errorf("parameter %s is given twice", message.Quote(name))
		}
		seen[name] = true
		if v := of(name); v != nil {
			err = v.Parse(name, value)
		} else if name == "v" {
			version = strings.ToLower(value)
			err = CheckVersion(version)
		} else {
			err = errors.New(Meant(name, value, reads))
		}
		if err != nil {
			return "", err
		}
	}
	return version, nil
}

// HasTime reports whether a fragment has the parameter t, which may be that of
// everything.
func HasTime(fragment string) bool {
	return strings.HasPrefix(fragment, "t=") || strings.Contains(fragment, "&t=")
}

// CheckVersion returns an error unless version is 8 to 64 hex digits in lower case.
func CheckVersion(version string) error {
	if len(version) < minVersion || len(version) > maxVersion || !ctxio.IsHex(version) {
		return fmt.Errorf("v=%s; write 8 to 64 leading hex digits of the SHA-256", message.Clip(version))
	}
	return nil
}

// CheckVirtual returns why a virtual location cannot point to target, or nil.
func CheckVirtual(target string) error {
	switch {
	case len(target) > maxVirtual:
		return fmt.Errorf("virtual_address of %d bytes; at most %d", len(target), maxVirtual)
	case !message.IsPlain(target):
		return errors.New("virtual_address has control characters or is not UTF-8")
	}
	if rest, ok := strings.CutPrefix(target, "virtual://"); ok {
		id, _ := CutVirtual(rest)
		_, err := ParseID(id)
		return err
	}
	return nil
}

// CheckVirtualIn is CheckVirtual of a target in a resource, which is longer as an
// address.
func CheckVirtualIn(resource, target string) error {
	if target != "" && len(Virtual(resource, target)) > maxVirtual {
		return fmt.Errorf("virtual_address of %d bytes; escaped it has more than %d", len(target), maxVirtual)
	}
	return nil
}

// ParseID reads the id of a resource as it is in an address.
func ParseID(escaped string) (string, error) {
	id, err := url.PathUnescape(escaped)
	if err != nil {
		return "", fmt.Errorf("resource id %s has a bad percent escape", message.Quote(escaped))
	}
	return id, CheckID(id)
}
