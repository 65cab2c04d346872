// @ts-check
// Rows of sheets and tables as a grid, whose headers stay in sight. Columns beyond a few
// score are shown in turn.
import { el, goTo, marked, markUnits } from "./dom.js";
import { flow } from "./flow.js";
import { cellRange, cells as cellsOf, column, decoded, having, letters, param, parse, run } from "./address.js";

/** @typedef {import("../show.js").View} View */
/** @typedef {import("../show.js").Span} Span */
/** @typedef {import("../show.js").Host} Host */

const mostColumns = 60;

/**
 * @typedef {object} Row
 * @property {number} row its number, from 1
 * @property {string} group the sheet, table or part that it is in
 * @property {number} left the number of its first column
 * @property {[number, number][]} cells from and to of each cell, in UTF-16 of the text
 * @property {Span} span
 * @property {boolean} cited
 */

/**
 * The fields of a line of comma-separated values.
 * @param {string} text @param {string} separator
 * @returns {[number, number][]}
 */
export function fields(text, separator) {
  /** @type {[number, number][]} */
  const found = [];
  for (let at = 0; ;) {
    let end = at;
    if (separator !== "\t" && text[at] === '"') {
      for (end++; end < text.length && (text[end] !== '"' || text[end + 1] === '"'); end++) if (text[end] === '"') end++;
      const close = Math.min(end + 1, text.length);
      const next = text.indexOf(separator, close);
      const stop = next < 0 ? text.length : next;
      found.push(stop === close && end < text.length ? [at + 1, end] : [at, stop]);
      if (next < 0) return found;
      at = next + 1;
      continue;
    }
    const next = text.indexOf(separator, at);
    end = next < 0 ? text.length : next;
    found.push([at, end]);
    if (next < 0) return found;
    at = next + 1;
  }
}

/**
 * Whether a cell has a number alone. No part of the pattern can match what another one
 * does, so the time is linear.
 * @param {string} text
 */
export const isNumber = (text) => /\d/.test(text) && /^[-+(]?[\d.,' \u00a0]+[)%]?$/.test(text.trim());

/** @param {string} address */
const citesOne = (address) => !!(param(address, "sheet") || param(address, "table"));

/** @param {View} view @param {Host} host @returns {import("../show.js").Shown} */
export function cells(view, host) {
  const isSheet = view.kind === "cells";
  /** @type {string | undefined} */
  let separator;
  /** @type {string[]} the names of columns, if a header tells them */
  const names = view.header?.split("\t") ?? [];
  let widest = 1, firstColumn = 1;
  /** @type {Map<HTMLElement, Row[]>} */
  const chunks = new Map();

  const head = el("tr");
  const table = el("table", { class: "grid", role: "grid", "aria-label": view.label, "aria-multiselectable": "true" }, el("thead", {}, head));
  const columns = el("div", { class: "columns", hidden: true });
  const scroller = el("div", { class: "scroller cells", role: "region", "aria-label": host.t("content") });
  const open = host.open;
  const near = citesOne(view.address) ? view.address : view.spans?.[0]?.address ?? view.address;
  const isNumbered = isSheet || !!param(near, "table") || !!run(near, "rows");
  const row = open && isNumbered && goTo(host.t("row"), host.t("goThere"), undefined, (n) => open(having(near, { cells: "", cols: "", lines: "", rows: String(n) })));
  const element = el("div", { class: "with-bar" }, el("div", { class: "bar" }, row, columns), scroller);

  /** What the address selects. */
  const range = cellsOf(view.address);
  const cols = (parse(view.address).params.get("cols") ?? "").split(",").filter(Boolean).map(decoded);
  /** @param {string} name @param {number} c whether a column is so named, or has that number */
  const isNamed = (name, c) => {
    if (names.includes(name)) return names[c - 1] === name;
    const alike = (/** @type {string} */ one) => one.trim().toLowerCase() === name.trim().toLowerCase();
    return names.some(alike) ? alike(names[c - 1] ?? "") : Number(name) === c;
  };
  /** @param {number} c */
  const citedColumn = (c) => {
    if (range) return c >= range[0] && c <= range[2];
    if (!cols.length) return true;
    return cols.some((one) => {
      const [a, b = a] = one.split(":");
      return isSheet ? c >= column(a) && c <= column(b) : isNamed(one, c);
    });
  };
  const citesPart = !!(range || cols.length || param(view.address, "rows") || param(view.address, "lines"));

  /** @param {View} got @param {boolean} first @returns {Row[]} */
  function rows(got, first) {
    const [from, to] = (first && got.selected) || [0, 0];
    let last = 0;
    return (got.spans ?? []).map((span, i) => {
      const at = cellsOf(span.address);
      const isLine = !isSheet && !run(span.address, "rows") && ["csv", "tsv"].includes(view.format ?? "");
      if (isLine) separator ??= ["\t", ",", ";", "|"].reduce((best, s) => (span.text.split(s).length > span.text.split(best).length ? s : best), ",");
      const row = at?.[1] ?? run(span.address, "rows")?.[0] ?? run(span.address, "lines")?.[0] ?? last + 1;
      last = row;
      const found = fields(span.text, isLine && separator || "\t");
      const left = at?.[0] ?? span.column ?? 1;
      widest = Math.max(widest, left + found.length - 1);
      const cited = citesPart && !!view.selected && (i >= from && i < to || !!got.moreSelected?.some(([a, b]) => i >= a && i < b));
      return { row, group: param(span.address, "sheet") || param(span.address, "table"), left, cells: found, span, cited };
    });
  }

  const shown = () => Math.min(widest, firstColumn + mostColumns - 1);

  function drawHead() {
    head.replaceChildren(el("td", { class: "corner" }));
    for (let c = firstColumn; c <= shown(); c++) head.append(el("th", { scope: "col", "aria-colindex": c + 1, dir: "auto" }, isSheet ? letters(c) : names[c - 1] || String(c)));
    table.setAttribute("aria-colcount", String(widest + 1));
    const more = widest > mostColumns;
    columns.hidden = !more;
    if (!more) return;
    const move = (/** @type {number} */ to) => { firstColumn = Math.min(Math.max(to, 1), Math.max(1, widest - mostColumns + 1)); redraw(); };
    columns.replaceChildren(
      el("button", { type: "button", disabled: firstColumn === 1, onclick: () => move(firstColumn - mostColumns) }, "‹"),
      el("span", {}, host.t("columnsOf", { from: isSheet ? letters(firstColumn) : firstColumn, to: isSheet ? letters(shown()) : shown(), total: widest })),
      el("button", { type: "button", disabled: shown() === widest, onclick: () => move(firstColumn + mostColumns) }, "›"));
  }

  /** @param {HTMLElement} node @param {Row[]} all */
  function drawRows(node, all) {
    node.replaceChildren();
    let group = "";
    for (const r of all) {
      if (r.group !== group) {
        group = r.group;
        node.append(el("tr", { class: "group" }, el("th", { colspan: shown() - firstColumn + 2, scope: "rowgroup", dir: "auto" }, el("span", {}, group))));
      }
      const marks = markUnits(r.span.text, r.span.marks);
      const tr = el("tr", { "data-row": r.row, "aria-rowindex": r.row + 1 }, el("th", { scope: "row" }, String(r.row)));
      for (let c = firstColumn; c <= shown(); c++) {
        const place = r.cells[c - r.left];
        const cited = r.cited && citedColumn(c);
        const td = el("td", { dir: "auto", tabindex: -1, "data-col": c, "aria-colindex": c + 1, class: cited && "cited", "data-cited": cited });
        if (place) {
          td.append(marked(r.span.text, place[0], place[1], marks));
          if (isNumber(r.span.text.slice(place[0], place[1]))) td.classList.add("number");
        }
        tr.append(td);
      }
      node.append(tr);
    }
  }

  function redraw() {
    drawHead();
    for (const [node, all] of chunks) if (node.isConnected) drawRows(node, all); else chunks.delete(node);
    restore();
    stop();
  }

  let drawn = 0;
  /** @param {Span} [span] */
  const numberOf = (span) => (span && (cellsOf(span.address)?.[1] ?? run(span.address, "rows")?.[0])) || 0;
  /** @param {Span} [span] whether it is of the sheet or table of the address */
  const isOwn = (span) => !!span && ["member", "sheet", "table"].every((name) => param(span.address, name) === param(near, name));
  const total = view.lastRow ?? 0;
  let past = false; // the last row is there
  const made = flow(view, host, {
    scroller, list: table,
    weight: Math.max(1, (view.spans?.[0]?.text.split("\t").length ?? 1) / 5),
    rows: total && (citesOne(view.address) || run(near, "rows")) ? {
      total,
      of(got) {
        const first = got.spans?.[0], last = got.spans?.[got.spans.length - 1];
        if (!isOwn(first) && !isOwn(last)) return past ? [total + 1, total + 1] : undefined; // another sheet
        past ||= !isOwn(last) || numberOf(last) >= total;
        return [isOwn(first) ? numberOf(first) : 1, isOwn(last) ? numberOf(last) : total];
      },
      at: (n) => having(near, { cells: "", cols: "", lines: "", rows: String(n) }),
    } : undefined,
    chunk(got, first) {
      const node = el("tbody", { class: "chunk" });
      const all = rows(got, first);
      if (first && range) {
        firstColumn = Math.max(1, Math.min(range[0] - 2, widest - mostColumns + 1));
      }
      chunks.set(node, all);
      if (widest !== drawn) { drawn = widest; drawHead(); for (const [n, other] of chunks) if (n !== node && n.isConnected) drawRows(n, other); }
      drawRows(node, all);
      for (const old of chunks.keys()) if (old !== node && !old.isConnected && chunks.size > 2) chunks.delete(old);
      return node;
    },
  });
  scroller.append(made.top, table, made.bottom);

  // Selection: of cells from one corner to another.
  /** @type {{row: number, col: number, group: string} | undefined} */
  let anchor;
  /** @type {{row: number, col: number, group: string} | undefined} */
  let focus;
  /** @param {Element} td */
  const placeOf = (td) => {
    const tr = /** @type {HTMLElement} */ (td.closest("tr"));
    const body = /** @type {HTMLElement} */ (td.closest("tbody"));
    const row = Number(tr.dataset.row);
    return { row, col: Number(/** @type {HTMLElement} */ (td).dataset.col), group: chunks.get(body)?.find((r) => r.row === row)?.group ?? "" };
  };
  function restore() {
    for (const td of /** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll("td[data-col]"))) {
      let chosen = false;
      if (anchor && focus) {
        const at = placeOf(td);
        chosen = at.group === anchor.group && between(at.row, anchor.row, focus.row) && between(at.col, anchor.col, focus.col);
      }
      td.classList.toggle("chosen", chosen);
      if (chosen) td.setAttribute("aria-selected", "true"); else td.removeAttribute("aria-selected");
    }
  }
  const between = (/** @type {number} */ n, /** @type {number} */ a, /** @type {number} */ b) => n >= Math.min(a, b) && n <= Math.max(a, b);

  /** @param {Element} td @param {boolean} extend */
  function choose(td, extend) {
    const at = placeOf(td);
    if (!extend || !anchor || anchor.group !== at.group) anchor = at;
    focus = { ...at };
    restore();
  }
  function tell() {
    if (!anchor || !focus) return;
    const top = Math.min(anchor.row, focus.row), bottom = Math.max(anchor.row, focus.row);
    const left = Math.min(anchor.col, focus.col), right = Math.max(anchor.col, focus.col);
    const group = anchor.group;
    const span = [...chunks.values()].flat().find((r) => r.row === top && r.group === group)?.span.address ?? view.address;
    /** @type {Record<string, string>} */
    let values;
    if (isSheet) values = { rows: "", cols: "", cells: cellRange(left, top, right, bottom) };
    else if (param(span, "lines")) {
      // A line is cited whole: which record it is in is not known here.
      anchor.col = 1;
      focus.col = widest;
      restore();
      values = { rows: "", cols: "", cells: "", lines: `${top}-${bottom}` };
    } else {
      const all = left === 1 && right >= widest;
      const listed = [];
      for (let c = left; c <= right; c++) listed.push(names[c - 1] && names.filter((n) => n === names[c - 1]).length === 1 ? encodeURIComponent(names[c - 1]) : c);
      values = { lines: "", cells: "", rows: top === bottom ? String(top) : `${top}-${bottom}`, cols: all ? "" : listed.join(",") };
    }
    host.select({ address: having(span, values) });
  }
  let dragging = false;
  table.addEventListener("pointerdown", (e) => {
    const td = /** @type {Element} */ (e.target).closest("td[data-col]");
    if (!td || e.button) return;
    choose(td, e.shiftKey);
    dragging = true;
    active(/** @type {HTMLElement} */ (td));
    e.preventDefault();
  });
  table.addEventListener("pointerover", (e) => {
    const td = /** @type {Element} */ (e.target).closest("td[data-col]");
    if (dragging && td) choose(td, true);
  });
  const up = () => { if (dragging) { dragging = false; tell(); } };
  addEventListener("pointerup", up);

  /** @param {HTMLElement} td */
  function active(td) {
    for (const old of table.querySelectorAll('td[tabindex="0"]')) old.setAttribute("tabindex", "-1");
    td.tabIndex = 0;
    td.focus({ preventScroll: true });
  }
  /** @param {HTMLElement} td the cell that has come to view */
  function reveal(td) {
    const box = td.getBoundingClientRect(), outer = scroller.getBoundingClientRect();
    const top = outer.top + /** @type {HTMLElement} */ (head.parentElement).offsetHeight, left = outer.left + 56;
    if (box.top < top) scroller.scrollTop += box.top - top;
    else if (box.bottom > outer.bottom - 16) scroller.scrollTop += box.bottom - outer.bottom + 16;
    if (box.left < left) scroller.scrollLeft += box.left - left;
    else if (box.right > outer.right - 16) scroller.scrollLeft += box.right - outer.right + 16;
  }
  table.addEventListener("keydown", (e) => {
    const td = /** @type {HTMLElement | null} */ (/** @type {Element} */ (e.target).closest("td[data-col]"));
    if (!td) return;
    const trs = /** @type {HTMLElement[]} */ ([...table.querySelectorAll("tr[data-row]")]);
    const tr = /** @type {HTMLElement} */ (td.parentElement);
    let r = trs.indexOf(tr), c = [...tr.children].indexOf(td);
    const steps = /** @type {Record<string, [number, number]>} */ ({ ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [12, 0], PageUp: [-12, 0] });
    if (steps[e.key]) { r += steps[e.key][0]; c += steps[e.key][1]; }
    else if (e.key === "Home") c = 1;
    else if (e.key === "End") c = tr.children.length - 1;
    else if (e.key === "Enter" || e.key === " ") { choose(td, e.shiftKey); tell(); e.preventDefault(); return; }
    else return;
    const to = /** @type {HTMLElement | undefined} */ (trs[Math.min(Math.max(r, 0), trs.length - 1)]?.children[Math.max(c, 1)]);
    e.preventDefault();
    if (!to) return;
    if (e.shiftKey && !anchor) choose(td, false);
    active(to);
    reveal(to);
    if (e.shiftKey) { choose(to, true); tell(); }
  });
  table.addEventListener("copy", (e) => {
    const chosen = /** @type {HTMLElement[]} */ ([...table.querySelectorAll("td.chosen")]);
    if (!chosen.length || !e.clipboardData) return;
    /** @type {Map<Element | null, string[]>} */
    const lines = new Map();
    for (const td of chosen) lines.set(td.parentElement, [...(lines.get(td.parentElement) ?? []), td.textContent ?? ""]);
    e.clipboardData.setData("text/plain", [...lines.values()].map((l) => l.join("\t")).join("\n"));
    e.preventDefault();
  });
  /** One stop of the tab key. */
  function stop() {
    if (table.querySelector('td[tabindex="0"]')) return;
    (table.querySelector("td.cited") ?? table.querySelector("td[data-col]"))?.setAttribute("tabindex", "0");
  }

  return {
    element, scroller,
    start() { stop(); made.start(); },
    destroy() { made.destroy(); removeEventListener("pointerup", up); },
  };
}
