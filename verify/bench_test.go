package verify_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/altertest"
	"github.com/citekit/citekit/verify"
)

// benchWords are what the prose of benchmarks is made of.
func benchWords(r *rand.Rand, n int) []string {
	const consonants, vowels = "bcdfghklmnprstvw", "aeiou"
	words := make([]string, n)
	for i := range words {
		for range 1 + r.IntN(4) {
			words[i] += string(consonants[r.IntN(len(consonants))]) + string(vowels[r.IntN(len(vowels))])
		}
	}
	return words
}

// benchProse returns sentences, in which some words are common.
func benchProse(r *rand.Rand, words []string, sentences int) string {
	var b strings.Builder
	for range sentences {
		for i := range 9 + r.IntN(12) {
			w := words[min(r.IntN(len(words)), r.IntN(len(words)))]
			if i == 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			} else {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
		b.WriteString(". ")
	}
	return strings.TrimSpace(b.String())
}

// benchQuotes takes quotes of four kinds from a source: as it stands, in one
// line, with a word changed, and invented.
func benchQuotes(r *rand.Rand, s *source, words []string, n int) (quotes []string) {
	for i := range n {
		at := s.Sentences[r.IntN(len(s.Sentences))]
		line := altertest.Flat(s.Text[at.From:at.To], false)
		switch i % 4 {
		case 0:
			line = s.Text[at.From:at.To]
		case 2:
			w := strings.Fields(line)
			w[r.IntN(len(w))] = words[r.IntN(len(words))]
			line = strings.Join(w, " ")
		case 3:
			line = benchProse(r, words, 1)
		}
		quotes = append(quotes, line)
	}
	return quotes
}

// benchmarkQuotes verifies quotes in turn and reports how long the slowest
// twentieth of them takes.
func benchmarkQuotes(b *testing.B, st *stock, requests []verify.Request) {
	ask := func(req verify.Request) time.Duration {
		began := time.Now()
		if _, err := st.verifier.Quote(b.Context(), req); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	ask(requests[0])
	ask(requests[0])
	var took []time.Duration
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		took = append(took, ask(requests[i%len(requests)]))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkQuoteInManual verifies quotes in a PDF of 2,415 pages that is
// prepared: the one named by CITEKIT_BENCH_PDF, or a made one.
func BenchmarkQuoteInManual(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	words := benchWords(r, 30_000)
	st, manual := manualStock(b, r, words)
	var requests []verify.Request
	for _, q := range benchQuotes(r, manual, words, 400) {
		requests = append(requests, verify.Request{Quote: q, Address: citekit.Address{Resource: manual.id, Location: citekit.Location{Modality: citekit.Document}}})
	}
	benchmarkQuotes(b, st, requests)
}

// BenchmarkCommonWord verifies the most common word of such a PDF at one of its pages.
func BenchmarkCommonWord(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	st, manual := manualStock(b, r, benchWords(r, 30_000))
	times, word := make(map[string]int), ""
	for next := range strings.FieldsSeq(manual.Text) {
		if times[next]++; len(next) > 2 && times[next] > times[word] {
			word = next
		}
	}
	loc := citekit.Location{Modality: citekit.Document}
	for _, run := range manual.runs {
		if strings.Contains(manual.Text[run.From:run.To], " "+word+" ") && len(run.Location.Pages) > 0 {
			loc = run.Location
		}
	}
	b.Logf("%q %d times, at %v", word, times[word], loc)
	benchmarkQuotes(b, st, []verify.Request{{Quote: word, Address: citekit.Address{Resource: manual.id, Location: loc}}})
}

// manualStock returns a stock with the PDF.
func manualStock(b *testing.B, r *rand.Rand, words []string) (*stock, *source) {
	manual := &source{name: "manual.pdf", Source: altertest.Source{Group: "pdf"}}
	if name := os.Getenv("CITEKIT_BENCH_PDF"); name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		manual.data = data
	} else {
		manual.data = benchManual(r, words)
	}
	st := newStock(b, []*source{manual})
	b.Logf("%d pages, %d bytes of text", len(manual.runs), len(manual.Text))
	return st, manual
}

func benchManual(r *rand.Rand, words []string) []byte {
	s := &typesetter{columns: 1, width: 88, rows: 44}
	s.head = func(page int) string { return fmt.Sprintf("Chapter %d  The Manual  %d", 1+page/40, page) }
	for len(s.pages) < 2415 {
		s.set([]string{benchProse(r, words, 12)})
	}
	return s.pdf()
}

// BenchmarkQuoteAnywhere verifies quotes without an address, among 1,000
// documents.
func BenchmarkQuoteAnywhere(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	words := benchWords(r, 30_000)
	var sources []*source
	for i := range 1000 {
		var paragraphs []string
		for range 12 {
			paragraphs = append(paragraphs, benchProse(r, words, 8))
		}
		sources = append(sources, &source{name: fmt.Sprintf("d%04d.md", i), data: []byte(wrapped(paragraphs, 80, false)), Source: altertest.Source{Group: "md"}})
	}
	st := newStock(b, sources)
	var requests []verify.Request
	for range 400 {
		for _, q := range benchQuotes(r, st.sources[r.IntN(1000)], words, 4) {
			requests = append(requests, verify.Request{Quote: q})
		}
	}
	benchmarkQuotes(b, st, requests)
}
