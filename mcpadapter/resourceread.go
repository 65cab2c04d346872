package mcpadapter

import (
	"bytes"
	"context"
	"mime"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

const (
	maxURI = 16 << 10 // bytes

	// maxContent is how many bytes of evidence one answer holds. As base64, and
	// after the SDK has encoded it, that is well below the 16 MiB that end a
	// session.
	maxContent = 4 << 20
)

// read returns the content of a URI of this server.
func (r *resources) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri, ours := ctx.Value(uriKey{}).(string)
	if !ours {
		uri = req.Params.URI
	}
	if len(uri) > maxURI {
		return nil, badArgument("the URI has more than %d bytes", maxURI)
	}
	read, err := r.contentsOf(ctx, uri)
	if err != nil {
		return nil, err
	}
	for _, c := range read {
		c.URI = uri
	}
	return &mcp.ReadResourceResult{Cacheable: private, Contents: read}, nil
}

func (r *resources) contentsOf(ctx context.Context, uri string) ([]*mcp.ResourceContents, error) {
	resource, node, err := idsOf(uri)
	if err != nil {
		return nil, err
	}
	if resource == "" {
		return r.readAddress(ctx, uri)
	}
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	data, err := r.encoded(ctx, resource, node)
	if err != nil {
		return nil, err
	}
	data = shownJSON(data)
	if err := checkSize(data, 0); err != nil {
		return nil, err
	}
	return []*mcp.ResourceContents{{MIMEType: "application/json", Text: string(data)}}, nil
}

// encoded returns the JSON of a node, or of a map if node is "".
func (r *resources) encoded(ctx context.Context, resource, node string) ([]byte, error) {
	if node == "" {
		m, err := r.lib.Map(ctx, resource)
		if err != nil {
			return nil, err
		}
		return r.withoutPath(ctx, m).MarshalJSON()
	}
	n, err := r.lib.Node(ctx, resource, node)
	if err != nil {
		return nil, err
	}
	return encodeNode(n)
}

// shownJSON returns an object as models see it.
func shownJSON(object []byte) []byte {
	return strictjson.Plain(answer{data: object}.visible().data)
}

// idsOf returns the ids in the URI of a map or a node. Both are "" for any other
// URI.
func idsOf(uri string) (resource, node string, err error) {
	path, isMap := strings.CutPrefix(uri, mapURI)
	if !isMap {
		path, isMap = strings.CutPrefix(uri, oldMapURI)
	}
	if !isMap {
		var isNode bool
		if path, isNode = strings.CutPrefix(uri, nodeURI); !isNode {
			if strings.HasPrefix(uri, "citekit://") {
				return "", "", badArgument("the URI must be of the form %s or %s", mapTemplate, nodeTemplate)
			}
			return "", "", nil
		}
		var two bool
		if path, node, two = strings.Cut(path, "/"); !two || node == "" {
			return "", "", badArgument("the URI of a node is %s", nodeTemplate)
		}
	}
	resource, err = url.PathUnescape(path)
	if err == nil {
		node, err = url.PathUnescape(node)
	}
	if err != nil || !utf8.ValidString(node) {
		return "", "", badArgument("the URI is not percent-encoded correctly")
	}
	if err := citekit.CheckResourceID(resource); err != nil {
		return "", "", badArgument("%s is not a valid resource id", quote(resource))
	}
	return resource, node, nil
}

// readAddress returns the evidence at an address: text as text, other content as
// a blob. Text with characters that cannot be seen is returned with codes in their
// place, and then as a blob too, which has its exact bytes. If it is long, or
// nothing may be written, it returns the answer of resolve.
func (r *resources) readAddress(ctx context.Context, uri string) ([]*mcp.ResourceContents, error) {
	address, err := parseAddress(ctx, r.lib, uri)
	if err != nil {
		return nil, err
	}
	read, err := contents.ReadEvidence(ctx, r.lib, address, maxContent, &citekit.ResolveOptions{Virtual: r.readOnly(ctx)})
	evidence := read.Evidence
	if err != nil && evidence == nil { // else it is only too long for a message
		return nil, err
	}
	meta := mcp.Meta{"address": evidence.Address.String()}
	if evidence.SHA256 != "" {
		meta["sha256"] = evidence.SHA256
	}
	if read.Stored == nil {
		data, _, err := r.encodeEvidence(ctx, evidence)
		if err != nil {
			return nil, err
		}
		return []*mcp.ResourceContents{{Meta: meta, MIMEType: "application/json", Text: string(shownJSON(data))}}, nil
	}
	return contentsOfEvidence(read.Stored, read.Data, meta), nil
}

func contentsOfEvidence(stored *citekit.StoredEvidence, data []byte, meta mcp.Meta) []*mcp.ResourceContents {
	kind, parameters := mcpcall.ServedType(stored)
	mediaType := mime.FormatMediaType(kind, parameters)
	if isText(stored) && utf8.Valid(data) && !bytes.ContainsRune(data, 0) {
		shown, hidden := plain.ShowHidden(string(data))
		text := &mcp.ResourceContents{Meta: meta, MIMEType: mediaType, Text: shown}
		if hidden == 0 {
			return []*mcp.ResourceContents{text}
		}
		text.Meta = mcp.Meta{"address": meta["address"], "escaped": plain.HiddenNote(hidden)} // the hash is that of the blob
		text.Text += "\n[" + plain.HiddenNote(hidden) + "]\n"
		if len(shown) <= maxContent {
			return []*mcp.ResourceContents{text, {Meta: meta, MIMEType: mediaType, Blob: data}}
		}
	}
	if data == nil {
		data = []byte{} // otherwise it would not be a blob
	}
	return []*mcp.ResourceContents{{Meta: meta, MIMEType: mediaType, Blob: data}}
}

func isText(stored *citekit.StoredEvidence) bool {
	charset := stored.Charset
	return strings.HasPrefix(stored.MediaType, "text/") && (charset == "" || charset == "utf-8" || charset == "us-ascii")
}
