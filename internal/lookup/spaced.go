package lookup

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/citedtext"
)

// MayGoOn reports whether an address as it is written in a text ends with a name
// that may go on behind it with a character that must be escaped: the id of its
// resource, or the name of a sheet, a table or a member.
func MayGoOn(written string) bool {
	_, fragment, ok := strings.Cut(written, "#")
	last := fragment[strings.LastIndexAny(fragment, "&;")+1:]
	return !ok || strings.HasPrefix(last, "sheet=") || strings.HasPrefix(last, "table=") || strings.HasPrefix(last, "member=")
}

// checkName is [CheckWhole] for an address that ends with the name of a sheet, a
// table or a member: the name goes on behind the address if the map has a place of
// the longer name, and none of the shorter one, or the address ends with the longer
// one.
func checkName(ctx context.Context, lib *citekit.Library, a citekit.Address, behind string) error {
	m, err := lib.Map(ctx, a.Resource)
	if err != nil {
		return nil // the address leads to nothing, which its check says
	}
	name, within := lastName(a.Location)
	longest, exists := "", false
	for n := range m.All() {
		other := name(&n.Location)
		if within != "" && n.Location.Member != within {
			continue
		}
		exists = exists || *other == *name(&a.Location)
		rest, ok := strings.CutPrefix(*other, *name(&a.Location))
		if ok && rest != "" && len(*other) > len(longest) && strings.HasPrefix(behind, rest) && endsName(behind[len(rest):]) {
			longest = *other
		}
	}
	rest := strings.TrimPrefix(longest, *name(&a.Location))
	if longest == "" || exists && !strings.ContainsAny(behind[len(rest):min(len(behind), len(rest)+1)], "]&)>\"`") {
		return nil
	}
	whole := a
	*name(&whole.Location) = longest
	for m := range citedtext.Mentions(whole.String() + behind[len(rest):]) {
		if m.Err == nil && m.Address.Resource == whole.Resource {
			whole = m.Address
		}
		break
	}
	return fmt.Errorf("%s ends before %q, which belongs to the name %q; write %%20 for spaces: %s: %w", a, rest, longest, whole, citekit.ErrSyntax)
}

// lastName returns which name a location ends with, that of its sheet or table, or
// else of its member, and the member that the sheet or table is in, or "".
func lastName(loc citekit.Location) (name func(*citekit.Location) *string, within string) {
	switch {
	case loc.Sheet != "":
		return func(l *citekit.Location) *string { return &l.Sheet }, loc.Member
	case loc.Table != "":
		return func(l *citekit.Location) *string { return &l.Table }, loc.Member
	}
	return func(l *citekit.Location) *string { return &l.Member }, ""
}
