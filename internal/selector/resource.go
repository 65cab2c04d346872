package selector

import (
	"errors"
	"fmt"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

const maxResourceID = 512 // bytes

// CheckID returns why an id cannot name a resource, or nil.
func CheckID(id string) error {
	switch {
	case id == "":
		return errors.New("the resource id is empty")
	case len(id) > maxResourceID:
		return fmt.Errorf("the resource id has %d bytes; at most %d", len(id), maxResourceID)
	case !message.IsPlain(id):
		return fmt.Errorf("resource id %+q has control characters or is not UTF-8; write it in characters that can be seen", id)
	case strings.Contains(id, "://"):
		return fmt.Errorf("resource id %q looks like an address; the id is between \"://\" and \"#\"", id)
	case strings.ContainsAny(id, `/\`) || id == "." || id == "..":
		return fmt.Errorf("resource id %q looks like a path; an id has no slashes", id)
	}
	return nil
}
