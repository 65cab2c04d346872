package command

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/access/oidc"
	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/server"
)

// callers hold what authenticates callers and knows their rights.
type callers struct {
	authenticator access.Authenticator // nil if callers need not authenticate
	keys          *access.KeyFile      // nil without a file of keys
	provider      *oidc.Authenticator  // nil without an identity provider
	metadata      *server.Metadata
}

// openCallers opens the keys and the identity provider that the settings name.
func openCallers(ctx context.Context, settings *config.Settings, logger *slog.Logger) (*callers, error) {
	c := new(callers)
	if settings.Keys != "" {
		if err := c.openKeys(ctx, settings, logger); err != nil {
			return nil, err
		}
	}
	if settings.OAuth.Issuer != "" {
		if err := c.openProvider(settings); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	return c, nil
}

// openProvider accepts the tokens of an identity provider in addition to keys.
func (c *callers) openProvider(settings *config.Settings) error {
	o := settings.OAuth
	opts := &oidc.Options{ScopeClaim: o.ScopeClaim, RequireType: o.RequireType, Skew: time.Duration(o.Skew), Scopes: make(map[string]oidc.Rule)}
	for scope, grant := range o.Grants {
		opts.Scopes[scope] = oidc.Rule{
			Workspaces: grant.Workspaces, Toolsets: emptyIsNil(grant.Toolsets), Tools: emptyIsNil(grant.Tools), ReadOnly: grant.ReadOnly,
		}
	}
	if o.CAFile != "" {
		data, err := os.ReadFile(o.CAFile)
		opts.RootCAs = x509.NewCertPool()
		if err == nil && !opts.RootCAs.AppendCertsFromPEM(data) {
			err = errors.New("it has no certificate in PEM")
		}
		if err != nil {
			return faultOf(settings, systemError(err).Error(), "oauth", "ca_file")
		}
	}
	provider, err := oidc.New(o.Issuer, []string{cmp.Or(o.Audience, o.Resource)}, opts)
	if err != nil {
		return faultOf(settings, strings.TrimPrefix(err.Error(), "oidc: "), "oauth", "issuer")
	}
	c.provider, c.authenticator = provider, provider
	if c.keys != nil {
		c.authenticator = access.Several(c.keys, provider)
	}
	c.metadata = &server.Metadata{Resource: o.Resource, Issuers: []string{o.Issuer}, Scopes: o.Scopes}
	return nil
}

func (c *callers) openKeys(ctx context.Context, settings *config.Settings, logger *slog.Logger) error {
	fault := func(err error) error {
		return faultOf(settings, strings.TrimPrefix(err.Error(), "access: "), "keys")
	}
	keys, err := access.OpenKeyFile(settings.Keys, &access.KeyFileOptions{Check: checkKey, Logger: logger})
	if err != nil {
		return fault(err)
	}
	if err := keys.Check(ctx); err != nil {
		keys.Close()
		return fault(err)
	}
	c.keys, c.authenticator = keys, keys
	warnOfNames(ctx, keys, settings, logger)
	return nil
}

// warnOfNames logs the keys that name unknown workspaces, because of a typing error
// or because they belong to another server.
func warnOfNames(ctx context.Context, keys *access.KeyFile, settings *config.Settings, logger *slog.Logger) {
	all, err := keys.List(ctx)
	if err != nil {
		return // the keys were read; only the times of last use could not be
	}
	for _, key := range all {
		for _, name := range key.Workspaces {
			if _, ok := settings.Workspaces[name]; !ok && !(len(settings.Workspaces) == 0 && name == config.BaseWorkspace) && key.Revoked.IsZero() {
				logger.Warn("a key is for a workspace that this server does not have", slog.String("key", key.ID), slog.String("workspace", name))
			}
		}
	}
}

func (c *callers) close() error {
	if c.keys == nil {
		return nil
	}
	if err := c.keys.Close(); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return nil
}
