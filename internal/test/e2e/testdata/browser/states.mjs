// What a page says and marks of quotes and places that do not stand.
import { visit } from "./visit.mjs";
import { drawn, marked } from "./quotes.mjs";

export default async function states(browser, { site, paths }) {
  const v = await visit(browser, site);
  const page = await v.page();
  const outputs = [];
  await v.open(page, "/view/");
  for (const path of paths) {
    await v.go(page, path, "reader");
    await drawn(page);
    outputs.push(await page.evaluate(marked));
  }
  // A change of the hash alone shows nothing new, so what is there stays ready.
  const readyAfterHash = await page.evaluate(() => new Promise((done) => {
    addEventListener("popstate", () => requestAnimationFrame(() => done(document.querySelector("main").dataset.ready === "true")), { once: true });
    location.hash = "#part";
  }));
  return { outputs, readyAfterHash, trouble: await v.end() };
}
