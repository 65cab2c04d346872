// A visit to the pages of one server, and what must not happen on them.

/** What happened on the visits of a script. @type {string[][]} */
export const troubles = [];

/**
 * Opens a context that is signed in, and notes what must not happen: requests to other
 * hosts, errors, warnings, scripts of documents, and dialogs.
 * @param {import("playwright-core").Browser} browser
 * @param {{url: string, cookies?: any[], expected?: string[]}} site expected are regular
 *   expressions of messages that are no trouble
 */
export async function visit(browser, { url, cookies = [], expected = [] }, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(Number(process.env.CITEKIT_BROWSER_WAIT) || 120_000);
  if (cookies.length) await context.addCookies(cookies);
  const host = new URL(url).host;
  const trouble = [];
  troubles.push(trouble);
  const patterns = expected.map((pattern) => new RegExp(pattern));
  const note = (message) => patterns.some((p) => p.test(message)) || trouble.push(message.slice(0, 1000));
  const requests = [];
  context.on("request", (request) => {
    const to = new URL(request.url());
    requests.push(request.url());
    if (!["blob:", "data:", "about:"].includes(to.protocol) && to.host !== host) note(`a request to ${request.url()}`);
  });
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) note(`${message.type()} on ${message.page()?.url()}: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (error) => note(`an error on ${error.page()?.url()}: ${error.error().stack}`));
  context.on("dialog", (dialog) => {
    note(`a dialog on ${dialog.page()?.url()}: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (e) => console.error("the policy forbids", e.violatedDirective, e.blockedURI, e.sample));
  });
  return {
    context,
    trouble,
    requests,
    page: () => context.newPage(),
    /** Opens a page of the viewer and waits until it shows its content. */
    async open(page, path, screen = "") {
      await page.goto(url + path);
      await ready(page, screen);
    },
    /** Goes from a page of the viewer to another one, as back and forward do. */
    async go(page, path, screen = "") {
      await page.evaluate((to) => {
        if (to === location.pathname + location.search) return;
        history.pushState(null, "", to);
        dispatchEvent(new PopStateEvent("popstate"));
      }, new URL(url).pathname.replace(/\/$/, "") + path);
      await ready(page, screen);
    },
    /** Ends the visit. Scripts of documents set the global that is looked for. */
    async end() {
      for (const page of context.pages()) {
        for (const frame of page.frames()) {
          const ran = await frame.evaluate(() => globalThis.scriptRan).catch(() => undefined);
          if (ran !== undefined) note(`a script of a document ran on ${frame.url()}: ${ran}`);
        }
      }
      await context.close();
      return trouble;
    },
  };
}

/** Waits until the main part of a page shows its content. */
export async function ready(page, screen = "") {
  const which = screen ? `[data-screen="${screen}"]` : "";
  await page.waitForSelector(`main${which}[data-ready="true"]`, { state: "attached" });
}
