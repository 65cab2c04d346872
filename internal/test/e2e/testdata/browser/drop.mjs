// Drops files and folders on the library, as a person does, and says what it says of them.
import { visit, ready } from "./visit.mjs";

export default async function drop(browser, { site, drops, folder }) {
  const v = await visit(browser, site);
  const page = await v.page();
  const devtools = await v.context.newCDPSession(page);
  const outputs = [];
  // What is said meanwhile, also for a short time.
  await v.open(page, "/view/", "library");
  await page.evaluate(() => {
    globalThis.said = [];
    new MutationObserver(() => {
      const at = document.querySelector(".add .adding");
      const bar = at?.querySelector("progress");
      const now = at ? `${at.querySelector("label").textContent} ${bar.value}/${bar.max}` : document.querySelector(".add.over h2")?.textContent ?? "";
      if (now && globalThis.said.at(-1) !== now) globalThis.said.push(now);
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  const told = async () => {
    await page.waitForSelector(".add .note");
    await ready(page, "library");
    await page.waitForFunction(() => !document.querySelector(".add .adding"));
    const said = await page.evaluate(() => {
      const table = (selector) => [...document.querySelectorAll(selector + " tbody tr")].map((row) => [...row.cells].map((cell) => cell.innerText));
      const output = { result: document.querySelector(".add .note").innerText, failed: table(".add .files"), status: document.querySelector(".status").textContent, said: globalThis.said };
      globalThis.said = [];
      return output;
    });
    outputs.push(said);
  };
  for (const files of drops) {
    const data = { items: [], files, dragOperationsMask: 1 };
    await page.evaluate(() => document.querySelector(".add .note")?.setAttribute("hidden", ""));
    for (const type of ["dragEnter", "dragOver", "drop"]) await devtools.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
    await page.waitForFunction(() => !document.querySelector(".add .note[hidden]"));
    await told();
  }
  await page.evaluate(() => document.querySelector(".add .note")?.setAttribute("hidden", ""));
  await page.locator("main input[webkitdirectory]").setInputFiles(folder);
  await page.waitForFunction(() => !document.querySelector(".add .note[hidden]"));
  await told();
  // The list shows what was added.
  await page.waitForFunction((n) => document.querySelectorAll("[data-source]").length >= n, 1);
  const sources = await page.evaluate(() => [...document.querySelectorAll("[data-source] .path")].map((e) => e.textContent));
  const unmapped = await page.evaluate(() => [...document.querySelectorAll(".unmapped tbody tr")].map((row) => row.innerText));
  return { outputs, sources, unmapped, trouble: await v.end() };
}
