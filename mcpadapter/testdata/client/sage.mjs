// Uses the dialect sage as clients of the SAGE reference do:
//
//   node sage.mjs URL
//   node sage.mjs SERVER ARGUMENT…
//
// The server has the file content/core/guide.md. Every check prints one line; the exit
// code is 1 if one failed.
import assert from "node:assert/strict";
import { connect, connectURL } from "./modules.mjs";

const target = process.argv.slice(2);
const { client } = await (target[0].startsWith("http") ? connectURL(target[0]) : connect(target));
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
async function call(name, args, isError = false) {
  const result = await client.callTool({ name, arguments: args });
  const body = JSON.parse(result.content[0].text);
  assert.equal(result.isError ?? false, isError, result.content[0].text);
  assert.deepEqual(result.structuredContent, body);
  return body;
}

await check("the four tools", async () => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).toSorted(), ["sage_get_context", "sage_get_knowledge", "sage_info", "sage_search"]);
});

await check("sage_get_knowledge", async () => {
  const { content, metadata } = await call("sage_get_knowledge", { layer: "core", timeout_ms: 10000 });
  assert.match(content, /How to begin/);
  assert.equal(metadata.layer, "core");
  assert.equal(metadata.files_loaded, 1);
  assert.equal(metadata.sources[0].path, "content/core/guide.md");
  assert.equal(typeof metadata.from_cache, "boolean");
});

await check("sage_search", async () => {
  const { results, total } = await call("sage_search", { query: "install", limit: 5 });
  assert.equal(results[0].path, "content/core/guide.md");
  assert.equal(results[0].score, 1);
  assert.ok(total >= results.length);
});

await check("sage_get_context", async () => {
  const { context, sections, token_count } = await call("sage_get_context", { task_type: "coding", language: "install", token_budget: 500 });
  assert.match(context, /install/i);
  assert.deepEqual(sections, ["guide"]);
  assert.ok(token_count <= 500);
});

await check("sage_info", async () => {
  const { status, knowledge_base, cache } = await call("sage_info", {});
  assert.equal(status, "healthy");
  assert.equal(knowledge_base.content_files, 1);
  assert.ok(cache.hit_rate >= 0 && cache.hit_rate <= 1);
});

await check("an error", async () => {
  const { error, fallback } = await call("sage_get_knowledge", { layer: "frameworks" }, true);
  assert.equal(error.code, "NOT_FOUND");
  assert.equal(error.details.timeout_level, "T3");
  assert.equal(fallback.complete, false);
});

await check("resources", async () => {
  const { resources } = await client.listResources();
  assert.equal(resources[0].uri, "knowledge://core");
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates.length, 4);
  for (const uri of ["knowledge://core", "knowledge://core/guide"]) {
    const { contents } = await client.readResource({ uri });
    assert.match(contents[0].text, /How to begin/);
  }
  await assert.rejects(client.readResource({ uri: "knowledge://practices" }));
});

await check("sage_task_prompt", async () => {
  const { messages } = await client.getPrompt({ name: "sage_task_prompt", arguments: { task_type: "coding", context: "an installer" } });
  assert.match(messages[0].content.text, /Available knowledge layers:\n- core:/);
});

await check("no faults of the session", async () => {
  await client.close();
  assert.deepEqual(faults, []);
});

process.exitCode = failed ? 1 : 0;
