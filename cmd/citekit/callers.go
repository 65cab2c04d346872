package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/access/keyfile"
	"github.com/citekit/citekit/internal/config"
	"github.com/citekit/citekit/server"
)

// callers are who know what a token may do.
type callers struct {
	authenticator access.Authenticator // nil if nobody must tell who they are
	keys          *keyfile.File        // nil if there are none
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
	return c, nil
}

func (c *callers) openKeys(ctx context.Context, settings *config.Settings, logger *slog.Logger) error {
	fault := func(err error) error {
		return &settingsError{"serve", config.Faults{settings.Fault(strings.TrimPrefix(err.Error(), "keyfile: "), "keys")}}
	}
	keys, err := keyfile.Open(settings.Keys, &keyfile.Options{Check: checkKey, Logger: logger})
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

// warnOfNames tells of keys for workspaces that there are not: a slip of the pen, or
// those of another server.
func warnOfNames(ctx context.Context, keys *keyfile.File, settings *config.Settings, logger *slog.Logger) {
	all, err := keys.List(ctx)
	if err != nil {
		return // the keys could be read; when they were last used could not
	}
	for _, key := range all {
		for _, name := range key.Workspaces {
			if _, ok := settings.Workspaces[name]; !ok && !(len(settings.Workspaces) == 0 && name == baseWorkspace) && key.Revoked.IsZero() {
				logger.Warn("a key is for a workspace that this server has not", slog.String("key", key.ID), slog.String("workspace", name))
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
