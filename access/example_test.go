package access_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit/access"
)

// oneToken takes a single token.
type oneToken string

func (o oneToken) Authenticate(_ context.Context, token string) (*access.Grant, error) {
	if token != string(o) { // a real one compares hashes
		return nil, access.ErrRefused
	}
	return &access.Grant{ID: "reader", Workspaces: []string{"research"}, ReadOnly: true}, nil
}

func ExampleSeveral() {
	callers := access.Several(oneToken("old"), oneToken("new"))
	grant, err := callers.Authenticate(context.Background(), "new")
	fmt.Println(grant.ID, grant.Has("research"), grant.Has("legal"), err)
	_, err = callers.Authenticate(context.Background(), "stolen")
	fmt.Println(errors.Is(err, access.ErrRefused))
	// Output:
	// reader true false <nil>
	// true
}
