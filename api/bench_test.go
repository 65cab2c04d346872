package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit/api"
)

// connections is how many clients ask at a time.
const connections = 64

// BenchmarkOverhead compares the same search through HTTP, with all checks of a server,
// and in Go, by 64 clients of whom each has a connection, and waits between its requests
// about a second: what waits for a processor would hide the overhead. It reports medians
// in microseconds, of 640 calls each.
func BenchmarkOverhead(b *testing.B) {
	many := make(map[string]string)
	for i := range 20 {
		many[fmt.Sprintf("n%02d.txt", i)] = fmt.Sprintf("Harvest number %d has its own words, %d of them, and tea%d.\n", i, i*i, i%7)
	}
	c := open(b, many, nil)
	service := c.Service(nil)
	handler := c.Handler(nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- handler.Serve(ctx, listener, nil) }()
	defer func() {
		stop()
		<-ended
	}()
	url := "http://" + listener.Addr().String() + "/v1/search"
	const body = `{"q": "harvest tea3", "topK": 3}`
	var req api.SearchRequest
	if err := json.Unmarshal([]byte(body), &req); err != nil {
		b.Fatal(err)
	}
	direct := func(*http.Client) error {
		_, err := service.Search(ctx, &req)
		return err
	}
	overHTTP := func(one *http.Client) error {
		res, err := one.Post(url, "application/json", strings.NewReader(body))
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d, %w", res.StatusCode, err)
		}
		return nil
	}
	var library, served time.Duration
	for b.Loop() {
		library, served = median(b, direct), median(b, overHTTP)
	}
	b.ReportMetric(float64(library.Microseconds()), "library-µs")
	b.ReportMetric(float64(served.Microseconds()), "served-µs")
	b.ReportMetric(float64((served - library).Microseconds()), "overhead-µs")
}

// median returns the median of how long calls take.
func median(b *testing.B, call func(*http.Client) error) time.Duration {
	const each = 10
	all := make([]time.Duration, connections*each)
	var clients sync.WaitGroup
	for i := range connections {
		clients.Go(func() {
			one := &http.Client{Transport: &http.Transport{MaxIdleConns: 1}}
			defer one.CloseIdleConnections()
			chance := rand.New(rand.NewPCG(1, uint64(i)))
			for n := range each {
				time.Sleep(time.Duration(chance.Int64N(int64(2 * time.Second))))
				begun := time.Now()
				if err := call(one); err != nil {
					b.Error(err)
					return
				}
				all[i*each+n] = time.Since(begun)
			}
		})
	}
	clients.Wait()
	slices.Sort(all)
	return all[len(all)/2]
}
