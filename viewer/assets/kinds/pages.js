// @ts-check
// Pages and slides: their pictures below each other, with the quote boxed and words that can
// be selected. Only the pages that are near have a picture, so the memory stays the same
// however many pages there are.
import { deferred, el, put, settled, units } from "./dom.js";
import { bbox, having, param, run, whole } from "./address.js";

/** @typedef {import("../show.js").View} View */
/** @typedef {import("../show.js").Host} Host */
/** @typedef {import("../show.js").Box} Box */

const gap = 16; // pixels between pages
const mostPictures = 24;
const sides = [512, 800, 1200, 1600, 2048];
const zooms = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

/** @param {View} view @param {Host} host @returns {import("../show.js").Shown} */
export function pages(view, host) {
  /**
   * @typedef {object} Page
   * @property {HTMLElement} node
   * @property {HTMLImageElement} img
   * @property {HTMLElement} words
   * @property {number} side of the picture that is there
   * @property {boolean} asked
   * @property {ReturnType<typeof deferred>} drawn until a picture is there, cannot be had, or is not wanted any more
   */
  const base = whole(view.address);
  const words = view.kind === "slides" ? "slide" : "page";
  const total = Math.max(view.extent?.total ?? 0, ...(view.pictures ?? []).map((p) => run(p.address, "pages")?.[1] ?? 0), 1);
  // With the version in its address a browser keeps a picture for good.
  const version = /(?:#|&|%23|%26)v(?:=|%3D)([0-9a-f]{8,64})/i.exec(view.pictures?.[0]?.path ?? "")?.[1] ?? param(view.address, "v");
  const stop = new AbortController();

  // Sizes in points. A page that was not seen yet is taken to be like the first that was.
  /** @type {Map<number, [number, number]>} */
  const sizes = new Map();
  /** @type {[number, number]} */
  let usual = [view.extent?.width || 595, view.extent?.height || 842];
  /** @type {Map<number, Box[]>} */
  let marks = new Map();
  /** @type {Map<number, Page>} */
  const live = new Map();
  let tops = new Float64Array(total + 2); // of page n at n; in pixels
  let zoom = 0; // 0: as wide as there is room
  let current = run(view.address, "pages")?.[0] ?? 1;

  const sizer = el("div", { class: "sizer" });
  const scroller = el("div", { class: "scroller pages", tabindex: 0, role: "region", "aria-label": host.t("content") }, sizer);
  const field = el("input", { type: "number", min: 1, max: total, class: "page-number", "aria-label": host.t(words + "Number") });
  field.value = String(current);
  const step = (/** @type {number} */ by) => { if (current + by >= 1 && current + by <= total) turn(current + by); };
  const bar = el("div", { class: "bar", role: "toolbar", "aria-label": host.t("pageTools") },
    el("button", { type: "button", "aria-label": host.t("previous"), onclick: () => step(-1) }, "‹"),
    field, el("span", { class: "of" }, host.t("ofTotal", { total })),
    el("button", { type: "button", "aria-label": host.t("next"), onclick: () => step(1) }, "›"),
    el("span", { class: "grow" }),
    el("button", { type: "button", "aria-label": host.t("smaller"), onclick: () => zoomBy(-1) }, "−"),
    el("button", { type: "button", onclick: () => setZoom(0) }, host.t("fitWidth")),
    el("button", { type: "button", "aria-label": host.t("larger"), onclick: () => zoomBy(1) }, "+"));
  field.addEventListener("change", () => {
    const n = Math.round(Number(field.value));
    if (n >= 1 && n <= total) turn(n);
    else field.value = String(current);
  });
  const element = el("div", { class: "with-bar" }, bar, scroller);

  /** Goes to a page, which then is the address. @param {number} n */
  function turn(n) {
    current = n;
    field.value = String(n);
    to(n);
    host.open?.(having(base, { pages: String(n) }));
  }

  const room = () => Math.max(scroller.clientWidth - 2 * gap, 120);
  const wide = () => Math.max(usual[0], ...[...sizes.values()].map((s) => s[0]));
  /** Pixels for a point. */
  const scale = () => (zoom ? zoom * 96 / 72 : Math.min(room() / wide(), words === "slide" ? 3 : 2));
  const size = (/** @type {number} */ n) => sizes.get(n) ?? usual;

  /** Where each page is. The page at the top of the window stays there. */
  function arrange() {
    const anchor = at(scroller.scrollTop);
    const before = tops[anchor], part = scroller.scrollTop - before, was = tops[anchor + 1] - before;
    const s = scale();
    let top = gap, widest = 0;
    for (let n = 1; n <= total; n++) {
      tops[n] = top;
      const [w, h] = sizes.get(n) ?? usual;
      top += Math.round(h * s) + gap;
      if (w > widest) widest = w;
    }
    tops[total + 1] = top;
    sizer.style.height = top + "px";
    sizer.style.width = Math.max(Math.round(widest * s) + 2 * gap, 1) + "px";
    for (const [n, page] of live) place(n, page);
    if (was > 0 && scroller.scrollTop > 0) scroller.scrollTop = tops[anchor] + part * ((tops[anchor + 1] - tops[anchor]) / was);
  }

  /** The page at a height. @param {number} y */
  function at(y) {
    let low = 1, high = total;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (tops[middle] <= y + gap) low = middle; else high = middle - 1;
    }
    return low;
  }

  /** @param {number} n @param {Page} page */
  function place(n, page) {
    const [w, h] = size(n), s = scale();
    page.node.style.top = tops[n] + "px";
    page.node.style.width = Math.round(w * s) + "px";
    page.node.style.height = Math.round(h * s) + "px";
    fitWords(page);
  }

  /** @param {number} n @returns {Page} */
  function make(n) {
    const img = el("img", { alt: "", draggable: "false" });
    const layer = el("div", { class: "text-layer" });
    const node = el("article", { class: "page", "data-page": n, "data-address": having(base, { pages: String(n) }), "aria-label": host.t(words + "OfTotal", { n, total }) }, img, layer);
    const drawn = deferred();
    img.addEventListener("load", () => { node.classList.add("drawn"); drawn.fulfil(); });
    img.addEventListener("error", () => {
      if (!img.getAttribute("src")) return;
      drawn.fulfil();
      node.classList.add("undrawn");
      node.dataset.note = host.t("noPicture");
    });
    const page = { node, img, words: layer, side: 0, asked: false, drawn };
    live.set(n, page);
    sizer.append(node);
    drawMarks(n, page);
    place(n, page);
    return page;
  }

  /** @param {number} n @param {Page} page */
  function drawMarks(n, page) {
    for (const old of page.node.querySelectorAll(".mark, .region")) old.remove();
    (marks.get(n) ?? []).forEach((box, i) => page.node.append(put(el("div", { class: "mark", "data-mark": i }), box)));
    const region = bbox(view.address);
    if (region && run(view.address, "pages")?.[0] === n) {
      page.node.append(put(el("div", { class: "region", "data-region": true }), [region[0], region[1], region[2] - region[0], region[3] - region[1]]));
    }
  }

  /** Draws the pages that are near, and lets the others go. */
  function near() {
    if (!scroller.clientHeight) return;
    const top = scroller.scrollTop, bottom = top + scroller.clientHeight;
    let first = at(top), last = at(bottom);
    current = at(top + scroller.clientHeight / 3);
    if (document.activeElement !== field) field.value = String(current);
    last = Math.min(last, first + mostPictures - 1);
    if (last - first < mostPictures - 4) { first = Math.max(1, first - 1); last = Math.min(total, last + 2); }
    for (const [n, page] of live) {
      if (n >= first && n <= last) continue;
      if (page.node.contains(document.activeElement) || selects(page.node) && live.size <= mostPictures) continue;
      page.img.removeAttribute("src");
      page.node.remove();
      page.drawn.fulfil();
      live.delete(n);
    }
    for (let n = first; n <= last; n++) if (!live.has(n)) make(n);
    detail();
  }

  /** @param {Node} node */
  const selects = (node) => { const s = getSelection(); return !!s && !s.isCollapsed && s.containsNode(node, true); };

  // Pictures and words of the pages at which the reader stays.
  const detail = settled(90, () => {
    const top = scroller.scrollTop - 200, bottom = top + scroller.clientHeight + 400;
    for (const [n, page] of [...live].sort(([a], [b]) => Math.abs(a - current) - Math.abs(b - current))) {
      draw(n, page);
      if (!page.asked && tops[n + 1] > top && tops[n] < bottom) ask(n, page);
    }
  });

  /** @param {number} n @param {Page} page */
  async function draw(n, page) {
    const [w, h] = size(n);
    const wanted = Math.max(w, h) * scale() * (devicePixelRatio || 1);
    const side = sides.find((s) => s >= wanted) ?? sides[sides.length - 1];
    if (page.side >= side) return;
    page.side = side;
    const src = await host.picture(having(base, { pages: String(n), v: version }), side);
    if (!src) page.drawn.fulfil();
    else if (live.get(n) === page && page.side === side) page.img.src = src;
  }

  /** The words of a page, and its size. @param {number} n @param {Page} page */
  async function ask(n, page) {
    page.asked = true;
    let got;
    try {
      got = await host.load({ address: having(base, { pages: String(n) }), layout: true }, stop);
    } catch (error) {
      if (!stop.signal.aborted) page.asked = error instanceof Error && live.get(n) === page;
      return;
    }
    const picture = got.pictures?.[0];
    if (picture) learn([picture]);
    if (live.get(n) === page) setWords(page, got);
  }

  /** @param {import("../show.js").Picture[]} pictures */
  function learn(pictures) {
    let changed = false;
    for (const p of pictures) {
      const n = run(p.address, "pages")?.[0];
      if (!n || !p.width || !p.height) continue;
      const was = size(n);
      if (!sizes.size) usual = [p.width, p.height];
      if (was[0] !== p.width || was[1] !== p.height) changed = true;
      sizes.set(n, [p.width, p.height]);
    }
    if (changed && scroller.isConnected) { arrange(); near(); }
  }

  /** @param {Page} page @param {View} got */
  function setWords(page, got) {
    page.words.replaceChildren();
    for (const span of got.spans ?? []) {
      if (!span.layout?.length) {
        // Without places the words are there for those who do not see the picture.
        page.words.append(el("p", { class: "visually-hidden", dir: "auto" }, span.text));
        continue;
      }
      const at = units(span.text, span.layout.flatMap((l) => [l.from, l.to]));
      span.layout.forEach((line, i) => {
        const content = span.text.slice(at[2 * i], at[2 * i + 1]).replace(/\s+$/, "");
        if (!content) return;
        const node = put(el("span", { class: "w", dir: "auto" }, content), line.box);
        page.words.append(node, "\n");
      });
    }
    fitWords(page);
  }

  /** Makes each line as wide as it is on the page. @param {Page} page */
  function fitWords(page) {
    const height = parseFloat(page.node.style.height), width = parseFloat(page.node.style.width);
    const lines = /** @type {HTMLElement[]} */ ([...page.words.querySelectorAll(".w")]);
    for (const line of lines) {
      line.style.fontSize = Math.max(parseFloat(line.style.height) / 100 * height * 0.8, 1) + "px";
      line.style.transform = "";
    }
    const widths = lines.map((line) => line.scrollWidth);
    lines.forEach((line, i) => {
      const wanted = parseFloat(line.style.width) / 100 * width;
      if (widths[i] > 0) line.style.transform = `scaleX(${wanted / widths[i]})`;
    });
  }

  /** @param {number} n */
  function to(n) {
    const mark = marks.get(n)?.[0], region = run(view.address, "pages")?.[0] === n ? bbox(view.address) : undefined;
    const y = mark ? mark[1] : region ? region[1] : 0;
    const height = tops[n + 1] - tops[n] - gap;
    scroller.scrollTop = y ? tops[n] + y * height - scroller.clientHeight / 3 : tops[n] - gap / 2;
    if (mark && scroller.scrollWidth > scroller.clientWidth) scroller.scrollLeft = (mark[0] + mark[2] / 2) * sizer.clientWidth - scroller.clientWidth / 2;
    near();
  }

  /** @param {View} got */
  function take(got) {
    view = got;
    marks = new Map();
    for (const p of got.pictures ?? []) {
      const n = run(p.address, "pages")?.[0];
      if (n && p.marks?.length) marks.set(n, p.marks);
    }
    learn(got.pictures ?? []);
    for (const [n, page] of live) drawMarks(n, page);
    for (const page of live.values()) page.node.classList.remove("cited");
  }

  const where = () => [...marks.keys()].sort((a, b) => a - b)[0] ?? run(view.address, "pages")?.[0] ?? 1;

  /** @param {number} z */
  function setZoom(z) {
    zoom = z;
    arrange();
    near();
  }
  /** @param {number} by */
  function zoomBy(by) {
    const now = scale() * 72 / 96;
    const next = by > 0 ? zooms.find((z) => z > now * 1.02) : zooms.findLast((z) => z < now * 0.98);
    if (next) setZoom(next);
  }

  const resized = new ResizeObserver(() => { arrange(); near(); });
  scroller.addEventListener("scroll", near, { passive: true });
  take(view);

  return {
    element, scroller,
    start() {
      arrange();
      to(where());
      // What is cited is drawn at once, the pages beside it later.
      const page = live.get(where());
      if (page) draw(where(), page);
      resized.observe(scroller);
    },
    drawn: () => live.get(where())?.drawn.promise ?? Promise.resolve(),
    /** Another place of the same pages. */
    update(got) {
      const first = run(got.address, "pages")?.[0];
      take(got);
      // A page that was turned to is there already.
      if (marks.size || first !== current) to(where());
      return true;
    },
    key(k) {
      if (k === "j") step(1);
      else if (k === "k") step(-1);
      else if (k === "+" || k === "=") zoomBy(1);
      else if (k === "-") zoomBy(-1);
      else if (k === "0") setZoom(0);
      else return false;
      return true;
    },
    destroy() { for (const page of live.values()) page.drawn.fulfil(); stop.abort(); resized.disconnect(); detail.stop(); },
  };
}
