// @ts-check
// Shows a View, which is what POST /v1/view answers, as elements. It asks for what it needs
// by the functions of a Host, so that it works wherever those are.
import { cells } from "./kinds/cells.js";
import { image } from "./kinds/image.js";
import { media } from "./kinds/media.js";
import { pages } from "./kinds/pages.js";
import { text } from "./kinds/text.js";
import { settled } from "./kinds/dom.js";
import { spanning, whole } from "./kinds/address.js";

/**
 * What POST /v1/view answers. Offsets count code points, the end is excluded. Boxes are
 * fractions of the whole page or picture: left, top, width, height.
 * @typedef {object} View
 * @property {string} address
 * @property {string} documentId
 * @property {{id: string, title?: string, type: string}} document
 * @property {string} [nodeId]
 * @property {string} label such as "Guide, page 3"
 * @property {"pages"|"slides"|"cells"|"rows"|"blocks"|"lines"|"image"|"video"|"audio"|"parts"|"text"} kind
 * @property {string} [format] the extension
 * @property {string} [mediaType]
 * @property {"current"|"changed"|"missing"} state
 * @property {string} [note]
 * @property {boolean} [transcribed] the text is what a machine heard
 * @property {{unit?: string, total?: number, width?: number, height?: number, seconds?: number}} [extent]
 * @property {Span[]} [spans]
 * @property {string} [before] the cursor of what stands before
 * @property {string} [after] the cursor of what follows
 * @property {[number, number]} [selected] the spans that are inside the address
 * @property {[number, number][]} [moreSelected] further such
 * @property {number} [lastRow] the number of the last row of the sheet, table or comma-separated values
 * @property {string} [header] the names of the columns of comma-separated values, with tabs between them
 * @property {Picture[]} [pictures]
 * @property {Quote} [quote]
 *
 * @typedef {object} Span
 * @property {string} address
 * @property {string} text
 * @property {[number, number][]} [marks]
 * @property {number} [column] the number of its first column, if it is the rest of a long row
 * @property {{from: number, to: number, box: Box}[]} [layout]
 *
 * @typedef {[number, number, number, number]} Box
 *
 * @typedef {object} Picture
 * @property {string} address
 * @property {string} [path]
 * @property {number} [width]
 * @property {number} [height]
 * @property {Box[]} [marks]
 *
 * @typedef {object} Quote
 * @property {"exact"|"repaired"|"elsewhere"|"altered"|"not_found"|"unchecked"} class
 * @property {string} [address] where the words, or similar ones, are
 * @property {string} [text] the words there
 * @property {{quote: string, source: string, note?: string}[]} [difference]
 * @property {string[]} [notes]
 * @property {string[]} [others] more places with the words
 * @property {boolean} [stale]
 * @property {boolean} [ocr] the words were recognised in a picture
 * @property {number} [confidence] of that, from 0 to 1
 * @property {boolean} [transcribed] the words are what a machine heard
 * @property {string} [problem]
 */

/**
 * What is selected: exactly that part, and the words if they are less than the part.
 * @typedef {{address: string, quote?: string}} Selection
 */

/**
 * What showing needs of where it is.
 * @typedef {object} Host
 * @property {(key: string, values?: Record<string, string | number>) => string} t words of the page
 * @property {(asked: {address: string, cursor?: string, layout?: boolean}, call?: {signal?: AbortSignal}) => Promise<View>} load
 * @property {(address: string, side: number) => string | undefined | Promise<string | undefined>} picture the URL of a picture
 * @property {(address: string) => string | undefined} [evidence] the URL of the bytes, which a player gets by ranges
 * @property {(selection: Selection) => void} select says what the reader selected
 * @property {(address: string) => void} [open] goes to another part of the same source
 * @property {(text: string, language: string) => [string, string][]} [tokens] kinds and texts of code, which together are the text
 * @property {Map<string, number>} [titles] texts that are headings, and their level from 1
 */

/**
 * What is shown.
 * @typedef {object} Shown
 * @property {HTMLElement} element
 * @property {HTMLElement} [scroller] what scrolls in it
 * @property {() => void} start begins, once the element is in the page
 * @property {() => Promise<void>} [drawn] fulfilled once the picture of the place is there, or cannot be had
 * @property {(view: View) => boolean} [update] goes to another part without beginning anew
 * @property {(key: string) => boolean} [key] does what a key says; false if it is not for it
 * @property {() => void} destroy
 */

/** @type {Record<View["kind"], (view: View, host: Host) => Shown>} */
const kinds = { pages, slides: pages, cells, rows: cells, blocks: text, lines: text, parts: text, text, image, video: media, audio: media };

/**
 * Makes the elements of a view. Put element into the page, then call start.
 * @param {View} view @param {Host} host @returns {Shown}
 */
export function show(view, host) {
  const drawn = (view.kind !== "pages" && view.kind !== "slides") || !!view.pictures?.length;
  const playable = view.state === "current" || !["image", "video", "audio"].includes(view.kind);
  const shown = (drawn && playable ? kinds[view.kind] ?? text : text)(view, host);

  // Words that are selected.
  const selected = settled(200, () => {
    const s = getSelection();
    if (!s || s.isCollapsed || !s.rangeCount) return;
    const range = s.getRangeAt(0);
    if (!shown.element.contains(range.commonAncestorContainer)) return;
    const [first, last] = [addressAt(range.startContainer, range.startOffset, false), addressAt(range.endContainer, range.endOffset, true)];
    const [before, behind] = restOfWords(range);
    const quote = (before + s.toString() + behind).replace(/\s+/g, " ").trim();
    if (!first || !last || !quote) return;
    for (const line of shown.element.querySelectorAll(".line.chosen")) line.classList.remove("chosen");
    host.select({ address: spanning(first, last), quote });
  });
  document.addEventListener("selectionchange", selected);

  return {
    ...shown,
    update(next) {
      if (next.kind !== view.kind || next.state !== view.state || whole(next.address) !== whole(view.address)) return false;
      if (!shown.update?.(next)) return false;
      view = next;
      return true;
    },
    destroy() {
      document.removeEventListener("selectionchange", selected);
      selected.stop();
      shown.destroy();
    },
  };
}

/**
 * The address of what holds an end of a selection.
 * @param {Node} node @param {number} offset @param {boolean} isEnd
 */
function addressAt(node, offset, isEnd) {
  // An end between elements is that of the element before, or of the one behind.
  if (node instanceof Element && node.childNodes.length) {
    const child = node.childNodes[Math.min(isEnd ? Math.max(offset - 1, 0) : offset, node.childNodes.length - 1)];
    const inner = child instanceof Element ? child : child?.parentElement;
    const found = inner?.closest("[data-address]") ?? (isEnd ? [...(inner?.querySelectorAll("[data-address]") ?? [])].pop() : inner?.querySelector("[data-address]"));
    if (found) return /** @type {HTMLElement} */ (found).dataset.address;
  }
  const element = node instanceof Element ? node : node.parentElement;
  return /** @type {HTMLElement | null | undefined} */ (element?.closest("[data-address]"))?.dataset.address;
}

/**
 * What is missing of the words at the ends of a selection: a quote has whole words.
 * @param {Range} range
 * @returns {[string, string]}
 */
function restOfWords({ startContainer: first, startOffset: start, endContainer: last, endOffset: end }) {
  const before = first instanceof Text && /^[\p{L}\p{N}\p{M}]/u.test(first.data.slice(start)) ? /[\p{L}\p{N}\p{M}]*$/u.exec(first.data.slice(0, start))?.[0] : "";
  const behind = last instanceof Text && /[\p{L}\p{N}\p{M}]$/u.test(last.data.slice(0, end)) ? /^[\p{L}\p{N}\p{M}]*/u.exec(last.data.slice(end))?.[0] : "";
  return [before ?? "", behind ?? ""];
}
