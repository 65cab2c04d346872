// Package child runs other programs with limits on time, processor time, memory
// and output. A program that passes a limit is killed together with everything
// it started, if the system can do that. Only bounded parts of its output are
// kept.
package child

// A Head keeps the first Max bytes written to it. When there are more, it calls
// Full once, if that is not nil. Writing to it never fails.
type Head struct {
	Max  int
	Full func()

	Kept []byte
	Over bool // there were more
}

func (h *Head) Write(p []byte) (int, error) {
	room := h.Max - len(h.Kept)
	h.Kept = append(h.Kept, p[:min(room, len(p))]...)
	if len(p) > room && !h.Over {
		h.Over = true
		if h.Full != nil {
			h.Full()
		}
	}
	return len(p), nil
}

// A Tail keeps the last Max bytes written to it. Writing to it never fails.
type Tail struct {
	Max  int
	Kept []byte
}

func (t *Tail) Write(p []byte) (int, error) {
	t.Kept = append(t.Kept, p[max(0, len(p)-t.Max):]...)
	if over := len(t.Kept) - t.Max; over > 0 {
		t.Kept = append(t.Kept[:0], t.Kept[over:]...)
	}
	return len(p), nil
}
