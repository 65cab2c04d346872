package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
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
	calls := []struct {
		job, tool, goal string
		args            func(i int) map[string]any
	}{
		{"listResources, 2,000 maps", "listResources", "at least 1×", func(int) map[string]any { return map[string]any{} }},
		{"getNode, 10,000-node map", "getNode", "at least 25×", func(i int) map[string]any {
			return map[string]any{"resource_id": "big", "node_id": ids[i*37%len(ids)]}
		}},
		{"virtual resolve, 10,000-node map", "resolve", "at least 25×", func(i int) map[string]any {
			return map[string]any{"resource_id": "big", "node_id": ids[i*37%len(ids)], "virtual": true}
		}},
		{"getStructure, 10,000-node map, whole", "getStructure", "", func(int) map[string]any {
			return map[string]any{"resource_id": "big"}
		}},
	}
	for _, c := range calls {
		times, err := callTimes(servers, c.tool, c.args)
		if err != nil {
			return fmt.Errorf("%s: %w", c.tool, err)
		}
		b.table.compare(c.job, times[0], peer, times[1], c.goal)
	}
	ourMemory, theirMemory := servers[0].stop(), servers[1].stop()
	b.table.compareSize("memory of the server after these", ourMemory, peer, theirMemory, "less")
	return nil
}

// startTimes measures from starting a process to its answer to tools/list.
func (b *bench) startTimes(commands ...[]string) ([]time.Duration, error) {
	times := make([][]time.Duration, len(commands))
	for round := range b.rounds + 1 {
		for i, args := range commands {
			start := time.Now()
			s, err := b.serve(args)
			if err != nil {
				return nil, err
			}
			if _, err := s.call("tools/list", map[string]any{}); err != nil {
				return nil, err
			}
			if round > 0 {
				times[i] = append(times[i], time.Since(start))
			}
			s.stop()
		}
	}
	medians := make([]time.Duration, len(times))
	for i := range times {
		medians[i] = median(times[i])
	}
	return medians, nil
}

func (b *bench) serveAll(commands ...[]string) ([]*server, error) {
	var servers []*server
	for _, args := range commands {
		s, err := b.serve(args)
		if err != nil {
			return nil, err
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// callTimes calls the servers by turns and returns the median of each.
func callTimes(servers []*server, tool string, args func(i int) map[string]any) ([]time.Duration, error) {
	const calls = 200
	times := make([][]time.Duration, len(servers))
	for i := range calls + 1 {
		for j, s := range servers {
			start := time.Now()
			if err := s.tool(tool, args(i)); err != nil {
				return nil, err
			}
			if i > 0 {
				times[j] = append(times[j], time.Since(start))
			}
		}
	}
	medians := make([]time.Duration, len(times))
	for i := range times {
		medians[i] = median(times[i])
	}
	return medians, nil
}

// A server is an MCP server in a child process, spoken to over stdio.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func (b *bench) serve(args []string) (*server, error) {
	cmd := exec.CommandContext(b.ctx, args[0], args[1:]...)
	cmd.Dir = b.mapsDir()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	if _, err := s.call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"},
	}); err != nil {
		return nil, err
	}
	return s, s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (s *server) send(message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(data, '\n'))
	return err
}

// call sends a request and returns its result.
func (s *server) call(method string, params any) (json.RawMessage, error) {
	s.id++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, err
		}
		if answer.ID != s.id {
			continue // a notification
		}
		if answer.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, answer.Error)
		}
		return answer.Result, nil
	}
}

func (s *server) tool(name string, args map[string]any) error {
	result, err := s.call("tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return err
	}
	var outcome struct{ IsError bool }
	if err := json.Unmarshal(result, &outcome); err != nil {
		return err
	}
	if outcome.IsError {
		return fmt.Errorf("%s: %s", name, result)
	}
	return nil
}

// stop ends the server and returns its peak memory in bytes.
func (s *server) stop() int64 {
	s.in.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, s.out)
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Second): // does not end by itself
		_ = s.cmd.Process.Kill()
		<-done
	}
	_ = s.cmd.Wait()
	return peakMemory(s.cmd.ProcessState)
}
