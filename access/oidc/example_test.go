package oidc_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/access/oidc"
)

func Example() {
	tokens, err := oidc.New("https://id.example", []string{"https://cite.example/mcp"}, &oidc.Options{
		Scopes: map[string]oidc.Rule{"papers.read": {Workspaces: []string{"papers"}, ReadOnly: true}},
	})
	if err != nil {
		log.Fatal(err)
	}
	// Beside keys of an operator: access.Several(keys, tokens).
	var callers access.Authenticator = access.Several(tokens)
	_, err = callers.Authenticate(context.Background(), "nonsense")
	fmt.Println(errors.Is(err, access.ErrRefused))
	// Output: true
}
