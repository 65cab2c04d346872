package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mcpadapter"
)

// The transports of a server.
const (
	transportStdio = "stdio"
	transportHTTP  = "http"
)

// httpFlags are those of a server over HTTP.
type httpFlags struct {
	transport       string
	host            string
	port            int
	stateless, sse  bool
	tlsCert, tlsKey string
	sessionTimeout  time.Duration
	flags           *flagSet
}

// onlyHTTP are the flags that need --transport http.
var onlyHTTP = []string{"host", "port", "stateless", "sse", "tls-cert", "tls-key", "session-timeout"}

func (h *httpFlags) register(f *flagSet) {
	h.flags = f
	f.StringVar(&h.transport, "transport", transportStdio, "`TRANSPORT`: stdio, or http for clients that connect to a port")
	f.StringVar(&h.host, "host", "127.0.0.1", "`HOST` to listen on with --transport http: an address of this machine that others cannot reach")
	f.IntVar(&h.port, "port", 8808, "`PORT` to listen on with --transport http; 0 takes a free one")
	f.BoolVar(&h.stateless, "stateless", false, "with --transport http: no sessions, for several servers behind a load balancer")
	f.BoolVar(&h.sse, "sse", false, "with --transport http: also serve the older HTTP+SSE transport, at /sse")
	f.StringVar(&h.tlsCert, "tls-cert", "", "PEM `FILE` of the certificate, to serve https; read again when it changes")
	f.StringVar(&h.tlsKey, "tls-key", "", "PEM `FILE` of the certificate's key; read again when it changes")
	f.DurationVar(&h.sessionTimeout, "session-timeout", 10*time.Minute, "end a session that was idle for this `TIME`, such as 30m")
}

// check returns what is wrong with the flags.
func (h *httpFlags) check() error {
	switch h.transport {
	case transportHTTP:
	case transportStdio:
		return h.checkStdio()
	default:
		return usagef("serve", "flag --transport: bad value %q: it is stdio or http", h.transport)
	}
	switch {
	case h.port < 0 || h.port > 65535:
		return usagef("serve", "flag --port: bad value %q: ports run from 0 to 65535", strconv.Itoa(h.port))
	case h.sessionTimeout <= 0:
		return usagef("serve", "flag --session-timeout: bad value %q: it must be more than 0", h.sessionTimeout)
	case h.tlsCert != "" && h.tlsKey == "":
		return usagef("serve", "flag --tls-cert needs --tls-key")
	case h.tlsKey != "" && h.tlsCert == "":
		return usagef("serve", "flag --tls-key needs --tls-cert")
	case h.stateless && h.sse:
		return usagef("serve", "flag --sse does not go with --stateless: that transport has sessions")
	}
	return nil
}

func (h *httpFlags) checkStdio() (err error) {
	h.flags.Visit(func(f *flag.Flag) {
		if err == nil && slices.Contains(onlyHTTP, f.Name) {
			err = usagef("serve", "flag %s needs --transport http", dashed(f.Name))
		}
	})
	return err
}

// listen listens where the flags say, if only this machine can reach it.
func (h *httpFlags) listen(ctx context.Context) (net.Listener, error) {
	address, err := loopbackAddress(ctx, h.host)
	if err != nil {
		return nil, err
	}
	listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(address, uint16(h.port))))
	if err != nil {
		return nil, fmt.Errorf("--host %s --port %d: %w", h.host, h.port, cause(err))
	}
	return listener, nil
}

// checkTLS returns what is wrong with the files of the certificate, before anybody
// hears that the server listens.
func (h *httpFlags) checkTLS() error {
	if h.tlsCert == "" {
		return nil
	}
	for _, file := range []struct{ flag, path string }{{"--tls-cert", h.tlsCert}, {"--tls-key", h.tlsKey}} {
		if _, err := os.ReadFile(file.path); err != nil {
			return fmt.Errorf("%s: %w", file.flag, err)
		}
	}
	if _, err := tls.LoadX509KeyPair(h.tlsCert, h.tlsKey); err != nil {
		return fmt.Errorf("--tls-cert %s, --tls-key %s: %w", h.tlsCert, h.tlsKey, err)
	}
	return nil
}

// cause returns what the system says of a network operation.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// loopbackAddress returns the address that a host means, which must be a
// loopback one, as must all others that its name has.
func loopbackAddress(ctx context.Context, host string) (netip.Addr, error) {
	if host == "localhost" {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil // whatever a resolver says
	}
	addresses := []netip.Addr{}
	if address, err := netip.ParseAddr(host); err == nil {
		addresses = append(addresses, address)
	} else if host != "" {
		if addresses, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host); err != nil {
			return netip.Addr{}, usagef("serve", "flag --host: bad value %q: no address of that name", host)
		}
	}
	for i, address := range addresses {
		if addresses[i] = address.Unmap(); !addresses[i].IsLoopback() {
			addresses = nil
			break
		}
	}
	if len(addresses) == 0 {
		return netip.Addr{}, usagef("serve", "flag --host: bad value %q: other machines could read the files without authentication, which this server does not have; listen on 127.0.0.1, and have a proxy that authenticates in front of it", host)
	}
	return addresses[0], nil
}

func (s *session) serveHTTP(ctx context.Context, lib *citekit.Library, opts *mcpadapter.Options, over httpFlags) error {
	if err := over.checkTLS(); err != nil {
		return err
	}
	listener, err := over.listen(ctx)
	if err != nil {
		return err
	}
	defer listener.Close()
	opts.Links = mcpadapter.NewEvidenceLinks(lib, nil)
	handler := mcpadapter.NewHandler(mcpadapter.NewServer(lib, opts), &mcpadapter.HandlerOptions{
		Stateless: over.stateless, SSE: over.sse, SessionTimeout: over.sessionTimeout, Links: opts.Links, Logger: opts.Logger,
	})
	scheme := "http"
	if over.tlsCert != "" {
		scheme = "https"
	}
	fmt.Fprintf(s.stderr, "citekit: serving MCP at %s://%s/mcp\n", scheme, listener.Addr())
	err = handler.Serve(ctx, listener, &mcpadapter.ServeOptions{CertFile: over.tlsCert, KeyFile: over.tlsKey})
	if err != nil {
		return err
	}
	return stopped(ctx)
}
