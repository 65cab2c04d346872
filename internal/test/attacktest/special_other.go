//go:build !unix

package attacktest

func (s *set) special(string) {}
