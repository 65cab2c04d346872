package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

//go:embed second.py
var secondProgram string

// A second is a Python program that reads documents by other libraries.
type second struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

func startSecond(ctx context.Context) (*second, error) {
	python := "python3"
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		python = "/usr/bin/python3" // which has the libraries that Debian packs
	}
	s := &second{cmd: exec.CommandContext(ctx, python, "-c", secondProgram)}
	s.cmd.Stderr = os.Stderr
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	return s, s.cmd.Start()
}

func (s *second) close() {
	s.stdin.Close()
	_ = s.cmd.Wait()
}

// A question is what the second reader is asked.
type question struct {
	Op     string `json:"op"`
	Format string `json:"format"`
	Path   string `json:"path"`
	Cut    string `json:"cut,omitempty"`
	Pages  []int  `json:"pages,omitempty"`
}

// ask puts the answer into v.
func (s *second) ask(q question, v any) error {
	line, err := json.Marshal(q)
	if err != nil {
		return err
	}
	if _, err := s.stdin.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("the second reader is gone: %w", err)
	}
	line, err = s.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the second reader is gone: %w", err)
	}
	answer := struct {
		OK    json.RawMessage `json:"ok"`
		Error string          `json:"error"`
	}{}
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	if answer.Error != "" {
		return errors.New(answer.Error)
	}
	return json.Unmarshal(answer.OK, v)
}
