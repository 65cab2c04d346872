package driver_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"slices"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
)

// A folder is a bucket with a file for each object: its ETag, then its content.
type folder struct {
	root *os.Root
	lock sync.Locker // during one write; one of files if processes share the folder
}

const (
	ext    = ".object"
	etag   = 26  // length of rand.Text
	perDir = 200 // bytes of a key in one name: file systems have names of at most 255
)

// fileOf returns the name of the file of an object.
func fileOf(key string) string {
	var parts []string
	for len(key) > perDir {
		parts, key = append(parts, key[:perDir]), key[perDir:]
	}
	return strings.Join(append(parts, key), "/") + ext
}

// open opens an object, which must be the version of ifMatch unless that is "".
func (f *folder) open(ctx context.Context, key, ifMatch string) (*os.File, driver.Attributes, error) {
	if err := ctx.Err(); err != nil {
		return nil, driver.Attributes{}, err
	}
	file, err := f.root.Open(fileOf(key))
	if err != nil {
		return nil, driver.Attributes{}, err
	}
	head := make([]byte, etag)
	_, err = io.ReadFull(file, head)
	info, statErr := file.Stat()
	if err = errors.Join(err, statErr); err == nil && ifMatch != "" && ifMatch != string(head) {
		err = fs.ErrExist
	}
	if err != nil {
		file.Close()
		return nil, driver.Attributes{}, err
	}
	return file, driver.Attributes{ETag: string(head), Size: info.Size() - etag, ModTime: info.ModTime()}, nil
}

func (f *folder) Attributes(ctx context.Context, key string) (driver.Attributes, error) {
	file, at, err := f.open(ctx, key, "")
	if err == nil {
		err = file.Close()
	}
	return at, err
}

// A body reads a part of a file, which stays if the object is replaced.
type body struct {
	*io.SectionReader
	io.Closer
}

func (f *folder) Read(ctx context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	file, at, err := f.open(ctx, key, opts.IfMatch)
	if err != nil {
		return nil, at, err
	}
	length := at.Size - opts.Offset
	if opts.Length > 0 {
		length = min(length, opts.Length)
	}
	return body{io.NewSectionReader(file, etag+opts.Offset, length), file}, at, nil
}

func (f *folder) Write(ctx context.Context, key string, body io.Reader, opts driver.WriteOptions) (at driver.Attributes, err error) {
	name, temp := fileOf(key), rand.Text()
	if dir, _, below := strings.Cut(name, "/"); below {
		_ = f.root.MkdirAll(dir+name[len(dir):strings.LastIndexByte(name, '/')], 0o700) // else Create fails
	}
	file, err := f.root.Create(temp)
	if err != nil {
		return at, err
	}
	defer f.root.Remove(temp)
	_, err = io.Copy(file, io.MultiReader(strings.NewReader(rand.Text()), body))
	if err = errors.Join(err, file.Sync(), file.Close(), ctx.Err()); err != nil {
		return at, err
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	now, err := f.Attributes(ctx, key)
	switch {
	case err == nil && (opts.IfAbsent || opts.IfMatch != "" && opts.IfMatch != now.ETag):
		return at, fs.ErrExist
	case err != nil && (opts.IfMatch != "" || !errors.Is(err, fs.ErrNotExist)):
		return at, err
	}
	if err := f.root.Rename(temp, name); err != nil {
		return at, err
	}
	return f.Attributes(ctx, key)
}

func (f *folder) Delete(ctx context.Context, key, ifMatch string) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	file, _, err := f.open(ctx, key, ifMatch)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), f.root.Remove(fileOf(key)))
}

// List reads the whole folder for each page. A store for many objects has an index.
func (f *folder) List(ctx context.Context, opts driver.ListOptions) (page driver.Page, err error) {
	var keys []string
	err = fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		key, isObject := strings.CutSuffix(strings.ReplaceAll(name, "/", ""), ext)
		if isObject && strings.HasPrefix(key, opts.Prefix) && key > opts.After {
			keys = append(keys, key)
		}
		return errors.Join(err, ctx.Err())
	})
	slices.Sort(keys)
	for _, key := range keys {
		if page.More = len(page.Objects) == opts.Limit; page.More {
			break
		}
		at, failed := f.Attributes(ctx, key)
		if failed == nil { // else it was deleted just now
			page.Objects = append(page.Objects, driver.Object{Key: key, Attributes: at})
		}
	}
	return page, err
}

func (f *folder) ErrorKind(err error) driver.ErrorKind {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return driver.NotFound
	case errors.Is(err, fs.ErrExist):
		return driver.Conflict
	}
	return driver.Failed
}

func (f *folder) Close() error { return f.root.Close() }

// A workspace whose data is in a store of one's own: here, a folder.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Fatal(err)
	}
	files := fstest.MapFS{"tea.md": {Data: []byte("# Tea\n\nPour it after four minutes.\n")}}
	ws := workspace.FromDriver(&folder{root, new(sync.Mutex)}, &workspace.BucketOptions{Sources: files})
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	if err := lib.Save(ctx, &citekit.ResourceMap{ResourceID: "tea", Type: citekit.Text, Title: "Tea", SourcePath: "tea.md"}); err != nil {
		log.Fatal(err)
	}
	address, err := citekit.ParseAddress("text://tea#lines=3-3")
	if err != nil {
		log.Fatal(err)
	}
	evidence, err := lib.ResolveAddress(ctx, address, nil)
	if err != nil {
		log.Fatal(err)
	}
	content, _, err := ws.OpenEvidence(ctx, evidence.Key)
	if err != nil {
		log.Fatal(err)
	}
	defer content.Close()
	text, err := io.ReadAll(content)
	fmt.Printf("%s %q %v\n", evidence.Address, text, err)
	// Output: text://tea#lines=3-3 "Pour it after four minutes.\n" <nil>
}
