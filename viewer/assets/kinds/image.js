// @ts-check
// An image, the region that is cited, and another that is drawn by the pointer or by numbers.
import { deferred, el, put } from "./dom.js";
import { bbox, having, short, whole } from "./address.js";

/** @typedef {import("../show.js").View} View */
/** @typedef {import("../show.js").Host} Host */
/** @typedef {[number, number, number, number]} Edges left, top, right, bottom, as fractions */

/**
 * What can be drawn on a picture: a region, by dragging.
 * @param {HTMLElement} over what stands over the picture, of its size
 * @param {(edges: Edges, done: boolean) => void} drawn
 */
export function drawing(over, drawn) {
  /** @type {[number, number] | undefined} */
  let from;
  /** @param {PointerEvent} e @returns {[number, number]} */
  const place = (e) => {
    const box = over.getBoundingClientRect();
    const clamp = (/** @type {number} */ v) => Math.min(Math.max(v, 0), 1);
    return [clamp((e.clientX - box.left) / box.width), clamp((e.clientY - box.top) / box.height)];
  };
  /** @param {PointerEvent} e @param {boolean} done */
  const tell = (e, done) => {
    if (!from) return;
    const [x, y] = place(e);
    const edges = /** @type {Edges} */ ([Math.min(from[0], x), Math.min(from[1], y), Math.max(from[0], x), Math.max(from[1], y)]);
    const box = over.getBoundingClientRect();
    if ((edges[2] - edges[0]) * box.width > 4 && (edges[3] - edges[1]) * box.height > 4) drawn(edges, done);
  };
  over.addEventListener("pointerdown", (e) => {
    if (e.button) return;
    from = place(e);
    over.setPointerCapture(e.pointerId);
    e.preventDefault();
  });
  over.addEventListener("pointermove", (e) => tell(e, false));
  over.addEventListener("pointerup", (e) => { tell(e, true); from = undefined; });
  over.addEventListener("pointercancel", () => { from = undefined; });
}

/** @param {View} view @param {Host} host @returns {import("../show.js").Shown} */
export function image(view, host) {
  const base = whole(view.address);
  const img = el("img", { alt: view.document?.title || view.label, class: "picture", draggable: "false" });
  const region = el("div", { class: "region", "data-region": true });
  const chosen = el("div", { class: "chosen-region", hidden: true });
  const over = el("div", { class: "over" }, region, chosen);
  const frame = el("div", { class: "frame" }, img, over);
  const names = /** @type {const} */ (["left", "top", "right", "bottom"]);
  const fields = names.map((name) => el("input", { type: "number", min: 0, max: 100, step: 0.1, "aria-label": host.t(name), oninput: () => typed() }));
  const bar = el("fieldset", { class: "bar" }, el("legend", {}, host.t("region")),
    ...names.flatMap((name, i) => [el("label", {}, host.t(name), " ", fields[i], " %")]));
  const texts = el("div", { class: "image-text" });
  const element = el("div", { class: "with-bar" }, bar, el("div", { class: "scroller image", tabindex: 0, role: "region", "aria-label": host.t("content") }, frame, texts));

  /** @param {HTMLElement} at @param {Edges} e */
  const box = (at, e) => put(at, [e[0], e[1], e[2] - e[0], e[3] - e[1]]);

  /** @param {Edges} edges */
  function choose(edges) {
    const rounded = /** @type {Edges} */ (edges.map((v) => Number(v.toFixed(3))));
    if (rounded[2] <= rounded[0] || rounded[3] <= rounded[1]) return;
    box(chosen, rounded);
    chosen.hidden = false;
    host.select({ address: having(base, { bbox: rounded.map((v) => short(v, 3)).join(",") }) });
  }
  function typed() {
    const edges = /** @type {Edges} */ (fields.map((f) => Number(f.value) / 100));
    const wrong = !edges.every((v) => v >= 0 && v <= 1) || edges[2] <= edges[0] || edges[3] <= edges[1];
    for (const f of fields) f.setAttribute("aria-invalid", String(wrong));
    if (!wrong) choose(edges);
  }
  /** @param {Edges} edges */
  const fill = (edges) => edges.forEach((v, i) => { fields[i].value = short(v * 100, 1); fields[i].removeAttribute("aria-invalid"); });
  drawing(over, (edges, done) => {
    fill(edges);
    box(chosen, edges);
    chosen.hidden = false;
    if (done) choose(edges);
  });

  /** @param {View} got */
  function take(got) {
    view = got;
    const edges = bbox(got.address);
    region.hidden = !edges;
    chosen.hidden = true;
    if (edges) box(region, edges);
    fill(edges ?? [0, 0, 1, 1]);
    for (const old of over.querySelectorAll(".mark")) old.remove();
    for (const picture of got.pictures ?? []) {
      picture.marks?.forEach((m, i) => over.append(put(el("div", { class: "mark", "data-mark": i }), m)));
    }
    texts.replaceChildren();
    const words = (got.spans ?? []).filter((span) => span.text.trim());
    if (words.length) {
      texts.append(el("h2", {}, host.t("wordsInImage")), ...words.map((span) => el("p", { dir: "auto", "data-address": span.address }, span.text)));
    }
  }
  take(view);
  // The size is kept free, so that nothing moves when the picture comes.
  if (view.extent?.width && view.extent.height) { img.width = view.extent.width; img.height = view.extent.height; }
  const drawn = deferred();
  img.addEventListener("load", drawn.fulfil);
  img.addEventListener("error", drawn.fulfil);
  img.addEventListener("error", () => frame.replaceChildren(el("p", { class: "note" }, host.t("noPicture"))));

  return {
    element,
    start() {
      const side = Math.min(Math.max(element.clientWidth, 512) * (devicePixelRatio || 1), 2048);
      Promise.resolve(host.picture(base, Math.round(side))).then((src) => { if (src) img.src = src; else drawn.fulfil(); });
    },
    drawn: () => drawn.promise,
    update(got) { take(got); return true; },
    destroy: drawn.fulfil,
  };
}
