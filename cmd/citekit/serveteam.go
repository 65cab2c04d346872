package main

import (
	"cmp"
	"context"
	"log/slog"
	"net"

	"github.com/citekit/citekit/cmd/citekit/internal/config"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
)

// serveTeam serves workspaces to callers with rights of their own.
func (s *session) serveTeam(ctx context.Context, h *host, flags *settingFlags, logs *logs) error {
	settings := h.settings
	if err := checkTLS(settings); err != nil {
		return err
	}
	callers, err := openCallers(ctx, settings, logs.logger)
	if err != nil {
		return err
	}
	defer callers.close()
	all, err := s.openServed(h)
	if err != nil {
		return err
	}
	defer closeAll(all)
	listener, err := listen(ctx, settings)
	if err != nil {
		return err
	}
	defer listener.Close()
	shown, err := openTelemetry(ctx, settings, all, logs)
	if err != nil {
		return err
	}
	defer shown.close()
	now := newAdjusted(settings)
	team, err := server.New(hostedServers(all, settings, now), &server.Options{
		Authenticator: callers.authenticator, Limits: settings.Limits.Server(), Handler: endpointOptions(settings, logs.logger),
		Metadata: callers.metadata, Ready: sharedChecks(callers, logs), Logger: logs.logger, Audit: logs.audit, Observer: shown.observer(),
	})
	if err != nil {
		return err
	}
	warnOpen(settings, listener, logs.logger)
	watch, end := context.WithCancel(ctx)
	defer end()
	requests, stop := reloadRequests()
	defer stop()
	go (&reloader{flags: flags, settings: settings, logs: logs, team: team, now: now}).run(watch, requests)
	shown.serve(watch, team.Load)
	s.tellAddress(settings, listener)
	logStop := s.logRun(ctx, logs.logger, settings, listener.Addr().String())
	serving.Store(true)
	err = team.Serve(ctx, listener, serveOptions(settings))
	logStop(err)
	return cmp.Or(err, stopped(ctx))
}

// hostedServers returns a protocol server for each workspace. now decides at each
// request what all servers leave out.
func hostedServers(all []*hosted, settings *config.Settings, now *adjusted) []server.Workspace {
	var served []server.Workspace
	for _, one := range all {
		opts := one.ServerOptions()
		opts.Links = linksOf(one.Library, settings)
		opts.Toolsets, opts.Tools, opts.ReadOnly, opts.Adjust = nil, nil, false, now.get
		served = append(served, server.Workspace{
			Name: one.name, Ready: one.ready, Full: one.full,
			Hosted: transport.Hosted{Server: mcpadapter.NewServer(one.Library, opts), Links: opts.Links},
		})
	}
	return served
}

// sharedChecks returns the readiness checks of what workspaces share.
func sharedChecks(c *callers, logs *logs) map[string]func(context.Context) error {
	checks := make(map[string]func(context.Context) error)
	if c.keys != nil {
		checks["keys"] = c.keys.Check
	}
	if c.provider != nil {
		checks["oauth"] = c.provider.Check
	}
	if len(logs.files) > 0 {
		ready := logs.ready()
		checks["log"] = func(context.Context) error { return ready() }
	}
	return checks
}

// warnOpen warns if keys travel unencrypted.
func warnOpen(settings *config.Settings, listener net.Listener, logger *slog.Logger) {
	address, ok := listener.Addr().(*net.TCPAddr)
	if ok && !address.IP.IsLoopback() && settings.TLS.Cert == "" {
		logger.Warn("other machines reach this server without TLS, and keys travel in the clear: give --tls-cert and --tls-key, or have a proxy with TLS before it", slog.String("address", address.String()))
	}
}
