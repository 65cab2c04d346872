//go:build unix

package cloud_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/citekit/citekit/workspace/driver"
)

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// A folder is a bucket that processes of a test share. Its objects are written once.
type folder string

func (f folder) path(key string) string { return filepath.Join(string(f), key) }

func attributes(info fs.FileInfo) driver.Attributes {
	return driver.Attributes{ETag: info.ModTime().String(), Size: info.Size(), ModTime: info.ModTime()}
}

func (f folder) Attributes(_ context.Context, key string) (driver.Attributes, error) {
	info, err := os.Stat(f.path(key))
	if err != nil {
		return driver.Attributes{}, err
	}
	return attributes(info), nil
}

func (f folder) Read(_ context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	file, err := os.Open(f.path(key))
	if err != nil {
		return nil, driver.Attributes{}, err
	}
	info, err := file.Stat()
	if err == nil {
		_, err = file.Seek(opts.Offset, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, driver.Attributes{}, err
	}
	return file, attributes(info), nil
}

var errUsed = errors.New("only new objects are written")

func (f folder) Write(_ context.Context, key string, body io.Reader, opts driver.WriteOptions) (driver.Attributes, error) {
	if !opts.IfAbsent {
		return driver.Attributes{}, errUsed
	}
	file, err := os.OpenFile(f.path(key), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return driver.Attributes{}, err
	}
	defer file.Close()
	if _, err := io.Copy(file, body); err != nil {
		return driver.Attributes{}, err
	}
	info, err := file.Stat()
	if err != nil {
		return driver.Attributes{}, err
	}
	return attributes(info), nil
}

func (f folder) Delete(_ context.Context, key, _ string) error { return os.Remove(f.path(key)) }

func (f folder) List(context.Context, driver.ListOptions) (driver.Page, error) {
	return driver.Page{}, errors.ErrUnsupported
}

func (f folder) ErrorKind(err error) driver.ErrorKind {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return driver.NotFound
	case errors.Is(err, fs.ErrExist):
		return driver.Conflict
	}
	return driver.Failed
}

func (f folder) Close() error { return nil }
