//go:build !linux

package pdfium

import "time"

var started = time.Now()

func currentThread() int { return 0 }

// threadTime returns elapsed time: this system does not report the time of a thread.
func threadTime(int) time.Duration { return time.Since(started) }
