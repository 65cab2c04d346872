// @ts-check
// Makes elements. Text is always text: nothing here parses markup.

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [props] attributes; functions are listeners, such as onclick; undefined and false are left out
 * @param {...(Node | string | undefined | false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(.../** @type {(Node | string)[]} */ (children.filter((c) => c !== undefined && c !== false)));
  return made;
}

/**
 * Puts an element at a box of what holds it.
 * @param {HTMLElement} element @param {[number, number, number, number]} box left, top, width and height, as fractions
 */
export function put(element, [x, y, w, h]) {
  element.style.left = x * 100 + "%";
  element.style.top = y * 100 + "%";
  element.style.width = w * 100 + "%";
  element.style.height = h * 100 + "%";
  return element;
}

/**
 * Where code points of a text are in its UTF-16.
 * @param {string} text @param {number[]} points sorted
 */
export function units(text, points) {
  if (!/[\uD800-\uDBFF]/.test(text)) return points.map((p) => Math.min(p, text.length));
  const out = [];
  let unit = 0, point = 0;
  for (const wanted of points) {
    while (point < wanted && unit < text.length) {
      unit += /** @type {number} */ (text.codePointAt(unit)) > 0xffff ? 2 : 1;
      point++;
    }
    out.push(unit);
  }
  return out;
}

/**
 * Marks in UTF-16, sorted, without those that are empty.
 * @param {string} text @param {[number, number][] | undefined} marks in code points
 * @returns {[number, number, number][]} from, to, and which mark it is
 */
export function markUnits(text, marks) {
  if (!marks?.length) return [];
  const points = [...new Set(marks.flat())].sort((a, b) => a - b);
  const at = units(text, points);
  const unit = new Map(points.map((p, i) => [p, at[i]]));
  return marks.map(([from, to], i) => /** @type {[number, number, number]} */ ([unit.get(from), unit.get(to), i]))
    .filter(([from, to]) => from < to).sort((a, b) => a[0] - b[0]);
}

/**
 * A part of a text, with its marks and colours.
 * @param {string} text @param {number} from @param {number} to in UTF-16, of the part
 * @param {[number, number, number][]} marks of markUnits
 * @param {[number, number, string][]} [colours] from, to and kind, sorted
 */
export function marked(text, from, to, marks, colours = []) {
  const made = document.createDocumentFragment();
  /** @param {ParentNode & Node} into @param {number} a @param {number} b */
  const coloured = (into, a, b) => {
    for (const [x, y, kind] of colours) {
      if (y <= a) continue;
      if (x >= b) break;
      if (x > a) into.append(text.slice(a, x));
      const end = Math.min(y, b), part = text.slice(Math.max(x, a), end);
      into.append(kind ? el("span", { class: "t-" + kind }, part) : part);
      a = end;
    }
    if (a < b) into.append(text.slice(a, b));
  };
  let at = from;
  for (const [x, y, i] of marks) {
    if (y <= at || x >= to) continue;
    if (x > at) coloured(made, at, x);
    const mark = el("mark", { "data-mark": i });
    const end = Math.min(y, to);
    coloured(mark, Math.max(x, at), end);
    made.append(mark);
    at = end;
  }
  if (at < to) coloured(made, at, to);
  return made;
}

/** Seconds as people read them, such as 1:02:03.5. @param {number} seconds */
export function clock(seconds) {
  const tenths = Math.round(Math.max(seconds, 0) * 10);
  const h = Math.floor(tenths / 36000), m = Math.floor(tenths / 600) % 60, s = (tenths % 600) / 10;
  const two = (/** @type {number} */ n) => (n < 10 ? "0" : "") + n;
  return (h ? `${h}:${two(m)}` : `${m}`) + ":" + two(s);
}

/** A promise, and what fulfils it. @returns {{promise: Promise<void>, fulfil: () => void}} */
export function deferred() {
  let fulfil = () => {};
  const promise = /** @type {Promise<void>} */ (new Promise((done) => { fulfil = done; }));
  return { promise, fulfil };
}

/** Waits until nothing more comes. @param {number} ms @param {() => void} f */
export function settled(ms, f) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const wait = () => { clearTimeout(timer); timer = setTimeout(f, ms); };
  wait.stop = () => clearTimeout(timer);
  return wait;
}

/**
 * Brings a child of a scroller to about a third of its height.
 * @param {HTMLElement} scroller @param {Element} child
 */
export function bring(scroller, child) {
  const outer = scroller.getBoundingClientRect(), inner = child.getBoundingClientRect();
  scroller.scrollTop += inner.top - outer.top - Math.max(0, Math.min(scroller.clientHeight / 3, (scroller.clientHeight - inner.height) / 2));
  if (inner.left < outer.left || inner.right > outer.right) scroller.scrollLeft += inner.left - outer.left - scroller.clientWidth / 3;
}

/**
 * A field that goes to a line or a row. It is no form, which hosts of MCP Apps need not allow.
 * @param {string} label @param {string} go the word of its button @param {number | undefined} most the last number, if it is known
 * @param {(n: number) => void} to
 */
export function goTo(label, go, most, to) {
  const field = el("input", { type: "number", min: 1, max: most, "aria-label": label });
  const leave = () => {
    const n = Math.round(Number(field.value));
    const wrong = !(n >= 1 && n <= (most ?? Infinity));
    field.setAttribute("aria-invalid", String(wrong));
    if (!wrong) to(n);
  };
  field.addEventListener("keydown", (e) => { if (e.key === "Enter") leave(); });
  return el("div", { class: "go-to no-print" }, el("label", {}, label, " ", field), " ", el("button", { type: "button", onclick: leave }, go));
}

/** A remark as a sentence, which may begin and end as it does in a row of them. @param {string} text */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
