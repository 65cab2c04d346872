package concurrent_test

import (
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/citekit/citekit/internal/concurrent"
)

func failed(p any) error { return fmt.Errorf("panicked: %v", p) }

func TestCall(t *testing.T) {
	broken := errors.New("broken")
	if err := concurrent.Call(func() error { return broken }, failed); err != broken {
		t.Errorf("an error: %v", err)
	}
	if err := concurrent.Call(func() error { panic("x") }, failed); err == nil || err.Error() != "panicked: x" {
		t.Errorf("a panic: %v", err)
	}
}

// panicking yields 1 and 2 and then panics, also if it is to stop.
func panicking(yield func(int, error) bool) {
	defer func() { panic("x") }()
	_ = yield(1, nil) && yield(2, nil)
}

func TestSeq(t *testing.T) {
	var got []string
	for v, err := range concurrent.Seq(panicking, failed) {
		got = append(got, fmt.Sprint(v, err))
	}
	if want := "[1 <nil> 2 <nil> 0 panicked: x]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	for v := range concurrent.Seq(panicking, failed) {
		if v != 1 {
			t.Errorf("%d after the end", v)
		}
		break
	}
}

// TestSeqCaller panics in the code that reads, which must go on.
func TestSeqCaller(t *testing.T) {
	var one iter.Seq2[int, error] = func(yield func(int, error) bool) { yield(1, nil) }
	defer func() {
		if p := recover(); p != "mine" {
			t.Errorf("recovered %v, want the caller's own panic", p)
		}
	}()
	for range concurrent.Seq(one, failed) {
		panic("mine")
	}
}
