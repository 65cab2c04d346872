package plain

import (
	"bytes"
	"encoding/json"
)

// ShowHiddenJSON returns valid JSON with the strings in it, keys too, as ShowHidden shows them,
// and the number of hidden characters. It returns data itself if there are none.
func ShowHiddenJSON(data []byte) (shown []byte, hidden int) {
	done := 0
	for at := 0; at < len(data); {
		if data[at] != '"' {
			at++
			continue
		}
		start, plain := at, true
		for at++; at < len(data) && data[at] != '"'; at++ {
			switch c := data[at]; {
			case c == '\\':
				at++
				plain = plain && at < len(data) && bytes.IndexByte([]byte(`"\/nrt`), data[at]) >= 0
			case c >= 0x7f:
				plain = false
			}
		}
		at++
		if plain || at > len(data) {
			continue
		}
		var text string
		if json.Unmarshal(data[start:at], &text) != nil {
			continue
		}
		seen, n := ShowHidden(text)
		if n == 0 {
			continue
		}
		hidden += n
		quoted, _ := json.Marshal(seen) // a string always encodes
		shown = append(append(shown, data[done:start]...), quoted...)
		done = at
	}
	if hidden == 0 {
		return data, 0
	}
	return append(shown, data[done:]...), hidden
}
