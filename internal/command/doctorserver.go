package command

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/internal/message"
)

const (
	soon       = 30 * 24 * time.Hour // before a certificate or key expires
	onlineTime = time.Minute         // to reach one server
)

// checkServer checks what only a server has.
func (d *doctor) checkServer(ctx context.Context) {
	d.checkKeys(ctx)
	d.checkCertificate()
	d.checkPort()
	d.checkTranscriber(ctx)
	d.checkOCRProgram()
	if d.flags.online {
		d.checkModels(ctx)
	}
}

// checkKeys checks the file of keys.
func (d *doctor) checkKeys(ctx context.Context) {
	file := d.settings.Keys
	if file == "" {
		return
	}
	subject := "keys " + file
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		d.fault(subject, "if there was one, restore it from a backup, and do not restart the server meanwhile, which still knows its keys; if not, make one: citekit key new --keys FILE --workspace NAME", "there is no such file")
		return
	}
	keys, err := access.OpenKeyFile(file, &access.KeyFileOptions{Check: checkKey})
	if err == nil {
		err = keys.Check(ctx)
	}
	if err != nil {
		d.fault(subject, "correct it, or restore it from a backup", "%s", strings.TrimPrefix(err.Error(), "access: "))
		return
	}
	all, err := keys.List(ctx)
	if err != nil {
		d.fault(subject, "", "%s", strings.TrimPrefix(err.Error(), "access: "))
		return
	}
	active := 0
	for _, key := range all {
		if key.State(d.now) == access.KeyActive {
			active++
			d.checkOneKey(subject, key)
		}
	}
	switch {
	case active == 0:
		d.fault(subject, "make one: citekit key new", "it has no valid key, so nobody can connect")
	default:
		d.ok(subject, "%s, %d of them expired or revoked", message.Count(len(all), "key"), len(all)-active)
	}
}

// checkOneKey checks a key that is neither expired nor revoked.
func (d *doctor) checkOneKey(subject string, key access.Key) {
	if !key.Expires.IsZero() && key.Expires.Before(d.now.Add(soon)) {
		d.warning(subject, "make a new one: citekit key new", "key %s expires on %s", key.ID, key.Expires.Format(time.DateOnly))
	}
	for _, name := range key.Workspaces {
		if _, ok := d.settings.Workspaces[name]; !ok && !(len(d.settings.Workspaces) == 0 && name == config.BaseWorkspace) {
			d.warning(subject, "revoke it, or add the workspace to the settings", "key %s is for the workspace %s, which does not exist", key.ID, message.Quote(name))
		}
	}
}

// checkCertificate checks the TLS files.
func (d *doctor) checkCertificate() {
	files := d.settings.TLS
	if files.Cert == "" {
		return
	}
	subject := "certificate " + files.Cert
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if dir, ok := credentialsOf(files.Cert); ok && errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			d.warning(subject, "this is normal before the first start: run doctor again once the service runs; its LoadCredential= names the files that are copied",
				"it is not there yet: systemd copies it to %s when the service starts", dir)
			return
		}
	}
	if err != nil {
		d.fault(subject, "give the PEM file of a certificate with its chain, and the PEM file of its key", "%s", strings.TrimPrefix(systemError(err).Error(), "tls: "))
		return
	}
	if info, err := os.Stat(files.Key); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
		d.fault("certificate key "+files.Key, "chmod 600 or 640; make a new one if somebody may have read it", "everybody may read it: its mode is %04o", info.Mode().Perm())
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		d.fault(subject, "get a new one", "it cannot be read: %v", err)
		return
	}
	names := slices.Clone(leaf.DNSNames)
	for _, ip := range leaf.IPAddresses {
		names = append(names, ip.String())
	}
	days := int(leaf.NotAfter.Sub(d.now).Hours() / 24)
	switch {
	case d.now.After(leaf.NotAfter):
		d.fault(subject, renewal(files.Cert), "it expired on %s", leaf.NotAfter.Format(time.DateOnly))
	case d.now.Before(leaf.NotBefore):
		d.fault(subject, "set the clock, or wait", "it is valid only from %s", leaf.NotBefore.Format(time.DateTime))
	case leaf.NotAfter.Before(d.now.Add(soon)):
		d.warning(subject, renewal(files.Cert), "it expires in %s", message.Count(days, "day"))
	default:
		d.ok(subject, "for %s; it expires in %s", strings.Join(names, ", "), message.Count(days, "day"))
	}
	for _, host := range d.settings.Hosts {
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if leaf.VerifyHostname(host) != nil {
			d.warning(subject, "get one for this host too", "it is not for the host %s, which the settings name", host)
		}
	}
}

// credentialsOf returns the folder of the credentials of a service that a file is in.
// systemd makes it when the service starts, and removes it when the service stops.
func credentialsOf(file string) (dir string, ok bool) {
	rest, ok := strings.CutPrefix(filepath.ToSlash(filepath.Clean(file)), credentials)
	unit, _, inside := strings.Cut(rest, "/")
	return credentials + unit, ok && inside
}

// renewal says how to renew a certificate.
func renewal(file string) string {
	if dir, ok := credentialsOf(file); ok {
		return "renew the file that LoadCredential= of the service names, and restart the service, which has a copy from its start: systemctl restart " + path.Base(dir)
	}
	return "renew it; the server reads it again by itself"
}

// credentials is where systemd keeps the credentials of services.
const credentials = "/run/credentials/"

// checkPort checks whether the port is free.
func (d *doctor) checkPort() {
	if d.settings.Transport != transportHTTP || d.settings.Port == 0 {
		return
	}
	address := net.JoinHostPort(d.settings.Host, strconv.Itoa(d.settings.Port))
	listener, err := net.Listen("tcp", address)
	switch {
	case err == nil:
		listener.Close()
		d.ok("port "+address, "is free")
	case errors.Is(err, syscall.EADDRINUSE):
		d.warning("port "+address, "unless that is the server itself, stop it, or choose another port", "something already listens there")
	default:
		d.fault("port "+address, "choose another host or port; ports below 1024 need a privilege", "cannot listen there: %v", systemError(cause(err)))
	}
}

// checkModels checks whether the servers of models can be reached. Any answer is
// fine; whether a key is accepted shows only in use.
func (d *doctor) checkModels(ctx context.Context) {
	for _, model := range []struct{ setting, value string }{{"embedder", d.settings.Embedder}, {"reranker", d.settings.Reranker}} {
		_, address, _ := strings.Cut(model.value, "@")
		switch {
		case model.value == "" || strings.HasPrefix(model.value, "static:"):
			continue
		case address == "" && strings.HasPrefix(model.value, "ollama:"):
			address = "http://127.0.0.1:11434"
		case address == "":
			address = "https://api.openai.com/v1"
		}
		d.checkReachable(ctx, model.setting, address)
	}
}

func (d *doctor) checkReachable(ctx context.Context, setting, address string) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		d.fault(setting, "give its URL as http://HOST:PORT", "the address of its server is not a URL")
		return
	}
	subject := fmt.Sprintf("%s at %s", setting, parsed.Host)
	ctx, cancel := context.WithTimeout(ctx, onlineTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		d.fault(setting, "give its URL as http://HOST:PORT", "the address of its server is not a URL")
		return
	}
	resp, err := http.DefaultClient.Do(req)
	if errors.Is(err, context.DeadlineExceeded) {
		d.fault(subject, "see whether it is well; a proxy may be in the way", "it did not answer within %v", onlineTime)
		return
	}
	if err != nil {
		d.fault(subject, "start it, or correct its address; a proxy may be in the way", "it cannot be reached: %v", systemError(cause(err)))
		return
	}
	resp.Body.Close()
	d.ok(subject, "answers")
}
