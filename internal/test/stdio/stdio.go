// Package stdio is a client of an MCP server in a child process, for tests and
// benchmarks. It writes and reads one message per line. It does not check what
// it sends, so that hostile messages can be sent too.
package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A Server is an MCP server in a child process. It must be used by one
// goroutine only.
type Server struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
	id     int

	arrived time.Time
}

// Arrived returns when the last byte of the last answer arrived, before it was
// decoded.
func (s *Server) Arrived() time.Time { return s.arrived }

// Start starts a server in dir and initializes it. It ends when ctx is done.
func Start(ctx context.Context, dir string, args ...string) (*Server, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	s := &Server{cmd: cmd}
	cmd.Stderr = &s.stderr
	var err error
	if s.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_, err = s.Call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "stdio", "version": "1"},
	})
	if err != nil {
		return nil, err
	}
	return s, s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (s *Server) send(message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(data, '\n'))
	return err
}

// Post sends a request without waiting for the answer, and returns its id.
func (s *Server) Post(method string, params any) (id int, err error) {
	s.id++
	return s.id, s.send(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
}

// Notify sends a notification.
func (s *Server) Notify(method string, params any) error {
	return s.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// Call sends a request and returns its result. A JSON-RPC error is an error.
func (s *Server) Call(method string, params any) (json.RawMessage, error) {
	s.id++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: the server ended: %w\n%s", method, err, s.stderr.Bytes())
		}
		s.arrived = time.Now()
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, fmt.Errorf("%s: the server wrote %.200q: %w", method, line, err)
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

// A ToolResult is the result of a tool.
type ToolResult struct {
	IsError bool
	Text    string          // all text content
	Raw     json.RawMessage // the whole result
	Code    string          // "code" of _meta, if there is one
}

// Tool calls a tool.
func (s *Server) Tool(name string, args any) (ToolResult, error) {
	raw, err := s.Call("tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return ToolResult{}, err
	}
	var parsed struct {
		IsError bool
		Content []struct{ Text string }
		Meta    struct{ Code string } `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &parsed); err != nil {
		return ToolResult{}, err
	}
	result := ToolResult{IsError: parsed.IsError, Raw: raw, Code: parsed.Meta.Code}
	for _, c := range parsed.Content {
		result.Text += c.Text
	}
	return result, nil
}

// Pid returns the process id of the server.
func (s *Server) Pid() int { return s.cmd.Process.Pid }

// Stderr returns what the server wrote to standard error. It may only be called
// after Stop.
func (s *Server) Stderr() string { return s.stderr.String() }

// Stop ends the server by closing its input, and kills it if it has not ended
// after five seconds. It returns the state of the process.
func (s *Server) Stop() *os.ProcessState {
	s.in.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, s.out)
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		_ = s.cmd.Process.Kill()
		<-done
	}
	_ = s.cmd.Wait()
	return s.cmd.ProcessState
}
