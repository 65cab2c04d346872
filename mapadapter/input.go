package mapadapter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
)

// read returns a file of the input.
func (in Input) read(ctx context.Context, name string) ([]byte, error) {
	// Opening a named pipe waits for a writer.
	info, err := fs.Stat(in.FS, name)
	switch {
	case err != nil:
		return nil, localfile.WithoutPath(err)
	case info.IsDir():
		return nil, formatError("the input is a folder; name a file in it")
	case !info.Mode().IsRegular():
		return nil, formatError("the input is not a plain file")
	}
	f, err := in.FS.Open(name)
	if err != nil {
		return nil, localfile.WithoutPath(err)
	}
	defer f.Close()
	return readAll(ctx, f)
}

// readAll reads r to its end, up to the limit of one file.
func readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(ctxio.Reader(ctx, r), maxInput+1))
	if err == nil && len(data) > maxInput {
		err = tooLarge("the input has more than %d MiB", maxInput>>20)
	}
	return data, localfile.WithoutPath(err)
}

// isDir reports whether the input is a folder.
func (in Input) isDir() bool {
	info, err := fs.Stat(in.FS, in.Name)
	return err == nil && info.IsDir()
}

// base returns the base name of the input, without its extensions.
func (in Input) base() string {
	name := path.Base(in.Name)
	if name == "." {
		name = path.Base(strings.ReplaceAll(in.Path, `\`, "/"))
	}
	return stem(name)
}

// stem returns a base name without its extension.
func stem(name string) string {
	if ext := path.Ext(name); len(ext) < len(name) {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// decode parses JSON into v, and keeps numbers as they are written. The words
// that Python writes for values that are not numbers are not JSON.
func decode(data []byte, v any) error {
	if err := checkValues(data, new(int)); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(trimBOM(data)))
	decoder.UseNumber()
	err := decoder.Decode(v)
	if err == nil {
		_, err = decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		return formatError("the input has more than one JSON value")
	}
	return jsonError(err)
}

// jsonError describes the place of an error in JSON, without its content.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return formatError("the input is not JSON from byte %d on", syntax.Offset)
	case errors.As(err, &kind):
		return formatError("the JSON has %s at byte %d, where something else should be", kind.Value, kind.Offset)
	}
	return formatError("the input is not JSON, or ends too early")
}

// checkValues checks how much memory the values in JSON will take, before it is
// allocated: an empty object of two bytes takes a hundred. It adds the amount
// to taken.
func checkValues(data []byte, taken *int) error {
	const object, array, element = 128, 48, 48
	inString := false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			*taken += object
		case c == '[':
			*taken += array
		case c == ',':
			*taken += element
		}
	}
	if *taken > maxValues {
		return tooLarge("the JSON has values that take more than %d MiB", maxValues>>20)
	}
	return nil
}

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }

// A member is a member of a JSON object.
type member struct {
	key   string
	value record
}

// members returns the members of a JSON object that are objects, in order.
func members(data []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, formatError("the JSON has no object where one should be")
	}
	var all []member
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, jsonError(err)
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, jsonError(err)
		}
		if r, ok := value.(map[string]any); ok {
			all = append(all, member{key.(string), r})
		}
	}
	return all, nil
}
