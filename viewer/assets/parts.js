// @ts-check
// What several screens are made of.
import { html } from "./vendor/preact.js";
import { t } from "./words.js";

/** The sign of each verdict, which does not depend on colours. @type {Record<string, [string, string]>} */
const signs = {
  exact: ["good", "✓"], repaired: ["good", "≈"], unquoted: ["plain", "·"], elsewhere: ["warn", "→"], stale: ["warn", "↻"],
  unchecked: ["warn", "?"], altered: ["bad", "≠"], not_found: ["bad", "✗"],
  current: ["good", "✓"], changed: ["warn", "↻"], missing: ["bad", "✗"], unreadable: ["bad", "✗"],
};

/**
 * Says of words that a machine heard or recognised them.
 * @param {{of: {transcribed?: boolean, ocr?: boolean, confidence?: number}}} props
 */
export function Machine({ of }) {
  const name = of.transcribed ? "transcribed" : of.ocr ? "recognised" : "";
  return name && html` <span class="chip" data-machine=${name} title=${t(name + "Help")}>${t(name)}${of.ocr && of.confidence ? ` ${Math.floor(of.confidence * 100)}%` : ""}</span>`;
}

/** A verdict or a state in a word. @param {{name: string, help?: string, count?: number}} props */
export function Badge({ name, help, count }) {
  const [tone, sign] = signs[name] ?? ["plain", "·"];
  return html`<span class="badge" data-tone=${tone} data-verdict=${name} title=${help}>
    <span aria-hidden="true">${sign}</span> ${count !== undefined && html`<b>${count}</b> `}${t(name)}</span>`;
}

/** A text without empty lines. @param {string} text */
const tight = (text) => text.replace(/\n\s+/g, "\n");

/** Text with marks at ranges of code points, without empty lines. @param {string} text @param {[number, number][]} [ranges] */
export function marked(text, ranges = []) {
  const points = Array.from(text);
  const parts = [];
  let end = 0;
  for (const [from, to] of ranges) {
    if (from < end || to <= from || to > points.length) continue;
    parts.push(tight(points.slice(end, from).join("")), html`<mark data-mark=${parts.length >> 1}>${points.slice(from, to).join("")}</mark>`);
    end = to;
  }
  parts.push(tight(points.slice(end).join("")));
  return parts;
}

/** @typedef {["" | "del" | "ins", string]} Change */

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
const unspaced = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u; // scripts without spaces
const word = /\s+|[\p{L}\p{N}\p{M}]+(?:[^\s\p{L}\p{N}\p{M}]+[\p{L}\p{N}\p{M}]+)*|[^\s\p{L}\p{N}\p{M}]+/gu; // 14:35 is one
const most = 1e6; // steps of a comparison

/** @param {string} text */
const divided = (text) => (text.replace(/\s+/g, " ").trim().match(word) ?? []).flatMap((part) =>
  unspaced.test(part) ? Array.from(segmenter.segment(part), (s) => s.segment) : [part]);

/**
 * The differences of two texts word by word: what only the first has ("del"), what only
 * the second has ("ins") and what both have. White space counts as one space. Texts that
 * differ too much are told as a whole.
 * @param {string} before @param {string} after @returns {Change[]}
 */
export function differences(before, after) {
  const a = divided(before), b = divided(after);
  let from = 0, same = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  while (same < a.length - from && same < b.length - from && a[a.length - 1 - same] === b[b.length - 1 - same]) same++;
  const x = a.slice(from, a.length - same), y = b.slice(from, b.length - same);
  /** @type {Change[]} */
  const found = [];
  /** @param {Change[0]} kind @param {string} text */
  const add = (kind, text) => {
    const last = found.at(-1);
    if (last && last[0] === kind) last[1] += text;
    else if (text) found.push([kind, text]);
  };
  add("", a.slice(0, from).join(""));
  if (x.length * y.length > most) {
    add("del", x.join(""));
    add("ins", y.join(""));
  } else {
    // Lengths of the longest common part of the rests, row by row.
    const width = y.length + 1;
    const lengths = new Uint32Array((x.length + 1) * width);
    for (let i = x.length - 1; i >= 0; i--) {
      for (let j = y.length - 1; j >= 0; j--) {
        lengths[i * width + j] = x[i] === y[j] ? lengths[(i + 1) * width + j + 1] + 1 : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
      }
    }
    let i = 0, j = 0;
    while (i < x.length || j < y.length) {
      if (i < x.length && j < y.length && x[i] === y[j]) {
        add("", x[i]);
        i++;
        j++;
      } else if (j === y.length || (i < x.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) add("del", x[i++]);
      else add("ins", y[j++]);
    }
  }
  add("", a.slice(a.length - same).join(""));
  return found;
}

/** Writes characters that cannot be seen as their codes. @param {string} text */
export const visible = (text) => text.replace(/[\p{Cf}\p{Cc}\u2028\u2029]/gu, (c) =>
  `⟨U+${/** @type {number} */ (c.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}⟩`);

/** The difference of a quote and its source. @param {{quote: string, source: string}} props */
export function Difference({ quote, source }) {
  return html`<p class="difference" dir="auto">${differences(quote, source).map(([kind, text]) =>
    kind === "del" ? html`<del title=${t("onlyQuote")}>${visible(text)}</del>` :
    kind === "ins" ? html`<ins title=${t("onlySource")}>${visible(text)}</ins>` : text)}</p>`;
}

/**
 * An address to read: letters of all scripts as they are, and what cannot be seen as its
 * code. It is still an address.
 * @param {string} address
 */
export const readable = (address) => address.replace(/(?:%[89a-f][\da-f])+/gi, (code) => {
  try {
    const text = decodeURIComponent(code);
    return /[\p{C}\p{Z}]/u.test(text) ? code : text;
  } catch {
    return code;
  }
});

/** A place, as a link to it. @param {{api: import("./api.js").Api, address: string, quote?: string}} props */
export function Place({ api, address, quote }) {
  return html`<a class="place" href=${api.reader(address, quote)}><bdi>${readable(address)}</bdi></a>`;
}

/** Saves a text as a file. @param {string} name @param {string} type @param {string} text */
export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Escapes what Markdown would read as markup, and begins each line with a prefix. @param {string} text @param {string} [prefix] */
export const markdown = (text, prefix = "") => text.split("\n").map((line) => line.trim()).filter(Boolean).map((line) =>
  prefix + line.replace(/[\\`*_[\]<>&|~$]/g, "\\$&").replace(/^(\d*)([#+\-=.):])/, "$1\\$2")).join("\n");

/** A span of code of Markdown. @param {string} text */
export const code = (text) => {
  const fence = "`".repeat(1 + Math.max(0, ...Array.from(text.matchAll(/`+/g), (m) => m[0].length)));
  return fence + (fence.length > 1 ? ` ${text} ` : text) + fence;
};
