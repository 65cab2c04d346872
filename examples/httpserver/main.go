// Command httpserver serves citekit over HTTP from a mux of one's own, with
// one's own authentication: a bearer key for each user.
//
//	CITEKIT_KEYS=alice=secret,bob=other go run ./examples/httpserver [DIRECTORY]
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	files, err := corpus.Open(dir, &corpus.Options{Server: &mcpadapter.Options{ReadOnly: true}})
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	server := &http.Server{
		Addr:              "127.0.0.1:8808",
		Handler:           newMux(files, parseKeys(os.Getenv("CITEKIT_KEYS"))),
		ReadHeaderTimeout: 10 * time.Second,
	}
	log.Print("serving MCP at http://", server.Addr, "/mcp")
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Print(err)
	}
}

// newMux serves /mcp and evidence to those with a key, beside a page of the
// program's own.
func newMux(files *corpus.Corpus, users map[[32]byte]string) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/", files.Handler(&transport.HandlerOptions{Authenticate: authenticate(users)}))
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// authenticate lets in those with a key. Sessions belong to the user, so that
// one cannot go on with that of another.
func authenticate(users map[[32]byte]string) func(http.Handler) http.Handler {
	return auth.RequireBearerToken(func(_ context.Context, key string, _ *http.Request) (*auth.TokenInfo, error) {
		user, ok := users[sha256.Sum256([]byte(key))] // of a hash, so that the time tells nothing of the keys
		if !ok {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: user}, nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
}

// parseKeys reads USER=KEY,… into the users by the hashes of their keys.
func parseKeys(list string) map[[32]byte]string {
	users := map[[32]byte]string{}
	for pair := range strings.SplitSeq(list, ",") {
		if user, key, ok := strings.Cut(pair, "="); ok && user != "" && key != "" {
			users[sha256.Sum256([]byte(key))] = user
		}
	}
	return users
}
