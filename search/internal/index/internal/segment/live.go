package segment

// HasKeyword reports whether any live document has a keyword.
func (v View) HasKeyword(keyword string) (bool, error) {
	set := NewBitmap(v.Segment.docs)
	if err := v.Segment.Having(set, keyword); err != nil {
		return false, err
	}
	if v.live != nil {
		set.Keep(v.live)
	}
	return set.Count() > 0, nil
}
