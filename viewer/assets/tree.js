// @ts-check
// The tree of a map. Only the rows in sight are elements, so that a map may have a hundred
// thousand nodes; children are listed once their node is open.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/preact.js";
import { t } from "./words.js";
import { bbox, param, run, time } from "./kinds/address.js";

/**
 * @typedef {{id: string, title?: string, type?: string, location?: any, children?: MapNode[]}} MapNode
 * @typedef {{node: MapNode, level: number, index: number, of: number, open: boolean, parent: number}} Row
 */

const rowHeight = 28;

/** Whether a location of a map, as its JSON has it, has a place. @param {any} loc @param {string} address */
export function holds(loc, address) {
  if (!loc || loc.virtual_address) return false;
  for (const name of ["member", "part", "table", "sheet"]) if (String(loc[name] ?? "") && String(loc[name]) !== param(address, name)) return false;
  if (loc.message && String(loc.message) !== param(address, "message")) return false;
  /** @param {any} at @returns {[number, number] | undefined} */
  const range = (at) => {
    const numbers = (Array.isArray(at) ? at : at === undefined ? [] : [at]).flatMap((n) => (typeof n === "object" && n ? Object.values(n) : String(n).split("-"))).map(Number).filter(Number.isFinite);
    return numbers.length ? [Math.min(...numbers), Math.max(...numbers)] : undefined;
  };
  for (const name of ["pages", "lines", "blocks", "rows"]) {
    const has = range(loc[name]), at = run(address, name);
    if (has && (!at || at[0] < has[0] || at[1] > has[1])) return false;
  }
  const t = time(address);
  if (loc.end && (!t || t[0] < (loc.start ?? 0) - 0.001 || t[1] > loc.end + 0.001)) return false;
  if (loc.bbox && !bbox(address)) return false;
  if (loc.cells && param(address, "cells") !== loc.cells) return false;
  return true;
}

/** The ids from the root to the deepest node that has a place. @param {MapNode[]} nodes @param {string} address @param {string | undefined} id @returns {string[]} */
export function pathTo(nodes, address, id) {
  /** @param {MapNode[]} list @returns {string[] | undefined} */
  const named = (list) => {
    for (const node of list) {
      if (node.id === id) return [node.id];
      const below = node.children?.length && named(node.children);
      if (below) return [node.id, ...below];
    }
    return undefined;
  };
  const found = id ? named(nodes) : undefined;
  if (found) return found;
  if (!address.includes("#")) return [];
  const path = [];
  for (let list = nodes; ;) {
    const next = list.find((node) => holds(node.location, address));
    if (!next) return path;
    path.push(next.id);
    list = next.children ?? [];
  }
}

/**
 * @param {{root: MapNode, current: string[], href: (node: MapNode) => string, go: (path: string) => void}} props
 *   current is the path to the node that is shown, from the root on
 */
export function Tree({ root, current, href, go }) {
  const [opened, setOpened] = useState(() => new Set([root.id]));
  const here = current[current.length - 1] ?? root.id;
  const [active, setActive] = useState(here);
  const [scroll, setScroll] = useState(0);
  const [height, setHeight] = useState(600);
  const box = useRef(/** @type {HTMLElement | null} */ (null));

  useEffect(() => {
    setOpened((was) => new Set([...was, root.id, ...current.slice(0, -1)]));
    setActive(here);
  }, [root, current.join("\n")]);

  const rows = useMemo(() => {
    /** @type {Row[]} */
    const all = [];
    /** @param {MapNode} node @param {number} level @param {number} index @param {number} of @param {number} parent */
    const add = (node, level, index, of, parent) => {
      const open = opened.has(node.id) && !!node.children?.length;
      const at = all.push({ node, level, index, of, open, parent }) - 1;
      if (open) node.children?.forEach((child, i) => add(child, level + 1, i + 1, node.children?.length ?? 0, at));
    };
    add(root, 1, 1, 1, -1);
    return all;
  }, [root, opened]);
  const at = Math.max(rows.findIndex((row) => row.node.id === active), 0);

  useLayoutEffect(() => {
    const e = box.current;
    if (!e) return;
    const see = () => setHeight(e.clientHeight || 600);
    see();
    const watch = new ResizeObserver(see);
    watch.observe(e);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    const e = box.current;
    if (!e) return;
    const top = at * rowHeight;
    if (top < e.scrollTop) e.scrollTop = top;
    else if (top + rowHeight > e.scrollTop + e.clientHeight) e.scrollTop = top + rowHeight - e.clientHeight;
  }, [at, rows.length]);

  /** @param {MapNode} node @param {boolean} open */
  const set = (node, open) => setOpened((was) => { const next = new Set(was); if (open) next.add(node.id); else next.delete(node.id); return next; });
  /** @param {number} n */
  const to = (n) => setActive(rows[Math.min(Math.max(n, 0), rows.length - 1)].node.id);
  /** @param {KeyboardEvent} e */
  const key = (e) => {
    const row = rows[at];
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    switch (e.key) {
      case "ArrowDown": to(at + 1); break;
      case "ArrowUp": to(at - 1); break;
      case "Home": to(0); break;
      case "End": to(rows.length - 1); break;
      case "ArrowRight": if (row.open) to(at + 1); else if (row.node.children?.length) set(row.node, true); break;
      case "ArrowLeft": if (row.open && row.parent >= 0) set(row.node, false); else if (row.parent >= 0) to(row.parent); break;
      case "Enter": case " ": go(href(row.node)); break;
      default: {
        // Letters go to the next title that begins with them, but for those that are keys of the page.
        return;
      }
    }
    e.preventDefault();
    e.stopPropagation();
  };

  const first = Math.max(0, Math.floor(scroll / rowHeight) - 10), last = Math.min(rows.length, first + Math.ceil(height / rowHeight) + 20);
  const seen = [];
  for (let i = first; i < last; i++) seen.push(i);
  if (at < first || at >= last) seen.push(at);
  const id = (/** @type {number} */ i) => "node-" + i;
  return html`<div class="tree" role="tree" aria-label=${t("contents")} tabindex="0" ref=${box} aria-activedescendant=${id(at)} onKeyDown=${key}
      onScroll=${(/** @type {any} */ e) => setScroll(e.currentTarget.scrollTop)}>
    <div class="tree-rows" role="presentation" style=${{ height: rows.length * rowHeight + "px" }}>
      ${seen.map((i) => {
        const { node, level, index, of, open } = rows[i];
        const has = !!node.children?.length;
        return html`<div key=${node.id} id=${id(i)} role="treeitem" class=${"tree-row" + (i === at ? " active" : "")} aria-level=${level} aria-posinset=${index} aria-setsize=${of}
            aria-expanded=${has ? String(open) : undefined} aria-selected=${String(node.id === here)} aria-current=${node.id === here ? "location" : undefined}
            style=${{ top: i * rowHeight + "px", paddingInlineStart: level * 0.8 + "rem" }}>
          <span class="twist" aria-hidden="true" onClick=${() => { setActive(node.id); if (level > 1) set(node, !open); }}>${has ? (open ? "▾" : "▸") : ""}</span>
          <a tabindex="-1" dir="auto" href=${href(node)} title=${node.title || node.id} onClick=${() => setActive(node.id)}>${node.title || node.id}</a>
        </div>`;
      })}
    </div>
  </div>`;
}
