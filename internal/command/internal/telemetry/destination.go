package telemetry

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	defaultCollector = "http://localhost:4318"
	tracesPath       = "/v1/traces"

	// defaultTimeout is how long a request to a collector may take.
	defaultTimeout = 10 * time.Second
)

// A destination is where and how spans are sent.
type destination struct {
	url    string
	header http.Header
	gzip   bool
	client *http.Client
}

// newDestination returns the destination in the OTLP variables of
// https://opentelemetry.io/docs/specs/otel/protocol/exporter. If they name no
// collector, it is collector, or the default one on this machine.
func newDestination(collector string) (*destination, error) {
	d := &destination{url: address(collector)}
	if !isEndpoint(d.url) { // the variables were checked before
		return nil, errors.New("telemetry: the endpoint of traces must be a URL such as " + defaultCollector)
	}
	if err := d.readHeader(); err != nil {
		return nil, err
	}
	name, value := variable("COMPRESSION")
	switch value {
	case "gzip":
		d.gzip = true
	case "", "none":
	default:
		return nil, wrong(name, value, "it must be gzip or none")
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: defaultTimeout, IdleConnTimeout: 90 * time.Second,
		DialContext: (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
	}
	var err error
	if transport.TLSClientConfig, err = certificates(); err != nil {
		return nil, err
	}
	d.client = &http.Client{Transport: transport, Timeout: defaultTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // another host must not get the headers
	}}
	if _, value := variable("TIMEOUT"); value != "" { // checkNumbers has checked it
		n, _ := strconv.Atoi(value)
		d.client.Timeout = time.Duration(n) * time.Millisecond
	}
	return d, nil
}

// address returns the URL that spans are posted to. The variable for traces is
// used unchanged; a path is appended to the variable for all signals.
func address(collector string) string {
	if whole := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); whole != "" {
		return whole
	}
	base := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), collector, defaultCollector)
	u, err := url.Parse(base)
	if err != nil {
		return base // which newDestination refuses
	}
	return u.JoinPath(tracesPath).String()
}

// variable returns the name and the value of an OTLP variable: the one for traces
// if it is set, else the one for all signals.
func variable(of string) (name, value string) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_" + of, "OTEL_EXPORTER_OTLP_" + of} {
		if value := strings.TrimSpace(os.Getenv(name)); value != "" {
			return name, value
		}
	}
	return "", ""
}

// readHeader reads headers such as api-key=abc,tenant=a%20b. Errors do not
// contain them, as they may be secret.
func (d *destination) readHeader() error {
	d.header = http.Header{"Content-Type": {"application/x-protobuf"}, "User-Agent": {"OTel-OTLP-Exporter-Go/citekit"}}
	name, all := variable("HEADERS")
	for pair := range strings.SplitSeq(all, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(value)
		if key, value = strings.TrimSpace(key), strings.TrimSpace(value); !ok || err != nil || !isToken(key) || strings.ContainsFunc(value, isControl) {
			return wrongVariable(name, "must have headers such as api-key=abc,tenant=b, with other characters percent-encoded")
		}
		d.header.Set(key, value)
	}
	return nil
}

// isControl reports whether no value of a header can contain r.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// isToken reports whether key is the name of a header, by RFC 9110, section 5.6.2.
func isToken(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		isLetter := r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z'
		return !isLetter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// certificates returns the TLS configuration in the variables, or nil if there is
// none.
func certificates() (*tls.Config, error) {
	rootsName, roots := variable("CERTIFICATE")
	chainName, chain := variable("CLIENT_CERTIFICATE")
	keyName, key := variable("CLIENT_KEY")
	if roots == "" && chain == "" && key == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if roots != "" {
		data, err := os.ReadFile(roots)
		config.RootCAs = x509.NewCertPool()
		if err != nil || !config.RootCAs.AppendCertsFromPEM(data) {
			return nil, wrongVariable(rootsName, "must name a readable file of PEM certificates")
		}
	}
	if chain == "" && key == "" {
		return config, nil
	}
	pair, err := tls.LoadX509KeyPair(chain, key)
	if err != nil {
		return nil, wrongVariable(cmp.Or(chainName, keyName), "and the one for CLIENT_KEY must name readable PEM files of one certificate and its key")
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}
