// Makes pictures of pages.
import { visit } from "./visit.mjs";
import { drawn } from "./quotes.mjs";
import { asked } from "./screens.mjs";

export default async function pictures(browser, { site, shots }) {
  const trouble = [];
  const made = [];
  for (const { path, width = 1100, height = 640, dark = false } of shots) {
    const v = await visit(browser, site, { viewport: { width, height }, colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
    const page = await v.page();
    await v.open(page, path);
    if (path.includes("/-/ask?q=")) await asked(page);
    await drawn(page);
    await page.waitForLoadState("networkidle");
    made.push((await page.screenshot()).toString("base64"));
    trouble.push(...(await v.end()));
  }
  return { pictures: made, trouble };
}
