package oidc

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

// fetch requests the keys of an issuer.
func fetch(ctx context.Context, client *http.Client, issuer string) ([]jose.JSONWebKey, error) {
	provider, err := gooidc.NewProvider(gooidc.ClientContext(ctx, client), issuer)
	if err != nil {
		return nil, fmt.Errorf("the metadata of issuer %s: %s", issuer, clip(err))
	}
	var metadata struct {
		KeysURL string `json:"jwks_uri"`
	}
	if err := provider.Claims(&metadata); err != nil || metadata.KeysURL == "" {
		return nil, fmt.Errorf("the metadata of issuer %s has no jwks_uri", issuer)
	}
	data, err := get(ctx, client, metadata.KeysURL)
	if err != nil {
		return nil, fmt.Errorf("the keys of issuer %s: %s", issuer, clip(err))
	}
	keys, err := parseKeys(data)
	if err != nil {
		return nil, fmt.Errorf("the keys of issuer %s: %w", issuer, err)
	}
	return keys, nil
}

// clip shortens an error, which may contain a whole response.
func clip(err error) string {
	const most = 300
	text := err.Error()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func get(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", response.Status)
	}
	return io.ReadAll(response.Body)
}

const (
	maxKeys    = 100
	minRSABits = 2048
	maxRSABits = 8192
)

// parseKeys returns the keys of a JSON Web Key Set that can check signatures. It
// leaves out other keys and unknown kinds.
func parseKeys(data []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, errors.New("they are not a JSON Web Key Set")
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("there are %d; at most %d are allowed", len(set.Keys), maxKeys)
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) == nil && isUsable(key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("none is a public key for checking signatures: RSA of at least 2048 bits, an elliptic curve, or Ed25519")
	}
	return keys, nil
}

func isUsable(key jose.JSONWebKey) bool {
	if !key.Valid() || !key.IsPublic() || key.Use != "" && key.Use != "sig" {
		return false
	}
	if k, ok := key.Key.(*rsa.PublicKey); ok {
		return k.N.BitLen() >= minRSABits && k.N.BitLen() <= maxRSABits
	}
	return true
}

// fits reports whether a key can make signatures with an algorithm.
func fits(key jose.JSONWebKey, algorithm string) bool {
	if key.Algorithm != "" && key.Algorithm != algorithm {
		return false
	}
	switch key.Key.(type) {
	case *rsa.PublicKey:
		return strings.HasPrefix(algorithm, "RS") || strings.HasPrefix(algorithm, "PS")
	case *ecdsa.PublicKey:
		return strings.HasPrefix(algorithm, "ES")
	case ed25519.PublicKey:
		return algorithm == gooidc.EdDSA
	}
	return false
}
