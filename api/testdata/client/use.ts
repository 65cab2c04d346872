// Uses every operation of the JSON interface through a client that openapi-fetch makes of
// its description. It prints the method and the path of each operation that it called, a line each.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[]; env: Record<string, string | undefined> };

const called = new Set<string>();
const client = createClient<paths>({ baseUrl: process.argv[2], headers: { Authorization: `Bearer ${process.env.CITEKIT_TOKEN}` } });
client.use({
  onRequest({ request, schemaPath }) {
    called.add(`${request.method},${schemaPath}`);
  },
});

// must returns the data of an answer, whose problem it throws.
function must<T>({ data, error }: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (data === undefined) throw new Error(`${error?.status} ${error?.type}: ${error?.detail}`);
  return data;
}

function check(holds: boolean, what: string) {
  if (!holds) throw new Error(what);
}

const found = must(await client.POST("/v1/search", { body: { q: "how many cups", mode: "hybrid", topK: 3, include: { rationale: true } } }));
const best = found.results[0];
check(best.kind === "chunk" && best.document?.id === "tea" && best.text.includes("six cups"), "search");

const similar = must(await client.POST("/v1/similar", { body: { subject: { kind: "chunk", id: best.id }, by: "documents", filters: { types: ["md"] } } }));
check(similar.results.every((r) => r.kind === "document"), "similar");

const read = must(await client.POST("/v1/contents", { body: { ids: [{ kind: "document", id: "tea" }, { kind: "chunk", id: best.id }], expand: { graph: { hops: 1, include: ["relationships"] } } } }));
check(read.contents.length === 2 && read.relationships?.[0].kind === "hyperlink", "contents");

const answer = must(await client.POST("/v1/answer", { body: { question: "How many cups does a pot hold?", answerType: "extractive" } }));
if (!("found" in answer)) throw new Error("events instead of an answer");
check(answer.found && answer.citations[0].documentId === "tea", "answer");

const streamed = await client.POST("/v1/answer", { body: { question: "How many cups does a pot hold?", stream: true }, parseAs: "text" });
check(/^event: meta\n[^]*\nevent: final\ndata: .*\n\n$/.test(String(must(streamed))), "a streamed answer");

const { address, text } = answer.citations[0];
const verified = must(await client.POST("/v1/verify", { body: { quote: text, address } }));
check(verified.holds === true && verified.verdicts[0].class === "exact", "verify");

const cited = must(await client.POST("/v1/cite", { body: { address: address!, quote: text, format: "csl" } }));
check(cited.documentId === "tea" && cited.format === "csl" && cited.value !== undefined, "cite");

const evidence = must(await client.POST("/v1/resolve", { body: { address: address! } }));
const bytes = must(await client.GET("/v1/evidence/{address}", { params: { path: { address: evidence.address } }, parseAs: "arrayBuffer" }));
check((bytes as unknown as ArrayBuffer).byteLength === evidence.size, "evidence");

const list = must(await client.GET("/v1/resources", {}));
check(list.resources.some((r) => r.id === "tea"), "resources");
const map = must(await client.GET("/v1/resources/{id}", { params: { path: { id: "tea" } } }));
check(JSON.stringify(map).includes("Pot"), "a map");

const shown = must(await client.POST("/v1/view", { body: { address: "tea#lines=1-7", quote: "six cups" } }));
check(shown.evidence.path.startsWith("/v1/evidence/"), "a view");
const again = must(await client.GET("/v1/view/{address}", { params: { path: { address: "tea#lines=1-7" }, query: { quote: "six cups" } } }));
check(again.label === shown.label, "a view by GET");
const picture = must(await client.GET("/v1/pictures/{address}", { params: { path: { address: "image://dot" }, query: { side: 128 } }, parseAs: "arrayBuffer" }));
check((picture as unknown as ArrayBuffer).byteLength > 0, "a picture");

for (const [path, text] of Object.entries({ "more/sugar.txt": "Sugar is sweet.\n", "more/broken.pdf": "%PDF-1.7\n" })) {
  const file = must(await client.PUT("/v1/files/{path}", { params: { path: { path } }, body: text, bodySerializer: (body: string) => body, headers: { "Content-Type": "application/octet-stream" } }));
  check(file.path === path && file.size === text.length, "a file");
}
const mapped = must(await client.POST("/v1/ingest", { body: { paths: ["more"] }, parseAs: "text" }));
check(/(^|\n)event: final\ndata: .*"mapped":1.*\n\n$/.test(String(mapped)), "ingest");
const unmapped = must(await client.GET("/v1/unmapped", {}));
check(unmapped.files.length === 1 && unmapped.files[0].path === "more/broken.pdf", "what has no map");

const info = must(await client.GET("/v1/info", {}));
check(info.resources === list.resources.length + 1, "info");
check(must(await client.GET("/v1/openapi.json", {})) !== undefined, "the description");

// What is wrong is a typed problem.
// @ts-expect-error the schema requires q
const wrong = await client.POST("/v1/search", { body: { topK: 3 } });
check(wrong.error?.status === 400 && wrong.error.errors?.[0].pointer === "/q", "a problem");

for (const operation of called) console.log(operation);
