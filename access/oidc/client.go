package oidc

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

const (
	maxResponse  = 1 << 20 // bytes; of the metadata, and of the keys
	fetchTimeout = 10 * time.Second
	maxRedirects = 3
)

// newClient returns a client for requests to an issuer. It limits their time and
// size, and follows no redirects to other hosts.
func newClient(roots *x509.CertPool) *http.Client {
	return &http.Client{
		Timeout: fetchTimeout,
		Transport: limitedTransport{&http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    fetchTimeout / 2,
			ResponseHeaderTimeout:  fetchTimeout / 2,
			MaxResponseHeaderBytes: 64 << 10,
			MaxConnsPerHost:        2,
			IdleConnTimeout:        time.Minute,
			ForceAttemptHTTP2:      true,
		}},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			first := via[0].URL
			if r.URL.Scheme != first.Scheme || r.URL.Host != first.Host {
				return errors.New("it redirects to another host")
			}
			if len(via) > maxRedirects {
				return fmt.Errorf("it redirects more than %d times", maxRedirects)
			}
			return nil
		},
	}
}

// isSecure reports whether the response to a URL is authentic: it comes over
// https, or from this machine.
func isSecure(u *url.URL) bool {
	if u.Scheme == "https" {
		return true
	}
	address, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && address.Unmap().IsLoopback())
}

// limitedTransport is a transport whose responses end with an error if they are too large.
type limitedTransport struct{ *http.Transport }

// RoundTrip implements [http.RoundTripper].
func (b limitedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !isSecure(r.URL) {
		return nil, errors.New("it must use https")
	}
	response, err := b.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = &boundedBody{ReadCloser: response.Body, left: maxResponse}
	return response, nil
}

type boundedBody struct {
	io.ReadCloser
	left int64 // bytes
}

var errTooLarge = fmt.Errorf("the response is larger than %d MiB", maxResponse>>20)

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLarge
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
