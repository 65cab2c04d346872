import { visit, ready } from "./visit.mjs";

/** Opens the link that the command printed, and returns the cookies after it. */
export default async function signin(browser, { url, link }) {
  const v = await visit(browser, { url });
  const page = await v.page();
  await page.goto(link);
  await ready(page);
  const cookies = await v.context.cookies();
  const address = page.url();
  return { cookies, address, trouble: await v.end() };
}
