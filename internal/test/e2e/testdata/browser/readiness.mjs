// Whether a page is ready only once its picture is there, or cannot be had.
import { visit, ready } from "./visit.mjs";

export default async function readiness(browser, { site, path }) {
  const v = await visit(browser, site);
  const outputs = {};
  for (const fails of [false, true]) {
    const page = await v.page();
    let release = () => {};
    const held = new Promise((done) => { release = done; });
    await page.route("**/v1/pictures/**", async (route) => {
      await held;
      if (fails) await route.fulfill({ status: 500, body: "" });
      else await route.continue();
    });
    const asked = page.waitForRequest((request) => request.url().includes("/v1/pictures/"));
    await page.goto(site.url + path);
    await asked;
    await page.waitForSelector("main .mark[data-mark]", { state: "attached" });
    const before = await page.evaluate(() => document.querySelector("main").dataset.ready === "true");
    release();
    await ready(page, "reader");
    const shows = await page.evaluate(() => !!document.querySelector("main .mark[data-mark]").parentElement.querySelector("img").naturalWidth);
    outputs[fails ? "failing" : "whole"] = { before, shows };
    await page.close();
  }
  return { ...outputs, trouble: await v.end() };
}
