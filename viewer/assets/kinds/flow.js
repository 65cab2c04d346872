// @ts-check
// Spans one below the other, of which more come as one scrolls. What is far away is let go,
// so that the memory stays the same however long the source is.
import { bring, el } from "./dom.js";

/** @typedef {import("../show.js").View} View */
/** @typedef {import("../show.js").Host} Host */

const mostSpans = 1500;

/**
 * @param {View} first
 * @param {Host} host
 * @param {object} parts
 * @param {HTMLElement} parts.scroller what scrolls
 * @param {HTMLElement} parts.list where chunks stand
 * @param {(view: View, first: boolean) => HTMLElement} parts.chunk makes the elements of the spans of an answer
 * @param {number} [parts.weight] how many spans one span counts as, of those that stay
 * @param {object} [parts.rows] where all rows have a place in the height, so that one can scroll to any
 * @param {number} parts.rows.total
 * @param {(view: View) => [number, number] | undefined} parts.rows.of the first and the last row of an answer
 * @param {(row: number) => string} parts.rows.at the address of a row
 */
export function flow(first, host, { scroller, list, chunk, weight = 1, rows }) {
  /** @typedef {{node: HTMLElement, count: number, before?: string, after?: string, range?: [number, number]}} Chunk */
  /** @type {Chunk[]} */
  const chunks = [];
  const stop = new AbortController();
  /** @type {Record<"before" | "after", boolean>} */
  const busy = { before: false, after: false };

  /** @param {View} view @param {boolean} isFirst @returns {Chunk} */
  const make = (view, isFirst) => ({ node: chunk(view, isFirst), count: (view.spans?.length ?? 0) * weight, before: view.before, after: view.after, range: rows?.of(view) });

  /** Leaves the place of the rows that are not there. */
  const space = () => {
    const from = chunks[0]?.range?.[0], to = chunks[chunks.length - 1]?.range?.[1];
    if (!rows) return;
    if (from && to && from <= rows.total) height ||= list.getBoundingClientRect().height / Math.max(to - from + 1, 1);
    top.style.height = from && from > 1 ? `${Math.round((from - 1) * height)}px` : "";
    bottom.style.height = to && rows.total > to ? `${Math.round((rows.total - to) * height)}px` : "";
  };
  let height = 0;

  /** Goes to the rows in sight, if they are far from those that are there. */
  async function jump() {
    const outer = scroller.getBoundingClientRect(), box = list.getBoundingClientRect();
    if (!rows || !height || box.bottom > outer.top - 200 && box.top < outer.bottom + 200) return;
    const row = Math.min(Math.max(Math.floor((outer.top - box.top + top.offsetHeight) / height) + 1, 1), rows.total);
    const mine = ++jumps;
    busy.before = busy.after = true;
    try {
      const view = await host.load({ address: rows.at(row) }, stop);
      if (mine !== jumps) return;
      const made = make(view, false);
      if (!made.range) return;
      for (const old of chunks.splice(0)) old.node.remove();
      chunks.push(made);
      list.append(made.node);
      const was = scroller.scrollTop;
      space();
      scroller.scrollTop = was;
    } catch (error) {
      if (!stop.signal.aborted) wrong(error);
    } finally {
      if (mine === jumps) { busy.before = busy.after = false; ends(); }
    }
  }
  let jumps = 0, waiting = 0;
  const scrolled = () => { clearTimeout(waiting); waiting = setTimeout(jump, 60); };
  if (rows) scroller.addEventListener("scroll", scrolled, { passive: true });

  const before = el("button", { type: "button", class: "more", onclick: () => more("before") }, host.t("showBefore"));
  const after = el("button", { type: "button", class: "more", onclick: () => more("after") }, host.t("showAfter"));
  const failed = el("p", { class: "wrong", role: "alert", hidden: true });

  const ends = () => {
    before.hidden = !chunks[0]?.before;
    after.hidden = !chunks[chunks.length - 1]?.after;
    // The observer tells only of changes.
    watch.unobserve(before); watch.unobserve(after);
    if (!before.hidden) watch.observe(before);
    if (!after.hidden) watch.observe(after);
  };

  /** @param {"before" | "after"} end */
  async function more(end) {
    const edge = end === "before" ? chunks[0] : chunks[chunks.length - 1];
    const cursor = edge?.[end];
    if (!cursor || busy[end]) return;
    busy[end] = true;
    const was = jumps;
    try {
      const view = await host.load({ address: first.address, cursor }, stop);
      if (was !== jumps) return;
      const made = make(view, false);
      if (!made.count) made[end] = undefined;
      if (end === "before") {
        keep(edge.node, () => { list.prepend(made.node); chunks.unshift(made); space(); });
      } else {
        list.append(made.node);
        chunks.push(made);
        space();
      }
      prune(end);
      failed.hidden = true;
    } catch (error) {
      if (stop.signal.aborted) return;
      edge[end] = undefined; // until the reader asks again, by a new view
      wrong(error);
    } finally {
      if (was === jumps) busy[end] = false;
    }
    ends();
  }

  /** @param {unknown} error */
  const wrong = (error) => {
    failed.textContent = error instanceof Error ? error.message : String(error);
    failed.hidden = false;
  };

  /** Changes what is above, and keeps what is read where it is. @param {HTMLElement} node @param {() => void} change */
  const keep = (node, change) => {
    const was = node.getBoundingClientRect().top;
    change();
    scroller.scrollTop += node.getBoundingClientRect().top - was;
  };

  /** @param {"before" | "after"} end where something came */
  const prune = (end) => {
    let count = chunks.reduce((n, c) => n + c.count, 0);
    while (count > mostSpans && chunks.length > 2) {
      const far = end === "before" ? chunks[chunks.length - 1] : chunks[0];
      const box = far.node.getBoundingClientRect(), outer = scroller.getBoundingClientRect();
      if (box.bottom > outer.top - 200 && box.top < outer.bottom + 200 || far.node.contains(document.activeElement)) return;
      if (end === "before") { far.node.remove(); chunks.pop(); space(); }
      else keep(chunks[1].node, () => { far.node.remove(); chunks.shift(); space(); });
      count -= far.count;
    }
  };

  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) more(entry.target === before ? "before" : "after");
  }, { root: scroller, rootMargin: "800px 0px" });

  chunks.push(make(first, true));
  list.append(chunks[0].node);
  const top = el("div", { class: rows ? "flow-end above" : "flow-end" }, before), bottom = el("div", { class: rows ? "flow-end below" : "flow-end" }, after, failed);

  return {
    top, bottom,
    /** Shows the place of the address; call it once the scroller is in the page. */
    start() {
      space();
      const at = list.querySelector("[data-mark]") ?? list.querySelector(".cited");
      if (at && (chunks[0].before || at.getBoundingClientRect().bottom > scroller.getBoundingClientRect().bottom || at.matches("[data-mark]"))) bring(scroller, at);
      ends();
    },
    destroy() { stop.abort(); watch.disconnect(); clearTimeout(waiting); scroller.removeEventListener("scroll", scrolled); },
  };
}
