package mail_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/mail"
)

// The parts of a message have the numbers that IMAP gives them. Text comes
// without its transfer encoding.
func ExampleResolver() {
	const message = "From: Ada <ada@example.com>\nSubject: High water\nMIME-Version: 1.0\n" +
		"Content-Type: multipart/mixed; boundary=b\n\n" +
		"--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nLeave at=207:40.\n" +
		"--b\nContent-Type: text/csv\nContent-Disposition: attachment; filename=tides.csv\n\nBrest,6.9\n--b--\n"
	source := citekit.NewSource(strings.NewReader(message), citekit.SourceInfo{Name: "tides.eml", Size: int64(len(message))})
	defer source.Close()

	ctx, mails := context.Background(), new(mail.Resolver)
	draft, err := mails.Map(ctx, source, citekit.MapRequest{Modality: citekit.Text})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(draft.Title)
	for _, node := range draft.Nodes {
		fmt.Println(node.Location.Part, node.Title)
	}
	part := citekit.Location{Modality: citekit.Text, Part: "1"}
	for run, err := range mails.ReadText(ctx, source, part) {
		fmt.Printf("%q %v\n", run.Text, err)
	}
	// Output:
	// High water
	// 1 text/plain
	// 2 tides.csv
	// "Leave at 7:40.\n" <nil>
}
