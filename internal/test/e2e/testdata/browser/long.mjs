// Scrolls long things from end to end, and counts the elements that are there meanwhile.
import { visit } from "./visit.mjs";

export default async function long(browser, { site, path, steps, pictures }) {
  const v = await visit(browser, site);
  const page = await v.page();
  await v.open(page, path, "reader");
  const output = { pictures: 0, nodes: 0, seen: [], height: 0 };
  for (let step = 0; step <= steps; step++) {
    const at = await page.evaluate(async (part) => {
      // What scrolls is the largest thing that can.
      const main = document.querySelector("main");
      const all = [document.scrollingElement, main, ...main.querySelectorAll("*")].filter((e) => e.scrollHeight > e.clientHeight + 50 && (e === document.scrollingElement || /auto|scroll/.test(getComputedStyle(e).overflowY)));
      const scroller = all.sort((a, b) => b.scrollHeight - a.scrollHeight)[0];
      scroller.scrollTop = part * (scroller.scrollHeight - scroller.clientHeight);
      await new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 20));
      return { pictures: document.images.length + document.querySelectorAll("canvas").length, nodes: document.querySelectorAll("*").length, height: scroller.scrollHeight };
    }, step / steps);
    output.pictures = Math.max(output.pictures, at.pictures);
    output.nodes = Math.max(output.nodes, at.nodes);
    output.height = at.height;
    if (step === 0 || step === Math.floor(steps / 2) || step === steps) {
      if (!pictures) { // of rows
        await page.waitForFunction(() => [...document.querySelectorAll("[data-row]")].some((e) => { const r = e.getBoundingClientRect(); return r.bottom > 60 && r.top < innerHeight; }));
      } else {
        await page.waitForFunction(() => [...document.images].some((i) => { const r = i.getBoundingClientRect(); return r.bottom > 60 && r.top < innerHeight && i.complete && i.naturalWidth > 0; }));
      }
      output.seen.push(
        await page.evaluate(() => {
          const inView = (e) => { const r = e.getBoundingClientRect(); return r.bottom > 60 && r.top < innerHeight && r.height > 0; };
          const addresses = [...document.querySelectorAll("main [data-address]")].filter(inView).map((e) => e.dataset.address);
          return { addresses, pictures: [...document.images].filter(inView).filter((i) => i.complete && i.naturalWidth > 0).length, words: document.querySelector("main").innerText };
        }),
      );
    }
  }
  return { ...output, trouble: await v.end() };
}
