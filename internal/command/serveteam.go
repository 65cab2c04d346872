package command

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/viewer"
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
	shown, err := s.openTelemetry(ctx, settings, all, logs)
	if err != nil {
		return err
	}
	defer shown.close()
	now, endpoint := newAdjusted(settings), endpointOptions(settings, logs.logger)
	endpoint.Tools, endpoint.View = mcpadapter.ToolsOf(all[0].ServerOptions()), pagesOf(settings, all)
	team, err := server.New(h.hostedServers(all, now), &server.Options{
		Authenticator: callers.authenticator, Limits: settings.Limits.Server(), Meter: meterOf(all), Handler: endpoint,
		Metadata: callers.metadata, Ready: sharedChecks(callers, logs), Logger: logs.logger, Audit: logs.audit, Observer: shown.observer(),
		Version: buildVersion().Version,
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
	serving.Store(int64(settings.Drain) + int64(serverPatience))
	err = team.Serve(ctx, listener, serveOptions(settings))
	logStop(err)
	return cmp.Or(err, stopped(ctx))
}

// meterOf returns the meter of the first workspace whose store has one, which replicas
// share; else nil.
func meterOf(all []*hosted) server.Meter {
	for _, one := range all {
		if m, ok := one.Workspace().(server.Meter); ok {
			return m
		}
	}
	return nil
}

// hostedServers returns a protocol server for each workspace. now decides at each
// request what all servers leave out, and the settings of a workspace what it leaves out.
func (h *host) hostedServers(all []*hosted, now *adjusted) []server.Workspace {
	var served []server.Workspace
	h.services = make(map[string]*api.Service)
	for _, one := range all {
		opts := one.ServerOptions()
		opts.Links = linksOf(one.Library, h.settings)
		if pages := pagesOf(h.settings, nil); pages != nil && h.settings.PublicURL != "" {
			opts.ViewLink = pageLinks(pages, one.name, len(h.settings.Workspaces) > 0)
		}
		opts.Toolsets, opts.Tools, opts.ReadOnly = nil, nil, false
		opts.Adjust = func() mcpadapter.Adjustment { return narrowedTo(now.get(), h.settings.Workspaces[one.name]) }
		service := one.Service(opts)
		h.services[one.name] = service
		served = append(served, server.Workspace{
			Name: one.name, Ready: one.ready, Full: one.full,
			Hosted: transport.Hosted{Server: mcpadapter.NewServer(one.Library, opts), Links: opts.Links}, API: service,
		})
	}
	return served
}

// pageLinks returns the links to the pages of a workspace, which they name if there may be
// several.
func pageLinks(pages transport.View, workspace string, named bool) func(address, quote string) string {
	return func(address, quote string) string {
		link := pages.Link(address, quote)
		if named {
			link = viewer.InWorkspace(link, workspace)
		}
		return link
	}
}

// narrowedTo returns the settings for all workspaces together with those of one.
func narrowedTo(all mcpadapter.Adjustment, w config.Workspace) mcpadapter.Adjustment {
	all.Toolsets, all.Tools = both(all.Toolsets, w.Toolsets, mcpadapter.Toolsets()), both(all.Tools, w.Tools, nil)
	if len(w.Timeouts) > 0 {
		all.Timeouts = maps.Clone(all.Timeouts)
		for tool, timeout := range w.Timeouts {
			all.Timeouts[tool] = time.Duration(timeout)
		}
	}
	return all
}

// both returns the names that two lists have, of which an empty one has all. The word
// all in a list stands for those that are known.
func both(a, b, known []string) []string {
	for _, list := range []*[]string{&a, &b} {
		if slices.Contains(*list, access.AllToolsets) && known != nil {
			*list = known
		}
	}
	switch {
	case len(b) == 0:
		return a
	case a == nil:
		return b
	}
	return slices.DeleteFunc(slices.Clone(a), func(name string) bool { return !slices.Contains(b, name) })
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
