package ctxio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/ctxio"
)

func TestHash(t *testing.T) {
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of "abc", FIPS 180-2
	for _, r := range []io.Reader{strings.NewReader("abc"), io.MultiReader(strings.NewReader("a"), strings.NewReader("bc"))} {
		if hash, size, err := ctxio.Hash(t.Context(), r); hash != want || size != 3 || err != nil {
			t.Errorf("%T: %s of %d bytes, %v", r, hash, size, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if hash, _, err := ctxio.Hash(ctx, bytes.NewReader(make([]byte, 4<<20))); hash != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %q, %v", hash, err)
	}
}

func TestIsHash(t *testing.T) {
	hash := ctxio.HashOf([]byte("abc"))
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; hash != want || !ctxio.IsHash(hash) {
		t.Errorf("HashOf = %s, IsHash = %v; want %s", hash, ctxio.IsHash(hash), want)
	}
	for _, s := range []string{"", hash[:63], hash + "0", strings.ToUpper(hash), "g" + hash[1:]} {
		if ctxio.IsHash(s) {
			t.Errorf("%q passes for a hash", s)
		}
	}
}
