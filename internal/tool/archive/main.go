// Command archive packs the files of a folder as tar.gz, all in one folder of the
// archive. The same files give the same bytes: it keeps their names and contents,
// and neither times nor owners.
//
//	go run ./internal/tool/archive dist/citekit-man.tar.gz pages share/man/man1
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "archive: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("usage: archive FILE FOLDER PREFIX")
	}
	var out bytes.Buffer
	if err := pack(&out, args[1], args[2]); err != nil {
		return err
	}
	return os.WriteFile(args[0], out.Bytes(), 0o666)
}

// pack writes the files of a folder, by name, with prefix before their names.
func pack(out io.Writer, dir, prefix string) error {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return err
	}
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		header := &tar.Header{
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
			Name: path.Join(prefix, entry.Name()), Size: int64(len(data)), Mode: 0o644,
			ModTime: time.Unix(0, 0),
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(data); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), compressed.Close())
}
