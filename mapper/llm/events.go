package llm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/citekit/citekit"
)

// maxEvent is the maximum length of a line in a stream of events.
const maxEvent = 1 << 20

// Events makes a call whose answer is a stream of server-sent events, and calls
// each with the data of every event. It retries as Do does until the first
// event. An error of each ends the call and is returned; other errors are those
// of Do.
func (e *Endpoint) Events(ctx context.Context, call Call, each func(data []byte) error) (attempts int, err error) {
	if call.Body, err = json.Marshal(call.JSON); err != nil {
		return 0, err
	}
	call.Header = withJSON(call.Header)
	limit := e.Timeout
	if limit <= 0 {
		limit = defaultTimeout
	}
	return e.Retry.Do(ctx, func() error {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		begun, err := e.events(limited, call, each)
		var failed *Error
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case limited.Err() != nil:
			err = &Error{Message: fmt.Sprintf("no answer within %v", limit), Temporary: !begun, cause: context.DeadlineExceeded}
		case begun && errors.As(err, &failed):
			failed.Temporary = false
		}
		return err
	})
}

// events makes a call once, and reports whether there was an event.
func (e *Endpoint) events(ctx context.Context, call Call, each func(data []byte) error) (begun bool, err error) {
	response, err := e.send(ctx, call)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	if response.StatusCode < http.StatusOK || response.StatusCode >= http.StatusMultipleChoices {
		body, err := e.read(response)
		if err != nil {
			return false, err
		}
		return false, e.statusError(response, body)
	}
	most := e.MaxBytes
	if most <= 0 {
		most = defaultMaxBytes
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxEvent)
	for read := int64(0); lines.Scan(); {
		if read += int64(len(lines.Bytes())) + 1; read > most {
			return begun, fmt.Errorf("the answer of the server is longer than %d bytes: %w", most, citekit.ErrTooLarge)
		}
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue
		}
		begun = true
		if err := ctx.Err(); err != nil {
			return begun, err
		}
		if err := each(bytes.TrimSpace(data)); err != nil {
			return begun, err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return begun, fmt.Errorf("the server answers a line of more than %d bytes: %w", maxEvent, citekit.ErrTooLarge)
	}
	if lines.Err() != nil {
		return begun, e.connectionError(lines.Err())
	}
	return begun, nil
}
