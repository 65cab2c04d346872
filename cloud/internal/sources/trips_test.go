package sources_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/internal/blockcache"
	"github.com/citekit/citekit/cloud/internal/sources"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
)

// A farStore has one object, and counts what is asked for. Requests that begin while
// others run are one trip with them.
type farStore struct {
	driver.Bucket // for what is not used
	key           string
	data          io.ReaderAt
	size          int64

	mu                     sync.Mutex
	running                int
	ranges                 []string // that were read, in KiB
	requests, trips, moved int64
}

func (s *farStore) begin(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == 0 {
		s.trips++
	}
	s.running++
	s.requests++
	s.moved += bytes
}

func (s *farStore) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// took returns what was asked for since it was last called.
func (s *farStore) took() (c cost) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c = cost{s.requests, s.trips, s.moved, s.ranges}
	s.requests, s.trips, s.moved, s.ranges = 0, 0, 0, nil
	return c
}

// A cost is what reading took.
type cost struct {
	requests, trips, moved int64
	ranges                 []string
}

func (c cost) String() string {
	return fmt.Sprintf("%d requests, %d trips, %.2f MB %v", c.requests, c.trips, float64(c.moved)/1e6, c.ranges)
}

func (s *farStore) Attributes(ctx context.Context, key string) (driver.Attributes, error) {
	s.begin(0)
	defer s.end()
	if key != s.key {
		return driver.Attributes{}, fs.ErrNotExist
	}
	return driver.Attributes{ETag: "1", Size: s.size, ModTime: time.Unix(1, 0)}, nil
}

func (s *farStore) List(ctx context.Context, opts driver.ListOptions) (driver.Page, error) {
	s.begin(0)
	defer s.end()
	return driver.Page{}, nil
}

func (s *farStore) ErrorKind(err error) driver.ErrorKind {
	if errors.Is(err, fs.ErrNotExist) {
		return driver.NotFound
	}
	return driver.Failed
}

func (s *farStore) Read(ctx context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	s.begin(opts.Length)
	s.mu.Lock()
	s.ranges = append(s.ranges, fmt.Sprintf("%d+%d", opts.Offset>>10, opts.Length>>10))
	s.mu.Unlock()
	return &farBody{io.NewSectionReader(s.data, opts.Offset, opts.Length), s}, driver.Attributes{ETag: "1", Size: s.size}, nil
}

type farBody struct {
	io.Reader
	store *farStore
}

func (b *farBody) Close() error {
	b.store.end()
	return nil
}

// A replica is a workspace and a library with an empty cache.
func replica(t testing.TB, s *farStore, shared *workspace.Memory) *citekit.Library {
	t.Helper()
	cache, err := blockcache.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cache.Close)
	b := sources.New(s, cache, &sources.Options{Name: "far", Hashes: sources.NoteHashes(shared), Evidence: shared})
	lib := citekit.New(mixed{shared, b}, modality.All(), nil)
	t.Cleanup(func() { lib.Close() })
	return lib
}

// mapped maps the object of a store by one replica, and returns another, to which the
// source is new.
func mapped(t testing.TB, s *farStore) (lib *citekit.Library, id string, shared *workspace.Memory) {
	t.Helper()
	shared = workspace.NewMemory(nil)
	first := replica(t, s, shared)
	report, err := ingest.Run(t.Context(), first, []string{s.key}, nil)
	if err != nil || len(report.Items) != 1 || report.Items[0].Err != nil {
		t.Fatalf("%v, %+v", err, report)
	}
	t.Logf("ingest of %.1f MB: %v", float64(s.size)/1e6, s.took())
	return replica(t, s, shared), report.Items[0].ResourceID, shared
}

// resolve extracts an address.
func resolve(t testing.TB, lib *citekit.Library, address string) *citekit.Evidence {
	t.Helper()
	a, err := citekit.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	e, err := lib.ResolveAddress(t.Context(), a, nil)
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return e
}

func check(t testing.TB, what string, got, most cost) {
	t.Helper()
	t.Logf("%s: %v", what, got)
	if got.requests > most.requests || got.trips > most.trips || got.moved > most.moved {
		t.Errorf("%s: %v, want at most %v", what, got, most)
	}
}

func TestTripsOfManual(t *testing.T) {
	data, err := os.ReadFile("/usr/share/R/doc/manual/fullrefman.pdf")
	if err != nil {
		sharedtest.Missing(t, "the manual of R (r-doc-pdf) is not installed")
	}
	s := &farStore{key: "manual.pdf", data: bytes.NewReader(data), size: int64(len(data))}
	lib, id, _ := mapped(t, s)
	resolve(t, lib, "doc://"+id+"#pages=100-102")
	check(t, "three pages", s.took(), cost{2, 2, s.size, nil})
	resolve(t, lib, "doc://"+id+"#pages=2000-2002")
	check(t, "three other pages", s.took(), cost{1, 1, 0, nil})
}

// largePDF returns a PDF file with a picture of its own, that cannot be packed, on each
// page. It is made when it is read.
func largePDF(pages int) (r io.ReaderAt, size int64) {
	const picture = 100 << 10
	var p parts
	offsets := make([]int64, 3+3*pages)
	object := func(num int, text string) {
		offsets[num] = p.size
		p.text(fmt.Sprintf("%d 0 obj\n%s\nendobj\n", num, text))
	}
	p.text("%PDF-1.7\n")
	object(1, "<< /Type /Catalog /Pages 2 0 R >>")
	var kids bytes.Buffer
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 3+3*i)
	}
	object(2, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", pages, kids.String()))
	for i := range pages {
		num := 3 + 3*i
		object(num, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /XObject << /P %d 0 R >> /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>", num+1, num+2))
		content := fmt.Sprintf("BT /F 12 Tf 72 720 Td (Page %d says so) Tj ET q 200 0 0 200 72 72 cm /P Do Q", i+1)
		object(num+1, fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
		offsets[num+2] = p.size
		p.text(fmt.Sprintf("%d 0 obj\n<< /Type /XObject /Subtype /Image /Width 320 /Height 320 /BitsPerComponent 8 /ColorSpace /DeviceGray /Length %d >>\nstream\n", num+2, picture))
		p.noise(picture)
		p.text("\nendstream\nendobj\n")
	}
	start := p.size
	var xref bytes.Buffer
	fmt.Fprintf(&xref, "xref\n0 %d\n0000000000 65535 f \n", len(offsets))
	for _, off := range offsets[1:] {
		fmt.Fprintf(&xref, "%010d 00000 n \n", off)
	}
	fmt.Fprintf(&xref, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets), start)
	p.text(xref.String())
	return &p, p.size
}

// parts are pieces of text and noise, one after the other.
type parts struct {
	list []part
	size int64
}

type part struct {
	at, size int64
	text     string // or noise if it is ""
}

func (p *parts) text(s string) {
	p.list = append(p.list, part{p.size, int64(len(s)), s})
	p.size += int64(len(s))
}

func (p *parts) noise(n int64) {
	p.list = append(p.list, part{at: p.size, size: n})
	p.size += n
}

func (p *parts) ReadAt(b []byte, off int64) (n int, err error) {
	i, j := 0, len(p.list)
	for i+1 < j { // the part with off
		if m := (i + j) / 2; p.list[m].at <= off {
			i = m
		} else {
			j = m
		}
	}
	for ; n < len(b) && i < len(p.list); i++ {
		part := p.list[i]
		data := []byte(part.text)
		if part.text == "" {
			data = make([]byte, part.size)
			rand.NewChaCha8([32]byte{byte(i), byte(i >> 8), byte(i >> 16)}).Read(data)
		}
		n += copy(b[n:], data[off+int64(n)-part.at:])
	}
	if n < len(b) {
		err = io.EOF
	}
	return n, err
}

func TestTripsOfLargePDF(t *testing.T) {
	pages := 700
	if sharedtest.Long() {
		pages = 4000
	}
	data, size := largePDF(pages)
	s := &farStore{key: "large.pdf", data: data, size: size}
	lib, id, _ := mapped(t, s)
	resolve(t, lib, fmt.Sprintf("doc://%s#pages=%d-%d", id, pages/2, pages/2+2)) // in two blocks
	check(t, "three pages", s.took(), cost{2, 2, 2 << 20, nil})
}

// farLines are lines of 64 bytes, the first of which has the number 1.
type farLines struct{}

func (farLines) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) {
		at := off + int64(n)
		n += copy(b[n:], fmt.Sprintf("line %012d %-45s\n", at/64+1, "says something that nobody else says")[at%64:])
	}
	return n, nil
}

func TestTripsOfLargeText(t *testing.T) {
	size := int64(80 << 20)
	if sharedtest.Long() {
		size = 1 << 30
	}
	s := &farStore{key: "large.txt", data: io.NewSectionReader(farLines{}, 0, size), size: size}
	lib, id, _ := mapped(t, s)
	last := size / 64
	e := resolve(t, lib, fmt.Sprintf("text://%s#lines=%d-%d", id, last-9, last))
	if e.Size != 640 {
		t.Errorf("the last ten lines have %d bytes", e.Size)
	}
	check(t, "the last ten lines", s.took(), cost{3, 3, 4 << 20, nil})
}

// TestTripsOfVideo takes a minute, as the videos have to be large. Those of x264 have their
// first note of its version in the first sample alone.
func TestTripsOfVideo(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("only at night")
	}
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		sharedtest.Missing(t, "ffmpeg is not installed")
	}
	for _, c := range []struct {
		name, rate string
		codec      []string
		most       cost
	}{
		{"whole", "400k", []string{"mpeg4", "-g", "20"}, cost{4, 4, 64 << 20, nil}},
		{"in blocks", "1200k", []string{"mpeg4", "-g", "20"}, cost{4, 4, 12 << 20, nil}},
		{"of x264", "1200k", []string{"libx264", "-preset", "ultrafast", "-x264-params", "nal-hrd=cbr:keyint=20"}, cost{4, 4, 12 << 20, nil}},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "talk.mp4")
		args := []string{"-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10:duration=600", "-f", "lavfi", "-i", "sine=440:duration=600",
			"-b:v", c.rate, "-minrate", c.rate, "-maxrate", c.rate, "-bufsize", "400k", "-c:a", "aac", "-c:v"}
		if out, err := exec.CommandContext(t.Context(), program, append(append(args, c.codec...), path)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		s := &farStore{key: "talk.mp4", data: f, size: info.Size()}
		lib, id, _ := mapped(t, s)
		got := resolve(t, lib, "video://"+id+"#t=300-360")
		check(t, "60 seconds of a video read "+c.name, s.took(), c.most)
		near := citekit.New(workspace.NewMemory(os.DirFS(dir)), modality.All(), nil)
		want, err := near.ResolveFile(t.Context(), "talk.mp4", got.Address.Location, nil)
		if err != nil || got.SHA256 != want.SHA256 {
			t.Errorf("%s: the clip is not that of the same file nearby: %v", c.name, err)
		}
	}
}

// TestTripsOfArchive opens members of an archive with many of them.
func TestTripsOfArchive(t *testing.T) {
	var data bytes.Buffer
	z := zip.NewWriter(&data)
	noise := rand.NewChaCha8([32]byte{})
	for i := range 90 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("data%d.bin", i), Method: zip.Deflate})
		if err == nil {
			_, err = io.CopyN(w, noise, 900<<10)
		}
		if err == nil {
			w, err = z.Create(fmt.Sprintf("note%d.txt", i))
		}
		if err == nil {
			_, err = fmt.Fprintf(w, "what note %d says\n", i)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	s := &farStore{key: "all.zip", data: bytes.NewReader(data.Bytes()), size: int64(data.Len())}
	lib, id, _ := mapped(t, s)
	e := resolve(t, lib, "text://"+id+"#member=note60.txt&lines=1")
	check(t, "a member", s.took(), cost{2, 2, 1 << 20, nil})
	if e.Size != int64(len("what note 60 says\n")) {
		t.Errorf("the member has %d bytes", e.Size)
	}
}

// farRows are rows of 64 bytes, whose header is the first.
type farRows struct{}

func (farRows) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) {
		at := off + int64(n)
		n += copy(b[n:], fmt.Sprintf("%012d,%-50s\n", at/64, `"a, b"`)[at%64:])
	}
	return n, nil
}

func TestTripsOfLargeTable(t *testing.T) {
	const size = 80 << 20
	s := &farStore{key: "large.csv", data: io.NewSectionReader(farRows{}, 0, size), size: size}
	lib, id, _ := mapped(t, s)
	e := resolve(t, lib, fmt.Sprintf("text://%s#rows=%d-%d", id, size/64-9, size/64))
	if e.Size != 11*64 { // with the header
		t.Errorf("the last ten rows have %d bytes", e.Size)
	}
	check(t, "the last ten rows", s.took(), cost{3, 3, 2 << 20, nil})
}
