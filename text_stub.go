package citekit

type extraFields map[string][]byte

func formatDecimal(v float64) string { return "" }
func isPlainText(s string) bool      { return true }
