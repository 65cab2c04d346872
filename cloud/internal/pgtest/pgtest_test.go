//go:build unix

package pgtest_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/citekit/citekit/cloud/internal/pgtest"
)

func TestRestart(t *testing.T) {
	s := pgtest.Start(t)
	address := s.Database(t)
	if !strings.HasSuffix(address, "/db1") {
		t.Fatalf("the address of the first database is %s; want it to end in /db1", address)
	}
	s.Exec(t, "db1", "CREATE TABLE t (n int); INSERT INTO t VALUES (1)")
	for i, end := range []func(){s.Kill, s.Stop} {
		end()
		s.Restart(t)
		if got := s.Exec(t, "db1", "SELECT n FROM t"); got != "1" {
			t.Fatalf("after restart %d the table has %q; want 1", i+1, got)
		}
	}
}

// TestMain is the process that TestKilled kills, if a variable says so.
func TestMain(m *testing.M) {
	if os.Getenv("PGTEST_HELPER") == "" {
		os.Exit(m.Run())
	}
	helped := testing.InternalTest{Name: "Helper", F: func(t *testing.T) {
		fmt.Println("at", pgtest.Shared(t).Environment()["PGPORT"])
		select {}
	}}
	testing.Main(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{helped}, nil, nil)
}

// A server ends with the process that started it, however that ends.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pgtest.Shared(t) // or the test is skipped
	c := exec.Command(self)
	c.Env = append(os.Environ(), "PGTEST_HELPER=1")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var port string
	if _, err := fmt.Fscanf(out, "at %s\n", &port); err != nil {
		t.Fatal(err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	for { // until nobody listens any more
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return
		}
		conn.Close()
	}
}
