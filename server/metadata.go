package server

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Metadata tells clients where to get tokens (RFC 9728).
type Metadata struct {
	Resource string   // the URL of the endpoint, such as https://cite.example/mcp
	Issuers  []string // URLs of the authorization servers
	Scopes   []string // scopes that tokens may have
}

// metadataPath is the path of the metadata of an endpoint at /mcp.
const metadataPath = "/.well-known/oauth-protected-resource/mcp"

func (m *Metadata) handler() http.Handler {
	return auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource: m.Resource, AuthorizationServers: slices.Clone(m.Issuers), ScopesSupported: slices.Clone(m.Scopes),
		BearerMethodsSupported: []string{"header"}, ResourceName: "citekit",
	})
}

// url returns the URL of the metadata.
func (m *Metadata) url() string {
	u, err := url.Parse(m.Resource)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: metadataPath}).String()
}
