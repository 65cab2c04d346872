// What pages of other origins get of a server that the browser is signed in to.
import { visit } from "./visit.mjs";

/** Tries what a page can do with another server. Runs in the foreign page. */
async function probe({ url, paths }) {
  const got = {};
  const within = (promise) => Promise.race([promise, new Promise((done) => setTimeout(() => done("nothing"), 180_000))]);
  const read = async (path, init) => {
    try {
      const response = await fetch(url + path, { credentials: "include", ...init });
      const text = await response.text();
      return response.type === "opaque" ? "opaque" : `read ${text.length} of ${response.status}`;
    } catch {
      return "refused";
    }
  };
  const element = (name, attribute, path) =>
    within(
      new Promise((done) => {
        const e = document.createElement(name);
        e.onload = () => done(name === "iframe" ? "loaded" : "shown");
        e.onerror = () => done("refused");
        e[attribute] = url + path;
        document.body.append(e);
      }),
    );
  for (const path of paths) {
    got[`cors ${path}`] = await read(path);
    got[`no-cors ${path}`] = await read(path, { mode: "no-cors" });
    got[`img ${path}`] = await element("img", "src", path);
    got[`script ${path}`] = await element("script", "src", path);
  }
  got["post"] = await read("/v1/search", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"query":"tea"}' });
  got["simple post"] = await read("/v1/search", { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" }, body: '{"query":"tea"}' });
  got["end"] = await read("/view/-/session", { method: "DELETE" });
  got["begin"] = await read("/view/-/session", { method: "POST", mode: "no-cors", body: '{"token":"x"}' });
  const opened = open(url + "/view/");
  got["window"] = "blank for three minutes"; // it is ours until the page is there
  for (const until = Date.now() + 180_000; Date.now() < until; await new Promise((done) => setTimeout(done, 50))) {
    try {
      if (!opened.closed && opened.location.href === "about:blank") continue;
      got["window"] = opened.closed ? "closed to us" : "touched";
    } catch {
      got["window"] = "closed to us"; // another origin's
    }
    break;
  }
  await element("iframe", "src", "/view/");
  return got;
}

export default async function security(browser, { site, foreign, rebound, link, paths }) {
  const result = { probes: {}, frames: [] };
  // Pages of another port of this machine, and of another name of it.
  for (const from of foreign) {
    const context = await browser.newContext();
    await context.addCookies(site.cookies);
    const page = await context.newPage();
    await page.goto(from);
    result.probes[from] = await page.evaluate(probe, { url: site.url, paths });
    for (const frame of page.frames().slice(1)) {
      result.frames.push(await frame.evaluate(() => document.querySelector("#app, main") !== null).catch(() => false));
    }
    await context.close();
  }

  // A name of others that is this machine.
  const context = await browser.newContext();
  const page = await context.newPage();
  result.rebound = (await page.goto(rebound)).status();
  await context.close();

  // The link was used, so it signs in nobody again; and its token leaves the address bar.
  const again = await visit(browser, { url: site.url, expected: ["401"] });
  const second = await again.page();
  await second.goto(link);
  await second.waitForSelector('main[data-screen="sign-in"]');
  result.again = { words: await second.locator("main").innerText(), address: second.url(), cookies: (await again.context.cookies()).length, status: (await second.request.get(site.url + "/v1/resources")).status() };
  result.trouble = await again.end();

  // The same in a browser that is signed in is as before.
  const own = await visit(browser, site);
  const third = await own.page();
  await own.open(third, "/view/");
  result.own = await third.evaluate(async (url) => [(await fetch(url + "/v1/resources")).status, document.cookie, Object.keys(localStorage).concat(Object.keys(sessionStorage))], site.url);
  result.trouble.push(...(await own.end()));
  return result;
}
