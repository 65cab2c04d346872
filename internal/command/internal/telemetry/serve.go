package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"
)

const (
	readTimeout  = 10 * time.Second // for the headers of a request
	writeTimeout = time.Minute      // for a whole answer
	closeTimeout = 5 * time.Second  // for running requests when the server ends
	mostHeader   = 16 << 10         // bytes
)

// Serve serves the metrics at /metrics, and what Options.Handlers says, to clients of listener until ctx is done,
// and closes the listener. On a loopback address it refuses requests that name
// another host, as web pages of other sites could send them. It has at most 64
// connections: a new one then takes the place of one that waits. It returns nil once
// ctx is done.
func (t *Telemetry) Serve(ctx context.Context, listener net.Listener) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", onlyLocalNames(t.handler))
	for pattern, handler := range t.further {
		mux.Handle(pattern, handler)
	}
	conns := &limited{Listener: listener}
	s := &http.Server{
		Handler: conns.answering(mux), ConnState: conns.follow,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ReadTimeout: readTimeout, WriteTimeout: writeTimeout, MaxHeaderBytes: mostHeader,
		ErrorLog: slog.NewLogLogger(t.metrics.logger.Handler(), slog.LevelDebug),
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		listener.Close()
		conns.closeWaiting() // those that never sent a request would be waited for
		if s.Shutdown(ctx) != nil {
			s.Close()
		}
	})
	err := s.Serve(conns)
	if !stop() {
		<-stopped
	}
	if errors.Is(err, http.ErrServerClosed) || ctx.Err() != nil && errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// onlyLocalNames refuses requests to a loopback address by a name that is not
// local: another site may point its own name there.
func onlyLocalNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		if ok && local.IP.IsLoopback() && !isLocalName(r.Host) {
			http.Error(w, "the Host header must be localhost or an address: this server is of this machine alone", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isLocalName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	if len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}
