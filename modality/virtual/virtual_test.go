package virtual_test

import (
	"errors"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/modalitytest"
	"github.com/citekit/citekit/modality/virtual"
)

func TestConformance(t *testing.T) {
	modalitytest.Test(t, virtual.Resolver{}, modalitytest.Fixture{
		Name:   "anything",
		Source: []byte("never read"),
		NoBody: true,
		Good: []modalitytest.Case{
			{Name: "virtual", Location: at("virtual://elsewhere/part#x")},
			{Name: "web", Location: at("https://example.org/a?b=c")},
		},
		Foreign: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}},
	})
}

func TestWhole(t *testing.T) {
	x, err := virtual.Resolver{}.Resolve(t.Context(), nil, citekit.Request{Location: at("")})
	if err != nil || x.Body != nil {
		t.Errorf("got %+v, %v", x, err)
	}
}

func TestInvalidAddress(t *testing.T) {
	_, err := virtual.Resolver{}.Resolve(t.Context(), nil, citekit.Request{Location: at("virtual://a\x00b")})
	if !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("a control character: %v", err)
	}
}

func at(address string) citekit.Location {
	return citekit.Location{Modality: citekit.Virtual, VirtualAddress: address}
}
