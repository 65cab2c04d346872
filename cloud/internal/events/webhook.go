package events

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"strings"
)

// A Taker takes the objects of a notification. After an error the notification is to come
// again.
type Taker func(ctx context.Context, objects []Object) error

// Webhook returns a handler of notifications. Whoever sends them gives the token, as a
// bearer or, for stores that only know a URL, as the password of a user. It answers 204
// once take has returned nil, 503 if that returned an error, and 400 or 413 if what came
// is no notification.
func Webhook(token string, take Taker) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := sha256.Sum256([]byte(tokenOf(r))); subtle.ConstantTimeCompare(got[:], want[:]) == 0 || token == "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="events"`)
			http.Error(w, "the token of the events is missing or another one", http.StatusUnauthorized)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBytes))
		if err != nil {
			code := http.StatusBadRequest
			if errors.As(err, new(*http.MaxBytesError)) {
				code = http.StatusRequestEntityTooLarge
			}
			http.Error(w, "the notification cannot be read, or is too large", code)
			return
		}
		objects, err := Parse(body)
		if err != nil {
			http.Error(w, ErrForm.Error(), http.StatusBadRequest)
			return
		}
		if err := take(r.Context(), objects); err != nil {
			w.Header().Set("Retry-After", "5")
			http.Error(w, "the notification cannot be taken now: send it again", http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

func tokenOf(r *http.Request) string {
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}
