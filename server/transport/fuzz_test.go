package transport_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

// FuzzStream gives a server any bytes after the handshake, and then a ping,
// which must be answered. All that it writes must be messages.
func FuzzStream(f *testing.F) {
	files, _ := filepath.Glob("../../mcpadapter/testdata/*.txtar")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for request := range strings.Lines(string(txtar.Parse(data).Files[0].Data)) {
			f.Add([]byte(request))
		}
	}
	for _, seed := range []string{
		"hello", "[[[[", `{"jsonrpc":"2.0","id":1,"method":"ping"`, "\x00\n\xff\n{}\n[]\n", strings.Repeat("[", 3000),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt"},"argument":{}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"subscriptions/listen","params":{}}`,
	} {
		f.Add([]byte(seed))
	}
	lib := mcptest.NewLibrary(f, nil, map[string]string{"poem": mcptest.PoemMap})
	f.Fuzz(func(t *testing.T, input []byte) {
		server := mcpadapter.NewServer(lib, nil)
		var out, log bytes.Buffer
		stream := transport.StreamTransport{Tools: mcpadapter.Tools(),
			Reader: strings.NewReader(mcptest.Initialize + "\n" + string(input) + "\n" + `{"jsonrpc":"2.0","id":"the last ping","method":"ping"}`),
			Writer: &out, MaxMessage: 64 << 10, Grace: time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		}
		if err := stream.Serve(t.Context(), server); err != nil {
			t.Fatalf("Serve: %v", err)
		}
		if strings.Contains(log.String(), "calls in flight") {
			t.Errorf("a call was not answered: %q", out.String())
		}
		answered := false
		for l := range strings.Lines(out.String()) {
			var message struct {
				Version string `json:"jsonrpc"`
			}
			if err := json.Unmarshal([]byte(l), &message); err != nil || message.Version != "2.0" {
				t.Errorf("the server wrote %q", l)
			}
			answered = answered || l == `{"jsonrpc":"2.0","id":"the last ping","result":{}}`+"\n"
		}
		if !answered {
			t.Errorf("the ping was not answered; the server wrote %q", out.String())
		}
	})
}
