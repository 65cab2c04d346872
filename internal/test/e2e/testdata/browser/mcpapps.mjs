// A host of MCP Apps: a client of the server over its standard streams, and a page that
// shows what the tools name, in a sandbox as the specification wants it.
import { createRequire } from "node:module";
import { axe } from "./packages.mjs";
import { visit } from "./visit.mjs";

const require = createRequire(`${process.argv[2]}/`);
const { Client } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

// What a host must enforce where a page names no origins.
const policy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'self'";

// The proxy between host and page, of another origin of the same site. An isolated page has
// no origin, and so no storage.
const sandbox = (isolated) => `<!doctype html><title>sandbox</title><body style="margin:0"><script>
const inner = document.createElement("iframe");
inner.title = "page";
inner.style = "width:100%;height:100vh;border:0";
inner.setAttribute("sandbox", ${isolated ? '"allow-scripts"' : '"allow-scripts allow-same-origin allow-forms"'});
document.body.append(inner);
addEventListener("message", ({ source, data }) => {
  if (source === inner.contentWindow) return parent.postMessage(data, "http://host.test");
  if (source !== parent) return;
  if (data?.method !== "ui/notifications/sandbox-resource-ready") return inner.contentWindow.postMessage(data, "*");
  ${isolated ? "inner.srcdoc = data.params.html;" : "inner.contentDocument.open(); inner.contentDocument.write(data.params.html); inner.contentDocument.close();"}
});
parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "http://host.test");
</script>`;

/** What the page shows. Runs in it. */
function shown() {
  const main = document.querySelector("main");
  const pictures = [...main.querySelectorAll("img")];
  return {
    state: main.dataset.state,
    heading: main.querySelector("h1")?.textContent ?? "",
    address: main.querySelector(".address")?.textContent ?? "",
    verdict: main.querySelector("[data-verdict]")?.dataset.verdict ?? "",
    words: main.innerText.slice(0, 2000),
    marks: [...main.querySelectorAll("mark[data-mark]")].map((m) => m.textContent),
    boxes: main.querySelectorAll("div[data-mark]").length,
    places: [...main.querySelectorAll("button.place")].map((b) => b.textContent),
    buttons: [...main.querySelectorAll("button:not([disabled])")].map((b) => b.textContent),
    pictures: pictures.map((p) => ({ data: p.src.slice(0, 22), width: p.naturalWidth })),
    media: [...main.querySelectorAll("audio, video")].filter((m) => m.checkVisibility()).map((m) => ({ data: m.currentSrc.slice(0, 16), seconds: m.duration || 0, width: m.videoWidth ?? 0 })),
    elements: main.querySelectorAll("script, iframe, object, embed, form, a[href^='javascript']").length,
    theme: getComputedStyle(document.documentElement).colorScheme,
    paper: getComputedStyle(document.documentElement).backgroundColor,
  };
}

/**
 * Calls tools and shows what they name.
 * @param {{command: string, args: string[], host: string, calls: {tool: string, input: any, steps?: any[], context?: any, isolated?: boolean, link?: string}[]}} input
 */
export default async function mcpapps(browser, { command, args, host, calls }) {
  const client = new Client({ name: "host", version: "1" }, { capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } } });
  await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
  const v = await visit(browser, { url: "http://host.test", expected: ["^a request to http://sandbox\\.host\\.test/(isolated)?$"] }, { viewport: { width: 800, height: 900 } });
  const serve = (body, headers = {}) => (route) => route.fulfill({ body, contentType: "text/html; charset=utf-8", headers });
  await v.context.route("http://host.test/", serve(`<!doctype html><html lang="en"><title>host</title><script>${host}</script>`));
  await v.context.route("http://sandbox.host.test/", serve(sandbox(false), { "Content-Security-Policy": policy }));
  await v.context.route("http://sandbox.host.test/isolated", serve(sandbox(true), { "Content-Security-Policy": policy }));
  const asked = [];
  await v.context.exposeFunction("nodeCall", async (params) => {
    asked.push(params);
    return client.callTool(params).catch((error) => ({ isError: true, content: [{ type: "text", text: String(error) }] }));
  });
  const { tools } = await client.listTools();
  const outputs = [];
  let size = 0;
  try {
    for (const { tool: name, input, steps = [], context = {}, isolated, link } of calls) {
      const tool = tools.find((t) => t.name === name);
      const { contents } = await client.readResource({ uri: tool._meta.ui.resourceUri });
      size = contents[0].text.length;
      const result = await client.callTool({ name, arguments: input });
      // Over HTTP a server with pages of its own also gives their links.
      if (link) result.content[0].text = JSON.stringify({ ...JSON.parse(result.content[0].text), link });
      if (link) delete result.structuredContent;
      const page = await v.page();
      await page.goto("http://host.test/");
      const start = () => page.evaluate((of) => globalThis.start(of), { html: contents[0].text, tool, input, result, context, isolated });
      const inner = () => page.frames().find((f) => f.parentFrame()?.parentFrame());
      const settle = async () => {
        await inner().waitForSelector('main[data-ready="true"]', { state: "attached" });
        await inner().waitForFunction(() => [...document.images].every((i) => i.hidden || i.complete && i.naturalWidth > 0) && [...document.querySelectorAll("audio[src], video[src]")].every((m) => m.readyState > 0));
      };
      await start();
      await settle();
      const views = [await inner().evaluate(shown)];
      for (const step of steps) {
        try {
          if (step.press) await inner().locator("button", { hasText: step.press }).first().click();
          if (step.until) await inner().waitForFunction((text) => document.querySelector("main").innerText.includes(text), step.until);
          if (step.select) {
            await inner().evaluate((text) => {
              const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
              for (let node = walk.nextNode(); node; node = walk.nextNode()) {
                const at = node.data.indexOf(text);
                if (at < 0 || !node.parentElement.closest("[data-address]")) continue;
                getSelection().setBaseAndExtent(node, at, node, at + text.length);
                return;
              }
              throw new Error(`no text ${text} to select`);
            }, step.select);
            await page.waitForFunction((text) => globalThis.said.contexts.at(-1)?.content?.[0]?.text.includes(text), step.select);
          }
          if (step.theme) {
            await page.evaluate((theme) => globalThis.bridge.setHostContext({ theme, styles: { variables: { "--color-background-primary": theme === "dark" ? "rgb(1, 2, 3)" : "rgb(250, 251, 252)" } } }), step.theme);
            await inner().waitForFunction((theme) => document.documentElement.dataset.theme === theme, step.theme);
          }
          if (step.reload) await start();
          if (step.wait) await inner().waitForSelector(step.wait);
          await settle();
          views.push(await inner().evaluate(shown));
        } catch (error) {
          throw new Error(`${error.message}\n${name}, after ${JSON.stringify(step)}, shows: ${await inner()?.evaluate(() => document.body.innerText.slice(0, 800))}`);
        }
      }
      await inner().evaluate(axe);
      const { violations } = await inner().evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      const ran = await inner().evaluate(() => globalThis.scriptRan);
      outputs.push({
        views, ran: String(ran ?? ""), said: await page.evaluate(() => globalThis.said),
        axe: violations.map((a) => `${a.id}: ${a.nodes.map((n) => n.html).join(" ").slice(0, 300)}`),
      });
      if (process.env.CITEKIT_SHOTS) await page.screenshot({ path: `${process.env.CITEKIT_SHOTS}/app-${outputs.length}-${name}.png`, fullPage: true });
      await page.close();
    }
  } finally {
    await client.close();
  }
  return { outputs, asked, size, listed: tools.map((t) => ({ name: t.name, meta: t._meta ?? null })), trouble: await v.end() };
}
