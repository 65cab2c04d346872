package modality_test

import (
	"errors"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/modality/modalitytest"
)

func TestVirtual(t *testing.T) {
	modalitytest.Test(t, modality.Virtual{}, modalitytest.Fixture{
		Name:   "anything",
		Source: []byte("never read"),
		NoBody: true,
		Good: []modalitytest.Case{
			{Name: "virtual", Location: virtualAt("virtual://elsewhere/part#x")},
			{Name: "web", Location: virtualAt("https://example.org/a?b=c")},
		},
		Foreign: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}},
	})
}

func TestVirtualWhole(t *testing.T) {
	x, err := modality.Virtual{}.Resolve(t.Context(), nil, citekit.Request{Location: virtualAt("")})
	if err != nil || x.Body != nil {
		t.Errorf("got %+v, %v", x, err)
	}
}

func TestVirtualInvalidAddress(t *testing.T) {
	_, err := modality.Virtual{}.Resolve(t.Context(), nil, citekit.Request{Location: virtualAt("virtual://a\x00b")})
	if !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("a control character: %v", err)
	}
}

func virtualAt(address string) citekit.Location {
	return citekit.Location{Modality: citekit.Virtual, VirtualAddress: address}
}
