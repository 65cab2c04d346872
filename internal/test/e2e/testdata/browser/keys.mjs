// Signs in with keys and tokens, chooses a workspace, signs out, and goes on when a key is
// revoked meanwhile.
import { execFileSync } from "node:child_process";
import { visit, ready } from "./visit.mjs";

export default async function keys(browser, { site, wrong, both, token, other, revoke, link }) {
  const v = await visit(browser, site);
  const page = await v.page();
  const steps = {};
  const note = async (what) => {
    steps[what] = await page.evaluate(async () => ({
      screen: document.querySelector("main").dataset.screen,
      path: location.pathname + location.search,
      words: document.querySelector("main").innerText,
      workspaces: [...document.querySelectorAll("header select.workspace option")].map((o) => (o.selected ? "*" : "") + o.value),
      signOut: [...document.querySelectorAll("header button")].some((b) => b.textContent === "Sign out"),
      status: (await fetch("/v1/resources")).status,
      marks: [...document.querySelectorAll("main mark[data-mark]")].map((m) => m.textContent).join(""),
      kept: Object.keys(localStorage).concat(Object.keys(sessionStorage)),
    }));
    steps[what].cookies = (await v.context.cookies()).length;
  };
  const enter = async (key) => {
    await page.locator("#key").fill(key);
    await page.waitForSelector('#key[aria-invalid="false"]'); // what was wrong is gone
    await page.locator(".sign-in button[type=submit]").click();
  };
  const signOut = async () => {
    await page.locator("header button", { hasText: "Sign out" }).click();
    await ready(page, "sign-in");
  };

  await v.open(page, link, "sign-in");
  await note("before");
  for (const [i, key] of wrong.entries()) {
    await enter(key);
    await page.waitForSelector('#key[aria-invalid="true"]');
    await note("wrong " + i);
  }
  await enter(` ${both}\n`);
  await ready(page, "reader");
  await page.waitForSelector("header select.workspace");
  await note("right");

  await page.locator("header select.workspace").selectOption("blue");
  await page.waitForFunction(() => location.search === "?w=blue");
  await ready(page, "library");
  await note("blue");
  await page.reload();
  await ready(page, "library");
  await page.waitForSelector("header select.workspace");
  await note("reloaded");

  await signOut();
  await note("out");
  await page.goBack();
  await ready(page, "sign-in");
  await note("back");

  await v.open(page, "/view/", "sign-in");
  await enter(token);
  await ready(page, "library");
  await page.waitForFunction(() => [...document.querySelectorAll("header button")].some((b) => b.textContent === "Sign out"));
  await note("token");
  await signOut();

  await enter(other);
  await ready(page, "library");
  await page.goto(site.url + "/view/-/search?q=says");
  await ready(page, "search");
  await note("search");
  execFileSync(revoke[0], revoke.slice(1));
  // A server may take a moment to see that.
  for (;;) {
    await page.locator("main form button[type=submit]").click();
    await ready(page);
    await page.waitForFunction(() => !document.querySelector("main form [disabled]"));
    if (await page.locator('main[data-screen="sign-in"]').count()) break;
    await new Promise((done) => setTimeout(done, 100));
  }
  await ready(page, "sign-in");
  await note("revoked");
  await enter(other);
  await page.waitForSelector('#key[aria-invalid="true"]');
  await note("revoked key");
  await enter(both);
  await ready(page, "search");
  await page.waitForSelector("header select.workspace");
  await note("again");
  return { steps, trouble: await v.end() };
}
