package textlayer

import (
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/selector"
)

// overlapMember reports whether a run overlaps the member of a location. The
// run is in the given member, or in none if member is "".
func overlapMember(member string, loc citekit.Location) bool {
	if loc.Member == "" {
		return member == "" || loc.IsWhole()
	}
	return member == loc.Member || strings.HasPrefix(member, loc.Member+selector.MemberSeparator) ||
		strings.HasSuffix(loc.Member, "/") && strings.HasPrefix(member, loc.Member)
}
