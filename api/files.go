package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/server/transport"
)

// filePath begins the paths of files to add; their path below the base directory follows,
// percent-encoded.
const filePath = "/v1/files/"

// ingestTool is the tool of MCP that a caller must have to add files and to map them.
const ingestTool = "ingest"

// The limits of the path of a file that is added.
const (
	maxFilePath  = 1024 // bytes
	maxFileName  = 200  // bytes of each name in it
	maxFileDepth = 32   // names
)

// A File is the answer to PUT /v1/files/{path}: a file that was added.
type File struct {
	Path string `json:"path" doc:"Below the base directory."`
	Size int64  `json:"size"`
	Meta Meta   `json:"meta"`
}

func (f *File) meta() *Meta { return &f.Meta }

// MayIngest reports whether the caller of a request may add files and map them.
func (s *Service) MayIngest(ctx context.Context) bool {
	return s.Ingester != nil && (s.Offers == nil || s.Offers(ctx, ingestTool))
}

// registerFiles adds the operation that adds a file.
func (h *Handler) registerFiles() {
	op := h.operation(http.MethodPut, filePath+"{path}", "file", ingestTool, "Add a file", "It stands below the base directory then, and ingest maps it. No file is ever replaced.", nil)
	text := &huma.Schema{Type: huma.TypeString}
	op.Parameters = []*huma.Param{
		{Name: "path", In: "path", Required: true, Description: "Percent-encoded, such as papers%2Ftides.pdf.", Schema: text},
		{Name: "workspaceId", In: "query", Description: "One of those of the key; the first if it is not given.", Schema: text},
	}
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}}
	op.Responses["201"] = &huma.Response{Description: "Created", Content: map[string]*huma.MediaType{"application/json": {Schema: h.schema(reflect.TypeFor[File]())}}}
	h.operations[op.Method+" "+op.Path].stream = true
	h.api.OpenAPI().AddOperation(&op)
	h.mux.HandleFunc(op.Method+" "+op.Path, func(w http.ResponseWriter, r *http.Request) {
		made, err := h.addFile(w, r)
		if err != nil {
			writeProblem(w, r, h.failed(r.Context(), err))
			return
		}
		made.Meta = callOf(r.Context()).meta()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = encoder(w).Encode(made) // who asked is gone
	})
}

// addFile adds the body of a request as a file.
func (h *Handler) addFile(w http.ResponseWriter, r *http.Request) (*File, error) {
	_, s, end, err := h.begin(r.Context(), r.URL.Query().Get("workspaceId"))
	if err != nil {
		return nil, err
	}
	end() // a long file may take longer than a call; the reader of the body has its own limits
	if !s.MayIngest(r.Context()) {
		return nil, noIngest()
	}
	name := r.PathValue("path")
	if why := wrongFile(name); why != "" {
		return nil, wrongField("path", why)
	}
	most := h.opts.MaxFileBytes
	tooLong := transport.NewProblem(string(message.CodeTooLarge), http.StatusRequestEntityTooLarge, fmt.Sprintf("the file has more than %d bytes", most))
	if r.ContentLength > most {
		return nil, tooLong
	}
	control := http.NewResponseController(w)
	size, err := s.AddFile(r.Context(), name, http.MaxBytesReader(w, steadyBody{r.Body, control}, most))
	_ = control.SetReadDeadline(time.Time{})
	var exceeded *http.MaxBytesError
	if errors.As(err, &exceeded) {
		return nil, tooLong
	}
	if err != nil {
		return nil, notAdded(err)
	}
	return &File{Path: name, Size: size}, nil
}

// notAdded returns an error of [Service.AddFile] as callers may see it.
func notAdded(err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return ofField("path", transport.NewProblem(string(message.CodeInvalidInput), http.StatusConflict, "there is such a file, or one of another kind in its path; give another name"))
	case errors.Is(err, errUnreadBody):
		return transport.NewProblem(string(message.CodeInvalidInput), 0, "the body cannot be read to its end")
	case localfile.IsFull(err):
		return transport.NewProblem("unavailable", http.StatusInsufficientStorage, "the disk of the server is full, so the file was not added; make room and send it again")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return transport.NewProblem(string(message.CodeForbidden), 0, "the server may not write files in its folder")
	}
	return localfile.WithoutPath(err)
}

// idleTime is how long the sender of a file may send nothing.
const idleTime = 30 * time.Second

// A steadyBody is a body of which each part must come within idleTime.
type steadyBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b steadyBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(idleTime)) // a writer of a test has none
	return b.ReadCloser.Read(p)
}

// noIngest returns a problem of its own for each request, as that becomes part of it.
func noIngest() *Problem {
	return transport.NewProblem(string(message.CodeForbidden), 0, "this server adds and maps no files for callers; start it with --ingest")
}

// wrongFile says what is wrong with the path of a file to add, or "".
func wrongFile(name string) string {
	switch {
	case name == "" || len(name) > maxFilePath || !utf8.ValidString(name):
		return fmt.Sprintf("must be 1 to %d bytes of UTF-8", maxFilePath)
	case path.Clean(name) != name || path.IsAbs(name) || strings.Contains(name, `\`) || !filepath.IsLocal(filepath.FromSlash(name)):
		return "must be a path below the base directory, with / between its names, without . and .."
	case strings.Count(name, "/") >= maxFileDepth:
		return fmt.Sprintf("must have at most %d names", maxFileDepth)
	case strings.ContainsAny(name, `<>:"|?*`) || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }):
		return `must have no control characters and none of < > : " | ? *`
	}
	for part := range strings.SplitSeq(name, "/") {
		base, _, _ := strings.Cut(part, ".")
		switch {
		case strings.HasPrefix(part, ".") || strings.HasPrefix(part, "~$"):
			return "must have no hidden names, such as those that begin with a dot"
		case len(part) > maxFileName || strings.HasSuffix(part, ".") || strings.TrimSpace(part) != part:
			return fmt.Sprintf("must have names of at most %d bytes, with no dot at the end and no space at either end", maxFileName)
		case slices.Contains(devices, strings.ToUpper(strings.TrimSpace(base))):
			return "must not have the name of a device, such as " + plain.ShowLine(base, maxFileName)
		}
	}
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if base, _, _ := strings.Cut(part, "."); shortName.MatchString(base) {
			return "must have no folders such as GIT~1, which some systems take for another one"
		}
	}
	return ""
}

// shortName matches the names of 8 characters that Windows gives to folders with
// longer ones: GIT~1 is .git there.
var shortName = lazyregexp.New(`^[^~]{0,6}~[0-9]{1,6}$`)

// devices are names that some systems keep for devices.
var devices = []string{
	"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
	"COM0", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9", "COM¹", "COM²", "COM³",
	"LPT0", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9", "LPT¹", "LPT²", "LPT³",
}

// errUnreadBody says that what is to be a file ended early.
var errUnreadBody = errors.New("the content cannot be read")

// A sourceAdder is a workspace that adds a source itself, all of it or nothing. It never
// replaces one, which is an error matching [fs.ErrExist].
type sourceAdder interface {
	AddSource(ctx context.Context, path string, content io.Reader) (size int64, err error)
}

// AddFile writes a file below the base directory of the workspace and returns its size.
// The file appears there only once it is whole; a file or a link that is there is never
// replaced or followed, which is an error matching [fs.ErrExist]. One among the maps or
// the evidence is an error matching [citekit.ErrForbidden].
func (s *Service) AddFile(ctx context.Context, name string, content io.Reader) (size int64, err error) {
	if why := wrongFile(name); why != "" {
		return 0, wrongField("path", why)
	}
	if adder, ok := s.Library.Workspace().(sourceAdder); ok {
		return adder.AddSource(ctx, name, content)
	}
	ws, ok := s.Library.Workspace().(interface {
		RootPaths() []string
		CheckAdded(path string) error
	})
	if !ok || len(ws.RootPaths()) == 0 {
		return 0, fmt.Errorf("files of this workspace are not in a directory: %w", errors.ErrUnsupported)
	}
	root, err := os.OpenRoot(ws.RootPaths()[0])
	if err != nil {
		return 0, err
	}
	defer root.Close()
	w := fileWriter{root: root, name: name, isSource: func(part string) error {
		if err := ws.CheckAdded(name); err != nil {
			return err
		}
		src, err := s.Library.Workspace().OpenSource(ctx, part)
		if err == nil {
			err = src.Close()
		}
		return err
	}}
	defer func() {
		if err != nil {
			w.undo()
		}
	}()
	if err := w.makeFolders(); err != nil {
		return 0, err
	}
	return w.write(ctx, content)
}

// A fileWriter writes one file below a root.
type fileWriter struct {
	root *os.Root
	name string
	made []string // folders and files that are to go again if it fails

	// isSource returns an error unless a file may be a source: one among the maps or the
	// evidence, wherever these are, would be taken for one of them.
	isSource func(name string) error
}

// undo removes what was made. Folders that have something in them stay.
func (w *fileWriter) undo() {
	for _, name := range slices.Backward(w.made) {
		_ = w.root.Remove(name)
	}
}

// makeFolders makes the folders of the file that are not there, and checks that the
// others are no links.
func (w *fileWriter) makeFolders() error {
	for i, c := range w.name {
		if c != '/' {
			continue
		}
		folder := w.name[:i]
		info, err := w.root.Lstat(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := w.root.Mkdir(folder, 0o777); err == nil {
				w.made = append(w.made, folder)
			} else if !errors.Is(err, fs.ErrExist) {
				return err
			}
		case err != nil:
			return err
		case !info.IsDir():
			return &fs.PathError{Op: "create", Path: folder, Err: fs.ErrExist}
		}
	}
	return nil
}

// write writes the content beside the file, and then gives it the name.
func (w *fileWriter) write(ctx context.Context, content io.Reader) (size int64, err error) {
	if _, err := w.root.Lstat(w.name); err == nil {
		return 0, &fs.PathError{Op: "create", Path: w.name, Err: fs.ErrExist}
	}
	part := path.Join(path.Dir(w.name), ".citekit-"+rand.Text()+".part")
	f, err := w.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, err
	}
	w.made = append(w.made, part)
	if err = w.isSource(part); err == nil {
		size, err = io.Copy(f, bodyReader{ctx, content})
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return 0, err
	}
	if err = w.root.Link(part, w.name); err == nil {
		_ = w.root.Remove(part) // a hidden file that stays is no source
		return size, nil
	}
	if errors.Is(err, fs.ErrExist) {
		return 0, err
	}
	// A file system without links: the name is taken first, so that nothing else gets it.
	taken, err := w.root.OpenFile(w.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, err
	}
	w.made = append(w.made, w.name)
	if err := taken.Close(); err != nil {
		return 0, err
	}
	return size, w.root.Rename(part, w.name)
}

// A bodyReader reads content until a context ends, and tells its errors from those of
// writing.
type bodyReader struct {
	ctx     context.Context
	content io.Reader
}

func (r bodyReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.content.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", errUnreadBody, err)
	}
	return n, err
}
