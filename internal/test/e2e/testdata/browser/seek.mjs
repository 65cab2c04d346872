// Plays from the middle of a long recording, and counts what the browser fetches of it.
import { visit } from "./visit.mjs";

export default async function seek(browser, { site, path, times }) {
  const v = await visit(browser, site);
  const page = await v.page();
  const devtools = await v.context.newCDPSession(page);
  await devtools.send("Network.enable");
  const media = new Map();
  const output = { statuses: [], bytes: 0, at: [] };
  devtools.on("Network.responseReceived", ({ requestId, type, response }) => {
    if (type !== "Media") return;
    media.set(requestId, true);
    output.statuses.push(response.status);
  });
  devtools.on("Network.dataReceived", ({ requestId, dataLength }) => { if (media.has(requestId)) output.bytes += dataLength; });
  await v.open(page, path, "reader");
  const player = page.locator("main video, main audio").first();
  await player.waitFor({ state: "attached" });
  for (const time of [undefined, ...times]) {
    output.at.push(
      await player.evaluate(async (m, to) => {
        const is = (name) => new Promise((done, stop) => { m.addEventListener(name, done, { once: true }); m.addEventListener("error", () => stop(new Error(m.error?.message)), { once: true }); });
        m.muted = true;
        if (to === undefined) {
          if (m.readyState < 1) { m.load(); await is("loadedmetadata"); }
          if (m.seeking) await is("seeked");
        } else {
          const seeked = is("seeked");
          m.currentTime = to;
          await seeked;
        }
        return m.currentTime;
      }, time),
    );
  }
  output.duration = await player.evaluate((m) => m.duration);
  return { ...output, trouble: await v.end() };
}
