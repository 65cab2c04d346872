// @ts-check
// The verdict of a quote in words, and the citation of what is shown or selected.
import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { t } from "./words.js";
import { sentence } from "./kinds/dom.js";
import { Machine } from "./parts.js";

/** @typedef {import("./show.js").View} View */
/** @typedef {import("./show.js").Selection} Selection */

/** Copies a text. @param {string} text @returns {Promise<boolean>} whether it could */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without https a page has no clipboard but that of a selection.
    const field = document.createElement("textarea");
    const focus = document.activeElement;
    field.value = text;
    field.className = "visually-hidden";
    document.body.append(field);
    field.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { /* it cannot */ }
    field.remove();
    if (focus instanceof HTMLElement) focus.focus();
    return done;
  }
}

/** @param {string} text */
const spaced = (text) => text.replace(/\s+/g, " ").trim();

/**
 * What is to be said of a view before anything else: whether its source is as it was, and
 * whether the quote stands there.
 * @param {{view: View, quote: string, api: import("./api.js").Api}} props
 */
export function Verdict({ view, quote, api }) {
  const found = view.quote;
  const stood = found && (found.class === "exact" || found.class === "repaired");
  const old = found?.stale || view.state !== "current";
  const holds = stood && !old;
  const source = view.state !== "current" && html`<p class="finding bad" data-source=${view.state}><strong>${t("source_" + view.state)}</strong> <span dir="auto">${sentence(view.note ?? "")}</span></p>`;
  const silent = !quote && ["image", "video", "audio"].includes(view.kind);
  const note = view.state === "current" && view.note && !silent && html`<p class="note" dir="auto">${sentence(view.note)}</p>`;
  if (!found) return html`<div class="verdicts" role="status">${source}${note}</div>`;
  const places = found.class === "elsewhere" && found.address ? [found.address, ...(found.others ?? [])] : found.others ?? [];
  const differs = !!found.text && found.class !== "exact" && spaced(found.text) !== spaced(quote);
  return html`<div class="verdicts" role="status">
    ${source}
    <div class=${"finding " + (holds ? "good" : found.class === "elsewhere" || found.class === "unchecked" ? "doubt" : "bad")} data-verdict=${found.class}>
      <p><strong>${t("verdict_" + (!old ? found.class : stood ? "stood" : found.class === "unchecked" ? view.state === "missing" ? "gone" : "stale" : found.class))}</strong>
        <${Machine} of=${found} />
        ${found.class === "elsewhere" && found.address && html` <a href=${api.reader(found.address, quote)}>${found.address}</a>`}
        ${found.problem && (view.state === "current" || found.problem !== view.note) && html` <span dir="auto">${sentence(found.problem)}</span>`}</p>
      ${!holds || found.class === "repaired" ? html`<p class="quoted"><span class="label">${t("asQuoted")}</span> <q dir="auto">${quote}</q></p>` : null}
      ${differs && html`<p class="quoted"><span class="label">${t("sourceWords")}</span> <q dir="auto">${found.text}</q></p>`}
      ${found.difference?.length ? html`<ul class="differences" aria-label=${t("differencesOf")}>${found.difference.map((d, i) => html`<li key=${i}>
        ${d.quote && html`<del dir="auto">${d.quote}</del>`} ${d.source && html`<ins dir="auto">${d.source}</ins>`} ${d.note && html`<span class="note" dir="auto">${d.note}</span>`}</li>`)}</ul>` : null}
      ${found.class === "altered" && found.address && found.address !== view.address && html`<p>${t("similarStand")} <a href=${api.reader(found.address, found.text)}>${found.address}</a></p>`}
      ${found.notes?.map((n) => html`<p class="note" dir="auto" key=${n}>${sentence(n)}</p>`)}
      ${places.length > (found.class === "elsewhere" ? 1 : 0) && html`<details><summary>${t("otherPlaces", { n: places.length - (found.class === "elsewhere" ? 1 : 0) })}</summary>
        <ul>${places.slice(found.class === "elsewhere" ? 1 : 0).map((a) => html`<li key=${a}><a href=${api.reader(a, quote)}>${a}</a></li>`)}</ul></details>`}
    </div>
    ${note}
  </div>`;
}

const formats = ["markdown", "bibtex", "csl", "link"];

/**
 * @param {{view: View, quote: string, selection: Selection | undefined, forget: () => void, api: import("./api.js").Api, say: (text: string) => void, copy: {current: (() => void) | null}}} props
 *   copy gets what the key for it does
 */
export function Citation({ view, quote, selection, forget, api, say, copy }) {
  const [made, setMade] = useState(/** @type {{format: string, text: string, copied: boolean} | undefined} */ (undefined));
  const [wrong, setWrong] = useState("");
  const address = selection?.address ?? view.address;
  const stands = view.quote && (view.quote.class === "exact" || view.quote.class === "repaired");
  const words = selection ? selection.quote ?? "" : stands ? quote : "";
  const turn = useRef(0);
  useEffect(() => { turn.current++; setMade(undefined); setWrong(""); }, [address, words]);

  /** @param {string} format */
  const make = async (format) => {
    const mine = ++turn.current;
    setWrong("");
    try {
      let text;
      if (format === "link") text = location.origin + api.reader(address, words);
      else {
        const cited = await api.cite({ address, quote: words, format });
        text = cited.text ?? JSON.stringify(cited.value, null, 2);
      }
      const copied = await copyText(text);
      if (mine !== turn.current) return;
      setMade({ format, text, copied });
      say(t(copied ? "copied" : "notCopied"));
    } catch (error) {
      if (mine === turn.current) setWrong(error instanceof Error ? error.message : t("failed"));
    }
  };
  copy.current = () => make("markdown");

  return html`<section class="citation" aria-labelledby="citation-title">
    <h2 id="citation-title">${t(selection ? "yourSelection" : "citation")}</h2>
    <p class="label" dir="auto">${selection ? "" : view.label}</p>
    <p class="address"><code>${address}</code></p>
    ${words && html`<blockquote dir="auto">${words}</blockquote>`}
    ${selection && html`<p class="actions"><a href=${api.reader(address, words)}>${t("openSelection")}</a> <button type="button" class="quiet" onClick=${forget}>${t("forget")}</button></p>`}
    <div class="actions" role="group" aria-label=${t("copyAs")}>
      ${formats.map((f) => html`<button type="button" key=${f} onClick=${() => make(f)}>${t("copy_" + f)}</button>`)}
    </div>
    ${wrong && html`<p class="wrong" role="alert" dir="auto">${wrong}</p>`}
    ${made && html`<p class="copied">${t(made.copied ? "copied" : "notCopied")}</p>
      <pre class="made" tabindex="0" aria-label=${t("copy_" + made.format)} dir="auto">${made.text}</pre>`}
    ${view.state === "current" && html`<p class="evidence"><a href=${api.evidence(address)} download>${t("evidence")}</a></p>`}
  </section>`;
}
