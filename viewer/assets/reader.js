// @ts-check
// The reader: the tree of the map, the thing itself, and its citation. Which part it shows
// and which words are marked stand in the address bar.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/preact.js";
import { t } from "./words.js";
import { show } from "./show.js";
import { Tree, pathTo } from "./tree.js";
import { Citation, Verdict } from "./citation.js";
import { tokens } from "./syntax.js";
import { Problem } from "./api.js";

/** @typedef {import("./show.js").View} View */
/** @typedef {import("./tree.js").MapNode} MapNode */

/** The texts that are titles in a map, with their level. @param {MapNode[]} nodes */
function titlesOf(nodes) {
  const titles = new Map();
  /** @param {MapNode[]} list @param {number} level */
  const add = (list, level) => {
    for (const node of list) {
      if (node.title && titles.size < 5000) titles.set(node.title.trim(), level);
      if (node.children) add(node.children, level + 1);
    }
  };
  add(nodes, 1);
  return titles;
}

/** @param {import("./app.js").ScreenProps} props */
export default function Reader({ api, route, go, ready, say }) {
  const [view, setView] = useState(/** @type {View | undefined} */ (undefined));
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const [turn, setTurn] = useState(0);
  const [map, setMap] = useState(/** @type {any} */ (undefined));
  const [selection, setSelection] = useState(/** @type {import("./show.js").Selection | undefined} */ (undefined));
  const [wide] = useState(() => matchMedia("(min-width: 60rem)").matches);
  const [treeOpen, setTreeOpen] = useState(wide);
  const stage = useRef(/** @type {HTMLElement | null} */ (null));
  const shown = useRef(/** @type {import("./show.js").Shown | null} */ (null));
  const copy = useRef(/** @type {(() => void) | null} */ (null));
  const latest = useRef({ route, view });
  latest.current = { route, view };
  const got = useRef({ address: "", q: "", turn: -1 });
  const [drawn, setDrawn] = useState(false); // something was, so that there is time for the map

  // The map of its source.
  const documentId = view?.documentId ?? "";
  useEffect(() => {
    setMap(undefined);
    if (!documentId || !drawn) return;
    const stop = new AbortController();
    api.resource(documentId, stop).then((r) => setMap(r.map), () => {});
    return () => stop.abort();
  }, [api, documentId, drawn]);
  const root = useMemo(() => map && { id: "\n", title: map.title || documentId, children: map.nodes ?? [] }, [map]);
  const titles = useMemo(() => (map ? titlesOf(map.nodes ?? []) : undefined), [map]);
  const current = useMemo(() => (root && view ? ["\n", ...pathTo(root.children, view.address, view.nodeId)] : []), [root, view]);

  // The thing itself, which is elements without preact.
  useLayoutEffect(() => {
    const at = stage.current;
    if (!view || !at) return;
    if (!shown.current?.update?.(view)) {
      shown.current?.destroy();
      /** @type {import("./show.js").Host} */
      const host = {
        t,
        load: (asked, call) => api.view({ ...asked, quote: asked.cursor ? latest.current.route.q : undefined }, call),
        picture: (address, side) => api.picture(address, side),
        evidence: (address) => api.evidence(address),
        select: setSelection,
        // Turning pages is one step of the history.
        open: (address) => go(api.reader(address), { replace: view.kind === "pages" }),
        tokens,
        titles,
      };
      shown.current = show(view, host);
      at.replaceChildren(shown.current.element);
      shown.current.start();
    }
    const now = shown.current.drawn?.() ?? Promise.resolve();
    ready(view.label, now);
    now.then(() => setDrawn(true));
  }, [view]);
  useEffect(() => () => { shown.current?.destroy(); shown.current = null; }, []);

  // What the address bar names. It stands behind what shows it, which says when it is ready.
  useLayoutEffect(() => {
    const asked = { address: route.address, q: route.q, turn };
    if (got.current.address === asked.address && got.current.q === asked.q && got.current.turn === turn) { ready(latest.current.view?.label, shown.current?.drawn?.()); return; }
    const stop = new AbortController();
    api.view({ address: asked.address, quote: asked.q }, stop).then((next) => {
      if (stop.signal.aborted) return;
      got.current = { ...asked, address: next.address };
      setError(undefined);
      setSelection(undefined);
      setView(next);
      if (next.address !== asked.address) go(api.reader(next.address, asked.q), { replace: true });
    }, (problem) => {
      if (stop.signal.aborted) return;
      got.current = { address: "", q: "", turn: -1 };
      setView(undefined);
      setError(problem);
      ready(t(problem instanceof Problem && problem.status >= 400 && problem.status < 500 ? "nothingThere" : "failed"));
    });
    return () => stop.abort();
  }, [api, route.address, route.q, turn]);

  // Keys: those of the kind, and for the next and the last part of the map.
  useEffect(() => {
    const key = (/** @type {any} */ e) => {
      const k = e.detail;
      if (k === "y") copy.current?.();
      else if (!shown.current?.key?.(k)) {
        if (k !== "j" && k !== "k" || !root) return;
        const next = neighbour(root, current[current.length - 1] ?? root.id, k === "j" ? 1 : -1);
        if (!next) return;
        go(api.reader(`${documentId}.${next.id}`));
      }
      e.preventDefault();
    };
    document.addEventListener("citekit-key", key);
    return () => document.removeEventListener("citekit-key", key);
  }, [root, current, api]);

  if (error) {
    const wrong = error instanceof Problem && error.status >= 400 && error.status < 500;
    return html`<div class="reader failed" data-state="error">
      <h1>${t(wrong ? "nothingThere" : "failed")}</h1>
      <p class="address"><code>${route.address}</code></p>
      <p class="finding bad" role="alert" dir="auto">${error.message}</p>
      <p>${wrong ? html`<a href=${api.page("library")}>${t("library")}</a>` : html`<button type="button" onClick=${() => setTurn(turn + 1)}>${t("again")}</button>`}</p>
    </div>`;
  }
  return html`<div class=${"reader" + (treeOpen ? " with-tree" : "")} data-state=${view?.state} data-kind=${view?.kind} aria-busy=${view ? undefined : "true"}>
    <div class="reader-top">
      <button type="button" class="quiet" aria-expanded=${String(treeOpen)} aria-controls="tree-pane" onClick=${() => setTreeOpen(!treeOpen)}>${t("contents")}</button>
      <h1 dir="auto">${view?.label ?? t("loading")}</h1>
    </div>
    <nav id="tree-pane" class="tree-pane" aria-label=${t("contents")} hidden=${!treeOpen}>
      ${root && html`<${Tree} root=${root} current=${current} go=${go}
        href=${(/** @type {MapNode} */ node) => api.reader(node.id === "\n" ? documentId : `${documentId}.${node.id}`)} />`}
    </nav>
    <div class="stage-pane">
      ${view && html`<${Verdict} view=${view} quote=${route.q} api=${api} />`}
      <div class="stage" ref=${stage}></div>
    </div>
    <aside class="citation-pane" aria-label=${t("citation")}>
      ${view && html`<${Citation} view=${view} quote=${route.q} selection=${selection} forget=${() => setSelection(undefined)} api=${api} say=${say} copy=${copy} />`}
    </aside>
  </div>`;
}

/** The node before or behind one in reading order. @param {MapNode} root @param {string} id @param {number} by */
function neighbour(root, id, by) {
  /** @type {MapNode[]} */
  const all = [];
  /** @param {MapNode} node */
  const add = (node) => { all.push(node); node.children?.forEach(add); };
  add(root);
  const next = all[all.findIndex((n) => n.id === id) + by];
  return next && next !== root ? next : undefined;
}
