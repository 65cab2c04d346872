package access_test

import (
	"context"
	"errors"
	"testing"

	"github.com/citekit/citekit/access"
)

// one takes one token, and fails otherwise.
type one struct {
	token string
	err   error
}

func (o one) Authenticate(_ context.Context, token string) (*access.Grant, error) {
	if token == o.token {
		return &access.Grant{ID: "id-" + token}, nil
	}
	return nil, o.err
}

// known also tells which IDs are valid.
type known struct{ one }

func (k known) Valid(id string) bool { return id == "id-"+k.token }

func TestSeveral(t *testing.T) {
	broken := errors.New("broken")
	a := access.Several(one{"a", access.ErrRefused}, one{"b", broken}, one{"c", access.ErrRefused})
	for _, token := range []string{"a", "b", "c"} {
		if grant, err := a.Authenticate(t.Context(), token); err != nil || grant.ID != "id-"+token {
			t.Errorf("%s: %v, %v", token, grant, err)
		}
	}
	if _, err := a.Authenticate(t.Context(), "d"); err != broken {
		t.Errorf("error %v", err)
	}
	named := &access.RefusedError{ID: "id-d", Err: access.ErrRefused}
	a = access.Several(one{"a", access.ErrRefused}, one{"b", named}, one{"c", access.ErrRefused})
	if _, err := a.Authenticate(t.Context(), "d"); err != error(named) || !errors.Is(err, access.ErrRefused) {
		t.Errorf("error %v; want the one that names the caller", err)
	}
	if _, err := access.Several().Authenticate(t.Context(), "d"); !errors.Is(err, access.ErrRefused) {
		t.Errorf("error %v", err)
	}
}

func TestSeveralValid(t *testing.T) {
	type validator interface{ Valid(string) bool }
	a := access.Several(known{one{token: "a"}}, known{one{token: "b"}}).(validator)
	for id, want := range map[string]bool{"id-a": true, "id-b": true, "id-c": false} {
		if a.Valid(id) != want {
			t.Errorf("%s is valid: %v", id, !want)
		}
	}
	if !access.Several(known{one{token: "a"}}, one{token: "b"}).(validator).Valid("id-c") {
		t.Error("an ID of an authenticator that cannot tell is not valid")
	}
}
