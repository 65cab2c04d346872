// @ts-check
// Search: passages of all sources, each of which opens at its place.
import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { Failure } from "./app.js";
import { Machine, marked, Place } from "./parts.js";
import { t } from "./words.js";

/** @typedef {{id: string, documentId: string, document?: {title?: string, type: string}, address: string, title?: string, path?: string[], text: string, highlights?: [number, number][], copies?: string[], transcribed?: boolean, ocr?: boolean}} Result */

const kinds = ["document", "text", "image", "audio", "video"];
const first = 20, more = 50; // of /v1/search
const longest = 300; // code points of a quote

/**
 * The words that the reader marks: those of the line with most highlights, from the first
 * of them to the last. They stand in the source as they are.
 * @param {Result} result
 */
export function wordsFound({ text, highlights = [] }) {
  const points = Array.from(text);
  /** @type {[number, number][][]} */
  const lines = [[]];
  let at = 0;
  for (const [from, to] of highlights) {
    const line = /** @type {[number, number][]} */ (lines.at(-1));
    if (points.slice(at, from).includes("\n") || (line.length && to - line[0][0] > longest)) lines.push([[from, to]]);
    else line.push([from, to]);
    at = to;
  }
  const best = lines.reduce((a, b) => (b.length > a.length ? b : a));
  return best.length ? points.slice(best[0][0], best[best.length - 1][1]).join("") : "";
}

/** @param {import("./app.js").ScreenProps} props */
export default function Search({ api, route, go, ready, say }) {
  const kind = route.params.get("kind") ?? "";
  const within = route.params.get("in") ?? "";
  const top = route.params.get("n") ? more : first;
  const [found, setFound] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [turn, setTurn] = useState(0);
  const list = useRef(/** @type {HTMLElement | null} */ (null));

  useEffect(() => {
    setError(null);
    if (!route.q) {
      setFound(null);
      ready(t("search"));
      return;
    }
    const stop = new AbortController();
    const sources = within.split(",").map((s) => s.trim()).filter(Boolean);
    const filters = { types: kind ? [kind] : undefined, sources: sources.length ? sources : undefined };
    api.search({ q: route.q, topK: top, filters }, stop).then((results) => {
      setFound(results);
      say(total(results));
    }, (failure) => { if (!stop.signal.aborted) { setFound(null); setError(failure); } }).finally(() => { if (!stop.signal.aborted) ready(`${route.q} · ${t("search")}`); });
    return () => stop.abort();
  }, [api, route.q, kind, within, top, turn]);

  // j and k, and the arrows, go through the results.
  useEffect(() => {
    /** @param {number} by */
    const move = (by) => {
      const links = Array.from(list.current?.querySelectorAll("a.result") ?? [], (link) => /** @type {HTMLElement} */ (link));
      const at = links.findIndex((link) => link.closest("li")?.contains(document.activeElement));
      const next = at + by;
      if (next < 0) /** @type {HTMLElement | null} */ (document.querySelector("#q"))?.focus();
      else links[Math.min(next, links.length - 1)]?.focus();
      return links.length > 0;
    };
    const key = (/** @type {any} */ e) => { if ((e.detail === "j" || e.detail === "k") && move(e.detail === "j" ? 1 : -1)) e.preventDefault(); };
    const arrow = (/** @type {KeyboardEvent} */ e) => {
      const by = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
      const on = /** @type {Element} */ (e.target);
      if (by && !e.metaKey && !e.ctrlKey && !e.altKey && !e.shiftKey && (list.current?.contains(on) || (by > 0 && on.id === "q")) && move(by)) e.preventDefault();
    };
    document.addEventListener("citekit-key", key);
    document.addEventListener("keydown", arrow);
    return () => { document.removeEventListener("citekit-key", key); document.removeEventListener("keydown", arrow); };
  }, []);

  /** @param {any} results */
  const total = (results) => t(results.totalIsMinimum ? "atLeast" : "results", { n: results.total });
  /** @param {Record<string, string | undefined>} values */
  const page = (values) => api.page("search", { q: route.q, kind, in: within, ...values });
  /** @param {SubmitEvent} e */
  const submit = (e) => {
    e.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (e.target));
    const value = (/** @type {string} */ name) => String(form.get(name) ?? "").trim();
    const to = page({ q: value("q"), kind: value("kind"), in: value("in") });
    if (to === location.pathname + location.search) setTurn(turn + 1);
    else go(to);
  };

  return html`
    <h1>${t("search")}</h1>
    <form class="panel fields" role="search" aria-label=${t("search")} onSubmit=${submit} key=${[route.q, kind, within].join("\n")}>
      <div class="field wide"><label for="q">${t("searchFor")}</label>
        <input id="q" name="q" type="search" data-search required maxlength="100000" dir="auto" autocomplete="off" defaultValue=${route.q} aria-describedby="q-help" /></div>
      <div class="field"><label for="kind">${t("kind")}</label>
        <select id="kind" name="kind"><option value="">${t("allKinds")}</option>
          ${kinds.map((one) => html`<option key=${one} value=${one} selected=${one === kind}>${t(one)}</option>`)}
          ${kind && !kinds.includes(kind) && html`<option value=${kind} selected>${kind}</option>`}</select></div>
      <div class="field grow"><label for="in">${t("sources")}</label>
        <input id="in" name="in" dir="auto" autocomplete="off" placeholder=${t("sourcesHelp")} defaultValue=${within} /></div>
      <button type="submit" class="main">${t("searchGo")}</button>
      <p id="q-help" class="soft wide">${t("searchTips")} ${t("resultKeys")}</p>
    </form>
    ${error && html`<${Failure} error=${error} again=${() => setTurn(turn + 1)} />`}
    ${!route.q && html`<p class="empty">${t("searchStart")}</p>`}
    ${found && html`
      <p class="summary"><b>${total(found)}</b>${found.results.length < found.total && html`, ${t("firstOf", { n: found.results.length })}`}</p>
      ${!found.complete && html`<p class="note" data-tone="warn">${t("incomplete")}</p>`}
      ${found.leftOut > 0 && html`<p class="note" data-tone="warn">${t("leftOut", { n: found.leftOut })}</p>`}
      ${found.hint && html`<p class="note" dir="auto">${found.hint}</p>`}
      ${!found.results.length && html`<div class="empty"><p>${t("noResults", { q: route.q })}</p><p class="soft">${t("noResultsHelp")}</p></div>`}
      <ol class="results" ref=${list}>${found.results.map((/** @type {Result} */ r) => html`<li key=${r.id + r.address}>
        <h2><a class="result" dir="auto" href=${api.reader(r.address, wordsFound(r))}>${trail(r)}</a></h2>
        <p class="snippet" dir="auto">${marked(r.text, r.highlights)}</p>
        <p class="where"><span class="chip">${r.document?.type ? t(r.document.type) : ""}</span><${Machine} of=${r} /> <${Place} api=${api} address=${r.address} quote=${wordsFound(r)} /></p>
        ${r.copies?.length && html`<p class="where">${t("copies")} ${r.copies.map((address) => html`<${Place} key=${address} api=${api} address=${address} quote=${wordsFound(r)} /> `)}</p>`}
      </li>`)}</ol>
      ${top < more && found.total > found.results.length && found.results.length > 0 && html`<p><a class="button" href=${page({ n: String(more) })}>${t("moreResults")}</a></p>`}`}`;
}

/** The titles that lead to a result. @param {Result} r */
function trail(r) {
  const titles = [r.document?.title || r.documentId, ...(r.path ?? []), r.title ?? ""].filter((one, i, all) => one && one !== all[i - 1]);
  return titles.map((title, i) => html`${i > 0 && html`<span class="soft" aria-hidden="true"> › </span>`}<bdi>${title}</bdi>`);
}
