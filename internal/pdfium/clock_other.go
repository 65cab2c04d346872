//go:build !linux

package pdfium

import "time"

var started = time.Now()

func currentThread() int { return 0 }

// threadTime returns the time that has passed: that of a thread is not told.
func threadTime(int) time.Duration { return time.Since(started) }
