// Uses the dialect lightfast as its own clients do:
//
//   node lightfast.mjs URL
//   node lightfast.mjs SERVER ARGUMENT…
//
// The server has the resource "guide", a text. Every check prints one line; the exit
// code is 1 if one failed.
import assert from "node:assert/strict";
import { connect, connectURL } from "./modules.mjs";

const target = process.argv.slice(2);
const overHTTP = target[0].startsWith("http");
const { client } = await (overHTTP ? connectURL(target[0]) : connect(target));
const faults = [];
client.onerror = (error) => faults.push(String(error));

let failed = false;
async function check(name, run) {
  try {
    await run();
    console.log(`ok ${name}`);
  } catch (error) {
    failed = true;
    console.log(`FAILED ${name}: ${error.stack}`);
  }
}

// call returns the body that a tool answers with, which is there twice.
async function call(name, args, options) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  assert.notEqual(result.isError, true, result.content[0]?.text);
  const body = JSON.parse(result.content[0].text);
  assert.deepEqual(result.structuredContent, body);
  assert.ok(body.meta.requestId);
  assert.ok(body.meta.latency.total >= 0);
  return body;
}

let chunk;
await check("the four tools", async () => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).toSorted(), ["answer", "find_similar", "get_contents", "search"]);
  const { properties, required } = tools.find((tool) => tool.name === "search").inputSchema;
  assert.deepEqual(required, ["q"]);
  assert.deepEqual(properties.topK, { type: "integer", minimum: 1, maximum: 50, default: 20 });
});

await check("search", async () => {
  const { results } = await call("search", { q: "install", mode: "hybrid", topK: 1, include: { rationale: true } });
  assert.equal(results.length, 1);
  assert.equal(results[0].documentId, "guide");
  assert.equal(results[0].document.type, "text");
  chunk = results[0].id;
});

await check("get_contents", async () => {
  const { contents } = await call("get_contents", { ids: [{ kind: "document", id: "guide" }, { kind: "chunk", id: chunk }], expand: { chunks: true } });
  assert.match(contents[0].text, /How to begin/);
  assert.ok(contents[0].chunks.some((one) => one.id === chunk));
  assert.equal(contents[1].id, chunk);
});

await check("find_similar", async () => {
  const { results } = await call("find_similar", { subject: { kind: "text", text: "install in one step" }, by: "documents" });
  assert.equal(results[0].kind, "document");
});

await check("answer", async () => {
  const { answer, citations } = await call("answer", { question: "How do I begin?", answerType: "extractive" });
  assert.equal(typeof answer, "string");
  assert.ok(Array.isArray(citations));
});

await check("answer with stream", async () => {
  const events = [];
  const { found } = await call("answer", { question: "What is the one step of the install?", stream: true }, {
    onprogress: ({ message }) => message.startsWith("{") && events.push(JSON.parse(message)),
  });
  if (!overHTTP) return; // the SDK handles a result before the progress that comes with it
  assert.equal(events[0]?.event, "meta");
  assert.equal(events.some(({ event }) => event === "token"), found);
});

await check("an error with its structure", async () => {
  const result = await client.callTool({ name: "search", arguments: { q: "a", topK: 51 } });
  assert.equal(result.isError, true);
  assert.equal(result.structuredContent.status, 400);
  assert.match(result.structuredContent.detail, /topK/);
});

await check("resources", async () => {
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.deepEqual(resourceTemplates.map((one) => one.uriTemplate).toSorted(), ["resource://knowledge/chunk/{id}", "resource://knowledge/document/{id}"]);
  assert.equal(resourceTemplates.find((one) => one.name === "document")._meta.count, 1);
  const { resources } = await client.listResources();
  assert.deepEqual(resources.map((one) => one.uri), ["resource://knowledge/document/guide"]);
  for (const uri of [resources[0].uri, `resource://knowledge/chunk/${encodeURIComponent(chunk)}`]) {
    const { contents } = await client.readResource({ uri });
    assert.equal(JSON.parse(contents[0].text).documentId, "guide");
  }
  await assert.rejects(client.readResource({ uri: "resource://knowledge/document/nothing" }), { code: -32002 });
});

await check("no faults of the protocol", async () => {
  await client.close();
  assert.deepEqual(faults.filter((fault) => overHTTP || !fault.includes("progress notification for an unknown token")), []);
});

process.exit(failed ? 1 : 0);
