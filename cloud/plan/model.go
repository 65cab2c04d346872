package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// A figure is a number that the plan is made of.
type figure struct {
	name     string
	value    float64
	unit     string
	measured bool // else assumed
	source   string
}

// A model has what is known and assumed of documents, calls and prices. Change them to
// those of your own documents.
type model struct {
	nodes, nodeBytes, rowBytes                           figure
	pages, mapSecondsPerPage, jobSeconds                 figure
	passages, passageBytes                               figure
	stored, miss, protocol                               figure
	hits, evidenceBytes, getsPerMiss, keptDays           figure
	queries, querySeconds, searched                      figure
	busy, coreHour, memoryGBHour, diskGBMonth            figure
	objectGBMonth, putsPer1000, getsPer1000, trafficPrGB figure
}

const coreSeconds = "core seconds"

func measured(name string, value float64, unit, source string) figure {
	return figure{name, value, unit, true, source}
}

func assumed(name string, value float64, unit string) figure {
	return figure{name: name, value: value, unit: unit}
}

// standard is the model of docs/scale.md.
func standard() model {
	return model{
		nodes:             assumed("nodes of a map", 30, ""),
		nodeBytes:         measured("a node in a map, gzipped", 23, "bytes", "real documents"),
		rowBytes:          measured("rows of a source, but for nodes", 1200, "bytes", "70,000 texts"),
		pages:             assumed("pages of a document", 20, ""),
		mapSecondsPerPage: measured("mapping a page, with its text", 6.4e-3, coreSeconds, "a manual of 2,415 pages"),
		jobSeconds:        measured("mapping a small source, with its index", 2.6e-3, coreSeconds, "100,000 texts by workers"),
		passages:          assumed("passages of a document", 7, ""),
		passageBytes:      measured("a passage in the index", 280, "bytes", "10⁶ passages"),
		stored:            measured("a resolve that was made before", 90e-6, coreSeconds, "docs/performance.md"),
		miss:              measured("a resolve of three pages", 8.6e-3, coreSeconds, "docs/performance.md"),
		protocol:          measured("what MCP adds to a call", .3e-3, coreSeconds, "docs/performance.md"),
		hits:              assumed("resolves that were made before", .9, ""),
		evidenceBytes:     measured("the evidence of a resolve", 168e3, "bytes", "real PDFs"),
		getsPerMiss:       measured("requests to the bucket of a resolve that was not", 3, "", "a manual"),
		keptDays:          assumed("days that evidence is kept", 1, ""),
		queries:           assumed("searches of a resolve", .2, ""),
		querySeconds:      measured("a search in 10⁶ passages", 30e-3, coreSeconds, "10⁶ paragraphs in 184,000 passages"),
		searched:          assumed("documents of the workspace that a search is in", 1e5, ""),
		busy:              assumed("share of a core that is used", .65, ""),
		coreHour:          assumed("a core for an hour", .04, "USD"),
		memoryGBHour:      assumed("a GB of memory for an hour", .005, "USD"),
		diskGBMonth:       assumed("a GB of PostgreSQL's disk for a month", .115, "USD"),
		objectGBMonth:     assumed("a GB of the bucket for a month", .023, "USD"),
		putsPer1000:       assumed("1,000 writes to the bucket", .005, "USD"),
		getsPer1000:       assumed("1,000 reads of the bucket", .0004, "USD"),
		trafficPrGB:       assumed("a GB sent out", .05, "USD"),
	}
}

func (m *model) figures() []figure {
	return []figure{
		m.nodes, m.nodeBytes, m.rowBytes, m.pages, m.mapSecondsPerPage, m.jobSeconds, m.passages, m.passageBytes,
		m.stored, m.miss, m.protocol, m.hits, m.evidenceBytes, m.getsPerMiss, m.keptDays, m.queries, m.querySeconds, m.searched,
		m.busy, m.coreHour, m.memoryGBHour, m.diskGBMonth, m.objectGBMonth, m.putsPer1000, m.getsPer1000, m.trafficPrGB,
	}
}

const (
	day   = 86_400   // seconds
	month = 30 * day // seconds

	passagesOfSearch = 1_000_000 // that querySeconds is for
)

// A plan is what a number of documents and of resolves a second take.
type plan struct {
	documents, resolves float64

	rows, index, evidence      float64 // bytes in PostgreSQL, of the index, of evidence at a time
	mapping                    float64 // core days, once
	serving, searching         float64 // cores
	memory                     float64 // bytes that hold the index once
	gets, puts                 float64 // of the bucket a second
	sent                       float64 // bytes a second
	keeping, computing, asking float64 // USD a month: what is kept, cores and memory, requests
	traffic                    float64 // USD a month
}

func (m *model) plan(documents, resolves float64) plan {
	v := func(f figure) float64 { return f.value }
	p := plan{documents: documents, resolves: resolves}
	misses := resolves * (1 - v(m.hits))
	p.rows = documents * (v(m.rowBytes) + v(m.nodes)*v(m.nodeBytes))
	p.index = documents * v(m.passages) * v(m.passageBytes)
	p.evidence = misses * day * v(m.keptDays) * v(m.evidenceBytes)
	p.mapping = documents * (v(m.jobSeconds) + v(m.pages)*v(m.mapSecondsPerPage)) / v(m.busy) / day
	p.serving = (resolves*(v(m.protocol)+v(m.hits)*v(m.stored)) + misses*v(m.miss)) / v(m.busy)
	p.searching = resolves * v(m.queries) * v(m.querySeconds) * max(1, min(documents, v(m.searched))*v(m.passages)/passagesOfSearch) / v(m.busy)
	p.memory = p.index
	p.gets, p.puts, p.sent = misses*v(m.getsPerMiss), misses, resolves*v(m.evidenceBytes)
	const gb = 1e9
	p.keeping = p.rows/gb*v(m.diskGBMonth) + (p.index+p.evidence)/gb*v(m.objectGBMonth)
	p.computing = (p.serving+p.searching)*v(m.coreHour)*month/3600 + p.memory/gb*v(m.memoryGBHour)*month/3600
	p.asking = month * (p.puts/1000*v(m.putsPer1000) + p.gets/1000*v(m.getsPer1000))
	p.traffic = month * p.sent / gb * v(m.trafficPrGB)
	return p
}

// write writes the figures and the plans as tables of Markdown.
func (m *model) write(w io.Writer, plans []plan) {
	fmt.Fprint(w, "| figure | value | |\n|---|---:|---|\n")
	for _, f := range m.figures() {
		from := "assumed"
		if f.measured {
			from = "measured: " + f.source
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", f.name, f.text(), from)
	}
	fmt.Fprint(w, "\n| |")
	for _, p := range plans {
		fmt.Fprintf(w, " %s documents |", count(p.documents))
	}
	fmt.Fprint(w, "\n|---|", strings.Repeat("---:|", len(plans)), "\n")
	row := func(name string, value func(p plan) string) {
		fmt.Fprintf(w, "| %s |", name)
		for _, p := range plans {
			fmt.Fprintf(w, " %s |", value(p))
		}
		fmt.Fprintln(w)
	}
	row("resolves a second", func(p plan) string { return count(p.resolves) })
	row("PostgreSQL", func(p plan) string { return size(p.rows) })
	row("index, in the bucket and in memory", func(p plan) string { return size(p.index) })
	row("evidence in the bucket", func(p plan) string { return size(p.evidence) })
	row("core hours of mapping all, once", func(p plan) string { return count(p.mapping * 24) })
	row("cores that resolve", func(p plan) string { return count(p.serving) })
	row("cores that search", func(p plan) string { return count(p.searching) })
	row("reads and writes of the bucket a second", func(p plan) string { return count(p.gets) + ", " + count(p.puts) })
	row("sent", func(p plan) string { return size(p.sent) + "/s" })
	row("a month: kept", func(p plan) string { return count(p.keeping) + " USD" })
	row("cores and memory", func(p plan) string { return count(p.computing) + " USD" })
	row("requests", func(p plan) string { return count(p.asking) + " USD" })
	row("traffic", func(p plan) string { return count(p.traffic) + " USD" })
}

// text writes a figure with three digits that count.
func (f figure) text() string {
	switch {
	case f.unit == coreSeconds && f.value < 1e-3:
		return fmt.Sprintf("%.3g µs of a core", f.value*1e6)
	case f.unit == coreSeconds:
		return fmt.Sprintf("%.3g ms of a core", f.value*1e3)
	case f.value >= 1000:
		return strings.TrimSpace(count(f.value) + " " + f.unit)
	}
	return strings.TrimSpace(fmt.Sprintf("%.3g %s", f.value, f.unit))
}

// count writes a whole number with two digits that count, from below never as zero.
func count(x float64) string {
	if x <= 0 {
		return "0"
	}
	if x < 1 {
		return "< 1"
	}
	unit := math.Pow(10, max(0, math.Floor(math.Log10(x))-1))
	text := fmt.Sprintf("%.0f", math.Round(x/unit)*unit)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func size(bytes float64) string {
	for _, unit := range []string{"B", "kB", "MB", "GB", "TB"} {
		if bytes < 1000 || unit == "TB" {
			if bytes >= 10 || bytes == 0 {
				return count(bytes) + " " + unit
			}
			return fmt.Sprintf("%.1f %s", bytes, unit)
		}
		bytes /= 1000
	}
	return ""
}
