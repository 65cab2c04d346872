package mapadapter

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestParquet reads a table, and compares the rows of real ones, where there
// are some, with what another tool exported from them.
func TestParquet(t *testing.T) {
	rows, err := readParquet(t.Context(), writeParquet(t, 3))
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	data, err := json.Marshal(rows[2])
	if want := `{"entity_ids":[1,2],"id":"xxxxxxxxxxxxxxxxxxxx","rank":null,"title":"A title"}`; err != nil || string(data) != want {
		t.Errorf("a row is %s, %v; want %s", data, err, want)
	}
	if _, ok := sharedtest.Extra(t); !ok {
		return
	}
	for _, name := range []string{"communities", "entities", "text_units"} {
		data, err := os.ReadFile(sharedtest.Corpus(t, "maps/graphrag-dulce-"+name+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readParquet(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		export, err := os.Open(sharedtest.Corpus(t, "maps/graphrag-dulce-"+name+".export.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer export.Close()
		var want []map[string]any
		for decoder := json.NewDecoder(export); ; {
			var row map[string]any
			if err := decoder.Decode(&row); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			want = append(want, row)
		}
		encoded, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		var got []map[string]any
		if err := json.Unmarshal(encoded, &got); err != nil {
			t.Fatal(err)
		}
		for _, row := range got {
			for key, value := range row { // the export has [] for an empty list
				if value == nil {
					row[key] = []any{}
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%.2000s", name, diff)
		}
	}
}

type parquetRow struct {
	ID    string  `parquet:"id,plain"`
	Title string  `parquet:"title,dict"`
	IDs   []int64 `parquet:"entity_ids,list"`
	Rank  float64 `parquet:"rank,optional"`
}

func writeParquet(t testing.TB, n int, options ...parquet.WriterOption) []byte {
	t.Helper()
	rows := make([]parquetRow, n)
	for i := range rows {
		rows[i] = parquetRow{ID: strings.Repeat("x", 20), Title: "A title", IDs: []int64{1, 2}}
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, options...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestParquetNull reads a table with a column of the logical type NULL, which
// pandas writes for one that has no values.
func TestParquetNull(t *testing.T) {
	type row struct {
		ID  string `parquet:"id,plain"`
		Raw *int32 `parquet:"raw_data,optional,dict"`
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []row{{ID: "a"}, {ID: "b"}}); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	end := len(data) - 8
	start := end - int(binary.LittleEndian.Uint32(data[end:]))
	footer := data[start:end]
	var meta format.FileMetaData
	protocol := new(thrift.CompactProtocol)
	if err := thrift.Unmarshal(protocol, footer, &meta); err != nil {
		t.Fatal(err)
	}
	for i := range meta.Schema {
		if meta.Schema[i].Name == "raw_data" {
			meta.Schema[i].LogicalType = &format.LogicalType{Unknown: new(format.NullType)}
			meta.Schema[i].ConvertedType = nil
		}
	}
	footer, err := thrift.Marshal(protocol, &meta)
	if err != nil {
		t.Fatal(err)
	}
	data = binary.LittleEndian.AppendUint32(append(data[:start:start], footer...), uint32(len(footer)))
	data = append(data, "PAR1"...)
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil || !strings.Contains(f.Schema().String(), "NULL") {
		t.Fatalf("the column is not of the type NULL: %v", err)
	}
	rows, err := readParquet(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]record{{"id": "a", "raw_data": nil}, {"id": "b", "raw_data": nil}}, rows); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestParquetHostile reads files whose headers lie.
func TestParquetHostile(t *testing.T) {
	var good []byte
	for _, option := range []parquet.WriterOption{parquet.Compression(&parquet.Gzip), parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(2), parquet.Compression(&parquet.Snappy)} {
		good = writeParquet(t, 100, option)
		if rows, err := readParquet(t.Context(), good); err != nil || len(rows) != 100 {
			t.Fatalf("%d rows, error %v", len(rows), err)
		}
	}
	footer := bytes.Clone(good)
	binary.LittleEndian.PutUint32(footer[len(footer)-8:], 1<<31)
	for name, test := range map[string]struct {
		data []byte
		want error
	}{
		"empty":        {nil, citekit.ErrFormat},
		"text":         {[]byte("id,title\n1,2\n"), citekit.ErrFormat},
		"truncated":    {good[:len(good)/2], citekit.ErrFormat},
		"footer":       {footer, citekit.ErrFormat},
		"long list":    {thriftFile("\x29\xfc\xff\xff\xff\xff\x07\x00"), citekit.ErrFormat},
		"deep structs": {thriftFile(strings.Repeat("\x1c", 5000)), citekit.ErrFormat},
		"lzo":          {edited(t, good, func(m *format.ColumnMetaData) { m.Codec = format.LZO }), citekit.ErrFormat},
		"inside gzip":  {zipped(t, good), citekit.ErrFormat},
	} {
		if _, err := readParquet(t.Context(), test.data); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want one matching %v", name, err, test.want)
		}
	}
}

// thriftFile returns a Parquet file with a footer.
func thriftFile(footer string) []byte {
	b := []byte("PAR1" + footer)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(footer)))
	return append(b, "PAR1"...)
}

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestParquetOffsets has the footer lead to a page inside a text, which claims
// more than it has.
func TestParquetOffsets(t *testing.T) {
	for name, lies := range map[string]string{
		"size":   "\x15\x00\x15\xfe\xff\xff\xff\x0f\x15\x02\x2c\x15\x02\x15\x00\x15\x06\x15\x06\x00\x00",
		"values": "\x15\x00\x15\x02\x15\x02\x2c\x15\x80\x80\x80\x80\x0f\x15\x00\x15\x06\x15\x06\x00\x00",
	} {
		var b bytes.Buffer
		if err := parquet.Write(&b, []parquetRow{{ID: lies}}, parquet.Compression(&parquet.Uncompressed)); err != nil {
			t.Fatal(err)
		}
		data := edited(t, b.Bytes(), func(m *format.ColumnMetaData) {
			m.DictionaryPageOffset, m.DataPageOffset = 0, int64(bytes.Index(b.Bytes(), []byte(lies)))
		})
		if _, err := readParquet(t.Context(), data); !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("%s: error %v, want one matching ErrTooLarge", name, err)
		}
	}
}

// edited returns a file with the metadata of its first column changed.
func edited(t *testing.T, file []byte, edit func(*format.ColumnMetaData)) []byte {
	t.Helper()
	end := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	var footer format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), file[end:len(file)-8], &footer); err != nil {
		t.Fatal(err)
	}
	edit(&footer.RowGroups[0].Columns[0].MetaData)
	changed, err := thrift.Marshal(new(thrift.CompactProtocol), &footer)
	if err != nil {
		t.Fatal(err)
	}
	return append(bytes.Clone(file[:end]), thriftFile(string(changed))[4:]...)
}

// FuzzParquet checks that no file makes the decoder panic, or take what it is
// told for memory.
func FuzzParquet(f *testing.F) {
	f.Add(writeParquet(f, 3, parquet.Compression(&parquet.Snappy)))
	f.Add(writeParquet(f, 3, parquet.DataPageVersion(1)))
	f.Add(writeParquet(f, 300))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := readParquet(t.Context(), data)
		if err != nil && citekit.CodeOf(err) != message.CodeInvalidInput && !errors.Is(err, citekit.ErrTooLarge) {
			t.Fatal(err)
		}
	})
}
