// @ts-check
// Ask: a question, and the sentences that answer it as they come, each with its place.
import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { Failure } from "./app.js";
import { Problem } from "./api.js";
import { leave } from "./check.js";
import { Badge, Place } from "./parts.js";
import { t } from "./words.js";

/** @typedef {{text: string, citation?: {address?: string, text: string, sentence?: string, verdict: string, rationale?: string[]}}} Sentence */

/** @typedef {{sentences: Sentence[], end: any, note: string}} Kept */

// The last answers, so that going to a place and back asks nobody again.
/** @type {Map<string, Kept>} */
const kept = new Map();
const most = 20;

/** @param {import("./app.js").ScreenProps} props */
export default function Ask({ api, route, go, ready, say }) {
  const type = route.params.get("type") ?? "";
  const [sentences, setSentences] = useState(/** @type {Sentence[]} */ ([]));
  const [end, setEnd] = useState(/** @type {any} */ (null)); // the answer as a whole
  const [note, setNote] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  const [running, setRunning] = useState(/** @type {AbortController | null} */ (null));
  const [stopped, setStopped] = useState(false);
  const [writes, setWrites] = useState(false);
  const [turn, setTurn] = useState(0);
  const [offered, setOffered] = useState(false); // a question that nobody here has asked
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const pressed = useRef(false);
  const key = [api.workspace, type, route.q].join("\n");

  useEffect(() => { api.info().then((info) => setWrites(info.abstractive), () => {}); }, [api]);

  useEffect(() => {
    setSentences([]);
    setEnd(null);
    setNote("");
    setError(null);
    setStopped(false);
    setOffered(false);
    const asks = pressed.current || route.followed;
    const before = pressed.current ? undefined : kept.get(key);
    pressed.current = false;
    if (before) {
      setSentences(before.sentences);
      setEnd(before.end);
      setNote(before.note);
    }
    if (!route.q || before || !asks) {
      // A model may cost: a link from elsewhere fills the field, and the reader asks.
      setOffered(!!route.q && !before);
      ready(route.q ? `${route.q} · ${t("ask")}` : t("ask"));
      return;
    }
    const stop = new AbortController();
    setRunning(stop);
    const answer = async () => {
      /** @type {Sentence[]} */
      let all = [];
      for await (const { event, data } of api.stream({ question: route.q, answerType: type || undefined }, stop)) {
        if (stop.signal.aborted) return;
        if (event === "meta") setNote(data.note ?? "");
        else if (event === "token") all = [...all, { text: data.text.trim() }];
        else if (event === "citation") {
          const last = all.at(-1);
          if (last && !last.citation) all = [...all.slice(0, -1), { ...last, citation: data }];
          else all = [...all, { text: data.sentence ?? data.text, citation: data }];
        } else if (event === "final") {
          if (data.problem) throw new Problem(data.problem.status, data.problem);
          setEnd(data.answer);
          setNote(data.answer.note ?? "");
          kept.delete(key);
          kept.set(key, { sentences: all, end: data.answer, note: data.answer.note ?? "" });
          if (kept.size > most) kept.delete(kept.keys().next().value ?? "");
          say(data.answer.found ? t("sentences", { n: all.length }) : t("abstains"));
          return;
        }
        setSentences(all);
      }
      throw new Problem(0);
    };
    answer().catch((failure) => { if (!stop.signal.aborted) setError(failure); }).finally(() => {
      setRunning((now) => (now === stop ? null : now));
      if (!stop.signal.aborted) ready(`${route.q} · ${t("ask")}`);
    });
    return () => stop.abort();
  }, [api, route.q, type, turn]);

  /** @param {SubmitEvent} e */
  const submit = (e) => {
    e.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (e.target));
    const to = api.page("ask", { q: String(form.get("q") ?? "").trim(), type: String(form.get("type") ?? "") });
    pressed.current = true;
    if (to === location.pathname + location.search) setTurn(turn + 1);
    else go(to);
  };
  const again = () => { pressed.current = true; setTurn(turn + 1); };
  const halt = () => {
    running?.abort();
    setStopped(true);
    say(t("stopped"));
    ready(`${route.q} · ${t("ask")}`);
  };
  const asText = () => sentences.map(({ text, citation }) =>
    citation?.address ? `${citation.sentence ? text : `"${text}"`} [${citation.address}]` : text).join(" ");
  const copy = async () => { await navigator.clipboard.writeText(asText()); say(t("copied")); };
  const check = () => { leave(api.workspace, asText()); go(api.page("check")); };

  return html`
    <h1>${t("ask")}</h1>
    <form class="panel fields" onSubmit=${submit} key=${route.q}>
      <p class="wide">${t("askIntro")}</p>
      <div class="field wide"><label for="question">${t("question")}</label>
        <textarea id="question" name="q" data-search rows="2" required maxlength="100000" dir="auto" ref=${field} defaultValue=${route.q}
          onKeyDown=${(/** @type {any} */ e) => { if (e.key === "Enter" && !e.shiftKey && !e.isComposing) { e.preventDefault(); e.target.form.requestSubmit(); } }}></textarea></div>
      ${writes && html`<div class="field grow"><label for="type">${t("answerType")}</label>
        <select id="type" name="type"><option value="">${t("abstractive")}</option><option value="extractive" selected=${type === "extractive"}>${t("extractive")}</option></select></div>`}
      ${running && html`<button type="button" onClick=${halt}>${t("stop")}</button>`}
      <button type="submit" class="main">${t("askGo")}</button>
    </form>
    ${offered && html`<p class="note">${t("askOffered")}</p>`}
    ${running && !sentences.length && html`<p class="soft" aria-hidden="true">${t("asking")}</p>`}
    ${end && !end.found && html`<div class="panel outcome" data-tone="warn" data-abstains><h2>${t("abstains")}</h2><p>${t("abstainsHelp")}</p></div>`}
    ${sentences.length > 0 && html`<section class="answer" aria-labelledby="found" aria-busy=${!!running}>
      <h2 id="found">${t("found")}</h2>
      <ol class="sentences">${sentences.map((one, i) => html`<li key=${i}><${Shown} api=${api} one=${one} /></li>`)}</ol>
      ${!running && html`<p class="buttons"><button type="button" onClick=${copy}>${t("copyAnswer")}</button> <button type="button" onClick=${check}>${t("checkAnswer")}</button></p>`}
    </section>`}
    ${stopped && html`<p class="note" data-tone="warn">${t("stopped")}</p>`}
    ${end && !end.complete && html`<p class="note" data-tone="warn">${t("incomplete")}</p>`}
    ${note && !error && html`<p class="note" dir="auto">${note}</p>`}
    ${error && html`<${Failure} error=${error} again=${again} />`}`;
}

/** @param {{api: import("./api.js").Api, one: Sentence}} props */
function Shown({ api, one: { text, citation } }) {
  return html`<p class="quoted" dir="auto">${text}</p>
    ${citation?.sentence && citation.text && html`<blockquote class="quoted" dir="auto">${citation.text}</blockquote>`}
    ${citation && html`<p class="where"><${Badge} name=${citation.verdict} help=${t(citation.verdict + "Help")} />
      ${citation.address && html` <${Place} api=${api} address=${citation.address} quote=${citation.text} />`}
      ${(citation.rationale?.length ?? 0) > 0 && html` <span class="soft">${t("foundBy")} <bdi>${citation.rationale?.join(", ")}</bdi></span>`}</p>`}`;
}
