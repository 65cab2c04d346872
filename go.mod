module github.com/citekit/citekit

// os.Root of Go before 1.26.5 follows some links out of the root.
go 1.26.5

require (
	github.com/andybalholm/brotli v1.2.0 // internal/parquet
	github.com/blevesearch/snowballstem v0.9.0 // internal/terms
	github.com/boombuler/barcode v1.1.0 // internal/command/internal/handover
	github.com/clipperhouse/uax29/v2 v2.7.0 // internal/sentence, internal/terms
	github.com/coreos/go-oidc/v3 v3.21.0 // access/oidc
	github.com/danielgtaylor/huma/v2 v2.37.2 // api
	github.com/evanw/esbuild v0.28.2 // internal/tool/bundle, tests of internal/test/e2e
	github.com/fsnotify/fsnotify v1.9.0 // internal/command
	github.com/go-jose/go-jose/v4 v4.1.4 // access/oidc
	github.com/google/go-cmp v0.7.0 // tests
	github.com/google/jsonschema-go v0.4.3 // internal/command/internal/config, schema
	github.com/klauspost/compress v1.20.1 // internal/parquet, modality/document/internal/archive
	github.com/klippa-app/go-pdfium v1.19.8 // modality/document/internal/pdf/internal/pdfium; what PDFium reads changes with it: measure before raising it
	github.com/modelcontextprotocol/go-sdk v1.8.0 // mcpadapter
	github.com/parquet-go/parquet-go v0.25.1 // internal/test/parquettest, tests of mapadapter
	github.com/pdfcpu/pdfcpu v0.15.0 // internal/command/internal/handover, tests of internal/test/e2e
	github.com/pelletier/go-toml/v2 v2.2.4 // internal/command/internal/clients, tests of modality/text/internal/data
	github.com/pierrec/lz4/v4 v4.1.21 // internal/parquet
	github.com/rogpeppe/go-internal v1.16.0 // tests of internal/command
	github.com/spf13/cobra v1.10.2 // internal/command
	github.com/spf13/pflag v1.0.10 // internal/command
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // internal/command/internal/clients
	github.com/tetratelabs/wazero v1.12.0 // modality/document/internal/pdf/internal/pdfium
	github.com/u2takey/ffmpeg-go v0.5.0 // tests of modality/internal/media/ffmpeg
	github.com/yuin/goldmark v1.8.7 // modality/text/internal/markup
	go.yaml.in/yaml/v3 v3.0.5 // internal/command/internal/clients, internal/command/internal/config, modality/text/internal/markup
	golang.org/x/image v0.47.0 // modality/image, modality/document/internal/pdf/internal/pdf, modality/internal/drawing, internal/command/internal/handover
	golang.org/x/net v0.59.0 // modality/text/internal/markup, modality/internal/htmlblocks
	golang.org/x/sync v0.24.0 // mapper/llm, modality/image
	golang.org/x/sys v0.49.0 // workspace, internal/child
	golang.org/x/text v0.43.0 // internal/terms, modality/text, search, search/embedding
)

require golang.org/x/time v0.15.0 // server

require (
	github.com/VictoriaMetrics/metrics v1.45.0 // telemetry
	go.opentelemetry.io/otel v1.47.0 // telemetry
	go.opentelemetry.io/otel/sdk v1.47.0 // telemetry
	go.opentelemetry.io/otel/trace v1.47.0 // telemetry
	go.opentelemetry.io/proto/otlp v1.11.0 // tests of telemetry
	google.golang.org/protobuf v1.36.12 // telemetry
)

require golang.org/x/tools v0.51.0 // internal/tool/typecheck

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/aws/aws-sdk-go v1.38.20 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.30.0 // indirect
	github.com/hhrutter/tiff v1.0.6 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/jmespath/go-jmespath v0.4.0 // indirect
	github.com/jolestar/go-commons-pool/v2 v2.1.2 // indirect
	github.com/mattn/go-runewidth v0.0.27 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/u2takey/go-utils v0.3.1 // indirect
	github.com/valyala/fastrand v1.1.0 // indirect
	github.com/valyala/histogram v1.2.0 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	go.opentelemetry.io/auto/sdk v1.2.1 // indirect
	go.opentelemetry.io/otel/log v1.47.0 // indirect
	go.opentelemetry.io/otel/metric v1.47.0 // indirect
	golang.org/x/crypto v0.57.0 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/grpc v1.83.2 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)

tool honnef.co/go/tools/cmd/staticcheck
