package llm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/citekit/citekit"
)

const (
	chunkBytes = 8 << 20 // a multiple of every granularity a server asks for

	firstPoll = time.Second // doubled up to the last
	lastPoll  = 10 * time.Second

	deleteTimeout = 15 * time.Second
)

// geminiFile is a file as the Files API describes it.
type geminiFile struct {
	Name  string `json:"name"` // such as "files/abc"
	URI   string `json:"uri"`
	State string `json:"state"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
}

type geminiFileAnswer struct {
	File geminiFile `json:"file"`
}

// Upload implements [MediaModel]. A small file is only read. A larger one
// goes through the resumable upload of the Files API. Its name is chosen here,
// so that the file can be deleted even if the answer to its last byte is lost.
// A geminiUpload that fails is deleted before Upload returns.
func (m *Gemini) Upload(ctx context.Context, src *citekit.Source, mediaType string) (*Media, error) {
	if !m.AcceptsMedia(mediaType, src.Size()) {
		return nil, fmt.Errorf("gemini: a file of this type or size: %w", errors.ErrUnsupported)
	}
	if src.Size() <= m.options.InlineBytes {
		data := make([]byte, src.Size())
		if _, err := io.ReadFull(src.Reader(), data); err != nil {
			return nil, err
		}
		return &Media{MediaType: mediaType, Data: data}, nil
	}
	u := &geminiUpload{model: m, src: src, name: "files/citekit-" + strings.ToLower(rand.Text())[:20]}
	ready, err := u.run(ctx, mediaType)
	if err != nil {
		if u.begun {
			_ = u.remove(context.WithoutCancel(ctx)) // the first error says more
		}
		return nil, fmt.Errorf("gemini: upload: %w", err)
	}
	return &Media{
		MediaType: mediaType,
		URI:       ready.URI,
		Usage:     Usage{Requests: u.requests, Retries: u.retries},
		Release:   u.remove,
	}, nil
}

// A geminiUpload is the sending of one file.
type geminiUpload struct {
	model *Gemini
	src   *citekit.Source
	name  string
	begun bool // there may be a file to delete

	session  string // URL of the upload; it is a secret
	requests int
	retries  int
}

// do makes a call and counts it.
func (u *geminiUpload) do(ctx context.Context, call Call, into any) (*Reply, error) {
	reply, err := u.model.endpoint.Do(ctx, call, into)
	if err == nil {
		u.requests += reply.Attempts
		u.retries += reply.Attempts - 1
	}
	return reply, err
}

func (u *geminiUpload) run(ctx context.Context, mediaType string) (*geminiFile, error) {
	if err := u.begin(ctx, mediaType); err != nil {
		return nil, err
	}
	sent, err := u.send(ctx)
	if err != nil {
		return nil, err
	}
	if sent.Name != "" {
		u.name = sent.Name
	}
	return u.wait(ctx, sent)
}

// begin opens an upload session. The name of the source is not sent.
func (u *geminiUpload) begin(ctx context.Context, mediaType string) error {
	u.begun = true
	reply, err := u.do(ctx, Call{
		Method: http.MethodPost,
		URL:    u.model.base + "/upload/v1beta/files",
		Header: http.Header{
			"X-Goog-Upload-Protocol":              {"resumable"},
			"X-Goog-Upload-Command":               {"start"},
			"X-Goog-Upload-Header-Content-Length": {strconv.FormatInt(u.src.Size(), 10)},
			"X-Goog-Upload-Header-Content-Type":   {mediaType},
		},
		JSON: map[string]any{"file": map[string]string{"name": u.name, "displayName": "source"}},
	}, nil)
	if err != nil {
		return err
	}
	u.session = reply.Header.Get("X-Goog-Upload-Url")
	session, err := url.Parse(u.session)
	if err != nil || session.Host == "" || session.Scheme != "https" && !strings.HasPrefix(u.model.base, "http:") {
		return &Error{Message: "the server gives no place to upload to"}
	}
	return nil
}

// send sends the file in chunks.
func (u *geminiUpload) send(ctx context.Context) (*geminiFile, error) {
	for offset := int64(0); ; {
		sent, next, err := u.advance(ctx, offset)
		if err != nil || sent != nil {
			return sent, err
		}
		offset = next
	}
}

// advance sends a chunk from offset. After a temporary failure it asks the
// server how many bytes have arrived before it retries. It never goes back
// behind the bytes that had arrived, so that the upload ends.
func (u *geminiUpload) advance(ctx context.Context, offset int64) (sent *geminiFile, next int64, err error) {
	from, again := offset, false
	attempts, err := u.model.endpoint.Retry.Do(ctx, func() (err error) {
		if again {
			if sent, from, err = u.received(ctx, offset); err != nil || sent != nil {
				return err
			}
		}
		again = true
		sent, next, err = u.chunk(ctx, from)
		return err
	})
	u.requests += attempts - 1
	u.retries += attempts - 1
	return sent, next, err
}

// chunk sends the bytes from offset, and returns the next offset, or the file
// after the last chunk.
func (u *geminiUpload) chunk(ctx context.Context, offset int64) (sent *geminiFile, next int64, err error) {
	n := min(chunkBytes, u.src.Size()-offset)
	data := make([]byte, n)
	if _, err := u.src.ReadAt(data, offset); err != nil && err != io.EOF {
		return nil, 0, err
	}
	command, last := "upload", offset+n == u.src.Size()
	switch {
	case n == 0:
		command = "finalize" // all bytes have arrived, except this command
	case last:
		command = "upload, finalize"
	}
	var answer geminiFileAnswer
	var into any
	if last {
		into = &answer
	}
	_, err = u.do(ctx, Call{
		Method: http.MethodPost,
		URL:    u.session,
		Bare:   true, // the session is the credential
		Once:   true, // the number of received bytes must be asked first
		Header: http.Header{
			"X-Goog-Upload-Command": {command},
			"X-Goog-Upload-Offset":  {strconv.FormatInt(offset, 10)},
			"Content-Type":          {"application/octet-stream"},
		},
		Body: data,
	}, into)
	if err != nil || !last {
		return nil, offset + n, err
	}
	return &answer.File, 0, nil
}

// received asks how many bytes have arrived; the answer is at least known. If
// the file is complete, it returns that.
func (u *geminiUpload) received(ctx context.Context, known int64) (sent *geminiFile, bytes int64, err error) {
	reply, err := u.do(ctx, Call{
		Method: http.MethodPost,
		URL:    u.session,
		Bare:   true,
		Once:   true, // advance asks again
		Header: http.Header{"X-Goog-Upload-Command": {"query"}},
		Body:   []byte{},
	}, nil)
	if err != nil {
		return nil, 0, err
	}
	if strings.EqualFold(reply.Header.Get("X-Goog-Upload-Status"), "final") {
		sent, err := u.state(ctx)
		return sent, 0, err
	}
	bytes, err = strconv.ParseInt(reply.Header.Get("X-Goog-Upload-Size-Received"), 10, 64)
	if err != nil || bytes < known || bytes > u.src.Size() {
		return nil, 0, &Error{Message: "the server does not tell how much it has"}
	}
	return nil, bytes, nil
}

// state asks for the state of the file.
func (u *geminiUpload) state(ctx context.Context) (*geminiFile, error) {
	var got geminiFile
	_, err := u.do(ctx, Call{Method: http.MethodGet, URL: u.url()}, &got)
	return &got, err
}

func (u *geminiUpload) url() string {
	return u.model.base + "/v1beta/files/" + url.PathEscape(strings.TrimPrefix(u.name, "files/"))
}

// wait waits until the file is ready.
func (u *geminiUpload) wait(ctx context.Context, f *geminiFile) (*geminiFile, error) {
	limit := u.model.options.ProcessTimeout.Duration(defaultProcessTimeout)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for pause := min(firstPoll, u.model.options.RetryDelay.Duration(firstPoll)); ; pause = min(2*pause, lastPoll) {
		switch f.State {
		case "ACTIVE":
			if f.URI == "" {
				return nil, &Error{Message: "the server does not tell where the file is"}
			}
			return f, nil
		case "FAILED":
			return nil, fmt.Errorf("the file could not be processed: %w", citekit.ErrFormat)
		}
		err := Sleep(limited, pause)
		if err == nil {
			f, err = u.state(limited)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case limited.Err() != nil:
			return nil, fmt.Errorf("the file was still being processed after %v: %w", limit, context.DeadlineExceeded)
		case err != nil:
			return nil, err
		}
	}
}

// remove deletes the file. A missing file is not an error.
func (u *geminiUpload) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, deleteTimeout)
	defer cancel()
	_, err := u.model.endpoint.Do(ctx, Call{Method: http.MethodDelete, URL: u.url()}, nil)
	var failed *Error
	if !errors.As(err, &failed) {
		return err
	}
	// The server answers for a missing file as for a file of another user. The
	// second request gets this answer if only the answer to the first was lost.
	if failed.Status == http.StatusNotFound || failed.Status == http.StatusForbidden && failed.Attempts > 1 {
		return nil
	}
	return err
}
