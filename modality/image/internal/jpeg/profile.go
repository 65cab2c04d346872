package jpeg

import "bytes"

// profileMark begins an APP2 segment that holds a part of an ICC profile
// (ICC.1:2022, section B.4).
const profileMark = "ICC_PROFILE\x00"

// maxProfilePart is how many bytes of a profile fit in one segment.
const maxProfilePart = 0xffff - 2 - len(profileMark) - 2

// profileChunks collects the parts of a profile, which may come in any order.
type profileChunks struct {
	parts [256][]byte
	count int
	bytes int
	bad   bool
}

// add takes a segment without its mark: number, count, part.
func (c *profileChunks) add(p []byte) {
	if len(p) < 2 || p[0] == 0 || c.parts[p[0]] != nil || c.count != 0 && int(p[1]) != c.count {
		c.bad = true
		return
	}
	c.count = int(p[1])
	c.bytes += len(p)
	if c.bytes > maxProfile {
		c.bad = true
		return
	}
	c.parts[p[0]] = p[2:]
}

// join returns the whole profile, or nil if there is no complete one.
func (c *profileChunks) join() []byte {
	defer func() { *c = profileChunks{} }()
	if c.bad || c.count == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, part := range c.parts[1 : c.count+1] {
		if part == nil {
			return nil
		}
		b.Write(part)
	}
	return b.Bytes()
}

// appendProfile appends the segments of an ICC profile. It omits a profile that does
// not fit in 255 segments.
func appendProfile(b, profile []byte) []byte {
	count := (len(profile) + maxProfilePart - 1) / maxProfilePart
	if count > 255 {
		return b
	}
	for i := range count {
		part := profile[i*maxProfilePart : min(len(profile), (i+1)*maxProfilePart)]
		payload := append([]byte(profileMark), byte(i+1), byte(count))
		b = appendSegment(b, markerAPP2, append(payload, part...))
	}
	return b
}

func appendSegment(b []byte, marker byte, payload []byte) []byte {
	n := len(payload) + 2
	b = append(b, 0xff, marker, byte(n>>8), byte(n))
	return append(b, payload...)
}
