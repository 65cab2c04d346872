#!/usr/bin/env python3
"""Asks a citekit server a question and checks what it cites.

    citekit serve --dir FOLDER --transport http --port 8808 &
    python3 ask.py http://127.0.0.1:8808 'How many cups does a pot hold?'

It prints the best passage, and the sentences of the answer as they come, each with its
address and whether the bytes of the evidence have the hash that the server says. The key
of a server that asks for one is taken from CITEKIT_TOKEN. It needs Python 3.9 and no
package.
"""
import hashlib
import json
import os
import sys
import urllib.error
import urllib.request


class Citekit:
    """A client of the JSON interface."""

    def __init__(self, url, token=None):
        self.url = url.rstrip("/")
        self.headers = {"Content-Type": "application/json"}
        if token:
            self.headers["Authorization"] = "Bearer " + token

    def send(self, path, body=None):
        """Returns an answer to read. What the server says is wrong is a RuntimeError."""
        data = None if body is None else json.dumps(body).encode()
        try:
            return urllib.request.urlopen(urllib.request.Request(self.url + path, data, self.headers), timeout=60)
        except urllib.error.HTTPError as failed:
            problem = json.load(failed)
            where = ["%s %s" % (e.get("pointer", ""), e["detail"]) for e in problem.get("errors", [])]
            raise RuntimeError("; ".join([problem["detail"]] + where)) from None

    def call(self, operation, **body):
        """Calls an operation, such as search or verify."""
        with self.send("/v1/" + operation, body) as answer:
            return json.load(answer)

    def stream(self, question):
        """Yields the events of an answer as they come: their names and data."""
        with self.send("/v1/answer", {"question": question, "answerType": "extractive", "stream": True}) as answer:
            name = None
            for line in answer:
                field, _, value = line.decode().rstrip("\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    yield name, json.loads(value)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: ask.py URL QUESTION")
    citekit, question = Citekit(sys.argv[1], os.environ.get("CITEKIT_TOKEN")), sys.argv[2]

    found = citekit.call("search", q=question, topK=3)
    if not found["results"]:
        sys.exit("nothing is found")
    best = found["results"][0]
    read = citekit.call("contents", ids=[{"kind": best["kind"], "id": best["id"]}])
    print(f'best of {len(found["results"])}, {best["address"]}: {json.dumps(read["contents"][0]["text"], ensure_ascii=False)}')

    for event, data in citekit.stream(question):
        if event == "final" and "problem" in data:
            sys.exit(data["problem"]["detail"])
        if event == "final" and not data["answer"]["found"]:
            sys.exit("the files do not say")
        if event != "citation":
            continue
        checked = citekit.call("verify", quote=data["text"], address=data["address"])
        evidence = citekit.call("resolve", address=data["address"])
        with citekit.send(evidence["path"]) as answer:
            same = hashlib.sha256(answer.read()).hexdigest() == evidence["sha256"]
        print(f'{data["text"]} [{data["address"]}]')
        print(f'  {checked["verdicts"][0]["class"]}; {evidence["size"]} bytes of evidence, hash {"right" if same else "WRONG"}')


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as failed:
        sys.exit(failed)
