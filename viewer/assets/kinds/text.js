// @ts-check
// Lines, blocks, parts of mail, and any other text: spans one below the other.
import { el, goTo, marked, markUnits } from "./dom.js";
import { flow } from "./flow.js";
import { having, param, parse, run, spanning } from "./address.js";

/** @typedef {import("../show.js").View} View */
/** @typedef {import("../show.js").Span} Span */
/** @typedef {import("../show.js").Host} Host */

/** @param {View} view @param {Host} host @returns {import("../show.js").Shown} */
export function text(view, host) {
  const lines = view.kind === "lines";
  const scroller = el("div", { class: `scroller text ${view.kind}`, tabindex: 0, role: "region", "aria-label": host.t("content") });
  const list = el("div", { class: "spans" });
  let part = "";
  /** @type {Ended} */
  let ended = { line: -1, open: "" };
  const made = flow(view, host, {
    scroller, list,
    chunk(got, first) {
      const node = el("div", { class: "chunk" });
      const [from, to] = (first && got.selected) || [0, 0];
      const isWhole = !parse(got.address).params.size;
      const spans = got.spans ?? [];
      /** @type {[number, number, string][][] | undefined} */
      let colours;
      if (lines) {
        const at = run(spans[0]?.address ?? "", "lines")?.[0];
        const coloured = coloursOf(spans, view, host, at === ended.line + 1 ? ended.open : undefined);
        colours = coloured.found;
        const line = run(spans[spans.length - 1]?.address ?? "", "lines")?.[1] ?? -1;
        if (line > ended.line) ended = { line, open: coloured.open };
      }
      (got.spans ?? []).forEach((span, i) => {
        const cited = i >= from && i < to && !isWhole;
        const at = ["message", "part", "member"].map((name) => param(span.address, name)).join(" ");
        if (view.kind === "parts" && at !== part) {
          part = at;
          if (placeOf(span.address)) node.append(el("p", { class: "part-name" }, host.t("partOf", { part: placeOf(span.address) })));
        }
        if (lines || param(span.address, "lines") && view.kind !== "blocks") lineRows(node, span, cited, host, colours?.[i] ?? [], lines || !!param(span.address, "part")); // fields of a head have an order of their own
        else node.append(block(span, cited, host, view.kind === "pages" || view.kind === "slides" ? run(span.address, "pages")?.[0] : undefined, view.kind));
      });
      return node;
    },
  });
  if (lines || view.kind === "parts") gutter(list, host);
  scroller.append(made.top, list, made.bottom);
  let element = scroller;
  const open = host.open;
  if (lines && open && !param(view.address, "part")) {
    const last = view.extent?.unit === "lines" && !param(view.address, "member") ? view.extent.total : undefined;
    element = el("div", { class: "with-bar" }, el("div", { class: "bar" }, goTo(host.t("line"), host.t("goThere"), last, (n) => open(having(view.address, { blocks: "", cells: "", rows: "", cols: "", lines: `${n}-${n}` })))), scroller);
  }
  return { element, scroller, start: made.start, destroy: made.destroy };
}

/** Message and part of a mail, as they are in its address. @param {string} address */
const placeOf = (address) => ["message", "part"].filter((n) => param(address, n)).map((n) => param(address, n)).join(" · ");

/** The last line that was coloured, and what begins a comment or string that goes on behind it. @typedef {{line: number, open: string}} Ended */

/** What begins a token of several lines, and what ends it. @type {[string, string][]} */
const long = [["/*", "*/"], ["<!--", "-->"], ['"""', '"""'], ["'''", "'''"], ["```", "```"], ["`", "`"]];

/** What begins a token that has no end, or "". @param {string} kind @param {string} token */
function unended(kind, token) {
  const [open, close] = (kind === "comment" || kind === "string") && long.find(([begin]) => token.startsWith(begin)) || ["", ""];
  return open && (token.length < open.length + close.length || !token.endsWith(close)) ? open : "";
}

/** What a text may begin in the middle of, of which nothing before is known: a comment whose end is the first of its signs. @param {string} text */
function begunIn(text) {
  for (const [open, close] of long.slice(0, 2)) {
    const end = text.indexOf(close), begin = text.indexOf(open);
    if (end >= 0 && (begin < 0 || begin > end) && /^[^"'`\n]*$/.test(text.slice(text.lastIndexOf("\n", end) + 1, end)) && /^\s*?(?:\n|$)/.test(text.slice(end + close.length))) return open;
  }
  return "";
}

/**
 * The colours of each span, and what begins a comment or string that goes on behind them. A
 * comment or string may go over many of them.
 * @param {Span[]} spans @param {View} view @param {Host} host @param {string} [open] what they begin in the middle of, if that is known
 * @returns {{found: [number, number, string][][], open: string}}
 */
export function coloursOf(spans, view, host, open) {
  const texts = spans.map((span) => span.text.replace(/\n$/, ""));
  /** @type {[number, number, string][][]} */
  const found = texts.map(() => []);
  const text = texts.join("\n");
  const language = view.format ?? "";
  let begin = open ?? begunIn(text);
  // Only what is a token of the language can be open.
  if (begin && !["comment", "string"].includes(host.tokens?.(begin, language)[0]?.[0] ?? "")) begin = "";
  let at = -begin.length, i = 0, start = 0, left = "";
  for (const [kind, token] of host.tokens?.(begin + text, language) ?? []) {
    left = unended(kind, token);
    const end = at + token.length;
    for (; i < texts.length; start += texts[i++].length + 1) {
      const from = Math.max(at - start, 0), to = Math.min(end - start, texts[i].length);
      if (kind && from < to) found[i].push([from, to, kind]);
      if (end <= start + texts[i].length) break;
    }
    at = end;
  }
  return { found, open: left };
}

/**
 * @param {HTMLElement} node @param {Span} span @param {boolean} cited @param {Host} host @param {[number, number, string][]} colours
 * @param {boolean} isNumbered whether the number of a line is shown
 */
function lineRows(node, span, cited, host, colours, isNumbered) {
  const content = span.text.replace(/\n$/, "");
  const marks = markUnits(span.text, span.marks);
  const number = run(span.address, "lines")?.[0];
  let from = 0, colour = 0;
  content.split("\n").forEach((line, i) => {
    const to = from + line.length;
    while (colour < colours.length && colours[colour][1] <= from) colour++;
    const n = number === undefined ? undefined : number + i;
    const address = n === undefined ? span.address : having(span.address, { lines: `${n}-${n}` });
    node.append(el("div", { class: "line" + (cited ? " cited" : ""), "data-address": address, "data-line": n },
      el("button", { class: "no", type: "button", tabindex: -1, "data-n": isNumbered && n || "", "aria-label": host.t("lineNumber", { n: n ?? "" }) }),
      withIn(el("span", { class: "code", dir: "auto" }), marked(content, from, line.endsWith("\r") ? to - 1 : to, marks, colours.slice(colour)))));
    from = to + 1;
  });
}

/** @template {HTMLElement} E @param {E} element @param {Node} content @returns {E} */
const withIn = (element, content) => { element.append(content); return element; };

/** @param {Span} span @param {boolean} cited @param {Host} host @param {number | undefined} page @param {string} kind */
function block(span, cited, host, page, kind) {
  const content = span.text.replace(/\n+$/, "");
  const marks = markUnits(span.text, span.marks);
  const props = { class: "block" + (cited ? " cited" : ""), "data-address": span.address, dir: "auto" };
  if (isTable(content)) {
    const body = el("tbody");
    let from = 0;
    for (const line of content.split("\n")) {
      const row = el("tr");
      for (const cell of line.split("\t")) {
        row.append(withIn(el("td", { dir: "auto" }), marked(content, from, from + cell.length, marks)));
        from += cell.length + 1;
      }
      body.append(row);
    }
    // Cells have a direction each, which leaves the table none: its first letter says where it begins.
    return el("div", { ...props, class: props.class + " table", dir: fromRight.test(content) ? "rtl" : "ltr" }, el("table", {}, body));
  }
  if (page) {
    // A slide or a page without a picture.
    const words = el("div", { class: "paragraph" });
    words.append(marked(content, 0, content.length, marks));
    return el("article", { ...props, class: props.class + " card", "data-page": page },
      el("p", { class: "card-name" }, host.t(kind === "slides" ? "slideName" : "pageName", { n: page })), words);
  }
  const level = host.titles?.get(content.trim());
  const inner = el("div", level ? { class: "heading", role: "heading", "aria-level": Math.min(level + 1, 6) } : { class: "paragraph" });
  inner.append(marked(content, 0, content.length, marks));
  return el("div", props, inner);
}

/** Text whose first letter is of a script that is written from the right. */
const fromRight = /^\P{L}*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u;

/** Whether a text is the rows of a table: most lines have cells. @param {string} content */
function isTable(content) {
  if (!content.includes("\t")) return false;
  const lines = content.split("\n");
  return lines.filter((line) => line.includes("\t")).length * 2 > lines.length;
}

/**
 * Line numbers select lines: a click one, with the shift key all from the last click; the
 * arrow keys move, with the shift key they select more.
 * @param {HTMLElement} list @param {Host} host
 */
function gutter(list, host) {
  /** @type {HTMLElement | undefined} */
  let anchor;
  const rows = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll(".line")]);
  /** @param {HTMLElement} to @param {boolean} extend */
  const choose = (to, extend) => {
    const all = rows();
    let from = all.indexOf(extend && anchor?.isConnected ? anchor : to), end = all.indexOf(to);
    if (!extend || !anchor?.isConnected) anchor = to;
    if (from > end) [from, end] = [end, from];
    all.forEach((row, i) => row.classList.toggle("chosen", i >= from && i <= end));
    getSelection()?.removeAllRanges();
    host.select({ address: spanning(/** @type {string} */ (all[from].dataset.address), /** @type {string} */ (all[end].dataset.address)) });
  };
  list.addEventListener("click", (e) => {
    const button = /** @type {HTMLElement} */ (e.target).closest(".no");
    if (button) choose(/** @type {HTMLElement} */ (button.parentElement), e.shiftKey);
  });
  list.addEventListener("keydown", (e) => {
    const button = /** @type {HTMLElement} */ (e.target).closest(".no");
    if (!button || e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    const all = rows();
    const next = all[all.indexOf(/** @type {HTMLElement} */ (button.parentElement)) + (e.key === "ArrowDown" ? 1 : -1)];
    if (!next) return;
    e.preventDefault();
    /** @type {HTMLElement} */ (next.querySelector(".no")).focus();
    if (e.shiftKey) choose(next, true);
  });
  // One stop of the tab key: the first number that is shown, or the cited one.
  const stop = () => {
    const first = list.querySelector(".line.cited .no") ?? list.querySelector(".no");
    first?.setAttribute("tabindex", "0");
  };
  queueMicrotask(stop);
}
