// Command probe checks the health of a server on this machine, for containers
// without a shell or curl. It exits with 0 if the server answers with status 200;
// otherwise it prints the reason to standard error.
//
//	probe 127.0.0.1:8808/healthz
//
// It tries https, and http if the server speaks that. It takes any certificate, as
// it sends nothing that is secret and talks to loopback addresses alone.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "probe: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: probe ADDRESS:PORT/PATH, such as 127.0.0.1:8808/healthz")
	}
	host, _, _ := strings.Cut(args[0], "/")
	if address, err := netip.ParseAddrPort(host); err != nil || !address.Addr().IsLoopback() {
		return fmt.Errorf("%s is not a loopback address with a port, such as 127.0.0.1:8808", host)
	}
	client := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	// A server of https logs a request that is none; one of http does not.
	err := get(ctx, client, "https://"+args[0])
	if errors.Is(err, errPlain) {
		err = get(ctx, client, "http://"+args[0])
	}
	return err
}

// errPlain reports a server that speaks http where https was asked for.
var errPlain = errors.New("the server speaks http")

func get(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		if strings.Contains(err.Error(), "HTTP response to HTTPS client") {
			return errPlain
		}
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", url, response.Status, strings.TrimSpace(string(body)))
	}
	return nil
}
