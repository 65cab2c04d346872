package command

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/viewer"
)

// The transports of a server.
const (
	transportStdio = "stdio"
	transportHTTP  = "http"
	transportSSE   = "sse" // in settings only: HTTP with the older HTTP+SSE transport
)

// onlyHTTP are the flags that need --transport http.
var onlyHTTP = []string{"host", "port", "view", "stateless", "sse", "tls-cert", "tls-key", "session-timeout", "keys", "audit-log", "metrics"}

// registerHTTP defines the flags of the HTTP server.
func registerHTTP(f *pflag.FlagSet) {
	f.String("transport", transportStdio, "`TRANSPORT`: stdio, or http for clients that connect to a port; sse is http with --sse")
	f.String("host", "127.0.0.1", "`HOST` to listen on, which means --transport http: a loopback address, or any with --keys")
	f.Int("port", 8808, "`PORT` to listen on, which means --transport http; 0 takes a free one")
	f.Bool("view", false, "with --transport http: serve pages for people at /view/, which show the library and what is cited")
	f.Bool("stateless", false, "with --transport http: no sessions, for several servers behind a load balancer")
	f.Bool("sse", false, "with --transport http: also serve the older HTTP+SSE transport, at /sse")
	f.String("tls-cert", "", "PEM `FILE` of the certificate, to serve https; read again when it changes")
	f.String("tls-key", "", "PEM `FILE` of the certificate's key; read again when it changes")
	f.Duration("session-timeout", 10*time.Minute, "end a session that was idle for this `TIME`, such as 30m")
}

// checkStdio returns an error if a flag that needs --transport http is given.
func (f *settingFlags) checkStdio() (err error) {
	f.flags.Visit(func(one *pflag.Flag) {
		if err == nil && slices.Contains(onlyHTTP, one.Name) {
			err = usagef(f.command, "flag %s needs --transport http", dashed(one.Name))
		}
	})
	return err
}

// listen listens on the address of the settings. Without authentication it must be
// reachable from this machine only.
func listen(ctx context.Context, settings *config.Settings) (net.Listener, error) {
	address, err := listenAddress(ctx, settings)
	if err != nil {
		return nil, err
	}
	listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(address, uint16(settings.Port))))
	if err != nil {
		err = fmt.Errorf("--host %s --port %d: %w", settings.Host, settings.Port, cause(err))
		if hint := listenHint(err); hint != "" {
			err = hinted{err, hint}
		}
		return nil, err
	}
	return listener, nil
}

// listenHint returns what a person can do about an error of listening, or "".
func listenHint(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "another program listens there, such as a citekit that still runs: stop it, or choose another port; 0 takes a free one"
	case errors.Is(err, syscall.EACCES):
		return "choose another port; those below 1024 need a privilege"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "this machine has no such address: choose another host"
	}
	return ""
}

// checkTLS checks the certificate files before the server announces that it listens.
func checkTLS(settings *config.Settings) error {
	files := settings.TLS
	if files.Cert == "" {
		return nil
	}
	cert, key := calledAs(settings, "tls", "cert"), calledAs(settings, "tls", "key")
	for _, file := range []struct{ setting, path string }{{cert, files.Cert}, {key, files.Key}} {
		if _, err := os.ReadFile(file.path); err != nil {
			return fmt.Errorf("%s: %w", file.setting, err)
		}
	}
	if _, err := tls.LoadX509KeyPair(files.Cert, files.Key); err != nil {
		return fmt.Errorf("%s %s, %s %s: %w", cert, files.Cert, key, files.Key, err)
	}
	return nil
}

// calledAs returns where a person gave a setting: its flag, variable or file.
func calledAs(settings *config.Settings, setting ...string) string {
	origin, name := settings.Origin(setting...), strings.Join(setting, ".")
	switch {
	case origin.Flag != "":
		return dashed(origin.Flag)
	case origin == config.Origin{}:
		return name
	}
	return origin.String() + ": " + name
}

// cause returns the error of the operating system in an error of a network
// operation.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// listenAddress returns the address of the host setting. Without authentication all
// addresses of the host must be loopback addresses.
func listenAddress(ctx context.Context, settings *config.Settings) (netip.Addr, error) {
	host := settings.Host
	fault := func(message string) error {
		return faultOf(settings, fmt.Sprintf("bad value %q: %s", host, message), "host")
	}
	if host == "localhost" {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil // whatever a resolver says
	}
	addresses := []netip.Addr{}
	if address, err := netip.ParseAddr(host); err == nil {
		addresses = append(addresses, address)
	} else if host != "" {
		if addresses, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host); err != nil || len(addresses) == 0 {
			return netip.Addr{}, fault("no address of that name")
		}
	}
	open := len(addresses) == 0
	for i, address := range addresses {
		addresses[i] = address.Unmap()
		open = open || !addresses[i].IsLoopback()
	}
	switch {
	case !open:
		return addresses[0], nil
	case !settings.Authenticates():
		return netip.Addr{}, fault("other machines could read the files without authentication; give --keys FILE, which 'citekit key' makes, or listen on 127.0.0.1")
	case len(addresses) == 0:
		return netip.IPv6Unspecified(), nil // IPv4 too
	}
	return addresses[0], nil
}

// serveHTTP serves one workspace to whoever can reach a loopback address.
func (s *session) serveHTTP(ctx context.Context, one *hosted, settings *config.Settings, logger *slog.Logger) error {
	if err := checkTLS(settings); err != nil {
		return err
	}
	listener, err := listen(ctx, settings)
	if err != nil {
		return err
	}
	defer listener.Close()
	opts := endpointOptions(settings, logger)
	opts.Links = linksOf(one.Library, settings)
	opts.View = pagesOf(settings, []*hosted{one})
	handler := one.Handler(&opts)
	s.tellAddress(settings, listener)
	logStop := s.logRun(ctx, logger, settings, listener.Addr().String())
	serving.Store(int64(settings.Drain) + int64(serverPatience))
	err = handler.Serve(ctx, listener, serveOptions(settings))
	logStop(err)
	return cmp.Or(err, stopped(ctx))
}

// linksOf returns the links to the evidence of a workspace.
func linksOf(lib *citekit.Library, settings *config.Settings) *transport.EvidenceLinks {
	return transport.NewEvidenceLinks(lib, &transport.LinkOptions{BaseURL: settings.PublicURL})
}

// pagesOf returns the pages for people, or nil if the settings have none. Replicas share
// the sessions of browsers in the store of the first workspace that has one.
func pagesOf(settings *config.Settings, all []*hosted) transport.View {
	if !settings.View {
		return nil
	}
	opts := &viewer.Options{Version: buildVersion().Version, BaseURL: settings.PublicURL}
	for _, one := range all {
		if store, ok := one.Workspace().(Store); ok && one.url != "" {
			opts.Sessions = store
			break
		}
	}
	return viewer.NewPages(opts)
}

// tellAddress prints the addresses that clients connect to.
func (s *session) tellAddress(settings *config.Settings, listener net.Listener) {
	scheme := "http"
	if settings.TLS.Cert != "" {
		scheme = "https"
	}
	fmt.Fprintf(s.stderr, "citekit: serving MCP at %s://%s/mcp\n", scheme, listener.Addr())
	if settings.View {
		fmt.Fprintf(s.stderr, "citekit: serving pages at %s://%s/view/\n", scheme, listener.Addr())
	}
}

// endpointOptions returns the options of the endpoint in the settings.
func endpointOptions(settings *config.Settings, logger *slog.Logger) transport.HandlerOptions {
	return transport.HandlerOptions{
		Stateless: settings.Stateless, SSE: settings.SSE, SessionTimeout: time.Duration(settings.SessionTimeout),
		MaxSessions: settings.Limits.Sessions, MaxBodyBytes: int64(settings.Limits.BodyBytes),
		Hosts: emptyIsNil(settings.Hosts), Origins: emptyIsNil(settings.Origins), Logger: logger,
	}
}

// stopGrace is how long running calls may continue after the server is told to stop.
const stopGrace = 10 * time.Second

func serveOptions(settings *config.Settings) *transport.ServeOptions {
	return &transport.ServeOptions{
		CertFile: settings.TLS.Cert, KeyFile: settings.TLS.Key, MaxConnections: settings.Limits.Connections, Drain: time.Duration(settings.Drain), Grace: stopGrace,
	}
}

func emptyIsNil(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}
