// Package events takes what a bucket tells of its objects: the notifications of S3, which
// come to a webhook or through a queue of SQS.
//
// A notification is a hint that an object may have changed. It may be forged by whoever
// may write to the bucket or the queue, late, doubled, or missing: nothing of it is used
// but the name of the object.
package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
)

// The bounds of one notification.
const (
	MaxBytes   = 1 << 20
	maxRecords = 1000
	maxName    = 1024 // bytes of the name of an object
)

// ErrForm matches the errors for a body that is not a notification.
var ErrForm = errors.New("not a notification of S3")

// An Object is what a notification names.
type Object struct{ Bucket, Name string }

// notification is the form that S3, MinIO and versitygw send, or SNS passes on.
type notification struct {
	Event   string // of a test
	Type    string // "Notification" of SNS
	Message string
	Records []struct {
		S3 struct {
			Bucket struct{ Name string }
			Object struct{ Key string }
		}
	}
}

// Parse returns the objects that a notification names, without those that no source can
// be. Names are escaped there as in a form; one that also is a name as it stands, for
// stores that do not escape, is returned in both ways. If body is not a notification, the
// error matches [ErrForm].
func Parse(body []byte) ([]Object, error) { return parse(body, true) }

func parse(body []byte, outer bool) ([]Object, error) {
	var n notification
	switch err := json.Unmarshal(body, &n); {
	case len(body) > MaxBytes:
		return nil, fmt.Errorf("%w: it has %d bytes; at most %d", ErrForm, len(body), MaxBytes)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	case outer && n.Type == "Notification":
		return parse([]byte(n.Message), false)
	case n.Event == "s3:TestEvent":
		return nil, nil
	case n.Records == nil:
		return nil, fmt.Errorf("%w: it has no Records", ErrForm)
	case len(n.Records) > maxRecords:
		return nil, fmt.Errorf("%w: it has %d records; at most %d", ErrForm, len(n.Records), maxRecords)
	}
	var found []Object
	for _, r := range n.Records {
		raw := r.S3.Object.Key
		name, err := url.QueryUnescape(raw)
		if err == nil && name != "" && len(name) <= maxName {
			found = append(found, Object{r.S3.Bucket.Name, name})
		}
		if raw != "" && raw != name && len(raw) <= maxName {
			found = append(found, Object{r.S3.Bucket.Name, raw})
		}
	}
	return found, nil
}
