package mail_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/mail"
)

// mailboxOf makes a mailbox of messages of some 10 KB. Every fourth answers the one
// before.
func mailboxOf(messages int) []byte {
	var b bytes.Buffer
	line := strings.Repeat("words that fill a line ", 3) + "\n"
	for i := range messages {
		fmt.Fprintf(&b, "From a@b Mon Jan  1 00:00:00 2001\nFrom: A <a@b>\nSubject: number %d\nMessage-ID: <%d@b>\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n", i, i)
		if i%4 > 0 {
			fmt.Fprintf(&b, "In-Reply-To: <%d@b>\n", i-1)
		}
		fmt.Fprintf(&b, "\n%s\n", strings.Repeat(line, 140))
	}
	return b.Bytes()
}

func newSource(data []byte, version string) *citekit.Source {
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "a.mbox", Size: int64(len(data)), Identity: version})
}

// BenchmarkMap maps mailboxes of three sizes: its cost is linear.
func BenchmarkMap(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		data := mailboxOf(n)
		b.Run(fmt.Sprintf("messages=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := new(mail.Resolver).Map(b.Context(), newSource(data, ""), citekit.MapRequest{Modality: citekit.Text}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkResolve resolves a message of a mailbox, cold and warm.
func BenchmarkResolve(b *testing.B) {
	data := mailboxOf(10_000)
	for _, version := range []string{"", "warm"} {
		b.Run("version="+version, func(b *testing.B) {
			r := new(mail.Resolver)
			for b.Loop() {
				c, err := r.Resolve(b.Context(), newSource(data, version), citekit.Request{Location: inMessage(9_000, part("1"))})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, c.Body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
