package events

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

const put = `{"EventName":"s3:ObjectCreated:Put","Key":"papers/a.pdf","Records":[{"eventVersion":"2.1","eventSource":"aws:s3","awsRegion":"eu-central-1",
"eventTime":"2024-01-02T03:04:05.678Z","eventName":"ObjectCreated:Put","s3":{"s3SchemaVersion":"1.0","bucket":{"name":"papers","arn":"arn:aws:s3:::papers"},
"object":{"key":"in+a/b%C3%A9.pdf","size":10,"eTag":"d41d8cd98f00b204e9800998ecf8427e","sequencer":"0055AED6DCD90281E5"}}}]}`

func TestParse(t *testing.T) {
	wrapped, err := json.Marshal(map[string]string{"Type": "Notification", "Message": put})
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(map[string]string{"Type": "Notification", "Message": string(wrapped)})
	if err != nil {
		t.Fatal(err)
	}
	want := []Object{{"papers", "in a/bé.pdf"}, {"papers", "in+a/b%C3%A9.pdf"}}
	for _, c := range []struct {
		body string
		want []Object
		ok   bool
	}{
		{put, want, true},
		{string(wrapped), want, true},
		{string(twice), nil, false},
		{`{"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"papers"}`, nil, true},
		{`{"Records":[]}`, nil, true},
		{`{"Records":[{"s3":{"bucket":{"name":"b"},"object":{"key":"100%.txt"}}}]}`, []Object{{"b", "100%.txt"}}, true},
		{`{"Records":[{"s3":{"object":{"key":"` + strings.Repeat("x", 2000) + `"}}}, {}]}`, nil, true},
		{`{"Records":[` + strings.Repeat(`{},`, 1000) + `{}]}`, nil, false},
		{`{"Records":{}}`, nil, false},
		{`{}`, nil, false}, {`[]`, nil, false}, {``, nil, false}, {`null`, nil, false}, {"\xff", nil, false},
		{`{"Records":[],"x":"` + strings.Repeat("x", MaxBytes) + `"}`, nil, false},
	} {
		got, err := Parse([]byte(c.body))
		if !slices.Equal(got, c.want) || (err == nil) != c.ok || err != nil && !errors.Is(err, ErrForm) {
			t.Errorf("%.80s: %q, %v", c.body, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(put))
	f.Add([]byte(`{"Type":"Notification","Message":"{\"Records\":[]}"}`))
	f.Add([]byte(`{"Event":"s3:TestEvent"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		objects, err := Parse(body)
		if err != nil && (objects != nil || !errors.Is(err, ErrForm)) || len(objects) > 2*maxRecords {
			t.Fatalf("%q, %v", objects, err)
		}
		for _, o := range objects {
			if o.Name == "" || len(o.Name) > maxName {
				t.Errorf("%q", o)
			}
		}
	})
}

func TestWebhook(t *testing.T) {
	const token = "a token of the test"
	var took []Object
	var failed error
	h := Webhook(token, func(_ context.Context, objects []Object) error {
		took = append(took, objects...)
		return failed
	})
	post := func(set func(*http.Request), body string) int {
		r := httptest.NewRequest(http.MethodPost, "/events", strings.NewReader(body))
		set(r)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if strings.Contains(w.Body.String(), token) || strings.Contains(w.Body.String(), "papers") {
			t.Errorf("the answer tells %q", w.Body)
		}
		return w.Code
	}
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	for _, wrong := range []func(*http.Request){
		func(*http.Request) {},
		func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") },
		func(r *http.Request) { r.Header.Set("Authorization", token) },
		func(r *http.Request) { r.SetBasicAuth(token, "") },
	} {
		if code := post(wrong, put); code != http.StatusUnauthorized {
			t.Errorf("without the token: %d", code)
		}
	}
	if code := post(bearer, "{}"); code != http.StatusBadRequest {
		t.Errorf("no notification: %d", code)
	}
	if code := post(bearer, strings.Repeat(" ", MaxBytes+1)); code != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %d", code)
	}
	if len(took) != 0 {
		t.Errorf("took %q", took)
	}
	if code := post(bearer, put); code != http.StatusNoContent || len(took) != 2 {
		t.Errorf("%d, took %q", code, took)
	}
	failed = errors.New("papers cannot be reached")
	if code := post(func(r *http.Request) { r.SetBasicAuth("", token) }, put); code != http.StatusServiceUnavailable {
		t.Errorf("while the queue cannot be reached: %d", code)
	}
	if w := httptest.NewRecorder(); true {
		Webhook("", nil).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/events", nil))
		if w.Code != http.StatusUnauthorized {
			t.Errorf("a webhook without a token: %d", w.Code)
		}
	}
}

// A fakeQueue speaks what it must of the JSON protocol of SQS.
type fakeQueue struct {
	t  *testing.T
	at string

	mu      sync.Mutex
	fail    int // so many requests
	waiting []string
	deleted []string
	empty   chan struct{} // is sent to when a request finds nothing
}

func (q *fakeQueue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !strings.Contains(r.Header.Get("Authorization"), "Credential=id/") || !strings.Contains(r.Header.Get("Authorization"), "/us-east-1/sqs/aws4_request") || r.Header.Get("X-Amz-Security-Token") != "session" {
		q.t.Errorf("signed as %q", r.Header.Get("Authorization"))
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	var in struct {
		QueueUrl                             string
		WaitTimeSeconds, MaxNumberOfMessages int
		Entries                              []struct{ Id, ReceiptHandle string }
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &in) != nil || in.QueueUrl != q.at+"/1/events" {
		q.t.Errorf("%s, %v", body, err)
	}
	if q.fail > 0 {
		q.fail--
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"com.amazonaws.sqs#AccessDenied","message":"account 123"}`)
		return
	}
	answer := map[string]any{}
	switch r.Header.Get("X-Amz-Target") {
	case "AmazonSQS.ReceiveMessage":
		if in.WaitTimeSeconds != 20 || in.MaxNumberOfMessages != 10 {
			q.t.Errorf("%s", body)
		}
		var messages []map[string]string
		for _, m := range q.waiting {
			sum := md5.Sum([]byte(m))
			messages = append(messages, map[string]string{"MessageId": m, "ReceiptHandle": m, "Body": m, "MD5OfBody": hex.EncodeToString(sum[:])})
		}
		if messages == nil {
			select {
			case q.empty <- struct{}{}:
			default:
			}
		}
		answer["Messages"] = messages
	case "AmazonSQS.DeleteMessageBatch":
		var done []map[string]string
		for _, e := range in.Entries {
			q.deleted = append(q.deleted, e.ReceiptHandle)
			q.waiting = slices.DeleteFunc(q.waiting, func(m string) bool { return m == e.ReceiptHandle })
			done = append(done, map[string]string{"Id": e.Id})
		}
		answer["Successful"], answer["Failed"] = done, []any{}
	default:
		q.t.Errorf("%s", r.Header.Get("X-Amz-Target"))
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// A message is deleted once it was taken. One that is not a notification is deleted at
// once, and one that cannot be taken comes again.
func TestReceive(t *testing.T) {
	fake := &fakeQueue{t: t, fail: 1, waiting: []string{put, "no notification"}, empty: make(chan struct{}, 1)}
	server := httptest.NewServer(fake)
	defer server.Close()
	fake.at = server.URL
	t.Setenv("AWS_REGION", "")
	var log strings.Builder
	q, err := OpenQueue(server.URL+"/1/events", func() (string, string, string, error) { return "id", "the secret", "session", nil }, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	q.pause = 1
	tries := 0
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		q.Receive(ctx, func(_ context.Context, objects []Object) error {
			if tries++; tries == 1 {
				return errors.New("the database cannot be reached")
			}
			if len(objects) != 2 {
				t.Errorf("%q", objects)
			}
			return nil
		})
	}()
	<-fake.empty
	cancel()
	<-ended
	if tries != 2 || !slices.Equal(fake.deleted, []string{"no notification", put}) {
		t.Errorf("%d tries, deleted %q", tries, fake.deleted)
	}
	for _, secret := range []string{"secret", "123", "127.0.0.1"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log has %q: %s", secret, &log)
		}
	}
	if !strings.Contains(log.String(), "AccessDenied") {
		t.Errorf("the log: %s", &log)
	}
}

func TestOpenQueue(t *testing.T) {
	for _, wrong := range []string{"", "events", "arn:aws:sqs:eu-central-1:1:q", "ftp://h/q", "https://user:open-sesame@h/q", "https://h/q?x", "https://%zz"} {
		if _, err := OpenQueue(wrong, nil, nil); err == nil || strings.Contains(err.Error(), "open-sesame") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
