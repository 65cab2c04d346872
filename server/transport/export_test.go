package transport

import "github.com/citekit/citekit/internal/mcpcall"

// SetAnswerMemory sets how many bytes of long answers are held, before the first call.
func (h *Handler) SetAnswerMemory(n int64) { h.answers.memory = mcpcall.NewShares(n, 1) }
