// Opens pages of hostile documents, and looks for what they may have brought in.
import { visit } from "./visit.mjs";
import { settled } from "./screens.mjs";

/** Lists what content must not make. Runs in the page. */
function brought() {
  const found = [];
  for (const e of document.querySelectorAll("*")) {
    for (const { name, value } of e.attributes) {
      if (name.startsWith("on")) found.push(`<${e.localName} ${name}=${value}>`);
      if (["href", "src", "action", "formaction", "data", "xlink:href", "poster", "srcset"].includes(name)) {
        const to = new URL(value, location.href);
        if (to.origin !== location.origin && to.protocol !== "blob:" && to.protocol !== "data:" && to.protocol !== "mailto:") found.push(`<${e.localName} ${name}=${value}>`);
      }
    }
    if (["object", "embed", "base", "frame", "applet", "portal"].includes(e.localName)) found.push(`<${e.localName}>`);
    if (e.localName === "iframe" && (!e.hasAttribute("sandbox") || /allow-(scripts|same-origin|top)/.test(e.getAttribute("sandbox")))) found.push(e.outerHTML.slice(0, 200));
    if (e.localName === "script" && !/^\/[A-Z2-7]{26}\/view\/-\/assets\//.test(e.getAttribute("src") ?? "")) found.push(e.outerHTML.slice(0, 200));
    if (e.localName === "style" || e.localName === "meta" && e.httpEquiv) found.push(e.outerHTML.slice(0, 200));
  }
  return { found, words: document.body.innerText };
}

export default async function hostile(browser, { site, paths }) {
  const v = await visit(browser, site);
  const page = await v.page();
  const outputs = [];
  await v.open(page, "/view/");
  for (const path of paths) {
    await v.go(page, path);
    await settled(page);
    const { found, words } = await page.evaluate(brought);
    const ran = await page.evaluate(() => globalThis.scriptRan);
    if (ran !== undefined) found.push(`a script ran: ${ran}`);
    if (!page.url().startsWith(site.url)) found.push(`the browser is at ${page.url()}`);
    v.trouble.push(...found.map((what) => `${path}: ${what}`));
    outputs.push(words);
  }
  return { outputs, trouble: await v.end() };
}
