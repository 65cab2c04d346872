package telemetry

import (
	"context"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A Number is one that is counted elsewhere, such as by a store.
type Number struct {
	Name, Help string
	Labels     map[string]string
	Value      float64 // in the unit that Name ends with
}

// numbersTime is how long the numbers may take that are counted elsewhere.
const numbersTime = 10 * time.Second

// numbers collects numbers that are counted elsewhere. Those whose name ends with
// "_total" are counters.
type numbers struct {
	now func(context.Context) []Number
}

// Describe implements [prometheus.Collector]: it is not known before which there are.
func (numbers) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (n numbers) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), numbersTime)
	defer cancel()
	for _, one := range n.now(ctx) {
		kind := prometheus.GaugeValue
		if strings.HasSuffix(one.Name, "_total") {
			kind = prometheus.CounterValue
		}
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc(one.Name, one.Help, nil, one.Labels), kind, one.Value)
	}
}
