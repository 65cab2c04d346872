package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/citekit/citekit/internal/test/stdio"
)

// mcp compares our server with the npm package's over stdio, on the same maps.
func (b *bench) mcp() error {
	if b.npm == "" || !b.has("node") {
		fmt.Fprintln(os.Stderr, "no -npm; the rows over stdio are left out")
		return nil
	}
	ids, err := b.bigMap()
	if err != nil {
		return err
	}
	ours := []string{b.citekit, "serve", "--dir", b.mapsDir()}
	theirs := []string{"node", filepath.Join(b.npm, "citekit", "dist", "cli.js"), "serve"}
	start, err := b.startTimes(ours, theirs)
	if err != nil {
		return err
	}
	const peer = "npm citekit 0.1.8"
	b.table.compare("start to first tools/list", start[0], peer, start[1], "at least 4×")
	servers, err := b.serveAll(ours, theirs)
	if err != nil {
		return err
	}
	whole := func(int) map[string]any {
		return map[string]any{"resource_id": "big", "full": true} // which the other ignores
	}
	calls := []struct {
		job, tool, goal string
		rest            time.Duration
		decoded         bool // the time ends when the client has decoded the answer, not when it has arrived
		args            func(i int) map[string]any
	}{
		{"listResources, 2,000 maps", "listResources", "at least 1×", 0, true, func(int) map[string]any { return map[string]any{} }},
		{"getNode, 10,000-node map", "getNode", "at least 25×", 0, true, func(i int) map[string]any {
			return map[string]any{"resource_id": "big", "node_id": ids[i*37%len(ids)]}
		}},
		{"— each call after 10 ms of rest", "getNode", "", 10 * time.Millisecond, true, func(i int) map[string]any {
			return map[string]any{"resource_id": "big", "node_id": ids[i*37%len(ids)]}
		}},
		{"virtual resolve, 10,000-node map", "resolve", "at least 25×", 0, true, func(i int) map[string]any {
			return map[string]any{"resource_id": "big", "node_id": ids[i*37%len(ids)], "virtual": true}
		}},
		{"getStructure, 10,000-node map, whole", "getStructure", "at least 1.3×", 0, false, whole},
		{"— and decoded by a client in Go", "getStructure", "", 0, true, whole},
	}
	for _, c := range calls {
		times, err := callTimes(servers, c.rest, c.decoded, c.tool, c.args)
		if err != nil {
			return fmt.Errorf("%s: %w", c.tool, err)
		}
		b.table.compare(c.job, times[0], peer, times[1], c.goal)
	}
	ourMemory, theirMemory := peakMemory(servers[0].Stop()), peakMemory(servers[1].Stop())
	b.table.compareSize("memory of the server after these", ourMemory, peer, theirMemory, "less")
	return nil
}

// startTimes measures from starting a process to its answer to tools/list.
func (b *bench) startTimes(commands ...[]string) ([]time.Duration, error) {
	times := make([][]time.Duration, len(commands))
	for round := range b.rounds + 1 {
		for i, args := range commands {
			start := time.Now()
			s, err := stdio.Start(b.ctx, b.mapsDir(), args...)
			if err != nil {
				return nil, err
			}
			if _, err := s.Call("tools/list", map[string]any{}); err != nil {
				return nil, err
			}
			if round > 0 {
				times[i] = append(times[i], time.Since(start))
			}
			s.Stop()
		}
	}
	medians := make([]time.Duration, len(times))
	for i := range times {
		medians[i] = median(times[i])
	}
	return medians, nil
}

func (b *bench) serveAll(commands ...[]string) ([]*stdio.Server, error) {
	var servers []*stdio.Server
	for _, args := range commands {
		s, err := stdio.Start(b.ctx, b.mapsDir(), args...)
		if err != nil {
			return nil, err
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// callTimes calls the servers by turns, in blocks of calls with a rest before
// each call, and returns the median of each: until the answer has arrived, or until
// the client has decoded it as well.
func callTimes(servers []*stdio.Server, rest time.Duration, decoded bool, tool string, args func(i int) map[string]any) ([]time.Duration, error) {
	const blocks, calls = 8, 25
	medians := make([]time.Duration, len(servers))
	times := make([][]time.Duration, len(servers))
	for block := range blocks {
		for j, s := range servers {
			for i := range calls {
				time.Sleep(rest)
				start := time.Now()
				result, err := s.Tool(tool, args(block*calls+i))
				if err == nil && result.IsError {
					err = fmt.Errorf("%s: %s", tool, result.Text)
				}
				if err != nil {
					return nil, err
				}
				took := time.Since(start)
				if !decoded {
					took = s.Arrived().Sub(start)
				}
				times[j] = append(times[j], took)
			}
		}
	}
	for j := range servers {
		medians[j] = median(times[j])
	}
	return medians, nil
}
