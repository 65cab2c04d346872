// Opens quotes of writing that goes from right to left.
import { visit } from "./visit.mjs";
import { drawn } from "./quotes.mjs";

/** Where the marks are, and what else is there. Runs in the page. */
function placed() {
  const main = document.querySelector("main");
  const marks = [...main.querySelectorAll("mark[data-mark]")];
  const boxes = marks.flatMap((m) => [...m.getClientRects()]);
  const overlaps = [];
  const walk = document.createTreeWalker(main.querySelector(".scroller"), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (!node.data.trim() || node.parentElement.closest("mark[data-mark]") || !node.parentElement.checkVisibility()) continue;
    const range = document.createRange();
    for (let i = 0; i < node.data.length; i++) {
      if (!node.data[i].trim()) continue;
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      const r = range.getBoundingClientRect();
      // The middle of a letter is in none of the marks.
      const x = (r.left + r.right) / 2, y = (r.top + r.bottom) / 2;
      if (r.width && boxes.some((b) => x > b.left && x < b.right && y > b.top && y < b.bottom)) overlaps.push(node.data.slice(Math.max(i - 5, 0), i + 10));
    }
  }
  const holder = marks[0]?.closest("td, .said, .code, .block");
  const line = holder?.getBoundingClientRect();
  const cells = [...(marks[0]?.closest("tr")?.cells ?? [])].map((c) => c.getBoundingClientRect().left);
  const heading = main.querySelector(".spans [role=heading]");
  return {
    marked: marks.map((m) => m.textContent).join(""),
    direction: holder ? getComputedStyle(holder.matches("[dir]") ? holder : holder.closest("[dir]")).direction : "",
    // How far the first mark is from the start of its line, as a part of the line.
    fromRight: line ? (line.right - boxes[0].right) / line.width : -1,
    bar: holder?.closest(".block") ? getComputedStyle(holder.closest(".block")).borderInlineStartWidth + " " + getComputedStyle(holder.closest(".block")).borderRightWidth : "",
    cells, overlaps,
    heading: heading ? getComputedStyle(heading).direction : "",
    wide: document.documentElement.scrollWidth - innerWidth,
    page: getComputedStyle(document.documentElement).direction,
    panel: [...document.querySelectorAll("main blockquote")].map((q) => getComputedStyle(q).direction),
    title: getComputedStyle(main.querySelector("h1")).direction,
  };
}

export default async function rtl(browser, { site, paths }) {
  const outputs = [];
  const trouble = [];
  for (const width of [1280, 360]) {
    const v = await visit(browser, site, { viewport: { width, height: 800 } });
    const page = await v.page();
    for (const [i, path] of paths.entries()) {
      await (i ? v.go(page, path, "reader") : v.open(page, path, "reader"));
      await drawn(page);
      outputs.push(await page.evaluate(placed));
      if (process.env.CITEKIT_SHOTS) await page.screenshot({ path: `${process.env.CITEKIT_SHOTS}/rtl-${width}-${i}.png` });
    }
    trouble.push(...(await v.end()));
  }
  return { outputs, trouble };
}
