// What is marked for quotes, each at its own address.
import { visit, ready } from "./visit.mjs";

/** What a page marks, as fractions of the pictures and as text. Runs in the page. */
export function marked() {
  const reader = document.querySelector("main");
  const texts = [...reader.querySelectorAll("mark[data-mark]")].map((m) => ({
    text: m.textContent,
    mark: m.dataset.mark,
    // Where it stands: the nearest element that has a number or an address.
    at: m.closest("[data-address], [data-line], [data-row], [data-block]")?.dataset ?? {},
  }));
  const boxes = [...reader.querySelectorAll("div[data-mark]")].map((m) => {
    let holder = m.parentElement;
    while (holder && !holder.querySelector("img, canvas")) holder = holder.parentElement;
    const picture = holder?.querySelector("img, canvas");
    const [box, all] = [m.getBoundingClientRect(), picture?.getBoundingClientRect()];
    if (!all) return { lost: true };
    return {
      picture: picture.currentSrc || picture.src || "",
      mark: m.dataset.mark,
      box: [(box.left - all.left) / all.width, (box.top - all.top) / all.height, box.width / all.width, box.height / all.height],
    };
  });
  const first = reader.querySelector("[data-mark]")?.getBoundingClientRect();
  return {
    state: document.querySelector("[data-state]")?.dataset.state ?? "",
    quote: document.querySelector("main .finding[data-verdict]")?.dataset.verdict ?? "",
    texts,
    boxes,
    cited: [...reader.querySelectorAll("td[data-cited]")].map((td) => td.textContent),
    quoted: reader.querySelectorAll(".finding .quoted").length,
    numbers: [...reader.querySelectorAll(".line .no")].map((no) => no.dataset.n),
    times: [...reader.querySelectorAll(".times span")].map((time) => time.textContent),
    heads: [...reader.querySelectorAll(".grid th[scope=col]")].map((th) => th.textContent),
    seen: !!first && first.bottom > 0 && first.top < innerHeight && first.right > 0 && first.left < innerWidth,
    words: reader.innerText.slice(0, 4000),
  };
}

/** Waits until the marks are drawn and scrolled to, and the pictures below them are there. */
export async function drawn(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForFunction(() =>
    [...document.querySelectorAll("main div[data-mark]")].every((m) => {
      let holder = m.parentElement;
      while (holder && !holder.querySelector("img, canvas")) holder = holder.parentElement;
      const picture = holder?.querySelector("img, canvas");
      return picture && (picture.localName === "canvas" || (picture.complete && picture.naturalWidth > 0));
    }),
  );
}

export default async function quotes(browser, { site, paths, tabs = 2 }) {
  const v = await visit(browser, site);
  const outputs = new Array(paths.length);
  let next = 0;
  await Promise.all(
    Array.from({ length: tabs }, async () => {
      const page = await v.page();
      let first = true;
      while (next < paths.length) {
        const i = next++;
        if (first) await v.open(page, paths[i], "reader");
        else await v.go(page, paths[i], "reader");
        first = false;
        await drawn(page);
        outputs[i] = await page.evaluate(marked);
      }
    }),
  );
  return { outputs, trouble: await v.end() };
}
