// Opens files that were handed over, from the folder, and has them check their evidence.
import { visit } from "./visit.mjs";

/** What a page says after its button, or with a file. */
async function says(box) {
  const status = box.locator("[role=status]");
  await status.filter({ hasText: /\S/ }).waitFor();
  return { words: await status.innerText(), holds: (await status.getAttribute("class")).split(" ").includes("holds") };
}

export default async function handover(browser, { pages }) {
  const v = await visit(browser, { url: "file:///" });
  const outputs = [];
  for (const { url, files = [] } of pages) {
    const page = await v.page();
    await page.goto(url);
    const output = { checks: [], sides: [], words: await page.evaluate(() => document.body.innerText) };
    for (const box of await page.locator("[data-check]").all()) {
      const button = box.locator("[data-do=check]");
      if (await button.count()) {
        await button.click();
        output.checks.push(await says(box));
        const [saved] = await Promise.all([page.waitForEvent("download"), box.locator("[data-do=save]").click()]);
        output.saved = (await saved.createReadStream().then((s) => s.toArray())).reduce((n, part) => n + part.length, 0);
      }
      for (const file of files) {
        await box.locator("[role=status]").evaluate((e) => { e.textContent = ""; });
        await box.locator("input[type=file]").setInputFiles(file);
        output.checks.push(await says(box));
      }
    }
    // Which side the words begin at.
    output.sides = await page.locator("blockquote").evaluateAll((all) => all.map((e) => getComputedStyle(e).direction));
    outputs.push(output);
    await page.close();
  }
  return { outputs, requests: v.requests.filter((url) => !/^(file|data|blob):/.test(url)), trouble: await v.end() };
}
