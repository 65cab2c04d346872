package strictjson

import "bytes"

// Plain returns the JSON text data with the characters &, < and > where package
// json has escaped them for HTML, so that readers of the text see addresses as
// they are. The JSON value does not change. It returns data itself if it has no
// such escapes, and does not change data.
func Plain(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\u00`)) {
		return data
	}
	out := make([]byte, 0, len(data))
	for {
		i := bytes.IndexByte(data, '\\')
		if i < 0 || i+1 == len(data) {
			return append(out, data...)
		}
		out = append(out, data[:i]...)
		data = data[i:]
		switch {
		case bytes.HasPrefix(data, []byte(`\u0026`)):
			out, data = append(out, '&'), data[len(`\u0026`):]
		case bytes.HasPrefix(data, []byte(`\u003c`)):
			out, data = append(out, '<'), data[len(`\u003c`):]
		case bytes.HasPrefix(data, []byte(`\u003e`)):
			out, data = append(out, '>'), data[len(`\u003e`):]
		default:
			out, data = append(out, data[:2]...), data[2:]
		}
	}
}
