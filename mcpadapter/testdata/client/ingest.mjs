// Makes maps through a server as an agent would:
//
//   node ingest.mjs COMMAND BASE OUTSIDE
//
// BASE has the folder "notes" with many texts, "guide.md", "link.md" and
// "linked", which are symbolic links to OUTSIDE/secret.md and OUTSIDE, and
// perhaps "long.mp4", which takes long to map. Every check prints one line;
// the exit code is 1 if one failed.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { connect, types } from "./modules.mjs";

const [command, base, outside] = process.argv.slice(2);
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

await check("no ingest unless it is asked for", async () => {
  const { client } = await connect([command, "serve", "--dir", base]);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), ["answer", "findSimilar", "getContents", "getContext", "getNode", "getStructure", "info", "listResources", "resolve", "search", "verify"]);
  const answer = await client.callTool({ name: "ingest", arguments: { paths: ["."] } }).catch((error) => ({ isError: true, error }));
  assert.equal(answer.isError, true);
  assert.ok(!existsSync(join(base, ".resource_maps")));
  await client.close();
});

const { client, transport } = await connect([command, "serve", "--ingest", "--dir", base]);
const faults = [];
client.onerror = (error) => faults.push(String(error));
let changes = 0;
client.setNotificationHandler(types.ResourceListChangedNotificationSchema, () => void changes++);

// call returns the data of a result, given as text and as structure. The SDK
// has checked it against the schema of the tool.
async function call(name, args, options) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  assert.notEqual(result.isError, true, result.content[0].text);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

// ingest calls the tool and follows what it began to its end.
async function ingest(args, options) {
  let answer = await call("ingest", args, options);
  await until("the end of the ingest", async () => {
    if (answer.status !== "running") return true;
    answer = await call("ingestStatus", { job_id: answer.job_id });
  });
  return answer;
}

async function until(what, holds) {
  for (const start = performance.now(); performance.now() - start < 180_000; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`not in three minutes: ${what}`);
}

await check("tools", async () => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(),
    ["answer", "findSimilar", "getContents", "getContext", "getNode", "getStructure", "info", "ingest", "ingestStatus", "listResources", "resolve", "search", "verify"]);
  const { readOnlyHint, destructiveHint, openWorldHint } = tools.find((tool) => tool.name === "ingest").annotations;
  assert.deepEqual({ readOnlyHint, destructiveHint, openWorldHint }, { readOnlyHint: false, destructiveHint: false, openWorldHint: false });
});

await check("a folder, with progress", async () => {
  const told = [];
  const answer = await ingest({ paths: ["notes"] }, { onprogress: (p) => told.push(p) });
  assert.equal(answer.status, "done");
  const files = readdirSync(join(base, "notes")).length;
  assert.deepEqual([answer.done, answer.total, answer.counts], [files, files, { mapped: files }]);
  assert.ok(told.length >= 1, "no progress");
  for (const [i, p] of told.entries()) {
    assert.ok(p.total === files || p.total === 2 * files, `the total is ${p.total}`); // maps, and then texts too
    assert.match(p.message, p.total === files ? / of \d+: notes\// : /texts are read for search: \d+ of \d+/);
    assert.ok(i === 0 || p.progress > told[i - 1].progress, "progress does not rise");
  }
});

await check("search and read what was just mapped", async () => {
  let found;
  await until("the index", async () => { // which the first search builds, if it has the time
    found = await call("search", { query: '"text 7"', include: ["highlights", "rationale"], filters: { path: "notes/" } });
    return found.complete;
  });
  assert.deepEqual(found.results.map((r) => r.address), ["text://n7#lines=1-3"]);
  const [{ snippet, highlights }] = found.results;
  assert.deepEqual(highlights.map(([start, end]) => [...snippet].slice(start, end).join("")), ["7", "Text", "7"]); // of "# Note 7" and "Text 7."
  const read = await client.callTool({ name: "getContents", arguments: { ids: [found.results[0].address, "n8"], include: ["text", "image"], max_tokens: 400 } });
  assert.notEqual(read.isError, true);
  assert.equal(read.structuredContent, undefined);
  assert.deepEqual(JSON.parse(read.content[0].text).contents.map((item) => item.text), ["# Note 7\n\nText 7.\n", "# Note 8\n\nText 8.\n"]);
  const wrong = await client.callTool({ name: "search", arguments: { query: "x", filters: { colour: "red" } } });
  assert.equal(wrong._meta.code, "INVALID_INPUT");
});

await check("the client hears of new resources", async () => {
  await until("list_changed", () => changes >= 1);
  const uris = new Set();
  let cursor;
  do {
    const part = await client.listResources({ cursor });
    part.resources.forEach((r) => uris.add(r.uri));
    cursor = part.nextCursor;
  } while (cursor);
  assert.equal(uris.size, readdirSync(join(base, "notes")).length);
  const { contents } = await client.readResource({ uri: "citekit://map/n7" });
  const map = JSON.parse(contents[0].text);
  assert.equal(map.source_path, "notes/n7.md");
  assert.deepEqual(map.nodes, JSON.parse(readFileSync(join(base, ".resource_maps", "n7.json"))).nodes);
});

await check("what has not changed is no news", async () => {
  const { status, counts } = await ingest({ paths: "notes/*.md" });
  assert.equal(status, "done");
  assert.deepEqual(Object.keys(counts), ["unchanged"]);
  await client.ping();
  assert.ok(changes <= 2, `${changes} announcements`); // that of the ingest before, perhaps also seen in the folder
});

await check("evidence of what was just mapped", async () => {
  const { counts, items } = await ingest({ paths: [join(base, "guide.md")] });
  assert.deepEqual([counts, items[0].resource_id], [{ mapped: 1 }, "guide"]);
  const lines = readFileSync(join(base, "guide.md"), "utf8").split("\n").slice(0, -1);
  const map = await call("getStructure", { resource_id: "guide" });
  let nodes = 0;
  const visit = async (node) => {
    nodes++;
    const [start, end] = node.location.lines ?? [1, lines.length];
    const evidence = await call("resolve", { resource_id: "guide", node_id: node.id });
    assert.equal(readFileSync(evidence.output_path, "utf8"), lines.slice(start - 1, end).join("\n") + "\n");
    for (const child of node.children) await visit(child);
  };
  for (const node of map.nodes) await visit(node);
  assert.equal(nodes, lines.filter((line) => line.startsWith("#")).length);
});

await check("nothing outside", async () => {
  const secret = join(outside, "secret.md");
  const up = join("..", outside.split("/").pop(), "secret.md");
  const paths = [secret, "/etc/passwd", "/etc", "..", up, `notes/../${up}`, "../**", "/etc/*", "linked/secret.md", "linked", "linked/*", "link.md", "./linked/../linked/secret.md"];
  const before = readdirSync(join(base, ".resource_maps"));
  for (const path of paths) {
    const result = await client.callTool({ name: "ingest", arguments: { paths: [path] } });
    const text = result.content[0].text;
    assert.ok(!/CANARY|root:x/.test(text), text);
    if (path.startsWith("link") || path.startsWith("./link")) {
      // That it is a link may be said, as it stands inside.
      assert.ok(result.isError || !result.structuredContent.counts.mapped, `${path}: ${text}`);
      if (!["linked", "linked/*", "link.md"].includes(path)) assert.match(text, /"code":"FORBIDDEN"/, path);
      continue;
    }
    assert.match(result.isError ? result._meta.code : result.structuredContent.items[0].code, /^FORBIDDEN$/, `${path}: ${text}`);
  }
  assert.deepEqual(readdirSync(join(base, ".resource_maps")), before);
});

// descendants returns the names of the processes that the server started.
function descendants(pid) {
  const children = new Map();
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state !== "Z") children.set(Number(entry), { name, parent: Number(parent) });
    } catch {} // it has ended
  }
  const found = [];
  const visit = (id) => children.forEach(({ name, parent }, child) => {
    if (parent !== id) return;
    found.push(name);
    visit(child);
  });
  visit(pid);
  return found;
}

if (existsSync(join(base, "long.mp4")) && existsSync("/proc/self/stat")) {
  await check("an ingest that takes long, followed and cancelled", async () => {
    const { job_id, status } = await call("ingest", { paths: ["long.mp4"] });
    assert.equal(status, "running");
    await until("a child process", () => descendants(transport.pid).includes("ffmpeg"));
    // Others go on meanwhile.
    assert.equal((await call("getNode", { resource_id: "guide", node_id: "guide" })).id, "guide");
    const end = await call("ingestStatus", { job_id, cancel: true });
    assert.equal(end.status, "cancelled");
    await until("no child process", () => descendants(transport.pid).length === 0);
    assert.ok(!existsSync(join(base, ".resource_maps", "long.json")));
    assert.equal((await call("ingestStatus", { job_id })).status, "cancelled");
  });

  await check("a cancelled call", async () => {
    const stop = new AbortController();
    const pending = client.callTool({ name: "ingest", arguments: { paths: ["long.mp4"] } }, undefined, { signal: stop.signal });
    pending.catch(() => {});
    await until("a child process", () => descendants(transport.pid).includes("ffmpeg"));
    stop.abort("changed my mind");
    await assert.rejects(pending, /changed my mind/);
    await until("no child process", () => descendants(transport.pid).length === 0);
  });

  await check("the end of the server ends an ingest", async () => {
    const other = await connect([command, "serve", "--ingest", "--dir", base]);
    const pending = other.client.callTool({ name: "ingest", arguments: { paths: ["long.mp4"] } });
    pending.catch(() => {});
    const { pid } = other.transport;
    let pids;
    await until("a child process", () => (pids = descendants(pid)).includes("ffmpeg"));
    await other.client.close();
    await until("the end", () => !existsSync(`/proc/${pid}`));
    await until("no ffmpeg of ours", () => !readdirSync("/proc").some((entry) => {
      try {
        return readFileSync(`/proc/${entry}/cmdline`, "utf8").includes(join(base, "long.mp4"));
      } catch {
        return false;
      }
    }));
  });
}

await check("an ingest that is not there", async () => {
  const result = await client.callTool({ name: "ingestStatus", arguments: { job_id: "ingest-999" } });
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /there is no ingest 'ingest-999'/);
});

await check("no faults of the protocol", async () => {
  await client.close();
  assert.deepEqual(faults, []);
});

process.exit(failed ? 1 : 0);
