package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
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
	transport string
	host      string
	port      int
	stateless bool
}

func (h *httpFlags) register(f *flagSet) {
	f.StringVar(&h.transport, "transport", transportStdio, "`TRANSPORT`: stdio, or http for clients that connect to a port")
	f.StringVar(&h.host, "host", "127.0.0.1", "`HOST` name or address to listen on, with --transport http")
	f.IntVar(&h.port, "port", 8808, "`PORT` to listen on, with --transport http; 0 takes a free one")
	f.BoolVar(&h.stateless, "stateless", false, "no sessions, for several servers behind a load balancer")
}

func (s *session) serveHTTP(ctx context.Context, lib *citekit.Library, opts *mcpadapter.Options, over httpFlags) error {
	opts.Links = mcpadapter.NewEvidenceLinks(lib, nil)
	handler := mcpadapter.NewHandler(mcpadapter.NewServer(lib, opts), &mcpadapter.HandlerOptions{
		Stateless: over.stateless, Links: opts.Links, Logger: opts.Logger,
	})
	listener, err := net.Listen("tcp", net.JoinHostPort(over.host, strconv.Itoa(over.port)))
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "citekit: serving MCP at http://%s/mcp\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return stopped(ctx)
}
