package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/strictjson"
	"github.com/citekit/citekit/server/transport"
)

// encodeEvidence returns the answer of resolve for evidence. It has a path, or
// for a caller over HTTP a link, which is then also in a content block.
func (a *adapter) encodeEvidence(ctx context.Context, e *citekit.Evidence) (json.RawMessage, []mcp.Content, error) {
	data, err := strictjson.Compact(e.MarshalJSON())
	c := mcpcall.CallerFrom(ctx)
	if err != nil || c == nil || e.OutputPath == "" {
		return data, nil, err
	}
	list, err := strictjson.Members(data)
	if err != nil {
		return nil, nil, err
	}
	url, expires, err := a.linkTo(ctx, c, e)
	w := new(strictjson.Writer)
	w.Open()
	for _, m := range list {
		if m.Key != "output_path" {
			w.Raw(m.Key, m.Value)
			continue
		}
		w.Raw(m.Key, json.RawMessage("null"))
		w.Optional("evidence_url", url)
		if err == nil {
			w.Text("evidence_expires", expires.Format(time.RFC3339))
		}
	}
	if err != nil {
		w.Text("hint", "this server has no link to the file: "+err.Error()+"; include text or image, or read it with getContents")
	}
	w.Close()
	if err != nil || !c.TakesLinks() {
		return w.Bytes(), nil, w.Err
	}
	return w.Bytes(), []mcp.Content{&mcp.ResourceLink{URI: url, Name: e.Name, MIMEType: e.MediaType, Size: &e.Size}}, w.Err
}

// errNoLinks means that the server has no [Options.Links].
var errNoLinks = errors.New("links are not set up")

// linkTo returns a link to evidence, or an error that the caller may see.
func (a *adapter) linkTo(ctx context.Context, c *mcpcall.Caller, e *citekit.Evidence) (url string, expires time.Time, err error) {
	if a.opts.Links == nil {
		return "", time.Time{}, errNoLinks
	}
	url, expires, err = a.opts.Links.Link(ctx, e)
	if err != nil && err != transport.ErrNoBase {
		a.opts.Logger.LogAttrs(ctx, slog.LevelError, "link to evidence", slog.String("error", printable(err.Error())))
		err = errLinkFailed
	}
	return url, expires, err
}

// errLinkFailed hides the details of an internal failure from a caller.
var errLinkFailed = errors.New("creating one failed")
