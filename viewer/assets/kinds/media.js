// @ts-check
// Video and audio: a player of the whole, the span that is cited on a track, what is said as
// a list and as captions, and the exact clip beside it.
import { clock, el, marked, markUnits } from "./dom.js";
import { flow } from "./flow.js";
import { having, short, time, whole } from "./address.js";

/** @typedef {import("../show.js").View} View */
/** @typedef {import("../show.js").Host} Host */

/** @param {View} view @param {Host} host @returns {import("../show.js").Shown} */
export function media(view, host) {
  const base = whole(view.address);
  const video = view.kind === "video";
  const seconds = () => (Number.isFinite(player.duration) && player.duration) || view.extent?.seconds || 0;

  const player = /** @type {HTMLMediaElement} */ (el(video ? "video" : "audio", { controls: true, preload: "metadata", class: "player", "aria-label": view.document?.title || view.label }));
  const captions = player.addTextTrack(video ? "captions" : "metadata", host.t("captions"));
  captions.mode = video ? "showing" : "hidden";
  const wave = el("img", { alt: "", class: "wave", hidden: true, draggable: "false" });
  const cited = el("div", { class: "span", "data-region": true, hidden: true });
  const chosen = el("div", { class: "chosen-span", hidden: true });
  const now = el("div", { class: "now" });
  const track = el("div", { class: "track" }, wave, cited, chosen, now);
  const times = el("div", { class: "times", "aria-hidden": "true" });
  const said = el("p", { class: "span-time" });
  const problem = el("p", { class: "note", role: "alert", hidden: true }, host.t("cannotPlay"));
  const clip = el("div", { class: "clip", hidden: true });
  const original = el("figure", {}, player, el("figcaption", {}, host.t("original")));
  const players = el("div", { class: "players" }, original, clip);
  // Some hosts give the part that is cited alone: then going to a time opens the part there.
  const source = host.evidence?.(base);

  const from = el("input", { type: "text", inputmode: "decimal", "aria-label": host.t("from") });
  const to = el("input", { type: "text", inputmode: "decimal", "aria-label": host.t("to") });
  /** @param {HTMLInputElement} field */
  const hereButton = (field) => !!source && el("button", { type: "button", onclick: () => here(field) }, host.t("here"));
  const bar = el("fieldset", { class: "bar" }, el("legend", {}, host.t("timeSpan")),
    el("label", {}, host.t("from"), " ", from), hereButton(from), el("label", {}, host.t("to"), " ", to), hereButton(to),
    el("button", { type: "button", onclick: () => play() }, host.t("playSpan")));

  /** @type {Set<string>} */
  const have = new Set();
  const list = el("div", { class: "cues" });
  const scroller = el("div", { class: "scroller cue-list", tabindex: 0, role: "region", "aria-label": host.t("captions") });
  const made = flow(view, host, {
    scroller, list,
    chunk(got, first) {
      const node = el("div", { class: "chunk" });
      const [a, b] = (first && got.selected && time(got.address)) ? got.selected : [0, 0];
      (got.spans ?? []).forEach((span, i) => {
        const at = time(span.address);
        const words = el("span", { dir: "auto", class: "said" });
        words.append(marked(span.text, 0, span.text.length, markUnits(span.text, span.marks)));
        const cue = el("div", { class: "cue" + (i >= a && i < b ? " cited" : ""), "data-address": span.address, "data-from": at?.[0], "data-to": at?.[1] });
        if (at) {
          cue.append(el("button", { type: "button", class: "time", "aria-label": host.t("playAt", { time: clock(at[0]) }), onclick: () => { if (source) seek(at[0], true); else host.open?.(span.address); } }, clock(at[0])));
          addCue(at, span.text);
        }
        cue.append(words);
        node.append(cue);
      });
      return node;
    },
  });
  if (view.transcribed) scroller.append(el("p", { class: "note" }, host.t("transcribedHelp")));
  scroller.append(made.top, list, made.bottom);
  if (!view.spans?.length) scroller.hidden = true;
  const element = el("div", { class: "scroller media" }, players, problem, track, times, said, bar, scroller);

  /** @param {[number, number]} at @param {string} text */
  function addCue([start, end], text) {
    const key = start + " " + text;
    if (have.has(key) || !video) return;
    have.add(key);
    // The text of a cue is a markup of its own, in which these two begin everything.
    captions.addCue(new VTTCue(start, Number.isFinite(end) ? end : start + 5, text.replace(/&/g, "&amp;").replace(/</g, "&lt;")));
  }

  /** The end of where to play to, if a span plays. @type {number | undefined} */
  let until;
  /** @param {number} at @param {boolean} [start] */
  function seek(at, start) {
    until = undefined;
    player.currentTime = at;
    if (start) player.play().catch(() => {});
  }
  /** @param {HTMLElement} box @param {number} a @param {number} b */
  function place(box, a, b) {
    const all = seconds();
    if (!all) return;
    box.style.left = (a / all) * 100 + "%";
    box.style.width = ((Math.min(b, all) - a) / all) * 100 + "%";
  }
  /** @type {[number, number] | undefined} */
  let chosenTime;
  /** Seconds as they are written in a field, such as 1:02.5. @param {string} text */
  const parseTime = (text) => text.trim().split(":").reduce((sum, part) => sum * 60 + (/^\d+(\.\d+)?$/.test(part) ? Number(part) : NaN), 0);

  /** @param {number} a @param {number} b @param {boolean} [tell] */
  function choose(a, b, tell = true) {
    chosenTime = [a, b];
    place(chosen, a, b);
    chosen.hidden = false;
    if (tell) host.select({ address: having(base, { t: `${short(a, 3)}-${short(b, 3)}` }) });
  }
  function typed() {
    const a = parseTime(from.value), b = parseTime(to.value), all = seconds();
    const wrong = !(a >= 0 && b > a && (!all || b <= all + 0.1));
    from.setAttribute("aria-invalid", String(wrong));
    to.setAttribute("aria-invalid", String(wrong));
    if (!wrong) choose(a, b);
  }
  /** @param {HTMLInputElement} field */
  function here(field) {
    field.value = clock(player.currentTime);
    typed();
  }
  from.addEventListener("change", typed);
  to.addEventListener("change", typed);
  function play() {
    const span = chosenTime ?? time(view.address) ?? [0, Infinity];
    const cut = /** @type {HTMLMediaElement | null} */ (clip.querySelector("audio, video"));
    if (!source) {
      if (chosenTime) host.open?.(having(base, { t: `${short(span[0], 3)}-${short(span[1], 3)}` }));
      else cut?.play().catch(() => {});
      return;
    }
    seek(span[0], true);
    until = span[1];
  }

  // The track: a click goes there, dragging chooses a span.
  /** @type {number | undefined} */
  let began;
  /** @param {PointerEvent} e */
  const at = (e) => {
    const box = track.getBoundingClientRect();
    return Math.min(Math.max((e.clientX - box.left) / box.width, 0), 1) * seconds();
  };
  const far = (/** @type {PointerEvent} */ e) => Math.abs(at(e) - /** @type {number} */ (began)) / (seconds() || 1) * track.clientWidth > 4;
  track.addEventListener("pointerdown", (e) => { if (!e.button) { began = at(e); track.setPointerCapture(e.pointerId); e.preventDefault(); } });
  track.addEventListener("pointermove", (e) => { if (began !== undefined && far(e)) drag(e, false); });
  track.addEventListener("pointerup", (e) => {
    if (began === undefined) return;
    if (far(e)) drag(e, true); else if (source) seek(began);
    began = undefined;
  });
  /** @param {PointerEvent} e @param {boolean} done */
  function drag(e, done) {
    const other = at(e), one = /** @type {number} */ (began);
    const a = Number(Math.min(one, other).toFixed(1)), b = Number(Math.max(one, other).toFixed(1));
    if (b <= a) return;
    from.value = clock(a);
    to.value = clock(b);
    choose(a, b, done);
  }

  player.addEventListener("timeupdate", () => {
    const t = player.currentTime, all = seconds();
    if (all) now.style.left = (t / all) * 100 + "%";
    if (until !== undefined && t >= until) { player.pause(); until = undefined; }
    for (const cue of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll(".cue"))) {
      const is = t >= Number(cue.dataset.from) && t < Number(cue.dataset.to);
      if (is) cue.setAttribute("aria-current", "true"); else cue.removeAttribute("aria-current");
    }
  });
  player.addEventListener("loadedmetadata", () => { spans(); const t = time(view.address); if (t && !player.currentTime) player.currentTime = t[0]; });
  player.addEventListener("error", () => { problem.hidden = false; });
  wave.addEventListener("error", () => { wave.hidden = true; });
  wave.addEventListener("load", () => { wave.hidden = false; });

  function spans() {
    const t = time(view.address);
    const all = seconds();
    times.replaceChildren(...(all ? [0, 1, 2, 3, 4].map((n) => {
      const at = el("span", {}, clock(Math.round(all * n / 4)));
      at.style.left = `${n * 25}%`;
      at.style.transform = `translateX(-${n * 25}%)`;
      return at;
    }) : []));
    cited.hidden = !t;
    if (t) place(cited, t[0], t[1]);
    if (chosenTime) place(chosen, ...chosenTime);
  }

  /** @param {View} got */
  function take(got) {
    view = got;
    const t = time(got.address);
    chosen.hidden = true;
    chosenTime = undefined;
    from.value = clock(t?.[0] ?? 0);
    to.value = clock(Math.min(t?.[1] ?? Infinity, seconds() || Infinity) || 0).replace("Infinity:NaN", "");
    said.textContent = t ? host.t("spanOf", { from: clock(t[0]), to: Number.isFinite(t[1]) ? clock(t[1]) : host.t("end"), total: clock(seconds()) }) : host.t("lasts", { total: clock(seconds()) });
    spans();
    clip.replaceChildren();
    clip.hidden = !t;
    const src = t && host.evidence?.(got.address);
    if (!src) { clip.hidden = true; return; }
    const show = () => {
      const cut = el(video ? "video" : "audio", { controls: true, preload: "auto", class: "player", src, "aria-label": host.t("exactClip") });
      cut.addEventListener("error", () => clip.replaceChildren(el("p", { class: "note", role: "alert" }, host.t(source ? "noClip" : "cannotPlay"))));
      clip.replaceChildren(el("figure", {}, cut, el("figcaption", {}, host.t("exactClip"))));
    };
    // Cutting takes work: it is done when asked for, unless there is nothing else to play.
    if (source) clip.append(el("button", { type: "button", onclick: show }, host.t("showClip")));
    else show();
  }
  take(view);

  return {
    element, scroller,
    start() {
      if (source) player.src = source; else original.hidden = true;
      if (!video) Promise.resolve(host.picture(base, 1600)).then((url) => { if (url) wave.src = url; });
      made.start();
    },
    destroy() { made.destroy(); player.pause(); player.removeAttribute("src"); player.load(); },
  };
}
