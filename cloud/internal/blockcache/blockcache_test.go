package blockcache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A store serves one object, and notes what is asked for.
type store struct {
	data []byte

	mu    sync.Mutex
	asked []string // "offset+length", in bytes
	wait  func(ctx context.Context) error
}

// contentOf returns bytes that differ from block to block.
func contentOf(size int64) []byte {
	data := make([]byte, size)
	source := rand.NewChaCha8([32]byte{1})
	source.Read(data)
	return data
}

func (s *store) fetch(ctx context.Context, off, n int64) (io.ReadCloser, error) {
	s.mu.Lock()
	s.asked = append(s.asked, fmt.Sprintf("%d+%d", off, n))
	wait := s.wait
	s.mu.Unlock()
	if wait != nil {
		if err := wait(ctx); err != nil {
			return nil, err
		}
	}
	return io.NopCloser(bytes.NewReader(s.data[off : off+n])), nil
}

// took returns what was asked for since it was last called, sorted.
func (s *store) took() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	slices.Sort(asked)
	return strings.Join(asked, " ")
}

func (s *store) object(id string) Object {
	return Object{ID: id, Size: int64(len(s.data)), Fetch: s.fetch}
}

func openCache(t testing.TB, dir string, max int64) *Cache {
	t.Helper()
	c, err := Open(dir, &Options{MaxBytes: max})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// wantAt reads from a file.
func wantAt(t testing.TB, f *File, s *store, off, n int64) {
	t.Helper()
	got := make([]byte, n)
	if m, err := f.ReadAt(got, off); err != nil || int64(m) != n || !bytes.Equal(got, s.data[off:off+n]) {
		t.Fatalf("ReadAt(%d bytes, %d) = %d, %v, right: %v", n, off, m, err, bytes.Equal(got, s.data[off:off+n]))
	}
}

func wantTook(t testing.TB, s *store, want string) {
	t.Helper()
	if got := s.took(); got != want {
		t.Fatalf("the store was asked for %q, want %q", got, want)
	}
}

// held returns how many bytes a folder holds.
func held(t testing.TB, dir string) (total int64) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, heldFolder), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if info, err := e.Info(); err == nil { // else it just gave way
			total += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

const mib = 1 << 20

func TestSmallObjectIsFetchedWhole(t *testing.T) {
	dir := t.TempDir()
	s := &store{data: contentOf(33*mib + 7)}
	f := openCache(t, dir, 0).Open(t.Context(), s.object("a"))
	defer f.Close()
	wantTook(t, s, "")
	wantAt(t, f, s, 5, 10)
	wantTook(t, s, "0+16777216 16777216+16777216 33554432+1048583")
	wantAt(t, f, s, 33*mib, 7)
	file, err := f.LocalFile()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := file.Stat(); err != nil || info.Size() != f.Size() {
		t.Errorf("the file has %v, %v", info, err)
	}
	got := make([]byte, 20)
	if n, err := f.ReadAt(got, f.Size()-5); n != 5 || err != io.EOF {
		t.Errorf("a read beyond the end: %d, %v; want 5 and the end", n, err)
	}
	// Another process has it too.
	other := openCache(t, dir, 0).Open(t.Context(), s.object("a"))
	defer other.Close()
	wantAt(t, other, s, 0, f.Size())
	wantTook(t, s, "")
}

func TestLargeObjectIsFetchedInBlocks(t *testing.T) {
	dir := t.TempDir()
	s := &store{data: contentOf(70*mib + 5)}
	f := openCache(t, dir, 0).Open(t.Context(), s.object("a"))
	defer f.Close()
	if _, err := f.LocalFile(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("LocalFile: %v, want that it is not supported", err)
	}
	wantAt(t, f, s, 10*mib+5, 100)
	wantTook(t, s, "10485760+524288")
	wantAt(t, f, s, 9*mib, 3*mib)                      // those beside one that is there
	wantTook(t, s, "11010048+2097152 9437184+1048576") // and one more, as it ends at the end of one
	wantAt(t, f, s, 20*mib+1, 2*mib)                   // side by side
	wantTook(t, s, "20971520+2621440")
	wantAt(t, f, s, 25*mib-200, 100) // what ends near the end goes on
	wantTook(t, s, "25690112+1048576")
	wantAt(t, f, s, 70*mib, 5)
	wantTook(t, s, "73400320+5")
	wantAt(t, f, s, 30*mib, 20*mib) // large ones are parted
	wantTook(t, s, "31457280+16777216 48234496+4718592")
	f.Close()
	f.cache.Close()
	other := openCache(t, dir, 0).Open(t.Context(), s.object("a"))
	defer other.Close()
	wantAt(t, other, s, 30*mib, 20*mib)
	wantAt(t, other, s, 20*mib, 100)
	wantTook(t, s, "")
}

func TestReadAhead(t *testing.T) {
	s := &store{data: contentOf(80 * mib)}
	f := openCache(t, t.TempDir(), 0).Open(t.Context(), s.object("a"))
	defer f.Close()
	hash := sha256.New()
	if n, err := io.CopyBuffer(hash, struct{ io.Reader }{f}, make([]byte, 100_000)); n != f.Size() || err != nil {
		t.Fatal(n, err)
	}
	if want := sha256.Sum256(s.data); !bytes.Equal(hash.Sum(nil), want[:]) {
		t.Error("the content that was read on and on is another")
	}
	if requests := len(strings.Fields(s.took())); requests > 15 {
		t.Errorf("%d requests for 160 blocks read one after the other, want at most 15", requests)
	}
	// What reads that jump ahead pass over comes with them.
	f = openCache(t, t.TempDir(), 0).Open(t.Context(), s.object("a"))
	defer f.Close()
	for off := int64(0); off < 20*mib; off += 3 * blockSize {
		wantAt(t, f, s, off, 10)
	}
	for off := int64(0); off < 20*mib; off += blockSize {
		wantAt(t, f, s, off, 10)
	}
	if requests := len(strings.Fields(s.took())); requests > 6 {
		t.Errorf("%d requests for a part of 20 MiB, want at most 6", requests)
	}
	// Reads here and there fetch nothing ahead.
	s = &store{data: s.data} // what was fetched ahead may still be asked for
	f = openCache(t, t.TempDir(), 0).Open(t.Context(), s.object("a"))
	defer f.Close()
	for _, block := range []int64{3, 50, 7, 51, 20} {
		wantAt(t, f, s, block*mib, 10)
	}
	if requests := len(strings.Fields(s.took())); requests != 5 {
		t.Errorf("%d requests for 5 blocks", requests)
	}
}

// TestAhead names parts before it reads them: blocks side by side come in one request, and
// nothing beyond them comes.
func TestAhead(t *testing.T) {
	s := &store{data: contentOf(100 * mib)}
	f := openCache(t, t.TempDir(), 0).Open(t.Context(), s.object("a"))
	defer f.Close()
	f.Ahead([2]int64{20*mib + 5, 24*mib - 5}, [2]int64{-9, 10}, [2]int64{24 * mib, 24*mib + 1}, [2]int64{99 * mib, 1 << 62}, [2]int64{5, 5}, [2]int64{1 << 62, 1<<63 - 1}, [2]int64{60 * mib, 20 * mib})
	for off := int64(20 * mib); off < 24*mib; off += 100_000 {
		wantAt(t, f, s, off, 100_000)
	}
	wantAt(t, f, s, 24*mib-blockSize, blockSize+100)
	wantAt(t, f, s, 0, 10)
	wantAt(t, f, s, 99*mib, mib)
	wantAt(t, f, s, 20*mib, 3*mib) // again
	wantTook(t, s, fmt.Sprintf("%d+%d %d+%d %d+%d", 0, blockSize, 99*mib, mib, 20*mib, 4*mib+blockSize))
	// What is not read any more is not waited for, and more than may be held comes later.
	f.Ahead([2]int64{0, 1 << 62})
	wantAt(t, f, s, 90*mib, 10)
	for off := int64(30 * mib); off < 80*mib; off += mib {
		wantAt(t, f, s, off, mib)
	}
	f.Ahead()
}

func TestHashIsChecked(t *testing.T) {
	dir := t.TempDir()
	s := &store{data: contentOf(mib)}
	sum := sha256.Sum256(s.data)
	o := s.object("a")
	o.SHA256 = hex.EncodeToString(sum[:])
	f := openCache(t, dir, 0).Open(t.Context(), o)
	defer f.Close()
	wantAt(t, f, s, 0, mib)
	o = s.object("b")
	o.SHA256 = strings.Repeat("0", 64)
	other := openCache(t, dir, 0).Open(t.Context(), o)
	defer other.Close()
	if _, err := other.ReadAt(make([]byte, 5), 0); !errors.Is(err, ErrHash) {
		t.Errorf("a read of an object with another hash: %v", err)
	}
	if got := held(t, dir); got != mib {
		t.Errorf("%d bytes are held, want only the right object", got)
	}
}

func TestBudget(t *testing.T) {
	dir := t.TempDir()
	s := &store{data: contentOf(mib)}
	const max = 8 * mib
	caches := []*Cache{openCache(t, dir, max), openCache(t, dir, max)}
	read := func(i int) {
		f := caches[i%2].Open(t.Context(), s.object(fmt.Sprint(i)))
		defer f.Close()
		wantAt(t, f, s, 0, mib)
	}
	for i := range 30 {
		read(i)
		read(0) // which is used again and again
		if got := held(t, dir); got > max {
			t.Fatalf("%d bytes are held, want at most %d", got, max)
		}
	}
	s.took()
	read(0)
	read(29)
	wantTook(t, s, "")
	read(1)
	wantTook(t, s, "0+1048576")
}

func TestObjectLargerThanBudget(t *testing.T) {
	s := &store{data: contentOf(9 * mib)}
	for _, max := range []int64{3 * mib, 100} {
		dir := t.TempDir()
		c := openCache(t, dir, max)
		f := c.Open(t.Context(), s.object("a"))
		wantAt(t, f, s, 0, int64(len(s.data)))
		wantAt(t, f, s, 5, 100)
		f.Close()
		c.Close()
		if got := held(t, dir); got > max {
			t.Errorf("%d bytes are held, want at most %d", got, max)
		}
	}
}

// TestOpenFilesStay reads from a file whose place in the cache was taken.
func TestOpenFilesStay(t *testing.T) {
	dir := t.TempDir()
	s := &store{data: contentOf(mib)}
	c := openCache(t, dir, 2*mib)
	f := c.Open(t.Context(), s.object("first"))
	defer f.Close()
	wantAt(t, f, s, 0, 1)
	for i := range 4 {
		other := c.Open(t.Context(), s.object(fmt.Sprint(i)))
		wantAt(t, other, s, 0, 1)
		other.Close()
	}
	s.took()
	wantAt(t, f, s, 0, mib)
	wantTook(t, s, "")
}

func TestManyReadOneObject(t *testing.T) {
	for _, size := range []int64{2 * mib, 65 * mib} {
		s := &store{data: contentOf(size)}
		c := openCache(t, t.TempDir(), 0)
		arrived := make(chan struct{}, 1)
		release := make(chan struct{})
		s.wait = func(context.Context) error {
			arrived <- struct{}{}
			<-release
			return nil
		}
		var reading sync.WaitGroup
		read := func() {
			f := c.Open(t.Context(), s.object("a"))
			defer f.Close()
			wantAt(t, f, s, 10, 100)
		}
		reading.Go(read)
		<-arrived
		for range 8 {
			reading.Go(read)
		}
		close(release)
		reading.Wait()
		if requests := len(strings.Fields(s.took())); requests != 1 {
			t.Errorf("%d requests for what 9 read at once, want one", requests)
		}
	}
}

func TestCancelledRead(t *testing.T) {
	for _, size := range []int64{2 * mib, 65 * mib} {
		s := &store{data: contentOf(size)}
		c := openCache(t, t.TempDir(), 0)
		began, ended := make(chan struct{}), make(chan struct{})
		s.wait = func(ctx context.Context) error {
			close(began)
			<-ctx.Done()
			close(ended)
			return ctx.Err()
		}
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		f := c.Open(ctx, s.object("a"))
		go func() {
			_, err := f.ReadAt(make([]byte, 10), 0)
			failed <- err
		}()
		<-began
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled read: %v", err)
		}
		<-ended // the request too
		f.Close()
		s.wait = nil
		again := c.Open(t.Context(), s.object("a"))
		wantAt(t, again, s, 0, 10)
		again.Close()
	}
}

// TestOneGivesUp cancels one of two readers: the other gets its bytes by the same request.
func TestOneGivesUp(t *testing.T) {
	s := &store{data: contentOf(65 * mib)}
	c := openCache(t, t.TempDir(), 0)
	began, release := make(chan struct{}), make(chan struct{})
	s.wait = func(ctx context.Context) error {
		close(began)
		<-release
		return ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	first := c.Open(ctx, s.object("a"))
	defer first.Close()
	failed := make(chan error)
	go func() {
		_, err := first.ReadAt(make([]byte, 10), 0)
		failed <- err
	}()
	<-began
	second := c.Open(t.Context(), s.object("a"))
	defer second.Close()
	flying := second.join(0, 0, 0)[0]
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	close(release)
	if data, err := c.flights.wait(t.Context(), flying); err != nil || !bytes.Equal(data, s.data[:blockSize]) {
		t.Errorf("the other reader: %v, right: %v", err, bytes.Equal(data, s.data[:blockSize]))
	}
	wantTook(t, s, "0+524288")
}

func TestFetchFails(t *testing.T) {
	broken := errors.New("broken")
	for _, size := range []int64{2 * mib, 65 * mib} {
		s := &store{data: contentOf(size)}
		dir := t.TempDir()
		c := openCache(t, dir, 0)
		f := c.Open(t.Context(), s.object("a"))
		s.wait = func(context.Context) error { return broken }
		if _, err := f.ReadAt(make([]byte, 10), 0); !errors.Is(err, broken) {
			t.Errorf("a request that fails: %v", err)
		}
		s.wait = nil
		wantAt(t, f, s, 0, 10)
		f.Close()
		// Fewer bytes than there should be are not held.
		short := s.object("short")
		short.Fetch = func(_ context.Context, off, n int64) (io.ReadCloser, error) {
			return io.NopCloser(io.LimitReader(bytes.NewReader(s.data[off:off+n]), n-1)), nil
		}
		f = c.Open(t.Context(), short)
		if _, err := f.ReadAt(make([]byte, 10), 0); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a body that ends early: %v", err)
		}
		f.Close()
		c.Close()
		want := size
		if size > maxWhole {
			want = blockSize
		}
		if got := held(t, dir); got != want {
			t.Errorf("%d bytes are held of an object of %d", got, size)
		}
	}
}

// TestKilled kills processes that fill a cache: what is held is right, and within the
// budget.
func TestKilled(t *testing.T) {
	const max = 12 * mib
	if dir := os.Getenv("BLOCKCACHE_FILL"); dir != "" {
		fill(t, dir, max)
		return
	}
	dir := t.TempDir()
	for range 3 {
		var programs []*exec.Cmd
		for range 2 {
			cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
			cmd.Env = append(os.Environ(), "BLOCKCACHE_FILL="+dir)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			programs = append(programs, cmd)
			if _, err := io.ReadFull(out, make([]byte, 8)); err != nil { // it is at work
				t.Fatal(err)
			}
		}
		for _, cmd := range programs {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	c := openCache(t, dir, max)
	s := &store{data: contentOf(mib)}
	for i := range fillObjects {
		f := c.Open(t.Context(), s.object(fmt.Sprint(i)))
		wantAt(t, f, s, 0, mib)
		f.Close()
		if got := held(t, dir); got > max {
			t.Fatalf("%d bytes are held, want at most %d", got, max)
		}
	}
	left, err := os.ReadDir(filepath.Join(dir, tempFolder))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if info, err := e.Info(); err == nil && info.Size() > 0 {
			t.Errorf("what a killed process began is still there: %d bytes", info.Size())
		}
	}
}

const fillObjects = 30

func fill(t *testing.T, dir string, max int64) {
	c := openCache(t, dir, max)
	s := &store{data: contentOf(mib)}
	for i := 0; ; i = (i + 7) % fillObjects {
		f := c.Open(t.Context(), s.object(fmt.Sprint(i)))
		wantAt(t, f, s, 0, mib)
		f.Close()
		fmt.Fprint(os.Stdout, ".")
	}
}

// What has no version shares nothing.
func TestNoID(t *testing.T) {
	c, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, text := range []string{"one", "two"} {
		f := c.Open(t.Context(), Object{Size: 3, Fetch: func(context.Context, int64, int64) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(text)), nil
		}})
		data := make([]byte, 3)
		if _, err := f.ReadAt(data, 0); err != nil || string(data) != text {
			t.Errorf("%q, %v; want %q", data, err, text)
		}
		f.Close()
	}
}

// Reads that pass over blocks leave few of them in memory.
func TestPassedOver(t *testing.T) {
	c, err := Open(t.TempDir(), &Options{MaxBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const size = 160 << 20
	content := make([]byte, 64<<20)
	f := c.Open(t.Context(), Object{ID: "a", Size: size, Fetch: func(_ context.Context, _, n int64) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content[:n])), nil
	}})
	defer f.Close()
	for off := int64(0); off < size; off += 2 * blockSize {
		if _, err := f.ReadAt(make([]byte, 4096), off); err != nil {
			t.Fatal(err)
		}
		if len(f.ahead) > maxAhead {
			t.Fatalf("%d blocks that nobody has read are held at %d", len(f.ahead), off)
		}
	}
}

// TestSkipSmall fetches a small object once for all who read it at a time, checks its
// hash, and keeps it off the disk, unless somebody wants its file.
func TestSkipSmall(t *testing.T) {
	dir := t.TempDir()
	c := openCache(t, dir, 0)
	c.SkipSmall()
	s := &store{data: contentOf(MaxSmall)}
	f := c.Open(t.Context(), s.object("small"))
	defer f.Close()
	for range 2 {
		got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
		if err != nil || !bytes.Equal(got, s.data) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	if n, err := f.ReadAt(make([]byte, 8), f.Size()-4); n != 4 || err != io.EOF {
		t.Errorf("at the end: %d bytes, %v", n, err)
	}
	if asked := s.took(); asked != fmt.Sprintf("0+%d", MaxSmall) {
		t.Errorf("asked for %s", asked)
	}
	held := func() int {
		all, _ := filepath.Glob(filepath.Join(dir, heldFolder, "*", "*"))
		return len(all)
	}
	if held() != 0 {
		t.Error("it is on disk")
	}
	if file, err := f.LocalFile(); err != nil || held() != 1 {
		t.Errorf("its file: %v, %v", file, err)
	}
	wrong := s.object("wrong")
	wrong.SHA256 = strings.Repeat("0", 64)
	g := c.Open(t.Context(), wrong)
	defer g.Close()
	if _, err := g.ReadAt(make([]byte, 1), 0); !errors.Is(err, ErrHash) {
		t.Errorf("another content: %v", err)
	}
	large := &store{data: contentOf(MaxSmall + 1)}
	h := c.Open(t.Context(), large.object("large"))
	defer h.Close()
	if _, err := h.ReadAt(make([]byte, 1), 0); err != nil || held() != 2 {
		t.Errorf("a larger one: %v; %d objects are on disk, want 2", err, held())
	}
}
