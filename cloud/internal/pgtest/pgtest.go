//go:build unix

package pgtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// User is the role that the server is made with. It may do everything. The server
// trusts whoever connects from this machine.
const User = "citekit"

// A Server is a PostgreSQL server.
type Server struct {
	port    int
	dir     string
	as      *syscall.Credential // nil means the user of this process
	command *exec.Cmd
	exited  chan struct{} // closed once command has ended
	unwatch func()        // ends the process that watches this one
	names   atomic.Int64
}

// Start starts a server, which the test stops. Where PostgreSQL is not installed it
// skips the test, unless the variable CI is set: then the test fails.
func Start(t testing.TB) *Server {
	t.Helper()
	s := new(Server)
	t.Cleanup(func() {
		s.Kill()
		os.RemoveAll(s.dir)
	})
	check(t, s.init())
	return s
}

var (
	shared    Server
	startOnce = sync.OnceValue(shared.init)
)

// Shared is like Start, but returns the same server to all tests of a process, at whose
// end it stops. None of them may end it.
func Shared(t testing.TB) *Server {
	t.Helper()
	check(t, startOnce())
	return &shared
}

func check(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, errMissing) && os.Getenv("CI") == "":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
}

var errMissing = errors.New("PostgreSQL is not installed: no initdb in PATH or below /usr/lib/postgresql")

// programs returns the folder with the programs of PostgreSQL.
func programs() (string, error) {
	if found, err := exec.LookPath("initdb"); err == nil {
		if found, err = filepath.EvalSymlinks(found); err != nil {
			return "", err
		}
		return filepath.Dir(found), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errMissing
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// credential returns the user to run the server as: PostgreSQL refuses to run as
// root.
func credential() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if uidErr == nil && gidErr == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

// init makes the data of a server, and starts it.
func (s *Server) init() error {
	bin, err := programs()
	if err != nil {
		return err
	}
	if s.as, err = credential(); err != nil {
		return err
	}
	// Not the folder of a test: its parents cannot be entered by the other user.
	if s.dir, err = os.MkdirTemp("", "pgtest-"); err != nil {
		return err
	}
	if s.as != nil {
		if err := os.Chown(s.dir, int(s.as.Uid), int(s.as.Gid)); err != nil {
			return err
		}
	}
	initdb := s.run(filepath.Join(bin, "initdb"), "-D", s.data(), "-U", User, "--auth=trust",
		"--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	if s.port, err = freePort(); err != nil {
		return err
	}
	return s.start(bin)
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) run(program string, args ...string) *exec.Cmd {
	c := exec.Command(program, args...)
	c.Dir = s.dir
	c.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "PGDATA="+s.data())
	c.SysProcAttr = processAttributes(s.as)
	return c
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// start starts the server over the data that it has, and waits until it answers.
func (s *Server) start(bin string) error {
	var out bytes.Buffer
	s.command = s.run(filepath.Join(bin, "postgres"), "-D", s.data(), "-h", "127.0.0.1", "-p", strconv.Itoa(s.port),
		"-k", s.socket(), "-c", "max_connections=200", "-c", "shared_buffers=16MB", "-c", "log_min_messages=fatal")
	s.command.Stdout, s.command.Stderr = &out, &out
	if err := s.command.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	s.exited = exited
	go func(c *exec.Cmd) {
		_ = c.Wait()
		close(exited)
	}(s.command)
	if err := s.watch(); err != nil {
		return err
	}
	for range 1500 {
		if conn, err := s.connect("postgres"); err == nil {
			return conn.Close(context.Background())
		}
		select {
		case <-exited:
			return fmt.Errorf("the PostgreSQL server ended: %s", out.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return errors.New("the PostgreSQL server does not answer")
}

// watch starts a process that ends the server once this process is gone, also if it
// was killed: it waits for the end of a pipe that only this process can write to.
func (s *Server) watch() error {
	c := exec.Command("sh", "-c", `read -r _ || { kill -s KILL -- -"$0"; rm -rf -- "$1"; }`, strconv.Itoa(s.command.Process.Pid), s.dir)
	c.SysProcAttr = processAttributes(nil)
	alive, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	s.unwatch = func() {
		_, _ = io.WriteString(alive, "done\n")
		_ = c.Wait()
	}
	return nil
}

func (s *Server) connect(database string) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return pgx.Connect(ctx, fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s", User, s.port, database))
}

// Kill ends the server, with all its processes, as a loss of power would. It does
// nothing if the server is not running.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

// Stop ends the server in order, and breaks its connections. It does nothing if
// the server is not running.
func (s *Server) Stop() { s.end(syscall.SIGINT) }

func (s *Server) end(signal syscall.Signal) {
	if s.command == nil {
		return
	}
	endProcesses(s.command, signal)
	<-s.exited
	s.unwatch()
	s.command = nil
}

// Restart starts the server again, on the same port, after Kill or Stop.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	bin, err := programs()
	if err == nil {
		err = s.start(bin)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Database makes an empty database, and returns the address of it for a role as
// package cloud takes it, such as "pg://citekit@127.0.0.1:5433/db1".
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := "db" + strconv.FormatInt(s.names.Add(1), 10)
	s.Exec(t, "postgres", "CREATE DATABASE "+name)
	return s.Address(User, name)
}

// Address returns the address of a database for a role.
func (s *Server) Address(role, database string) string {
	return fmt.Sprintf("pg://%s@127.0.0.1:%d/%s", role, s.port, database)
}

// socket returns the folder of the server's socket; "" if its path would be too long.
func (s *Server) socket() string {
	if len(s.dir) > 80 {
		return ""
	}
	return s.dir
}

// Environment returns the variables of PostgreSQL for the socket of the server.
func (s *Server) Environment() map[string]string {
	return map[string]string{"PGHOST": cmp.Or(s.socket(), "127.0.0.1"), "PGPORT": strconv.Itoa(s.port)}
}

// Exec runs commands of SQL in a database, as the role that may do everything, and
// returns the values of the rows of the last as text, separated by spaces.
func (s *Server) Exec(t testing.TB, database, sql string) string {
	t.Helper()
	conn, err := s.connect(database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	results, err := conn.PgConn().Exec(context.Background(), sql).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, row := range results[len(results)-1].Rows {
		for _, value := range row {
			values = append(values, string(value))
		}
	}
	return strings.Join(values, " ")
}

// A Session is one connection to a database.
type Session struct{ conn *pgx.Conn }

// Begin begins a transaction on a connection of its own, which the test closes.
func (s *Server) Begin(t testing.TB, database string) Session {
	t.Helper()
	conn, err := s.connect(database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	session := Session{conn}
	session.Exec(t, "BEGIN")
	return session
}

// Exec runs a command.
func (s Session) Exec(t testing.TB, sql string) {
	t.Helper()
	if _, err := s.conn.Exec(context.Background(), sql); err != nil {
		t.Fatal(err)
	}
}
