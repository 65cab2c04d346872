package telemetry

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

// endpointVariables give the address of the collector; the first that is set
// counts.
var endpointVariables = []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"}

// samplers are the values of OTEL_TRACES_SAMPLER.
var samplers = []string{"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"}

// checkEnvironment reports whether the variables of OpenTelemetry ask for traces.
// The error names a variable with an invalid value, which the library would
// replace by the default.
func checkEnvironment() (wanted bool, err error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	switch value := os.Getenv("OTEL_TRACES_EXPORTER"); value {
	case "none":
		return false, nil
	case "", "otlp":
	default:
		return false, wrong("OTEL_TRACES_EXPORTER", value, "it must be otlp or none")
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if value := os.Getenv(name); value != "" && value != "http/protobuf" {
			return false, wrong(name, value, "this program supports only http/protobuf")
		}
	}
	for _, name := range endpointVariables {
		if value := os.Getenv(name); value != "" && !isEndpoint(value) {
			return false, wrongVariable(name, "must be a URL such as "+defaultCollector) // it may have a password
		}
	}
	return true, checkNumbers()
}

func isEndpoint(value string) bool {
	u, err := url.Parse(value)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// mostNumber bounds numbers of spans and of milliseconds.
const mostNumber = 1_000_000

func checkNumbers() error {
	sampler := os.Getenv("OTEL_TRACES_SAMPLER")
	if sampler != "" && !slices.Contains(samplers, strings.ToLower(strings.TrimSpace(sampler))) {
		return wrong("OTEL_TRACES_SAMPLER", sampler, "it must be one of "+strings.Join(samplers, ", "))
	}
	if value := os.Getenv("OTEL_TRACES_SAMPLER_ARG"); value != "" && strings.Contains(sampler, "ratio") {
		if ratio, err := strconv.ParseFloat(value, 64); err != nil || !(ratio >= 0 && ratio <= 1) {
			return wrong("OTEL_TRACES_SAMPLER_ARG", value, "it must be a number from 0 to 1")
		}
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT", "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"} {
		if value := os.Getenv(name); value != "" {
			if n, err := strconv.Atoi(value); err != nil || n < 1 || n > mostNumber {
				return wrong(name, value, fmt.Sprintf("it must be a whole number from 1 to %d", mostNumber))
			}
		}
	}
	return nil
}

func wrong(name, value, right string) error {
	return fmt.Errorf("telemetry: the variable %s has the value %.80q: %s", name, value, right)
}

// wrongVariable returns an error without the value, which may be secret.
func wrongVariable(name, right string) error {
	return fmt.Errorf("telemetry: the variable %s %s", name, right)
}
