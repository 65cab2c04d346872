// Goes from the library to a copied citation with keys alone, and back.
import { visit, ready } from "./visit.mjs";

export default async function keyboard(browser, { site, query, reader }) {
  const v = await visit(browser, site);
  await v.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(site.url).origin });
  const page = await v.page();
  const output = { steps: [], copied: {} };
  const note = async (what) => {
    await ready(page);
    output.steps.push(await page.evaluate((name) => ({ what: name, path: location.pathname + location.search, screen: document.querySelector("main").dataset.screen, marks: [...document.querySelectorAll("main mark[data-mark]")].map((m) => m.textContent).join("") }), what));
  };
  await v.open(page, "/view/", "library");
  await note("library");

  // The first stop is the link to the content.
  await page.keyboard.press("Tab");
  output.skip = await page.evaluate(() => document.activeElement?.getAttribute("href"));
  await page.keyboard.press("Enter");
  output.skipped = await page.evaluate(() => document.activeElement?.id);

  await page.keyboard.press("/");
  await page.keyboard.type(query);
  await page.keyboard.press("Enter");
  await ready(page, "search");
  await page.waitForSelector('main a[href*="text://"]');
  await note("search");

  // Tab goes on to the first result; every stop can be seen.
  output.stops = [];
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const e = document.activeElement;
      const style = getComputedStyle(e);
      const r = e.getBoundingClientRect();
      return {
        what: e.outerHTML.slice(0, 120),
        result: e.localName === "a" && !!e.closest("main") && e.getAttribute("href").includes("text://"),
        focus: r.width > 0 && r.height > 0 && (style.outlineStyle !== "none" && style.outlineWidth !== "0px" || style.boxShadow !== "none"),
      };
    });
    output.stops.push(stop);
    if (stop.result) break;
  }
  await page.keyboard.press("Enter");
  await ready(page, "reader");
  await note("reader");

  await page.keyboard.press("?");
  output.help = await page.locator("dialog[open]").count();
  await page.keyboard.press("Escape");
  output.helpAfter = await page.locator("dialog[open]").count();

  await page.keyboard.press("y");
  output.copied.y = await page.evaluate(async () => {
    for (;;) {
      const text = await navigator.clipboard.readText();
      if (text) return text;
      await new Promise((done) => requestAnimationFrame(done));
    }
  });

  await page.goBack();
  await ready(page, "search");
  await page.waitForSelector('main a[href*="text://"]');
  await note("back");
  output.field = await page.evaluate(() => [...document.querySelectorAll("input")].map((i) => i.value).find(Boolean) ?? "");
  await page.goForward();
  await ready(page, "reader");
  await note("forward");
  await page.reload();
  await ready(page, "reader");
  await note("reload");

  // The next part is another address, which the address bar says.
  await v.open(page, reader, "reader");
  await note("part");
  for (const key of ["j", "k"]) {
    const before = page.url();
    await page.keyboard.press(key);
    await page.waitForFunction((url) => location.href !== url, before);
    await note(key);
  }
  return { ...output, trouble: await v.end() };
}
