// Runs scripts in one browser. Each line of the input is a call, {script, input}; each
// line of the output is its result, {output} or {error}. The browser ends with the input.
import { createInterface } from "node:readline";
import { chromium } from "./packages.mjs";
import { troubles } from "./visit.mjs";

const browser = await chromium.launch({
  executablePath: process.argv[3],
  chromiumSandbox: false, // tests may run as root
  args: [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--autoplay-policy=no-user-gesture-required",
    // Nothing outside this machine is found, so that a request there fails and is seen.
    "--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
  ],
});

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
for await (const line of lines) {
  const { script, input } = JSON.parse(line);
  let result;
  troubles.length = 0;
  try {
    const { default: run } = await import(`./${script}.mjs`);
    result = { output: (await run(browser, input)) ?? null };
  } catch (error) {
    const pages = await Promise.all(browser.contexts().flatMap((c) => c.pages()).map(async (p) => `${p.url()}: ${await p.evaluate(() => document.body.innerText.slice(0, 500)).catch(() => "")}`));
    result = { error: [error instanceof Error ? error.stack : error, ...troubles.flat(), ...pages].join("\n") };
  }
  for (const context of browser.contexts()) await context.close();
  process.stdout.write(JSON.stringify(result) + "\n");
}
await browser.close();
