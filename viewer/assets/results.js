// @ts-check
// What the results of the tools point to.

/**
 * A place that a result points to.
 * @typedef {object} Item
 * @property {string} [address] none if nothing was found
 * @property {string} [quote] the words to mark there
 * @property {string} [title]
 * @property {string} [text] what the result says of it
 * @property {[number, number][]} [marks] of the text, in code points
 * @property {string} [verdict]
 * @property {string} [note]
 * @property {string} [link] to open outside of the host
 *
 * @typedef {object} Result
 * @property {Item[]} items
 * @property {boolean} single it is one place, to be opened at once
 * @property {string} [note]
 * @property {string} [error]
 */

const mostText = 400; // characters of a part, which is shown whole where it stands

/** @param {unknown} value */
const words = (value) => (typeof value === "string" ? value : "");

/** @param {unknown} value @returns {any[]} */
const list = (value) => (Array.isArray(value) ? value.filter((v) => v && typeof v === "object") : []);

/** @param {string} text */
const shortened = (text) => (text.length > mostText ? text.slice(0, mostText) + " …" : text);

/** The first text of a result of a tool. @param {any} result */
export const textOf = (result) => words(list(result?.content).find((c) => c.type === "text")?.text);

/**
 * The JSON of a result of a tool; undefined if it is none.
 * @param {any} result
 */
export function dataOf(result) {
  if (result?.structuredContent) return result.structuredContent;
  try {
    return JSON.parse(textOf(result));
  } catch {
    return undefined;
  }
}

/** The page of the place, else the file, if the server has pages or links: only what a host may open. @param {any} of */
const linkOf = (of) => [of.link, of.evidence_url].map(words).find((url) => /^https?:\/\//.test(url));

/** Says of words that a machine heard or recognised them. @param {any} of */
const machine = (of) => (of.transcribed ? "transcribed by a machine" : of.ocr ? "recognised in a picture" : "");

/** @param {any} change */
const changed = (change) => `“${words(change.quote)}” → “${words(change.source)}”${change.note ? ` (${words(change.note)})` : ""}`;

/**
 * Reads the result of resolve, search, getContents, answer or verify.
 * @param {any} result
 * @returns {Result}
 */
export function read(result) {
  const data = dataOf(result);
  if (result?.isError || !data || typeof data !== "object") {
    return { items: [], single: false, error: textOf(result).replace(/^Error: /, "") || "The tool gave no result." };
  }
  /** @type {Item[]} */
  let items = [];
  if (data.results) {
    items = list(data.results).map((r) => ({
      address: words(r.address), title: [...(Array.isArray(r.path) ? r.path : []), r.title].map(words).filter(Boolean).join(" › "),
      text: words(r.snippet), marks: r.highlights, note: machine(r),
    }));
  } else if (data.sentences) {
    items = list(data.sentences).map((s) => ({ address: words(s.address), text: words(s.text), quote: words(s.quote) || words(s.text), verdict: words(s.verdict), note: machine(s) }));
  } else if (data.verdicts) {
    items = list(data.verdicts).map((v) => ({
      address: words(v.address) || words(v.cited), text: words(v.quote), quote: words(v.quote),
      verdict: v.stale ? "source changed" : words(v.class),
      note: [machine(v), ...list(v.difference).map(changed), ...(v.notes ?? []).map(words), words(v.error?.message)].filter(Boolean).join("; "),
    }));
  } else if (data.contents) {
    items = list(data.contents).map((c) => ({
      address: words(c.address), title: c.id === c.address ? "" : words(c.id), text: shortened(words(c.text)), note: words(c.error?.message ?? c.note) || machine(c),
    }));
  } else if (data.address) {
    items = [{ address: words(data.address) }];
  }
  for (const [i, of] of list(data.results ?? data.sentences ?? data.verdicts ?? data.contents ?? [data]).entries()) {
    const link = linkOf(of);
    if (items[i] && link) items[i].link = link;
  }
  return { items, single: items.length === 1 && !!items[0].address, note: words(data.hint) };
}
