// Lists and uses everything that a server offers, as an agent would:
//
//   node everything.mjs URL
//   node everything.mjs SERVER ARGUMENT…
//
// The server may ingest, and has the resource "guide", a text. calls.json has
// the arguments for each tool. Every check prints one line; the exit code is 1
// if one failed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, connectURL, types } from "./modules.mjs";

const target = process.argv.slice(2);
const { client } = await (target[0].startsWith("http") ? connectURL(target[0]) : connect(target));
const faults = [];
client.onerror = (error) => faults.push(String(error));

let failed = false;
async function check(name, run) {
  const start = performance.now();
  try {
    await run();
    console.log(`ok ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (error) {
    failed = true;
    console.log(`FAILED ${name}: ${error.stack}`);
  }
}

// all returns what a list has, over all its pages.
async function all(list, field) {
  const found = [];
  let cursor;
  do {
    const page = await list({ cursor });
    found.push(...page[field]);
    cursor = page.nextCursor;
  } while (cursor);
  return found;
}

const calls = JSON.parse(readFileSync(new URL("calls.json", import.meta.url)));
const tools = (await all((p) => client.listTools(p), "tools")).map((tool) => tool.name);

await check("a call for each tool", () => {
  assert.deepEqual(tools.toSorted(), [...Object.keys(calls), "ingestStatus"].toSorted());
});

let job;
for (const name of Object.keys(calls)) {
  await check(name, async () => { // the SDK holds what is structured to the schema of the tool
    const result = await client.callTool({ name, arguments: calls[name] });
    assert.notEqual(result.isError, true, result.content[0]?.text);
    assert.ok(result.content.length > 0);
    if (name === "ingest") job = result.structuredContent.job_id;
  });
}

await check("ingestStatus", async () => {
  const result = await client.callTool({ name: "ingestStatus", arguments: { job_id: job } });
  assert.notEqual(result.isError, true, result.content[0]?.text);
  assert.equal(result.structuredContent.job_id, job);
});

await check("resources", async () => {
  const resources = await all((p) => client.listResources(p), "resources");
  assert.ok(resources.length > 0);
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    assert.equal(contents[0].uri, uri);
    assert.equal(JSON.parse(contents[0].text).resource_id, "guide");
  }
});

await check("resource templates", async () => {
  const templates = await all((p) => client.listResourceTemplates(p), "resourceTemplates");
  const values = { resource_id: "guide", node_id: "guide" };
  for (const template of ["citekit://maps/{resource_id}", "citekit://nodes/{resource_id}/{node_id}"]) {
    assert.ok(templates.some((t) => t.uriTemplate === template), `${template} is not among ${templates.map((t) => t.uriTemplate)}`);
    const uri = template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
    const { contents } = await client.readResource({ uri });
    assert.ok(JSON.parse(contents[0].text));
  }
  assert.ok(templates.some((t) => t.uriTemplate.startsWith("text://")));
  const { contents } = await client.readResource({ uri: "text://guide#lines=1-3" });
  assert.equal(contents[0].text, "# Guide\n\nHow to begin.\n");
  await assert.rejects(client.readResource({ uri: "citekit://maps/nothing" }), { code: -32002 });
});

await check("completion", async () => {
  const { completion } = await client.complete({
    ref: { type: "ref/resource", uri: "citekit://maps/{resource_id}" }, argument: { name: "resource_id", value: "gu" },
  });
  assert.deepEqual(completion.values, ["guide"]);
});

await check("subscribe and unsubscribe", async () => {
  await client.subscribeResource({ uri: "citekit://maps/guide" });
  await client.unsubscribeResource({ uri: "citekit://maps/guide" });
});

await check("prompts", async () => {
  const prompts = await all((p) => client.listPrompts(p), "prompts");
  assert.deepEqual(prompts.map((p) => p.name).toSorted(), ["check_citations", "cite_answer", "find_evidence", "study_resource", "task"]);
  for (const { name, arguments: args = [] } of prompts) {
    const values = Object.fromEntries(args.filter((a) => a.required).map((a) => [a.name, a.name === "resource_id" ? "guide" : "How do I install it?"]));
    const { messages } = await client.getPrompt({ name, arguments: values });
    assert.ok(messages.length > 0, name);
    if (args.some((a) => a.required)) await assert.rejects(client.getPrompt({ name, arguments: {} }), { code: types.ErrorCode.InvalidParams });
  }
});

await check("no faults of the protocol", async () => {
  await client.close();
  assert.deepEqual(faults, []);
});

process.exit(failed ? 1 : 0);
