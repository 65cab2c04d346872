package telemetry

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// The field numbers come from
// https://github.com/open-telemetry/opentelemetry-proto: trace.proto,
// common.proto and resource.proto of version 1, which do not change.

// appendRequest appends an ExportTraceServiceRequest with spans of one tracer. It
// takes the resource and the scope from the first span.
func appendRequest(b []byte, spans []sdktrace.ReadOnlySpan) []byte {
	return appendMessage(b, 1, func(b []byte) []byte { // ResourceSpans
		b = appendMessage(b, 1, func(b []byte) []byte { // Resource
			return appendAttributes(b, 1, spans[0].Resource().Attributes())
		})
		b = appendMessage(b, 2, func(b []byte) []byte { // ScopeSpans
			b = appendScope(b, spans[0].InstrumentationScope())
			for _, span := range spans {
				b = appendMessage(b, 2, func(b []byte) []byte { return appendSpan(b, span) })
			}
			return b
		})
		return appendString(b, 3, spans[0].Resource().SchemaURL())
	})
}

func appendScope(b []byte, scope instrumentation.Scope) []byte {
	return appendMessage(b, 1, func(b []byte) []byte {
		return appendString(appendString(b, 1, scope.Name), 2, scope.Version)
	})
}

func appendSpan(b []byte, span sdktrace.ReadOnlySpan) []byte {
	of, parent := span.SpanContext(), span.Parent()
	trace, id := of.TraceID(), of.SpanID()
	b = appendBytes(b, 1, trace[:])
	b = appendBytes(b, 2, id[:])
	b = appendString(b, 3, of.TraceState().String())
	if id := parent.SpanID(); id.IsValid() {
		b = appendBytes(b, 4, id[:])
	}
	b = appendString(b, 5, span.Name())
	b = appendNumber(b, 6, uint64(span.SpanKind())) // the same numbers in both
	b = appendFixed(b, 7, uint64(span.StartTime().UnixNano()))
	b = appendFixed(b, 8, uint64(span.EndTime().UnixNano()))
	b = appendAttributes(b, 9, span.Attributes())
	b = appendNumber(b, 10, uint64(span.DroppedAttributes()))
	if status := span.Status(); status.Code == codes.Error {
		b = appendMessage(b, 15, func(b []byte) []byte {
			return appendNumber(appendString(b, 2, status.Description), 3, 2) // STATUS_CODE_ERROR
		})
	}
	flags := uint32(of.TraceFlags()) | 0x100 // whether the parent is remote is known
	if parent.IsRemote() {
		flags |= 0x200
	}
	return protowire.AppendFixed32(protowire.AppendTag(b, 16, protowire.Fixed32Type), flags)
}

func appendAttributes(b []byte, field protowire.Number, all []attribute.KeyValue) []byte {
	for _, a := range all {
		b = appendMessage(b, field, func(b []byte) []byte { // KeyValue
			b = appendString(b, 1, string(a.Key))
			return appendMessage(b, 2, func(b []byte) []byte { return appendValue(b, a.Value) })
		})
	}
	return b
}

// appendValue appends an AnyValue, in which zero values are encoded too.
func appendValue(b []byte, v attribute.Value) []byte {
	switch v.Type() {
	case attribute.BOOL:
		return protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), protowire.EncodeBool(v.AsBool()))
	case attribute.INT64:
		return protowire.AppendVarint(protowire.AppendTag(b, 3, protowire.VarintType), uint64(v.AsInt64()))
	case attribute.FLOAT64:
		return protowire.AppendFixed64(protowire.AppendTag(b, 4, protowire.Fixed64Type), math.Float64bits(v.AsFloat64()))
	case attribute.STRING:
		return appendBytes(b, 1, []byte(valid(v.AsString())))
	default:
		return appendBytes(b, 1, []byte(valid(v.String())))
	}
}

// appendMessage appends a field that is a message, after its length.
func appendMessage(b []byte, field protowire.Number, content func([]byte) []byte) []byte {
	b = protowire.AppendTag(b, field, protowire.BytesType)
	at := len(b)
	b = content(b)
	var length [binary.MaxVarintLen64]byte
	return slices.Insert(b, at, protowire.AppendVarint(length[:0], uint64(len(b)-at))...)
}

func appendBytes(b []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
}

func appendString(b []byte, field protowire.Number, value string) []byte {
	if value == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), valid(value))
}

// valid returns text as valid UTF-8, as a collector refuses a span with any other
// text.
func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

func appendNumber(b []byte, field protowire.Number, value uint64) []byte {
	if value == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), value)
}

func appendFixed(b []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), value)
}

// rejected parses an ExportTraceServiceResponse. It returns an error if the
// collector rejected spans, and ignores everything else.
func (d *destination) rejected(answer []byte, mediaType string) error {
	if mediaType != "application/x-protobuf" {
		return nil
	}
	var n uint64
	var message []byte
	for f := range fields(answer) {
		if f.number != 1 || f.kind != protowire.BytesType {
			continue
		}
		for f := range fields(f.value) {
			switch {
			case f.number == 1 && f.kind == protowire.VarintType:
				n, _ = protowire.ConsumeVarint(f.value)
			case f.number == 2 && f.kind == protowire.BytesType:
				message = f.value
			}
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("the collector rejected %d spans: %.200q", int64(n), d.withoutSecrets(string(message)))
}

// A field is a field of a message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  []byte // without its length if it has one, otherwise as encoded
}

// fields returns the fields of a message up to the first damaged one.
func fields(message []byte) iter.Seq[field] {
	return func(yield func(field) bool) {
		for len(message) > 0 {
			number, kind, size := protowire.ConsumeTag(message)
			if size < 0 {
				return
			}
			n := protowire.ConsumeFieldValue(number, kind, message[size:])
			if n < 0 {
				return
			}
			value := message[size : size+n]
			if kind == protowire.BytesType {
				value, _ = protowire.ConsumeBytes(value)
			}
			if !yield(field{number, kind, value}) {
				return
			}
			message = message[size+n:]
		}
	}
}
