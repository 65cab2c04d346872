package testcorpus

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func (m *maker) list(folder string) []string {
	entries, err := os.ReadDir(m.path(folder))
	if m.err == nil {
		m.err = err
	}
	var names []string
	for _, e := range entries {
		names = append(names, folder+"/"+e.Name())
	}
	return names
}

func (m *maker) writeJSON(name string, v any) {
	data, err := json.MarshalIndent(v, "", " ")
	if m.err == nil {
		m.err = err
	}
	m.write(name, data)
}

type pdfTruth struct {
	File         string            `json:"file"`
	QpdfPages    int               `json:"qpdf_pages,omitempty"`
	PopplerPages int               `json:"poppler_pages,omitempty"`
	TextProbe    map[string]string `json:"text_probe,omitempty"`
	Labels       [][2]any          `json:"page_labels_raw,omitempty"`
}

func (m *maker) pdfTruths() {
	var all []pdfTruth
	for _, name := range m.list("pdf") {
		truth := pdfTruth{File: name, TextProbe: make(map[string]string)}
		if out, _ := m.try("qpdf", "--show-npages", name); len(out) > 0 {
			truth.QpdfPages, _ = strconv.Atoi(strings.TrimSpace(string(out)))
		}
		if out, ok := m.try("pdfinfo", name); ok {
			for line := range strings.Lines(string(out)) {
				if pages, found := strings.CutPrefix(line, "Pages:"); found {
					truth.PopplerPages, _ = strconv.Atoi(strings.TrimSpace(pages))
				}
			}
		}
		for _, page := range []int{1, (truth.PopplerPages + 1) / 2, truth.PopplerPages} {
			if page < 1 {
				continue
			}
			n := strconv.Itoa(page)
			out, _ := m.try("pdftotext", "-f", n, "-l", n, name, "-")
			words := strings.Fields(string(out))
			if len(words) > 0 {
				truth.TextProbe[n] = strings.Join(words[:min(len(words), 12)], " ")
			}
		}
		m.qpdfTruth(name, &truth)
		all = append(all, truth)
	}
	m.writeJSON("truth/pdf.json", all)
}

type qpdfEntry struct {
	Title string          `json:"title"`
	Page  *int            `json:"destpageposfrom1"`
	Kids  []qpdfEntry     `json:"kids"`
	Dest  json.RawMessage `json:"dest"`
}

func (m *maker) qpdfTruth(name string, truth *pdfTruth) {
	args := []string{"--json=2", "--json-key=outlines", "--json-key=pagelabels", name}
	if strings.Contains(name, "user-pw") {
		args = append([]string{"--password=view"}, args...)
	}
	out, _ := m.try("qpdf", args...)
	var said struct {
		Outlines   []qpdfEntry
		Pagelabels []struct {
			Index int
			Label any
		}
	}
	if len(out) == 0 || json.Unmarshal(out, &said) != nil {
		return
	}
	for _, label := range said.Pagelabels {
		truth.Labels = append(truth.Labels, [2]any{label.Index, label.Label})
	}
	var lines [][3]any
	var walk func(level int, entries []qpdfEntry)
	walk = func(level int, entries []qpdfEntry) {
		for _, e := range entries {
			var page any
			if e.Page != nil {
				page = *e.Page
			}
			lines = append(lines, [3]any{level, e.Title, page})
			walk(level+1, e.Kids)
		}
	}
	walk(1, said.Outlines)
	if len(lines) > 0 {
		m.writeJSON("truth/pdf/"+filepath.Base(name)+".outline.json", map[string]any{"qpdf": lines})
	}
}

func (m *maker) mediaTruths() {
	type stream struct {
		Type  string `json:"type"`
		Codec string `json:"codec"`
	}
	type track struct {
		End float64 `json:"end"`
	}
	type truth struct {
		File    string           `json:"file"`
		Decoded float64          `json:"decoded_seconds"`
		Streams []stream         `json:"streams"`
		Packets map[string]track `json:"packets"`
	}
	var all []truth
	for _, name := range m.list("media") {
		t := truth{File: name, Packets: make(map[string]track)}
		out, _ := m.try("ffprobe", "-v", "fatal", "-show_entries", "stream=index,codec_type,codec_name", "-of", "json", name)
		var said struct {
			Streams []struct {
				Type  string `json:"codec_type"`
				Codec string `json:"codec_name"`
			}
		}
		if json.Unmarshal(out, &said) == nil {
			for _, s := range said.Streams {
				t.Streams = append(t.Streams, stream{s.Type, s.Codec})
			}
		}
		for _, kind := range []string{"v:0", "a:0"} {
			out, _ := m.try("ffprobe", "-v", "fatal", "-select_streams", kind, "-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0", name)
			first, end := 0.0, 0.0
			for i, line := range strings.Fields(string(out)) {
				at, length, _ := strings.Cut(line, ",")
				from, err := strconv.ParseFloat(at, 64)
				if err != nil {
					continue
				}
				lasts, _ := strconv.ParseFloat(strings.Trim(length, ","), 64)
				if i == 0 {
					first = from
				}
				first = min(first, from)
				end = max(end, from+lasts)
			}
			if end > 0 {
				t.Packets[kind] = track{end}
			}
			_ = first
		}
		out, _ = m.try("ffmpeg", "-nostdin", "-v", "fatal", "-progress", "pipe:1", "-i", name, "-map", "0:v:0?", "-map", "0:a:0?", "-f", "null", "-")
		for line := range bytes.Lines(out) {
			if at, found := bytes.CutPrefix(line, []byte("out_time_us=")); found {
				if micro, err := strconv.ParseFloat(strings.TrimSpace(string(at)), 64); err == nil {
					t.Decoded = micro / 1e6
				}
			}
		}
		all = append(all, t)
	}
	m.writeJSON("truth/media.json", all)
}

func (m *maker) imageTruths() {
	type truth struct {
		File      string `json:"file"`
		Displayed []int  `json:"displayed_size"`
	}
	var all []truth
	for _, name := range m.list("image") {
		t := truth{File: name, Displayed: []int{0, 0}}
		if out, ok := m.try(convert(), name+"[0]", "-auto-orient", "-format", "%w %h", "info:"); ok {
			if fields := strings.Fields(string(out)); len(fields) == 2 {
				t.Displayed[0], _ = strconv.Atoi(fields[0])
				t.Displayed[1], _ = strconv.Atoi(fields[1])
			}
		}
		all = append(all, t)
	}
	m.writeJSON("truth/image.json", all)
}

// zeros returns zeros, compressed.
func zeros(size int) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	block := make([]byte, 1<<20)
	for range size >> 20 {
		w.Write(block)
	}
	w.Close()
	return b.Bytes()
}
