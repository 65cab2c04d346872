#!/usr/bin/env bash
# Asks a citekit server a question and checks what it cites, with curl and jq.
#
#   citekit serve --dir FOLDER --transport http --port 8808 &
#   ./ask.sh http://127.0.0.1:8808 'How many cups does a pot hold?'
#
# It prints the best passage, and the sentences of the answer as they come, each with its
# address and whether the bytes of the evidence have the hash that the server says. The
# key of a server that asks for one is taken from CITEKIT_TOKEN.
set -euo pipefail
[ $# = 2 ] || { echo "usage: ask.sh URL QUESTION" >&2; exit 2; }
url=$1 question=$2

send() { # send PATH [BODY]: a problem of the server goes to the standard error
  curl -sSN --fail-with-body "$url$1" -H 'Content-Type: application/json' \
    ${CITEKIT_TOKEN:+-H "Authorization: Bearer $CITEKIT_TOKEN"} ${2:+-d "$2"}
}
fail() { echo "$1" >&2; exit 1; }

found=$(send /v1/search "$(jq -n --arg q "$question" '{$q, topK: 3}')") || fail "$found"
[ "$(jq '.results | length' <<<"$found")" != 0 ] || fail "nothing is found"
read=$(send /v1/contents "$(jq '{ids: [.results[0] | {kind, id}]}' <<<"$found")") || fail "$read"
jq -r --argjson read "$read" '"best of \(.results | length), \(.results[0].address): \($read.contents[0].text | tojson)"' <<<"$found"

check() { # check CITATION
  local verdict evidence hash same=WRONG
  verdict=$(send /v1/verify "$(jq '{quote: .text, address}' <<<"$1")") || fail "$verdict"
  evidence=$(send /v1/resolve "$(jq '{address}' <<<"$1")") || fail "$evidence"
  hash=$(send "$(jq -r .path <<<"$evidence")" | sha256sum | cut -d' ' -f1)
  [ "$hash" != "$(jq -r .sha256 <<<"$evidence")" ] || same=right
  jq -r --argjson v "$verdict" --argjson e "$evidence" --arg same "$same" \
    '"\(.text) [\(.address)]\n  \($v.verdicts[0].class); \($e.size) bytes of evidence, hash \($same)"' <<<"$1"
}

send /v1/answer "$(jq -n --arg question "$question" '{$question, answerType: "extractive", stream: true}')" |
  while IFS= read -r line; do
    data=${line#data: }
    case $line in
    "event: "*) event=${line#event: } ;;
    "data: "*)
      case $event in
      citation) check "$data" ;;
      final) [ "$(jq .answer.found <<<"$data")" = true ] || fail "$(jq -r '.problem.detail // "the files do not say"' <<<"$data")" ;;
      esac
      ;;
    "{"*) fail "$line" ;; # a problem, without a stream
    esac
  done
