package transport

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/citekit/citekit/internal/mcpcall"
)

// A keyPair is a TLS certificate whose files may change.
type keyPair struct {
	certFile, keyFile string
	logger            *slog.Logger

	mu     sync.Mutex
	loaded *tls.Certificate
	tried  [2]fileStamp // of the files when they were last read
}

// A fileStamp changes when its file does.
type fileStamp struct {
	size     int64
	modified time.Time
}

func stampOf(name string) (fileStamp, error) {
	info, err := os.Stat(name)
	if err != nil {
		return fileStamp{}, err
	}
	return fileStamp{info.Size(), info.ModTime()}, nil
}

func (p *keyPair) stamps() (stamps [2]fileStamp, err error) {
	for i, name := range []string{p.certFile, p.keyFile} {
		if stamps[i], err = stampOf(name); err != nil {
			return stamps, err
		}
	}
	return stamps, nil
}

// load reads the files if they changed since they were last read, and reports
// whether another pair is in use now. If it fails, the old pair stays in use.
func (p *keyPair) load() (changed bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.loaded
	err = p.read()
	return before != p.loaded && before != nil, err
}

func (p *keyPair) read() error {
	if p.certFile == "" || p.keyFile == "" {
		return fmt.Errorf("TLS needs both a certificate and a key")
	}
	stamps, err := p.stamps()
	if p.loaded != nil && stamps == p.tried {
		return nil
	}
	p.tried = stamps
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(p.certFile, p.keyFile)
	if err != nil {
		return fmt.Errorf("TLS certificate %s with key %s: %w", p.certFile, p.keyFile, err)
	}
	p.loaded = &pair
	return nil
}

// certificate is called at each handshake.
func (p *keyPair) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	changed, err := p.load()
	if err != nil {
		p.logger.LogAttrs(hello.Context(), slog.LevelError, "TLS files cannot be read; the previous ones stay in use", slog.String("error", mcpcall.Printable(err.Error())))
	}
	if changed {
		p.logger.LogAttrs(hello.Context(), slog.LevelInfo, "TLS files were read again; the new certificate is in use")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.loaded, nil
}
