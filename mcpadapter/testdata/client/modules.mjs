// Finds the packages of package.json: in CITEKIT_NODE_MODULES, or beside this
// file.
import { createRequire } from "node:module";
import { join, dirname } from "node:path";
import { fileURLToPath } from "node:url";

export const modules =
  process.env.CITEKIT_NODE_MODULES || join(dirname(fileURLToPath(import.meta.url)), "node_modules");

const require = createRequire(join(modules, "any.js"));

export const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
export const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
export const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
export const types = require("@modelcontextprotocol/sdk/types.js");

// connect starts a server as a child process and does the handshake.
export async function connect([command, ...args], stderr = "inherit") {
  const client = new Client({ name: "check", version: "1.0.0" });
  const transport = new StdioClientTransport({ command, args, env: { ...process.env }, stderr });
  await client.connect(transport);
  return { client, transport };
}

// connectURL does the handshake with a server over HTTP.
export async function connectURL(url) {
  const client = new Client({ name: "check", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  return { client, transport };
}
