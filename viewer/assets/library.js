// @ts-check
// The library: what there is, in which state, what has no map, and how to add more.
import { html, useEffect, useMemo, useRef, useState } from "./vendor/preact.js";
import { Failure } from "./app.js";
import { Badge } from "./parts.js";
import { bytes, date, t } from "./words.js";

/** @typedef {{id: string, title?: string, type: string, path?: string, size?: number, state?: string, mapped?: string, format?: string, nodes?: number, pages?: number}} Source */
/** @typedef {{path: string, reason: string}} Unmapped */

const batch = 100; // paths that /v1/ingest takes at once
const paged = 1000; // sources of a page, the most that /v1/resources gives

/** @param {import("./app.js").ScreenProps} props */
export default function Library({ api, route, ready, say }) {
  const after = route.params.get("after") ?? "";
  const [list, setList] = useState(/** @type {{resources: Source[], nextCursor?: string} | null} */ (null));
  const [unmapped, setUnmapped] = useState(/** @type {Unmapped[]} */ ([]));
  const [info, setInfo] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [filter, setFilter] = useState("");
  const [all, setAll] = useState(/** @type {Source[] | null} */ (null)); // of every page, once a filter needs them
  const [turn, setTurn] = useState(0);
  const [again, setAgain] = useState(/** @type {Added[]} */ ([])); // to map again
  const [busy, setBusy] = useState(false);
  const filtering = filter.trim() !== "";

  useEffect(() => setList(null), [api, after]);
  useEffect(() => {
    const stop = new AbortController();
    setError(null);
    setAll(null);
    api.info(stop).then(setInfo, () => {});
    api.unmapped(stop).then((got) => setUnmapped(got.files ?? []), () => {});
    api.resources({ cursor: after, limit: paged, state: true }, stop).then(setList, (failure) => { if (!stop.signal.aborted) setError(failure); })
      .finally(() => { if (!stop.signal.aborted) ready(t("library")); });
    return () => stop.abort();
  }, [api, after, turn]);

  // A filter is of all pages: it reads those that are not shown.
  const more = !!(list && (list.nextCursor || after));
  useEffect(() => {
    if (!filtering || !more || all) return;
    const stop = new AbortController();
    const read = async () => {
      /** @type {Source[]} */
      const got = [];
      let cursor = "";
      do {
        const page = await api.resources({ cursor, limit: paged, state: true }, stop);
        for (const one of page.resources) got.push(one);
        cursor = page.nextCursor ?? "";
      } while (cursor);
      setAll(got);
    };
    read().catch((failure) => { if (!stop.signal.aborted) setError(failure); });
    return () => stop.abort();
  }, [api, filtering, more, all]);

  const sources = (filtering && all) || list?.resources || [];
  const matching = useMemo(() => {
    const parts = filter.toLowerCase().split(/\s+/).filter(Boolean);
    return parts.length ? sources.filter((s) => {
      const text = [s.title, s.id, s.path, s.type, s.format, s.state].join("\n").toLowerCase();
      return parts.every((part) => text.includes(part));
    }) : sources;
  }, [sources, filter]);
  const shown = matching.slice(0, paged);
  const count = (/** @type {string} */ state) => sources.filter((s) => s.state === state).length;
  const total = info?.resources ?? sources.length;
  useEffect(() => { if (list && filtering) say(t("filterHelp", { n: matching.length, all: total })); }, [filter, matching.length]);

  return html`
    <div class="title-row"><h1>${t("library")}</h1>
      ${list && html`<p class="summary">${t("resources", { n: total })}
        ${["changed", "missing"].map((state) => count(state) > 0 && html` <button type="button" key=${state} class="link" onClick=${() => setFilter(state)}><${Badge} name=${state} count=${count(state)} help=${t(state + "Help")} /></button>`)}</p>`}
    </div>
    ${info?.ingest && html`<${Add} api=${api} again=${again} busy=${setBusy} done=${() => setTurn((n) => n + 1)} say=${say} />`}
    ${error && html`<${Failure} error=${error} again=${() => setTurn(turn + 1)} />`}
    ${list && (sources.length > 0 || filtering) && html`
      <div class="fields filter"><div class="field grow"><label for="filter" class="visually-hidden">${t("filter")}</label>
        <input id="filter" type="search" placeholder=${t("filter")} dir="auto" autocomplete="off" value=${filter}
          onInput=${(/** @type {any} */ e) => setFilter(e.target.value)} /></div>
        ${filtering && html`<p class="soft">${t("filterHelp", { n: matching.length, all: total })}${more && !all ? " …" : ""}</p>`}</div>
      ${!matching.length && html`<p class="empty">${t("noMatch", { q: filter.trim() })}</p>`}
      ${shown.length > 0 && html`<table class="sources">
        <caption class="visually-hidden">${t("library")}</caption>
        <thead><tr><th scope="col">${t("title")}</th><th scope="col">${t("kind")}</th><th scope="col" class="number">${t("extent")}</th>
          <th scope="col" class="number">${t("size")}</th><th scope="col">${t("mapped")}</th><th scope="col">${t("state")}</th></tr></thead>
        <tbody>${shown.map((s) => html`<${Row} key=${s.id} api=${api} s=${s} again=${info?.ingest && (() => setAgain([{ path: s.path ?? "" }]))} busy=${busy} />`)}</tbody></table>`}
      ${matching.length > shown.length && html`<p class="soft">${t("moreMatch")}</p>`}
      ${!filtering && more && html`<p class="buttons">
        ${after && html`<a class="button" href=${api.page("library")}>${t("firstPage")}</a>`}
        ${list.nextCursor && html`<a class="button" rel="next" href=${api.page("library", { after: list.nextCursor })}>${t("nextPage", { n: paged })}</a>`}</p>`}`}
    ${list && !sources.length && !filtering && !error && html`<div class="empty"><p>${t("noSources")}</p><p class="soft">${t(info?.ingest ? "noSourcesDrop" : "noSourcesHelp")}</p></div>`}
    ${unmapped.length > 0 && html`<details class="unmapped" open=${unmapped.length <= 10}>
      <summary><h2>${t("notMapped")} <span class="soft">${unmapped.length}</span></h2></summary>
      <p class="soft">${t("notMappedHelp")}</p>
      <${Files} files=${unmapped} /></details>`}`;
}

/** How much there is of a source. @param {Source} s */
function extent(s) {
  const n = s.pages ?? s.nodes;
  return n ? t(s.pages ? "pages" : "nodes", { n }) : "";
}

/** @param {{api: import("./api.js").Api, s: Source, again?: () => void, busy: boolean}} props again maps it again, if that may be done */
function Row({ api, s, again, busy }) {
  const kind = s.type ? t(s.type) : "";
  const state = s.type ? s.state : "unreadable";
  const size = s.size !== undefined ? bytes(s.size) : "";
  const mapped = s.mapped ? date(s.mapped) : "";
  return html`<tr data-source=${s.id} data-state=${state}>
    <th scope="row"><a dir="auto" href=${api.reader(s.id)}>${s.title || s.id}</a>
      <span class="path"><bdi dir="ltr">${s.path || s.id}</bdi></span>
      <span class="phone soft">${[kind, extent(s), size, mapped].filter(Boolean).join(" · ")}</span></th>
    <td><span class="chip">${s.format ? s.format : kind}</span></td>
    <td class="number">${extent(s)}</td><td class="number">${size}</td>
    <td>${mapped && html`<time dateTime=${s.mapped}>${mapped}</time>`}</td>
    <td>${state && html`<${Badge} name=${state} help=${state === "current" ? undefined : t(state + "Help")} />`}
      ${state === "changed" && s.path && again && html` <button type="button" disabled=${busy} aria-label=${t("mapAgainOf", { name: s.title || s.id })} onClick=${again}>${t("mapAgain")}</button>`}</td></tr>`;
}

/** @param {{files: Unmapped[]}} props */
function Files({ files }) {
  return html`<table class="files"><thead><tr><th scope="col">${t("path")}</th><th scope="col">${t("reason")}</th></tr></thead>
    <tbody>${files.slice(0, paged).map(({ path, reason }) => html`<tr key=${path}><th scope="row"><bdi dir="ltr">${path}</bdi></th><td dir="auto">${reason}</td></tr>`)}</tbody></table>
    ${files.length > paged && html`<p class="soft">${t("firstOf", { n: paged })}</p>`}`;
}

/** A file to add, with its path below the folder of the server; one without a file is there. @typedef {{path: string, file?: File}} Added */

/** The files of what was dropped, those of folders too. @param {DataTransfer} data @returns {Promise<Added[]>} */
async function dropped(data) {
  /** @type {Added[]} */
  const found = [];
  /** @param {any} entry @param {string} path */
  const walk = async (entry, path) => {
    if (entry.isFile) {
      found.push({ path: path + entry.name, file: await new Promise((done, fail) => entry.file(done, fail)) });
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      /** @type {any[]} */
      const entries = await new Promise((done, fail) => reader.readEntries(done, fail)); // some at a time
      if (!entries.length) return;
      for (const one of entries) if (!one.name.startsWith(".")) await walk(one, `${path}${entry.name}/`);
    }
  };
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry()).filter(Boolean); // gone after the event, as the files are
  const files = chosen(data.files);
  for (const entry of entries) await walk(entry, "");
  return entries.length ? found : files;
}

/** @param {FileList} files @returns {Added[]} */
const chosen = (files) => Array.from(files, (file) => ({ path: file.webkitRelativePath || file.name, file }))
  .filter(({ path }) => !path.split("/").some((name) => name.startsWith(".")));

/** @param {{api: import("./api.js").Api, again: Added[], busy: (on: boolean) => void, done: () => void, say: (text: string) => void}} props */
function Add({ api, again, busy, done, say }) {
  const [at, setAt] = useState(/** @type {{words: string, n: number, all: number} | null} */ (null));
  const [failed, setFailed] = useState(/** @type {Unmapped[]} */ ([]));
  const [result, setResult] = useState("");
  const [over, setOver] = useState(false);
  const stop = useRef(/** @type {AbortController | null} */ (null));

  /** @param {Added[]} files */
  const add = async (files) => {
    if (!files.length || stop.current) return;
    const now = (stop.current = new AbortController());
    /** @type {Unmapped[]} */
    const wrong = [];
    const paths = [];
    let mapped = 0, ended = "";
    busy(true);
    setFailed([]);
    setResult("");
    try {
      for (const [i, { path, file }] of files.entries()) {
        if (!file) {
          paths.push(path);
          continue;
        }
        setAt({ words: t("copying", { path }), n: i, all: files.length });
        try {
          await api.put(path, file, now);
          paths.push(path);
        } catch (error) {
          if (now.signal.aborted) throw error;
          wrong.push({ path, reason: error instanceof Error ? error.message : t("failed") });
        }
      }
      for (let from = 0; from < paths.length; from += batch) {
        for await (const { event, data } of api.ingest({ paths: paths.slice(from, from + batch) }, now)) {
          if (event === "progress") setAt({ words: t("mapping", { path: data.path ?? "" }), n: from + data.done, all: paths.length });
          else if (event === "final") {
            for (const one of data.failed ?? []) wrong.push(one);
            for (const status of ["mapped", "copied", "unchanged", "renamed"]) mapped += data.counts?.[status] ?? 0;
            if (data.problem) throw new Error(data.problem.detail);
          }
        }
      }
    } catch (error) {
      ended = now.signal.aborted ? t("stopped") : error instanceof Error ? error.message : t("failed");
    }
    stop.current = null;
    busy(false);
    setAt(null);
    setFailed(wrong);
    const told = [ended, mapped ? t("added", { n: mapped }) : "", wrong.length ? t("failedCount", { n: wrong.length }) : ""].filter(Boolean).join(" · ");
    setResult(told);
    say(told);
    done();
  };
  useEffect(() => () => stop.current?.abort(), []);
  useEffect(() => { add(again); }, [again]);

  // A file may be dropped anywhere on the page.
  const adding = useRef(add);
  adding.current = add;
  useEffect(() => {
    /** @param {DragEvent} e */
    const drag = (e) => {
      if (!e.dataTransfer?.types.includes("Files")) return;
      e.preventDefault();
      setOver(e.type !== "drop");
      if (e.type === "drop") dropped(e.dataTransfer).then((files) => adding.current(files), (error) => setResult(String(error.message ?? error)));
    };
    const leave = (/** @type {DragEvent} */ e) => { if (!e.relatedTarget) setOver(false); };
    for (const name of /** @type {const} */ (["dragenter", "dragover", "drop"])) document.addEventListener(name, drag);
    document.addEventListener("dragleave", leave);
    return () => {
      for (const name of /** @type {const} */ (["dragenter", "dragover", "drop"])) document.removeEventListener(name, drag);
      document.removeEventListener("dragleave", leave);
    };
  }, []);

  /** @param {any} e */
  const pick = (e) => { add(chosen(e.target.files)); e.target.value = ""; };
  return html`<section class=${over ? "panel add over" : "panel add"} aria-labelledby="add">
    <div><h2 id="add">${over ? t("dropHere") : t("add")}</h2><p class="soft">${t("addHelp")}</p></div>
    ${at ? html`<div class="adding"><label for="adding"><bdi>${at.words}</bdi></label>
        <progress id="adding" max=${Math.max(at.all, 1)} value=${at.n}></progress>
        <span class="soft">${t("progress", { n: at.n, all: at.all })}</span>
        <button type="button" onClick=${() => stop.current?.abort()}>${t("stop")}</button></div>` :
      html`<p class="buttons"><label class="button file"><input type="file" multiple class="visually-hidden" onChange=${pick} />${t("chooseFiles")}</label>
        <label class="button file"><input type="file" webkitdirectory class="visually-hidden" onChange=${pick} />${t("chooseFolder")}</label></p>`}
    ${result && html`<p class="note" dir="auto">${result}</p>`}
    ${failed.length > 0 && html`<${Files} files=${failed} /><button type="button" onClick=${() => setFailed([])}>${t("dismiss")}</button>`}
  </section>`;
}
