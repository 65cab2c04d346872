package pdfium

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	_ "unsafe" // for linkname
)

// module is PDFium. Its package embeds it, and lets a program replace it, but not read
// it.
//
//go:linkname module github.com/klippa-app/go-pdfium/webassembly.pdfiumWasm
var module []byte

// The names under which a metered module exports what it counts with.
const (
	fuelName  = "citekit_fuel"  // the global that holds the work left
	emptyName = "citekit_empty" // the function that is called when none is left
)

// perUnit is how many instructions of a pass of a loop, or of a function outside its
// loops, take a unit more. Few of those in a long pass run.
const perUnit = 64

// WebAssembly section ids.
const (
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	globalSection   = 6
	exportSection   = 7
	codeSection     = 10
)

var errModule = errors.New("the WebAssembly module of PDFium has a form that is not known here")

// metered returns a module that counts its work. Each pass of a loop, and each call of a
// function that loops or calls others, takes a unit from the global fuelName, and one
// more for perUnit instructions in it. Each 64 bytes that an instruction copies or fills
// take a unit. If nothing is left, the function emptyName is called, which does nothing:
// its listener adds fuel or panics. So the same calls take the same on every machine.
func metered(module []byte) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil { // a read outside the module
			err = fmt.Errorf("%w: %v", errModule, p)
		}
	}()
	const header = 8
	var i instrumenter
	out = append(make([]byte, 0, len(module)+len(module)/4), module[:header]...)
	for r := (&reader{module, header}); r.at < len(module); {
		id := r.byte()
		body := i.section(id, r.bytes(r.number()))
		out = append(append(append(out, id), number(len(body))...), body...)
	}
	if !i.done {
		return nil, errModule
	}
	return out, nil
}

// An instrumenter holds what the sections of a module say that later ones need.
type instrumenter struct {
	params   []int // of each type, their number
	types    []int // of each function that is not imported
	imported int   // functions
	fuel     int   // the global
	empty    int   // the function
	done     bool
}

// section returns the section with what a metered module has in addition.
func (i *instrumenter) section(id byte, body []byte) []byte {
	r := &reader{data: body}
	switch id {
	case typeSection:
		n, rest := r.number(), r.rest()
		for range n {
			i.params = append(i.params, r.functionType())
		}
		return list(n+1, rest, []byte{0x60, 0, 0}) // without parameters and results
	case importSection:
		for range r.number() {
			r.bytes(r.number())
			r.bytes(r.number())
			if kind := r.byte(); kind != 0 {
				panic("it imports more than functions")
			}
			r.number()
			i.imported++
		}
	case functionSection:
		n, rest := r.number(), r.rest()
		for range n {
			i.types = append(i.types, r.number())
		}
		return list(n+1, rest, number(len(i.params)))
	case globalSection:
		n, rest := r.number(), r.rest()
		i.fuel = n
		return list(n+1, rest, []byte{0x7e, 1, 0x42, 0, opEnd}) // 64 bits, mutable, 0
	case exportSection:
		n, rest := r.number(), r.rest()
		i.empty = i.imported + len(i.types)
		fuel := append(prefixed([]byte(fuelName), 3), number(i.fuel)...)
		empty := append(prefixed([]byte(emptyName), 0), number(i.empty)...)
		return list(n+2, rest, fuel, empty)
	case codeSection:
		n := r.number()
		var functions []byte
		for at := range n {
			function := i.function(i.params[i.types[at]], r.bytes(r.number()))
			functions = append(append(functions, number(len(function))...), function...)
		}
		i.done = true
		return list(n+1, functions, []byte{2, 0, opEnd})
	}
	return body
}

// number returns a number as a module writes it.
func number(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

// prefixed returns data after its length and before kind.
func prefixed(data []byte, kind byte) []byte { return append(append(number(len(data)), data...), kind) }

// list returns a list of n elements.
func list(n int, elements ...[]byte) []byte { return append(number(n), bytes.Join(elements, nil)...) }

// function returns the body of a function, which has that many parameters, with its
// charges.
func (i *instrumenter) function(params int, body []byte) []byte {
	r := &reader{data: body}
	groups, start, local := r.number(), r.at, params
	for range groups {
		local += r.number()
		r.byte()
	}
	out := append(number(groups+1), body[start:r.at]...)
	out = append(out, 1, 0x7f) // a local of 32 bits
	last := r.at
	for _, c := range chargesIn(r) {
		out = append(out, body[last:c.at]...)
		last = c.at
		if c.length {
			out = i.chargeLength(out, local)
		} else {
			out = i.charge(out, 1+c.instructions/perUnit)
		}
	}
	return append(out, body[last:]...)
}

// WebAssembly instructions.
const (
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opEnd          = 0x0b
	opCall         = 0x10
	opCallIndirect = 0x11
	opMisc         = 0xfc
	memoryCopy     = 10 // after opMisc
	memoryFill     = 11
)

// A charge is a place in the body of a function, and what is taken there.
type charge struct {
	at           int
	instructions int
	length       bool // the length of a copy takes it, which is on the stack
}

// chargesIn returns the charges of the instructions of a function, in order.
func chargesIn(r *reader) []charge {
	charges := []charge{{at: r.at}}
	inside := []int{0} // for each block around the instruction: the charge that counts it
	calls := false
	for len(inside) > 0 {
		begin, current := r.at, inside[len(inside)-1]
		charges[current].instructions++
		switch op := r.instruction(); op {
		case opBlock, opIf:
			inside = append(inside, current)
		case opLoop:
			inside = append(inside, len(charges))
			charges = append(charges, charge{at: r.at})
		case opEnd:
			inside = inside[:len(inside)-1]
		case opCall, opCallIndirect:
			calls = true
		case opMisc<<8 | memoryCopy, opMisc<<8 | memoryFill:
			charges = append(charges, charge{at: begin, length: true})
		}
	}
	if !calls && len(charges) == 1 {
		return nil // a call takes little, and its caller is charged for it
	}
	return charges
}

// charge appends instructions that take units of fuel.
func (i *instrumenter) charge(out []byte, units int) []byte {
	out = append(append(out, 0x23), number(i.fuel)...) // global.get
	out = append(append(out, 0x42), signed(units)...)  // i64.const
	out = append(out, 0x7d)                            // i64.sub
	out = append(append(out, 0x24), number(i.fuel)...) // global.set
	out = append(append(out, 0x23), number(i.fuel)...) // global.get
	out = append(out, 0x42, 0, 0x53)                   // i64.const 0, i64.lt_s
	out = append(out, opIf, 0x40, opCall)
	return append(append(out, number(i.empty)...), opEnd)
}

// chargeLength appends instructions that take a unit for each 64
// of the number on the stack.
func (i *instrumenter) chargeLength(out []byte, local int) []byte {
	out = append(append(out, 0x22), number(local)...)  // local.tee
	out = append(append(out, 0x23), number(i.fuel)...) // global.get
	out = append(append(out, 0x20), number(local)...)  // local.get
	out = append(out, 0xad, 0x42, 6, 0x88, 0x7d)       // i64.extend_i32_u, i64.const 6, i64.shr_u, i64.sub
	return append(append(out, 0x24), number(i.fuel)...)
}

// signed returns a number that is not negative as an instruction writes it.
func signed(n int) []byte {
	var out []byte
	for ; n >= 0x40; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

// A reader reads a module. It panics at the end of the data.
type reader struct {
	data []byte
	at   int
}

func (r *reader) rest() []byte { return r.data[r.at:] }

func (r *reader) byte() byte {
	b := r.data[r.at]
	r.at++
	return b
}

func (r *reader) bytes(n int) []byte {
	data := r.data[r.at : r.at+n]
	r.at += n
	return data
}

// skip reads a number of an instruction, which may be negative.
func (r *reader) skip() {
	for r.byte() >= 0x80 {
	}
}

func (r *reader) number() int {
	n, length := binary.Uvarint(r.data[r.at:])
	if length <= 0 {
		panic("a number does not end")
	}
	r.at += length
	return int(n)
}

// functionType reads the type of a function, and returns the number of its parameters.
func (r *reader) functionType() int {
	if r.byte() != 0x60 {
		panic("a type that is not of a function")
	}
	params := r.number()
	r.bytes(params)
	r.bytes(r.number())
	return params
}

// instruction reads an instruction. It returns its code; that of one after opMisc
// follows in the lower eight bits.
func (r *reader) instruction() int {
	op := int(r.byte())
	switch {
	case op == opBlock, op == opLoop, op == opIf, // a type
		op == 0x0c, op == 0x0d, op == opCall, // br, br_if
		op >= 0x20 && op <= 0x26, // local., global., table.
		op == 0x3f, op == 0x40,   // memory.size, memory.grow
		op == 0x41, op == 0x42, op == 0xd0, op == 0xd2: // i32.const, i64.const, ref.
		r.skip()
	case op == 0x0e: // br_table
		for range r.number() + 1 {
			r.skip()
		}
	case op == opCallIndirect, op >= 0x28 && op <= 0x3e: // loads and stores
		r.skip()
		r.skip()
	case op == 0x1c: // select with types
		r.bytes(r.number())
	case op == 0x43: // f32.const
		r.bytes(4)
	case op == 0x44: // f64.const
		r.bytes(8)
	case op == opMisc:
		more := r.number()
		switch more {
		case 0, 1, 2, 3, 4, 5, 6, 7: // truncations
		case 9, memoryFill, 13, 15, 16, 17:
			r.skip()
		case 8, memoryCopy, 12, 14:
			r.skip()
			r.skip()
		default:
			panic(fmt.Sprintf("instruction %#x %d", op, more))
		}
		return op<<8 | more
	case op <= 0x01, op == 0x05, op == opEnd, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	default:
		panic(fmt.Sprintf("instruction %#x", op))
	}
	return op
}
