package lookup

import (
	"context"
	"net/url"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// A Completion collects values that complete a typed text. Those that begin with it come
// before those that contain it; case does not matter.
type Completion struct {
	typed          string // in lower case
	most           int
	begin, contain []string
	total          int
	last           string
}

// NewCompletion returns a completion of at most some values.
func NewCompletion(typed string, most int) *Completion {
	return &Completion{typed: strings.ToLower(typed), most: most}
}

// Add adds a value if it completes the text, unless it is that of the call before.
func (c *Completion) Add(value string) {
	if c.total > 0 && value == c.last {
		return
	}
	at := strings.Index(strings.ToLower(value), c.typed)
	if at < 0 {
		return
	}
	c.total++
	c.last = value
	if at == 0 && len(c.begin) < c.most {
		c.begin = append(c.begin, value)
	} else if at > 0 && len(c.contain) < c.most {
		c.contain = append(c.contain, value)
	}
}

// Values returns the first values, as they are shown, and how many there are.
func (c *Completion) Values() (values []string, total int) {
	all := append(c.begin, c.contain...)
	values = append([]string{}, all[:min(len(all), c.most)]...)
	for i := range values {
		values[i], _ = plain.ShowHidden(values[i])
	}
	return values, c.total
}

// Resources adds the ids of all resources.
func (c *Completion) Resources(ctx context.Context, lib *citekit.Library) error {
	ids, err := lib.Resources(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		c.Add(id)
	}
	return ctx.Err()
}

// Nodes adds the ids of the nodes of a resource, whose id may be percent-encoded, as in
// a URI. If there is no such map, there is nothing to complete.
func (c *Completion) Nodes(ctx context.Context, lib *citekit.Library, resource string) error {
	m, err := lib.Map(ctx, resource)
	if err != nil {
		unescaped, escapeErr := url.PathUnescape(resource)
		if escapeErr != nil || citekit.CodeOf(err) == message.CodeInternal {
			return nil
		}
		if m, err = lib.Map(ctx, unescaped); err != nil {
			return nil
		}
	}
	for n := range m.All() {
		c.Add(n.ID)
	}
	return ctx.Err()
}

// Addresses adds what follows the scheme in addresses: the ids of resources, which all
// returns, and behind a "#" the selectors of the nodes of one. If the scheme is typed too,
// as some clients send it, the values have it.
func (c *Completion) Addresses(ctx context.Context, lib *citekit.Library, scheme, typed string, all func(context.Context) ([]citekit.Address, error)) error {
	named, rest, hasScheme := strings.Cut(typed, "://")
	if hasScheme {
		scheme = named
	} else {
		rest = typed
	}
	add := func(address citekit.Address) {
		if address.Validate() != nil {
			return
		}
		text := address.String()
		if of, after, _ := strings.Cut(text, "://"); of == scheme && hasScheme {
			c.Add(text)
		} else if of == scheme {
			c.Add(after)
		}
	}
	if id, _, ok := strings.Cut(rest, "#"); ok {
		id, err := url.PathUnescape(id)
		if err != nil {
			return nil // there is nothing to complete
		}
		m, err := lib.Map(ctx, id)
		if err != nil {
			return ctx.Err()
		}
		for n := range m.All() {
			add(m.Address(n))
		}
		return ctx.Err()
	}
	addresses, err := all(ctx)
	if err != nil {
		return err
	}
	for _, address := range addresses {
		add(address)
	}
	return ctx.Err()
}
