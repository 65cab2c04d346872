package citekit

import "encoding/json"

type extraFields map[string]json.RawMessage

func formatDecimal(v float64) string { return "" }

func wholeNumber(v any) (int64, bool) { return 0, false }

// ParseMap parses the JSON form of a map.
func ParseMap(data []byte) (*ResourceMap, error) { return nil, syntaxError("map") }
