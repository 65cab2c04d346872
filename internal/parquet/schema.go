package parquet

import (
	"fmt"
	"strings"
)

// A kind is a physical type.
type kind int8

const (
	kindBoolean   kind = 0
	kindInt32     kind = 1
	kindInt64     kind = 2
	kindInt96     kind = 3
	kindFloat     kind = 4
	kindDouble    kind = 5
	kindByteArray kind = 6
	kindFixed     kind = 7
	kindGroup     kind = -1
)

var kindNames = []string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

// maxFixed is the largest size in bytes of a fixed-length value.
const maxFixed = 1 << 20

// A use is the meaning of the values of a physical type.
type use uint8

const (
	useNone use = iota
	useText
	useMap
	useList
	useDecimal
	useDate
	useTime
	useTimestamp
	useUnsigned
	useUUID
	useFloat16
	useInterval
	useBSON
)

// An element is an element of the schema, as stored (SchemaElement).
type element struct {
	name       string
	kind       kind
	length     int64
	repetition int64 // -1 if it has none, like the root
	children   int64
	use        use
	scale      int64 // of decimals; for times the digits of the second: 3, 6 or 9
	utc        bool
	bits       int64 // of integers; 0 means those of the physical type
	named      string
}

const (
	required = 0
	optional = 1
	repeated = 2
)

func readElement(r *thrift) (e element, err error) {
	e.kind, e.repetition = kindGroup, -1
	converted, logical := int64(-1), false
	var physical int64 = -1
	err = r.fields(func(field int16, is byte) (bool, error) {
		switch {
		case field == 4 && is == thriftBinary:
			e.name, err = r.text()
			return true, err
		case field == 10 && is == thriftStruct:
			logical = true
			return true, e.readLogical(r)
		}
		to := map[int16]*int64{1: &physical, 2: &e.length, 3: &e.repetition, 5: &e.children, 6: &converted}[field]
		if field == 7 && !logical {
			to = &e.scale
		}
		if to == nil || is != thriftI32 {
			return false, nil
		}
		return true, r.into(to)
	})
	if err != nil {
		return e, err
	}
	if physical >= 0 {
		if physical > int64(kindFixed) {
			return e, fmt.Errorf("a column of type %d: %w", physical, ErrUnsupported)
		}
		e.kind = kind(physical)
	}
	if !logical || e.use == useNone {
		e.convert(converted)
	}
	return e, nil
}

// readLogical reads the meaning of values (LogicalType).
func (e *element) readLogical(r *thrift) error {
	uses := map[int16]use{
		1: useText, 2: useMap, 3: useList, 4: useText, 5: useDecimal, 6: useDate, 7: useTime,
		8: useTimestamp, 12: useText, 13: useBSON, 14: useUUID, 15: useFloat16,
	}
	names := map[int16]string{1: "STRING", 4: "ENUM", 5: "DECIMAL", 6: "DATE", 7: "TIME", 8: "TIMESTAMP", 12: "JSON", 13: "BSON", 14: "UUID", 15: "FLOAT16"}
	return r.fields(func(field int16, is byte) (bool, error) {
		if is != thriftStruct {
			return false, nil
		}
		e.use, e.named = uses[field], names[field]
		switch field {
		case 5:
			return true, r.fields(func(field int16, is byte) (bool, error) {
				if field != 1 || is != thriftI32 {
					return false, nil
				}
				return true, r.into(&e.scale)
			})
		case 7, 8:
			return true, e.readTime(r)
		case 10:
			return true, e.readInteger(r)
		}
		return false, nil
	})
}

func (e *element) readTime(r *thrift) error {
	return r.fields(func(field int16, is byte) (bool, error) {
		if field == 1 {
			e.utc = is == thriftTrue
		}
		if field != 2 || is != thriftStruct {
			return false, nil
		}
		return true, r.fields(func(field int16, is byte) (bool, error) {
			if 1 <= field && field <= 3 {
				e.scale = int64(field) * 3
			}
			return false, nil
		})
	})
}

func (e *element) readInteger(r *thrift) error {
	signed := true
	err := r.fields(func(field int16, is byte) (bool, error) {
		if field == 2 {
			signed = is == thriftTrue
		}
		if field != 1 || is != thriftByte {
			return false, nil
		}
		b, err := r.byte()
		e.bits = int64(b)
		return true, err
	})
	e.integer(e.bits, signed)
	return err
}

func (e *element) integer(bits int64, signed bool) {
	e.bits, e.named = bits, fmt.Sprintf("INT%d", bits)
	if !signed {
		e.use, e.named = useUnsigned, "U"+e.named
	}
}

// convert reads the meaning as older programs write it (ConvertedType).
func (e *element) convert(converted int64) {
	switch converted {
	case 0:
		e.use, e.named = useText, "STRING"
	case 1, 2:
		e.use = useMap
	case 3:
		e.use = useList
	case 4:
		e.use, e.named = useText, "ENUM"
	case 5:
		e.use, e.named = useDecimal, "DECIMAL"
	case 6:
		e.use, e.named = useDate, "DATE"
	case 7, 8:
		e.use, e.named, e.scale, e.utc = useTime, "TIME", (converted-6)*3, true
	case 9, 10:
		e.use, e.named, e.scale, e.utc = useTimestamp, "TIMESTAMP", (converted-8)*3, true
	case 11, 12, 13, 14:
		e.integer(8<<(converted-11), false)
	case 15, 16, 17, 18:
		e.integer(8<<(converted-15), true)
	case 19:
		e.use, e.named = useText, "JSON"
	case 20:
		e.use, e.named = useBSON, "BSON"
	case 21:
		e.use, e.named = useInterval, "INTERVAL"
	}
}

// A node is an element in the tree of the schema.
type node struct {
	element
	rep, def byte // levels of a present value
	leaf     int  // index of its first leaf
	leaves   int
	children []*node
}

// shape builds the tree of the schema.
func (f *Footer) shape(elements []element) error {
	if len(elements) < 2 || elements[0].kind != kindGroup {
		return fmt.Errorf("it has no columns: %w", ErrDamaged)
	}
	f.Name = elements[0].name
	b := &builder{f: f, elements: elements, at: 1}
	for range elements[0].children {
		first, leaf := b.at, len(f.leaves)
		root, err := b.node(0, 0, 1)
		if err != nil {
			return err
		}
		f.Columns = append(f.Columns, &Column{
			Name: root.name, Type: typeName(root), root: root, leaves: span{leaf, len(f.leaves)}, schema: span{first, b.at},
		})
	}
	if b.at != len(elements) {
		return fmt.Errorf("its schema has %d elements too many: %w", len(elements)-b.at, ErrDamaged)
	}
	return nil
}

type builder struct {
	f        *Footer
	elements []element
	at       int
}

// node returns the node of the next element; rep and def are the levels above it.
func (b *builder) node(rep, def byte, depth int) (*node, error) {
	if b.at == len(b.elements) || depth > maxDepth {
		return nil, fmt.Errorf("its schema is cut off, or more than %d deep: %w", maxDepth, ErrDamaged)
	}
	n := &node{element: b.elements[b.at], rep: rep, def: def, leaf: len(b.f.leaves)}
	b.at++
	switch n.repetition {
	case required:
	case optional:
		n.def++
	case repeated:
		n.def, n.rep = n.def+1, n.rep+1
	default:
		return nil, fmt.Errorf("a column has no repetition: %w", ErrDamaged)
	}
	if n.kind != kindGroup {
		if n.children != nil || n.element.children > 0 || n.kind == kindFixed && (n.length < 1 || n.length > maxFixed) {
			return nil, fmt.Errorf("a column of %d bytes: %w", n.length, ErrDamaged)
		}
		b.f.leaves, n.leaves = append(b.f.leaves, n), 1
		return n, nil
	}
	if n.element.children < 1 {
		return nil, fmt.Errorf("a column has no fields: %w", ErrDamaged)
	}
	for range n.element.children {
		child, err := b.node(n.rep, n.def, depth+1)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
		n.leaves += child.leaves
	}
	return n, nil
}

// elementOf returns the node of a list's items, and whether n is a list: with three
// levels, or with the two that older programs write.
func elementOf(n *node) (item, inner *node, isList bool) {
	if n.use != useList || len(n.children) != 1 || n.children[0].repetition != repeated {
		return nil, nil, false
	}
	item = n.children[0]
	if len(item.children) != 1 || item.name == "array" || item.name == n.name+"_tuple" {
		return item, nil, true
	}
	return item, item.children[0], true
}

// pairOf returns the node of a map's pairs, and whether n is a map.
func pairOf(n *node) (pair *node, isMap bool) {
	if n.use != useMap || len(n.children) != 1 {
		return nil, false
	}
	pair = n.children[0]
	return pair, pair.repetition == repeated && len(pair.children) == 2 && pair.children[0].kind != kindGroup && pair.children[0].repetition != repeated
}

const maxTypeName = 200

// typeName returns the type of a column in words.
func typeName(n *node) string {
	name := innerType(n)
	if len(name) > maxTypeName {
		name = name[:strings.LastIndexByte(name[:maxTypeName], ',')+1] + "…"
	}
	return name
}

func innerType(n *node) string {
	name := bareType(n)
	if n.repetition == repeated {
		return "list<" + name + ">"
	}
	return name
}

func bareType(n *node) string {
	if item, inner, ok := elementOf(n); ok && inner != nil {
		return "list<" + innerType(inner) + ">"
	} else if ok {
		return innerType(item)
	}
	if pair, ok := pairOf(n); ok {
		return "map<" + innerType(pair.children[0]) + ", " + innerType(pair.children[1]) + ">"
	}
	switch {
	case n.kind != kindGroup && n.named != "":
		return n.named
	case n.kind != kindGroup:
		return kindNames[n.kind]
	}
	var fields []string
	for i, child := range n.children {
		if i == 20 {
			fields = append(fields, "…")
			break
		}
		fields = append(fields, strings.ToValidUTF8(child.name, "\ufffd")+" "+innerType(child))
	}
	return "struct<" + strings.Join(fields, ", ") + ">"
}
