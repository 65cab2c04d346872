// Measures how long a page takes, in milliseconds, from the link to the marks on it.
import { visit, ready } from "./visit.mjs";

export default async function speed(browser, { site, path, cold, rounds, seek }) {
  const v = await visit(browser, site);
  let page = await v.page();
  const times = [];
  if (!cold) await v.open(page, path, "reader");
  for (let round = 0; round < rounds; round++) {
    if (cold) { await page.close(); page = await v.page(); } else await page.goto("about:blank");
    const start = performance.now();
    if (seek === undefined) {
      await page.goto(site.url + path, { waitUntil: "commit" });
      await page.waitForSelector("main [data-mark]", { state: "attached" });
      // The picture of the page with the marks, if there is one.
      await page.evaluate(async () => {
        const img = document.querySelector("main .mark[data-mark]")?.parentElement?.querySelector("img");
        if (img && !(img.getAttribute("src") && img.complete)) await new Promise((done) => img.addEventListener("load", done, { once: true }));
        await img?.decode();
      });
      times.push(performance.now() - start);
      continue;
    }
    await v.open(page, path, "reader");
    times.push(
      ...(await page.locator("main video, main audio").first().evaluate(async (m, points) => {
        m.muted = true;
        if (m.readyState < 1) await new Promise((done) => m.addEventListener("loadedmetadata", done, { once: true }));
        const took = [];
        for (const to of points) {
          const begin = performance.now();
          const seeked = new Promise((done) => m.addEventListener("seeked", done, { once: true }));
          m.currentTime = to;
          await seeked;
          took.push(performance.now() - begin);
        }
        return took;
      }, seek)),
    );
  }
  return { times, trouble: await v.end() };
}
