package segment

// A Lookup looks up terms in several segments, each term once. It is not safe for
// concurrent use.
type Lookup struct {
	views []View
	found map[string][]entry // by view; zero docs if the view lacks the term
}

// NewLookup returns a Lookup in some views.
func NewLookup(views []View) *Lookup { return &Lookup{views: views, found: make(map[string][]entry)} }

// Frequency returns how many documents have a term, dead ones included. It ignores
// segments that are damaged; a search reports them.
func (l *Lookup) Frequency(term string) (n int) {
	at, _ := l.find(term)
	for _, e := range at {
		n += e.docs
	}
	return n
}

// find returns the entries of a term by view. If there is an error, a [*DamageError],
// they are those of the views without damage.
func (l *Lookup) find(term string) (at []entry, err error) {
	if at, ok := l.found[term]; ok {
		return at, nil
	}
	at = make([]entry, len(l.views))
	for v := range l.views {
		damage := Guard(func() (err error) {
			at[v], _, err = l.views[v].Segment.find(term)
			return err
		})
		if damage != nil && err == nil {
			err = &DamageError{v}
		}
	}
	if err == nil {
		l.found[term] = at
	}
	return at, err
}
