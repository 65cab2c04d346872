// Asks, and checks a text, as a reader of the pages does.
import { visit, ready } from "./visit.mjs";

export default async function asks(browser, { site, questions, text, links }) {
  const v = await visit(browser, site);
  const page = await v.page();
  const output = { answers: [], links: [], checked: {} };
  // Links from elsewhere, opened and then gone to and back: how often the server was asked.
  const asked = () => v.requests.filter((url) => new URL(url).pathname.endsWith("/v1/answer")).length;
  for (const link of links) {
    await v.open(page, link, "ask");
    const field = await page.locator("main textarea").inputValue();
    const counts = [asked()];
    await page.reload();
    await ready(page, "ask");
    counts.push(asked());
    const words = await page.evaluate(() => document.querySelector("main").innerText);
    await page.locator("main form button[type=submit]").click();
    await page.waitForSelector("main .answer:not([aria-busy=true])");
    counts.push(asked());
    await page.locator("main .answer a").first().click();
    await ready(page, "reader");
    await page.goBack();
    await ready(page, "ask");
    await page.waitForSelector("main .answer");
    counts.push(asked());
    output.links.push({ field, counts, words });
  }
  for (const question of questions) {
    await v.open(page, "/view/-/ask", "ask");
    const field = page.locator("main input[type=search], main input[type=text], main input:not([type]), main textarea").first();
    await field.fill(question);
    await field.press("Enter");
    await page.waitForFunction(() => location.search.includes("q="));
    await ready(page, "ask");
    output.answers.push(
      await page.evaluate(() => ({
        words: document.querySelector("main").innerText,
        links: [...document.querySelectorAll('main a[href*="://"]')].map((a) => a.getAttribute("href")),
        path: location.pathname + location.search,
      })),
    );
  }
  await v.open(page, "/view/-/check", "check");
  await page.locator("main textarea").fill(text);
  await page.locator("main form button[type=submit], main form button").first().click();
  await page.waitForSelector("main .verdicts [data-verdict]");
  await ready(page, "check");
  output.checked = await page.evaluate(() => ({
    verdicts: [...document.querySelectorAll("main .verdicts > *")].map((e) => ({ verdict: e.querySelector("[data-verdict]")?.dataset.verdict, words: e.innerText, links: [...e.querySelectorAll("a[href]")].map((a) => a.getAttribute("href")) })),
    words: document.querySelector("main").innerText,
  }));
  return { ...output, trouble: await v.end() };
}
