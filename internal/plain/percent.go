package plain

import "strings"

const hexDigits = "0123456789ABCDEF"

// PercentEncode returns s with every byte that is not [IsUnreserved] as "%" and two
// hex digits in upper case. The result can stand anywhere in a URI: none of its
// characters has a special meaning there.
func PercentEncode(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if IsUnreserved(c) {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
	}
	return b.String()
}

// IsUnreserved reports whether c is unreserved in RFC 3986, section 2.3: a
// letter or digit of ASCII, or one of "-._~".
func IsUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
