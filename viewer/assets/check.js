// @ts-check
// Check: an answer is pasted, and each quote and claim of it is looked for in its source.
import { html, useEffect, useState } from "./vendor/preact.js";
import { Failure } from "./app.js";
import { Badge, code, Difference, Machine, markdown, Place, readable, save } from "./parts.js";
import { date, t } from "./words.js";

/** @typedef {{kind: string, class: string, holds: boolean, quote?: string, cited?: string, address?: string, text?: string, difference?: {quote: string, source: string, note?: string}[], repairs?: string[], others?: string[], stale?: boolean, leftOut?: number, transcribed?: boolean, ocr?: boolean, confidence?: number, notes?: string[], error?: {message: string}}} Verdict */
/** @typedef {{holds: boolean | null, verdicts: Verdict[], uncited?: {text: string, meant?: string}[], complete: boolean, hint?: string}} Report */
/** @typedef {{text: string, strict: boolean, report: Report | null, time: string}} Kept */

// What was checked last in each workspace, so that going to a place and back loses nothing.
/** @type {Map<string, Kept>} */
const kept = new Map();

/** Leaves an answer for the screen to check. @param {string} workspace @param {string} text */
export function leave(workspace, text) {
  kept.set(workspace, { text, strict: false, report: null, time: "" });
}

const order = ["exact", "repaired", "unquoted", "elsewhere", "altered", "not_found", "stale", "unchecked"];

/** What is said of a verdict in one word. @param {Verdict} v */
const verdict = (v) => (v.stale ? "stale" : v.class);

/** @param {Verdict[]} verdicts @returns {[string, number][]} */
const counts = (verdicts) => order.map((name) => /** @type {[string, number]} */ ([name, verdicts.filter((v) => verdict(v) === name).length])).filter(([, n]) => n > 0);

/** The whole in one sentence. @param {Report} report @returns {[string, string]} */
function outcome({ holds, verdicts }) {
  const failed = verdicts.filter((v) => !v.holds).length;
  if (holds === null) return ["plain", t("nothingChecked")];
  if (holds) return ["good", t("holds")];
  return ["bad", failed ? t("failsCount", { n: failed, all: verdicts.length }) : t("uncitedFails")];
}

/** @param {import("./app.js").ScreenProps} props */
export default function Check({ api, ready, say }) {
  const before = kept.get(api.workspace);
  const [text, setText] = useState(before?.text ?? "");
  const [strict, setStrict] = useState(before?.strict ?? false);
  const [report, setReport] = useState(before?.report ?? null);
  const [time, setTime] = useState(before?.time ?? "");
  const [error, setError] = useState(/** @type {any} */ (null));
  const [running, setRunning] = useState(/** @type {AbortController | null} */ (null));

  useEffect(() => ready(t("check")), []);
  useEffect(() => () => running?.abort(), [running]);
  useEffect(() => { kept.set(api.workspace, { text, strict, report, time }); }, [text, strict, report, time]);

  /** @param {Event} [e] */
  const run = async (e) => {
    e?.preventDefault();
    const stop = new AbortController();
    setRunning(stop);
    setError(null);
    setReport(null);
    try {
      const got = /** @type {Report} */ (await api.verify({ text, strict }, stop));
      setTime(new Date().toISOString());
      setReport(got);
      say(outcome(got)[1]);
    } catch (failure) {
      if (!stop.signal.aborted) setError(failure);
    }
    setRunning(null);
  };
  const open = before?.text && !before.report && !before.time;
  useEffect(() => { if (open) run(); }, []);

  return html`
    <h1>${t("check")}</h1>
    <form class="panel fields no-print" onSubmit=${run}>
      <p class="wide">${t("checkIntro")}</p>
      <div class="field wide"><label for="answer">${t("answer")}</label>
        <textarea id="answer" rows=${report ? 4 : 10} required dir="auto" aria-describedby="answer-help" spellcheck=${false}
          value=${text} onInput=${(/** @type {any} */ e) => setText(e.target.value)}></textarea>
        <p id="answer-help" class="soft">${t("answerHelp")}</p></div>
      <label class="choice grow"><input type="checkbox" checked=${strict} onChange=${(/** @type {any} */ e) => setStrict(e.target.checked)} /> ${t("strict")}</label>
      ${running && html`<button type="button" onClick=${() => { running.abort(); setRunning(null); }}>${t("stop")}</button>`}
      <button type="submit" class="main" disabled=${!!running}>${running ? t("checking") : t("checkGo")}</button>
    </form>
    ${error && html`<${Failure} error=${error} again=${run} />`}
    ${report && html`<${Shown} api=${api} report=${report} text=${text} time=${time} />`}`;
}

/** @param {{api: import("./api.js").Api, report: Report, text: string, time: string}} props */
function Shown({ api, report, text, time }) {
  const [tone, words] = outcome(report);
  const toRead = report.verdicts.filter((v) => v.holds && v.class === "unquoted").length;
  const asJSON = () => save("citations.json", "application/json", JSON.stringify({ text, checked: time, ...report }, null, 2) + "\n");
  const asMarkdown = () => save("citations.md", "text/markdown", written(report, time));
  return html`
    <section class="report" aria-labelledby="outcome">
      <div class="panel outcome" data-tone=${tone}>
        <h2 id="outcome">${words}</h2>
        ${report.verdicts.length > 0 && html`<ul class="counts">${counts(report.verdicts).map(([name, n]) => html`<li key=${name}><${Badge} name=${name} count=${n} help=${t(name + "Help")} /></li>`)}</ul>`}
        ${toRead > 0 && html`<p>${t("toRead", { n: toRead })}</p>`}
        ${!report.complete && html`<p>${t("notAllChecked")}</p>`}
        ${report.hint && html`<p dir="auto">${report.hint}</p>`}
        <p class="soft">${t("reportOf", { date: date(time, true) })}</p>
        <p class="buttons no-print"><button type="button" onClick=${() => window.print()}>${t("print")}</button>
          <button type="button" onClick=${asMarkdown}>${t("exportMarkdown")}</button>
          <button type="button" onClick=${asJSON}>${t("exportJSON")}</button></p>
      </div>
      <ol class="verdicts">${report.verdicts.map((v, i) => html`<li key=${i}><${One} api=${api} v=${v} /></li>`)}</ol>
      ${(report.uncited?.length ?? 0) > 0 && html`<section class="uncited"><h2>${t("uncited")}</h2><p class="soft">${t("uncitedHelp")}</p>
        <ul>${report.uncited?.map((u, i) => html`<li key=${i}><p class="quoted" dir="auto">${u.text}</p>
          ${u.meant && html`<p class="where"><span class="soft">${t("meant")}</span> <${Place} api=${api} address=${u.meant} /></p>`}</li>`)}</ul></section>`}
    </section>`;
}

/** @param {{api: import("./api.js").Api, v: Verdict}} props */
function One({ api, v }) {
  const name = verdict(v);
  const differs = v.text !== undefined && v.text !== "" && v.quote !== undefined && v.text !== v.quote && name !== "exact";
  const placed = v.address && v.text && v.class !== "exact" && v.class !== "repaired";
  return html`<article class="verdict" data-tone=${v.holds ? "good" : "bad"}>
    <header><${Badge} name=${name} help=${t(name + "Help")} />${v.stale && v.class !== "unchecked" && html` <${Badge} name=${v.class} help=${t(v.class + "Help")} />`} <span class="chip">${t(v.kind)}</span><${Machine} of=${v} />
      ${v.cited && html`<span class="where"><span class="soft">${t("cited")}</span> <${Place} api=${api} address=${v.cited} quote=${v.holds && v.class !== "unquoted" ? v.quote : undefined} /></span>`}</header>
    ${v.quote && html`<blockquote class="quoted" dir="auto">${v.quote}</blockquote>`}
    ${name !== "exact" && html`<p class="soft">${t(name + "Help")}</p>`}
    ${differs && html`<p class="label">${t("differences")}: <del>${t("onlyQuote")}</del> <ins>${t("onlySource")}</ins></p><${Difference} quote=${v.quote} source=${v.text} />`}
    ${v.difference?.some((d) => d.note) && html`<ul class="notes">${v.difference.filter((d) => d.note).map((d, i) => html`<li key=${i} dir="auto">${d.note}</li>`)}</ul>`}
    ${(v.repairs?.length ?? 0) > 0 && html`<p class="soft">${t("repairs")}: ${v.repairs?.map((r) => t(r)).join(", ")}</p>`}
    ${v.notes?.map((note, i) => html`<p key=${i} class="soft" dir="auto">${note}</p>`)}
    ${v.error && html`<p class="note" data-tone="warn" dir="auto">${v.error.message}</p>`}
    ${(v.leftOut ?? 0) > 0 && html`<p class="note" data-tone="warn">${t("leftOut", { n: v.leftOut ?? 0 })}</p>`}
    ${placed && html`<p class="where"><span class="soft">${t(v.class === "elsewhere" ? "foundAt" : "similarAt")}</span> <${Place} api=${api} address=${v.address} quote=${v.text} /></p>`}
    ${(v.others?.length ?? 0) > 0 && html`<p class="where"><span class="soft">${t("alsoAt")}</span> ${v.others?.map((address) => html`<${Place} key=${address} api=${api} address=${address} quote=${v.text || v.quote} /> `)}</p>`}
  </article>`;
}

/** A report as Markdown, in which nothing of a text is markup. @param {Report} report @param {string} time */
export function written(report, time) {
  const lines = [`# ${t("report")}`, "", t("reportOf", { date: date(time, true) }), "", `**${outcome(report)[1]}**`, ""];
  for (const [name, n] of counts(report.verdicts)) lines.push(`- ${t(name)}: ${n}`);
  if (!report.complete) lines.push("", t("notAllChecked"));
  if (report.hint) lines.push("", markdown(report.hint));
  report.verdicts.forEach((v, i) => {
    lines.push("", `## ${i + 1}. ${t(verdict(v))} (${t(v.kind)})`, "");
    if (v.quote) lines.push(markdown(v.quote, "> "), "");
    if (v.cited) lines.push(`- ${t("cited")}: ${code(readable(v.cited))}`);
    if (v.address && v.address !== v.cited) lines.push(`- ${t(["exact", "repaired", "elsewhere"].includes(v.class) ? "foundAt" : "similarAt")}: ${code(readable(v.address))}`);
    if (v.text && v.text !== v.quote) lines.push(`- ${t("inSource")}: ${markdown(v.text).replaceAll("\n", " ")}`);
    for (const d of v.difference ?? []) lines.push(`- ${t("differences")}: ${code(d.quote || "–")} → ${code(d.source || "–")}${d.note ? ", " + markdown(d.note) : ""}`);
    if (v.repairs?.length) lines.push(`- ${t("repairs")}: ${v.repairs.map((r) => t(r)).join(", ")}`);
    for (const note of v.notes ?? []) lines.push(`- ${markdown(note).replaceAll("\n", " ")}`);
    if (v.error) lines.push(`- ${markdown(v.error.message).replaceAll("\n", " ")}`);
    for (const other of v.others ?? []) lines.push(`- ${t("alsoAt")}: ${code(other)}`);
  });
  if (report.uncited?.length) {
    lines.push("", `## ${t("uncited")}`, "");
    for (const u of report.uncited) lines.push(`- ${markdown(u.text).replaceAll("\n", " ")}${u.meant ? ` (${t("meant")} ${code(u.meant)})` : ""}`);
  }
  return lines.join("\n") + "\n";
}
