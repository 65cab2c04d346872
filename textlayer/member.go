package textlayer

import (
	"strings"

	"github.com/citekit/citekit"
)

// numbers are the numbers of runs, from first up to end.
type numbers struct{ first, end int }

// noteMember records that the last run is in a member, and in the archives that
// contain the member.
func (x *index) noteMember(name string) {
	if x.members == nil {
		x.members = make(map[string]numbers)
	}
	last := len(x.runs) - 1
	for {
		n, known := x.members[name]
		if !known {
			n.first = last
		}
		n.end = last + 1
		x.members[name] = n
		i := strings.LastIndex(name, citekit.MemberSeparator)
		if i < 0 {
			return
		}
		name = name[:i]
	}
}

// nearMember returns runs that include all runs in a member or a folder.
func (x *index) nearMember(name string) []run {
	if strings.HasSuffix(name, "/") {
		return x.runs
	}
	n := x.members[name]
	return x.runs[n.first:n.end]
}

// overlapMember reports whether a run overlaps the member of a location. The
// run is in the given member, or in none if member is "".
func overlapMember(member string, loc citekit.Location) bool {
	if loc.Member == "" {
		return member == "" || loc.IsWhole()
	}
	return member == loc.Member || strings.HasPrefix(member, loc.Member+citekit.MemberSeparator) ||
		strings.HasSuffix(loc.Member, "/") && strings.HasPrefix(member, loc.Member)
}
