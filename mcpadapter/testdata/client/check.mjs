// Uses a server as an agent would: node check.mjs SERVER [ARGUMENT…]
//
// The server has the resources "poem" and "slow" of the Go tests in a
// directory. Every check prints one line; the exit code is 1 if one failed.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "./modules.mjs";

const { client, transport } = await connect(process.argv.slice(2));
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

// call returns the data of a result, given as text and as structure.
async function call(name, args, options) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  assert.notEqual(result.isError, true, result.content[0].text);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

async function fail(name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.isError, true);
  assert.equal(result.structuredContent, undefined);
  return { text: result.content[0].text, code: result._meta.code };
}

await check("handshake", () => {
  assert.deepEqual(client.getServerCapabilities(), { completions: {}, prompts: { listChanged: true }, resources: { listChanged: true, subscribe: true }, tools: { listChanged: true } });
  assert.match(client.getInstructions(), /resolve/);
});

await check("tools", async () => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), ["getNode", "getStructure", "info", "listResources", "resolve"]);
  for (const tool of tools) {
    assert.equal(tool.inputSchema.type, "object");
    assert.equal(tool.outputSchema.type, "object");
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations;
    // The other two hints mean nothing for tools that only read.
    const expected = tool.name === "resolve" ? { readOnlyHint: false, destructiveHint: false, idempotentHint: true } :
      { readOnlyHint: true, destructiveHint: undefined, idempotentHint: false };
    assert.deepEqual({ readOnlyHint, destructiveHint, idempotentHint: idempotentHint || false, openWorldHint }, { ...expected, openWorldHint: false });
  }
});

await check("info", async () => {
  const info = await call("info", {});
  assert.equal(info.counts.resources, 3);
  assert.equal(typeof info.uptime, "number");
  assert.deepEqual(info.programs, []);
});

await check("listResources", async () => {
  assert.deepEqual((await call("listResources", {})).resources, ["odd", "poem", "slow"]);
});

await check("getStructure", async () => {
  const map = await call("getStructure", { resource_id: "poem" });
  assert.deepEqual(map.nodes.map((node) => node.id), ["first", "second", "beyond", "broken"]);
  assert.deepEqual(map.nodes[0].children.map((node) => node.id), ["first.a", "first.b"]);
});

await check("getStructure in parts", async () => {
  const seen = [];
  const visit = (node) => { seen.push(node.id); node.children.forEach(visit); };
  let cursor = "";
  do {
    const part = await call("getStructure", { resource_id: "poem", cursor });
    part.nodes.forEach(visit);
    cursor = part.next_cursor;
  } while (cursor);
  assert.deepEqual(seen, ["first", "first.a", "first.b", "second", "beyond", "broken"]);
});

await check("getStructure for programs and as an outline", async () => {
  const map = await call("getStructure", { resource_id: "poem" });
  assert.deepEqual(await call("getStructure", { resource_id: "poem", full: true }), map);
  const result = await client.callTool({ name: "getStructure", arguments: { resource_id: "poem", format: "outline" } });
  assert.equal(result.content[0].text, result.structuredContent.outline);
});

await check("a map with odd fields", async () => {
  const map = await call("getStructure", { resource_id: "odd" });
  assert.equal(map.nodes.length, 3);
  for (const node of map.nodes) await call("getNode", { resource_id: "odd", node_id: node.id });
  await call("getStructure", { resource_id: "odd", depth: 0 });
});

await check("getNode", async () => {
  const node = await call("getNode", { resource_id: "poem", node_id: "first" });
  assert.deepEqual(node.children, [{ id: "first.a" }, { id: "first.b" }]);
});

await check("virtual resolve", async () => {
  const evidence = await call("resolve", { resource_id: "poem", node_id: "first", virtual: true });
  assert.equal(evidence.output_path, null);
  assert.equal(evidence.address, "text://poem#lines=1-2");
});

await check("resolve", async () => {
  const evidence = await call("resolve", { resource_id: "poem", node_id: "first" });
  const bytes = readFileSync(evidence.output_path);
  assert.equal(bytes.toString(), "one\ntwo\n");
  assert.equal(createHash("sha256").update(bytes).digest("hex"), evidence.sha256);
  assert.equal(evidence.node.children, undefined);
  assert.equal((await call("resolve", { resource_id: "poem", node_id: "first" })).cached, true);
});

await check("errors", async () => {
  let { text, code } = await fail("getStructure", { resource_id: "nonexistent_id" });
  assert.ok(text.startsWith("Error: No map found for resource 'nonexistent_id'. Expected at: .resource_maps/nonexistent_id.json"), text);
  assert.equal(code, "NOT_FOUND");
  ({ text, code } = await fail("getNode", { resource_id: "poem", node_id: "invalid.node" }));
  assert.ok(text.startsWith("Error: Node 'invalid.node' not found."), text);
  assert.equal(code, "NOT_FOUND");
  ({ text, code } = await fail("resolve", { resource_id: "nonexistent", node_id: "x" }));
  assert.ok(text.startsWith("Error: Resource 'nonexistent' not found."), text);
  ({ code } = await fail("resolve", { resource_id: "poem", node_id: "beyond" }));
  assert.equal(code, "INVALID_INPUT");
  ({ text, code } = await fail("getNode", { resource_id: "poem", node: "first" }));
  assert.match(text, /unknown argument 'node' \(did you mean 'node_id', a string\?\); this tool takes resource_id \(optional\), node_id/);
});

await check("control characters in a resource URI", async () => {
  for (const uri of ["zzz:///\u0007", "x:\u0000", "\u2028", "x:\"\\\ud800"]) {
    await assert.rejects(client.readResource({ uri }), /not found|Resource/i);
  }
});

await check("progress and a call that takes its time", async () => {
  const progress = [];
  await call("resolve", { resource_id: "slow", node_id: "short" }, { onprogress: (p) => progress.push(p.progress) });
  assert.ok(progress.length >= 1);
});

await check("a call whose time is over", async () => {
  const result = await client.callTool({ name: "resolve", arguments: { resource_id: "slow", node_id: "wait", timeout_ms: 50 } });
  assert.equal(result._meta.code, "TIMEOUT");
  assert.equal(result._meta.details.limit, "timeout_ms");
  assert.equal(result._meta.fallback.address, "audio://slow#t=1-2");
});

await check("a cancelled call", async () => {
  const stop = new AbortController();
  const pending = client.callTool({ name: "resolve", arguments: { resource_id: "slow", node_id: "wait" } }, undefined, { signal: stop.signal });
  setTimeout(() => stop.abort("changed my mind"), 50);
  await assert.rejects(pending, /changed my mind/);
  await client.ping();
});

await check("lines that are no messages", async () => {
  const stdin = transport._process.stdin;
  stdin.write("hello\n");
  stdin.write("[".repeat(100_000) + "\n");
  stdin.write('{"jsonrpc":"2.0","id":"lost","method":"tools/call","params":' + '{"a":'.repeat(2000) + "1" + "}".repeat(2001) + "\n");
  await client.ping();
  assert.deepEqual((await call("listResources", {})).resources, ["odd", "poem", "slow"]);
});

await check("many calls at once", async () => {
  const nodes = await Promise.all(Array.from({ length: 200 }, (_, i) =>
    call("getNode", { resource_id: "poem", node_id: i % 2 ? "first" : "second" })));
  nodes.forEach((node, i) => assert.equal(node.id, i % 2 ? "first" : "second"));
});

await check("the end", async () => {
  const child = transport._process;
  const ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })));
  child.stdin.end();
  assert.deepEqual(await ended, { code: 0, signal: null });
});

process.exit(failed ? 1 : 0);
