#!/usr/bin/env bash
# Runs the tests, and where goroutines meet the short ones again with the race detector.
# It needs Go and nothing else: what compares with other programs is left out and
# counted. "./test.sh --all" first installs those programs on Debian or Ubuntu, and
# leaves nothing out. Further arguments go to internal/test/testrun and from there to
# "go test": ./test.sh ./search/... ./workspace
set -euo pipefail
cd "$(dirname "$0")"

if [ "${1:-}" = --all ]; then
  shift
  .ci/setup
else
  export CITEKIT_PROGRAMS=no
fi
exec go run ./internal/test/testrun "$@"
