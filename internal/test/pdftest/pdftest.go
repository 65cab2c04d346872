// Package pdftest writes PDF files for tests and benchmarks.
package pdftest

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"strings"
)

// A File is a PDF file in the making. Objects are given as they are spelled in
// the file. The zero value is ready to use.
type File struct {
	// Packed stores objects in object streams and the cross-reference data
	// as a stream, as files since PDF 1.5 do.
	Packed bool

	// Encrypted encrypts streams with RC4 and an empty user password. It is
	// not for packed files.
	Encrypted bool

	objects []object
	root    int
}

type object struct {
	text     string
	data     []byte
	isStream bool
}

// Reserve returns the number of a new object, to be set later.
func (f *File) Reserve() int {
	f.objects = append(f.objects, object{text: "null"})
	return len(f.objects)
}

// Set sets the object num.
func (f *File) Set(num int, format string, args ...any) {
	f.objects[num-1] = object{text: fmt.Sprintf(format, args...)}
}

// Add adds an object and returns its number.
func (f *File) Add(format string, args ...any) int {
	num := f.Reserve()
	f.Set(num, format, args...)
	return num
}

// Stream adds a stream and returns its number. Entries are those of its
// dictionary without the length.
func (f *File) Stream(entries string, data []byte) int {
	f.objects = append(f.objects, object{text: entries, data: data, isStream: true})
	return len(f.objects)
}

// Deflate adds a stream that is compressed.
func (f *File) Deflate(entries string, data []byte) int {
	return f.Stream(entries+" /Filter /FlateDecode", deflate(data))
}

// Root sets the number of the catalog.
func (f *File) Root(num int) { f.root = num }

func deflate(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// Bytes returns the file.
func (f *File) Bytes() []byte {
	if f.Packed {
		return f.packed()
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	objects, trailer := f.objects, ""
	var key []byte
	if f.Encrypted {
		var dict string
		key, dict = encryption()
		objects = append(objects[:len(objects):len(objects)], object{text: dict})
		trailer = fmt.Sprintf(" /Encrypt %d 0 R /ID [<%x> <%x>]", len(objects), fileID, fileID)
	}
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		o.write(&b, i+1, key)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root %d 0 R%s >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, f.root, trailer, start)
	return b.Bytes()
}

func (o object) write(b *bytes.Buffer, num int, key []byte) {
	fmt.Fprintf(b, "%d 0 obj\n", num)
	if !o.isStream {
		b.WriteString(o.text)
	} else {
		data := o.data
		if key != nil {
			data = encrypt(key, num, data)
		}
		fmt.Fprintf(b, "<< %s /Length %d >>\nstream\n", o.text, len(data))
		b.Write(data)
		b.WriteString("\nendstream")
	}
	b.WriteString("\nendobj\n")
}

const perObjectStream = 100

// packed writes the file with object streams and a cross-reference stream
// with a predictor.
func (f *File) packed() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	entries := make([][3]int, len(f.objects)+1)
	var pending []int
	next := len(f.objects) + 1
	flush := func() {
		var index, body strings.Builder
		for i, num := range pending {
			fmt.Fprintf(&index, "%d %d ", num, body.Len())
			body.WriteString(f.objects[num-1].text + " ")
			entries[num] = [3]int{2, next, i}
		}
		dict := fmt.Sprintf("/Type /ObjStm /N %d /First %d /Filter /FlateDecode", len(pending), index.Len())
		entries = append(entries, [3]int{1, b.Len(), 0})
		object{dict, deflate([]byte(index.String() + body.String())), true}.write(&b, next, nil)
		pending = nil
		next++
	}
	for i, o := range f.objects {
		if o.isStream {
			entries[i+1] = [3]int{1, b.Len(), 0}
			o.write(&b, i+1, nil)
			continue
		}
		if pending = append(pending, i+1); len(pending) == perObjectStream {
			flush()
		}
	}
	if len(pending) > 0 {
		flush()
	}
	start := b.Len()
	entries = append(entries, [3]int{1, start, 0})
	dict := fmt.Sprintf("/Type /XRef /Size %d /W [1 4 2] /Root %d 0 R /Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 7 >>", len(entries), f.root)
	object{dict, deflate(predict(entries)), true}.write(&b, next, nil)
	fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", start)
	return b.Bytes()
}

// predict writes cross-reference entries with the PNG filter "up".
func predict(entries [][3]int) []byte {
	var out, above [7]byte
	var b []byte
	for _, e := range entries {
		row := [7]byte{byte(e[0])}
		binary.BigEndian.PutUint32(row[1:], uint32(e[1]))
		binary.BigEndian.PutUint16(row[5:], uint16(e[2]))
		for i := range row {
			out[i] = row[i] - above[i]
		}
		b = append(append(b, 2), out[:]...)
		above = row
	}
	return b
}

var (
	fileID  = []byte("0123456789abcdef")
	padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
		"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")
)

// encryption returns the key for an empty user password and the encryption
// dictionary, revision 2.
func encryption() (key []byte, dict string) {
	owner := bytes.Repeat([]byte{'o'}, 32)
	sum := md5.Sum(append(append(append(bytes.Clone(padding), owner...), 0xfc, 0xff, 0xff, 0xff), fileID...))
	key = sum[:5]
	user := rc4Of(key, padding)
	return key, fmt.Sprintf("<< /Filter /Standard /V 1 /R 2 /P -4 /O <%x> /U <%x> >>", owner, user)
}

func encrypt(key []byte, num int, data []byte) []byte {
	sum := md5.Sum(append(bytes.Clone(key), byte(num), byte(num>>8), byte(num>>16), 0, 0))
	return rc4Of(sum[:len(key)+5], data)
}

func rc4Of(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err) // the keys here have legal lengths
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}
