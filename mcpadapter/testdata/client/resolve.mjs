// Calls tools of a server, one after the other, through the official SDK.
//
//   node resolve.mjs SERVER ARGUMENT…
//
// reads a JSON array of {"tool": …, "args": …} on standard input and prints a
// JSON array of the results. A result that does not match its tool's schema,
// and an answer that the SDK refuses, end it with an error.
import { readFileSync } from "node:fs";
import { connect } from "./modules.mjs";

const calls = JSON.parse(readFileSync(0, "utf8"));
const { client } = await connect(process.argv.slice(2));
client.onerror = (error) => {
  throw error;
};
await client.listTools(); // from here on results are checked against the schemas

const results = [];
for (const { tool, args } of calls) {
  try {
    results.push(await client.callTool({ name: tool, arguments: args }));
  } catch (cause) {
    throw new Error(`${tool} ${JSON.stringify(args)}`, { cause });
  }
}
await client.close();
process.stdout.write(JSON.stringify(results));
