// Adds files to the library, has them mapped, and maps again what has changed.
import { visit, ready } from "./visit.mjs";

export default async function upload(browser, { site, files, wait }) {
  const v = await visit(browser, site);
  const page = await v.page();
  await v.open(page, "/view/", "library");
  // What is said meanwhile, also for a short time.
  await page.evaluate(() => {
    globalThis.said = [];
    new MutationObserver(() => {
      for (const e of document.querySelectorAll("progress, [role=progressbar], [role=status]")) {
        const now = `${e.localName} ${e.getAttribute("role") ?? ""} ${e.value ?? e.getAttribute("aria-valuenow") ?? ""} ${e.textContent}`;
        if (globalThis.said.at(-1) !== now) globalThis.said.push(now);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  const input = page.locator("main input[type=file]").first();
  await input.setInputFiles(files.map(({ name, text }) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) })));
  await page.waitForFunction((words) => words.every((w) => document.querySelector("main").innerText.includes(w)), wait);
  // What has changed since is mapped again, by the keyboard.
  const row = page.locator('tr[data-state="changed"]');
  const rows = await row.count();
  await row.getByRole("button", { name: "Map again" }).press("Enter");
  await page.waitForFunction(() => !document.querySelector('tr[data-state="changed"], progress') && document.querySelector("tr[data-state]"));
  const output = { rows, left: await page.getByRole("button", { name: "Map again" }).count(), said: await page.evaluate(() => globalThis.said), words: await page.evaluate(() => document.querySelector("main").innerText) };
  return { ...output, trouble: await v.end() };
}
