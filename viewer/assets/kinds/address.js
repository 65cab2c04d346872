// @ts-check
// Addresses, as far as showing needs them: which part of what, and their parts put together.

/**
 * @typedef {object} Address
 * @property {string} head such as "doc://book"
 * @property {Map<string, string>} params as they are written, by name
 */

const order = ["member", "message", "part", "sheet", "pages", "table", "blocks", "cells", "rows", "cols", "t", "lines", "bbox", "v"];

/** @param {string} text @returns {Address} */
export function parse(text) {
  const at = text.indexOf("#");
  const params = new Map();
  if (at >= 0) {
    for (const param of text.slice(at + 1).split("&")) {
      const is = param.indexOf("=");
      if (is > 0) params.set(param.slice(0, is), param.slice(is + 1));
    }
  }
  return { head: at < 0 ? text : text.slice(0, at), params };
}

/** @param {Address} address */
export function write({ head, params }) {
  const all = order.filter((name) => params.get(name)).map((name) => `${name}=${params.get(name)}`);
  return all.length ? `${head}#${all.join("&")}` : head;
}

/**
 * The address with other parameters; those that are "" are left out.
 * @param {string} text @param {Record<string, string>} values
 */
export function having(text, values) {
  const address = parse(text);
  for (const [name, value] of Object.entries(values)) address.params.set(name, value);
  return write(address);
}

/** @param {string} value */
export function decoded(value) {
  try { return decodeURIComponent(value); } catch { return value; }
}

/** What an address has of a parameter, decoded, or "". @param {string} text @param {string} name */
export const param = (text, name) => decoded(parse(text).params.get(name) ?? "");

/** The address of what holds pages, lines or seconds: the resource, or a member of it. @param {string} text */
export function whole(text) {
  const { head, params } = parse(text);
  return write({ head, params: new Map([...params].filter(([name]) => name === "member" || name === "v")) });
}

/** The first and the last of the runs of a parameter, such as 3 and 9 of "3-5,9", or undefined. @param {string} text @param {string} name @returns {[number, number] | undefined} */
export function run(text, name) {
  const numbers = param(text, name).split(/[-,]/).map(Number);
  return Number.isFinite(numbers[0]) && numbers[0] > 0 ? [numbers[0], numbers[numbers.length - 1]] : undefined;
}

/** The seconds of t. The end is Infinity if it is open. @param {string} text @returns {[number, number] | undefined} */
export function time(text) {
  const t = param(text, "t");
  if (!t) return undefined;
  const [from, to] = t.split("-");
  return [Number(from), to ? Number(to) : Infinity];
}

/** Left, top, right and bottom of bbox. @param {string} text @returns {[number, number, number, number] | undefined} */
export function bbox(text) {
  const box = param(text, "bbox").split(",").map(Number);
  return box.length === 4 && box.every(Number.isFinite) ? /** @type {[number, number, number, number]} */ (box) : undefined;
}

/** A number with at most so many decimals. @param {number} n @param {number} decimals */
export const short = (n, decimals) => String(Number(n.toFixed(decimals)));

/** The letters of a column: 1 is A. @param {number} n */
export function letters(n) {
  let s = "";
  for (; n > 0; n = Math.floor((n - 1) / 26)) s = String.fromCharCode(65 + ((n - 1) % 26)) + s;
  return s;
}

/** The number of a column of letters, 0 if it is none. @param {string} s */
export function column(s) {
  let n = 0;
  for (const c of s.toUpperCase()) n = c >= "A" && c <= "Z" ? n * 26 + c.charCodeAt(0) - 64 : NaN;
  return n || 0;
}

/** Left, top, right and bottom of cells, from 1. @param {string} text @returns {[number, number, number, number] | undefined} */
export function cells(text) {
  const found = /^([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?$/i.exec(param(text, "cells"));
  if (!found) return undefined;
  const [, c1, r1, c2 = c1, r2 = r1] = found;
  return [column(c1), Number(r1), column(c2), Number(r2)];
}

/**
 * The address of all from one span to another of the same source, or the first if there
 * is none for both.
 * @param {string} first @param {string} last
 */
export function spanning(first, last) {
  if (first === last) return first;
  const a = parse(first), b = parse(last);
  if (a.head !== b.head) return first;
  const names = order.filter((name) => a.params.get(name) !== b.params.get(name));
  if (names.length !== 1) {
    // A run of parts of a book, or of pages with a box, is of the larger thing.
    const name = names[0];
    if (name !== "pages" && name !== "part" && name !== "rows") return first;
    const params = new Map([...a.params].filter(([n]) => order.indexOf(n) <= order.indexOf(name) || n === "v"));
    a.params = params;
  }
  const name = names[0];
  const from = a.params.get(name) ?? "", to = b.params.get(name) ?? "";
  if (["lines", "pages", "blocks", "rows", "part"].includes(name)) {
    const numbers = [...from.split(/[-,]/), ...to.split(/[-,]/)].map(Number);
    if (!numbers.every(Number.isInteger)) return first;
    a.params.set(name, `${Math.min(...numbers)}-${Math.max(...numbers)}`);
  } else if (name === "t") {
    const [x1, x2 = ""] = from.split("-"), [y1, y2 = ""] = to.split("-");
    a.params.set("t", `${short(Math.min(Number(x1), Number(y1)), 3)}-${x2 && y2 ? short(Math.max(Number(x2), Number(y2)), 3) : ""}`);
  } else if (name === "cells") {
    const p = cells(first), q = cells(last);
    if (!p || !q) return first;
    a.params.set("cells", cellRange(Math.min(p[0], q[0]), Math.min(p[1], q[1]), Math.max(p[2], q[2]), Math.max(p[3], q[3])));
  } else return first;
  return write(a);
}

/** Cells in A1 notation. @param {number} left @param {number} top @param {number} right @param {number} bottom */
export function cellRange(left, top, right, bottom) {
  const first = letters(left) + top, last = letters(right) + bottom;
  return first === last ? first : `${first}:${last}`;
}
