// @ts-check
// The page of MCP Apps: shows in a chat the evidence that the results of the tools point to.
// It loads nothing: what it shows comes from the tool that only it calls.
import { connect } from "./host.js";
import { el, markUnits, marked, sentence } from "./kinds/dom.js";
import { dataOf, read, textOf } from "./results.js";
import { show } from "./show.js";
import { tokens } from "./syntax.js";
import { t as word } from "./words.js";

/** @typedef {import("./show.js").View} View */
/** @typedef {import("./show.js").Shown} Shown */
/** @typedef {import("./show.js").Selection} Selection */
/** @typedef {import("./results.js").Item} Item */

/** @type {Record<string, string>} */
const words = {
  all: "All places",
  outside: "Open outside",
  fullscreen: "Larger",
  loading: "Loading …",
  waiting: "Waiting for a result …",
  looking: "Looking for {asked} …",
  onePlace: "1 place",
  places: "{n} places",
  noPlace: "Nothing was found.",
  stopped: "The call was stopped. {reason}",
  failed: "No result",
  noHost: "The client does not answer.",
  sourceChanged: "source changed",
  sourceMissing: "source missing",
  cannotPlay: "This client cannot play what is cited.",
  notPlayed: "What is cited is not played here: {reason}",
  at: "The reader looks at {address} ({label}).",
  selected: "The reader selected {address}.",
  quoted: "The reader selected at {address}: “{quote}”",
};
/** @type {import("./show.js").Host["t"]} */
const t = (key, values = {}) => (Object.hasOwn(words, key) ? words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? "")) : word(key, values));

const root = document.documentElement;
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const tool = root.dataset.tool ?? "";
const mostSaid = 4000; // characters of a selection that the model is told
const mostPictures = 40; // that are kept

const head = el("div");
const stage = el("div", { class: "stage", hidden: true });
const status = el("p", { role: "status", class: "quiet" });
main.append(head, status, stage);

/** @type {string} */
let asked = "";
/** @type {import("./results.js").Result | undefined} */
let result;
/** Where the place that is open is kept. */
let key = "";
/** @type {{item: Item, address: string} | undefined} */
let place;
/** @type {View | undefined} */
let view;
/** @type {Shown | undefined} */
let shown;
let failed = "";
/** @type {any} */
let about = {}; // what the host says of itself

const host = connect({
  "ui/notifications/tool-input-partial": input,
  "ui/notifications/tool-input": input,
  "ui/notifications/tool-result": given,
  "ui/notifications/tool-cancelled": ({ reason }) => { result = { items: [], single: false, error: t("stopped", { reason: String(reason ?? "") }) }; draw(); },
  "ui/notifications/host-context-changed": context,
  "ui/resource-teardown": () => { keep(); shown?.destroy(); shown = undefined; },
  ping: () => ({}),
});

// ---- What the host says. ----

/** @param {any} params */
function input({ arguments: a }) {
  asked = String(a?.query ?? a?.quote ?? a?.address ?? a?.addresses?.[0] ?? a?.text ?? asked).slice(0, 200);
  if (!result) draw();
}

/** @param {any} answer the result of a tool */
function given(answer) {
  close();
  result = read(answer);
  key = "citekit:" + hash(textOf(answer) + JSON.stringify(answer?.structuredContent ?? ""));
  const before = kept();
  if (before?.address) open(before.item, before.address);
  else if (result.single) open(result.items[0]);
  else draw();
}

/** @param {any} changed */
function context(changed) {
  about = { ...about, ...changed };
  root.dataset.theme = about.theme ?? "";
  root.dataset.mode = about.displayMode ?? "inline";
  for (const [name, value] of Object.entries(about.styles?.variables ?? {})) {
    if (/^--[a-z0-9-]+$/.test(name) && value && !/url\(/i.test(String(value))) root.style.setProperty(name, String(value));
  }
  const size = about.containerDimensions ?? {};
  root.dataset.fixed = String(Boolean(size.height));
  root.style.setProperty("--most", Number(size.maxHeight) > 0 ? `${Number(size.maxHeight)}px` : "none");
  for (const side of ["top", "right", "bottom", "left"]) root.style.setProperty("--inset-" + side, `${Number(about.safeAreaInsets?.[side]) || 0}px`);
  draw();
}

// ---- What is kept over a reload of the page. ----

/** @param {string} text */
function hash(text) {
  let h = 0;
  for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
  return (h >>> 0).toString(36) + text.length.toString(36);
}

/** Keeps which place is open. A host may allow no storage; then the result alone remains. */
function keep() {
  try {
    if (key) sessionStorage.setItem(key, JSON.stringify(place ?? null));
  } catch { /* nothing is kept */ }
}

/** @returns {typeof place} */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

// ---- What the page asks for. ----

/**
 * Calls the tool of the page.
 * @param {object} args @returns {Promise<any>} its result
 */
async function call(args) {
  const answer = await host.request("tools/call", { name: tool, arguments: args });
  if (answer.isError) throw new Error(textOf(answer).replace(/^Error: /, "").split("\n")[0]);
  return answer;
}

/** @type {import("./show.js").Host["load"]} */
const load = async ({ address, cursor, layout }) => dataOf(await call({ address, cursor, layout, quote: place?.item.quote || undefined }));

let turn = 0; // of the last request, as older ones may answer later

/** @param {Item} item @param {string} [address] */
async function open(item, address = item.address) {
  if (!address) return;
  const mine = ++turn;
  place = { item, address };
  failed = "";
  main.dataset.ready = "false";
  draw();
  try {
    const got = await load({ address, layout: true });
    const urls = await played(got);
    if (mine !== turn) return;
    view = got;
    if (!shown?.update?.(got)) put(got, urls);
    keep();
    tell({ address: got.address });
  } catch (error) {
    if (mine !== turn) return;
    unput();
    view = undefined;
    failed = /** @type {Error} */ (error).message;
  }
  draw();
}

function close() {
  turn++;
  unput();
  place = view = undefined;
  failed = "";
}

function unput() {
  shown?.destroy();
  shown = undefined;
  stage.replaceChildren();
}

/** Puts a view on the stage. @param {View} got @param {Map<string, string>} urls of what can be played */
function put(got, urls) {
  unput();
  stage.hidden = false;
  shown = show(got, {
    t, load, picture, tokens,
    evidence: (address) => urls.get(address),
    select: tell,
    open: (address) => { if (place) open(place.item, address); },
  });
  // What cannot be played is said; of a video there is a picture, of a sound its waveform.
  const why = urls.get("");
  const poster = why !== undefined && got.kind === "video" && el("img", { class: "poster", alt: got.label });
  if (poster) stage.append(poster);
  if (why !== undefined) stage.append(el("p", { class: "note unplayed", role: "alert", dir: "auto" }, t("notPlayed", { reason: why })));
  stage.append(shown.element);
  if (poster) picture(got.address, 800).then((url) => { if (url) poster.src = url; else poster.remove(); });
  shown.start();
}

/** @type {Map<string, Promise<string | undefined>>} */
const pictures = new Map();

/**
 * The picture of an address, as a data URL.
 * @param {string} address @param {number} side
 */
function picture(address, side) {
  const name = side + " " + address;
  const had = pictures.get(name);
  if (had) return had;
  const made = call({ address, picture: side }).then((answer) => {
    const image = answer.content.find((/** @type {any} */ c) => c.type === "image");
    if (/^image\/(png|jpeg)$/.test(image?.mimeType)) return `data:${image.mimeType};base64,${image.data}`;
  }).catch(() => { pictures.delete(name); return undefined; });
  pictures.set(name, made);
  if (pictures.size > mostPictures) pictures.delete(pictures.keys().next().value ?? "");
  return made;
}

/**
 * The part of a recording that is cited, by its address, or why there is none, by "".
 * @param {View} got @returns {Promise<Map<string, string>>} a data URL, or the reason
 */
async function played(got) {
  const urls = new Map();
  if (got.kind !== "video" && got.kind !== "audio") return urls;
  try {
    const answer = await call({ address: got.address, media: true });
    const of = answer.content.find((/** @type {any} */ c) => c.type === "resource")?.resource;
    const type = of?.mimeType === "audio/vnd.wave" ? "audio/wav" : of?.mimeType; // the name that browsers know
    if (/^(audio|video)\/[\w.+-]+$/.test(type) && of.blob) urls.set(got.address, `data:${type};base64,${of.blob}`);
    else urls.set("", String(of?.mimeType ?? ""));
  } catch (error) { urls.set("", /** @type {Error} */ (error).message); }
  return urls;
}

// ---- What the model is told. ----

let said = "";
let deaf = false; // the host takes nothing for the model

/** Tells the model what the reader looks at or selects. @param {Selection} what */
function tell({ address, quote }) {
  if (!view || deaf) return;
  const text = quote && t("quoted", { address, quote: [...quote].slice(0, mostSaid).join("") })
    || t(address === view.address ? "at" : "selected", { address, label: view.label });
  if (text === said) return;
  said = text;
  host.request("ui/update-model-context", {
    content: [{ type: "text", text }],
    structuredContent: { viewing: view.address, ...((quote || address !== view.address) && { selected: { address, ...(quote && { quote: [...quote].slice(0, mostSaid).join("") }) } }) },
  }).catch((error) => { deaf = error.code === -32601; });
}

// ---- What is shown. ----

/** How good a verdict is. @param {string} verdict */
const good = (verdict) => ({ exact: "good", repaired: "good", elsewhere: "fair", unquoted: "fair", unchecked: "fair" })[verdict] ?? "bad";

/** @param {string} verdict */
const badge = (verdict) => el("strong", { class: "verdict", "data-verdict": verdict, "data-good": good(verdict) }, verdict.replaceAll("_", " "));

/** @param {string} name @param {() => unknown} does */
const button = (name, does) => el("button", { type: "button", onclick: does }, name);

/** @param {Item} item @param {string} address */
const placeButton = (item, address) => el("button", { type: "button", class: "place", onclick: () => open(item, address) }, address);

/** @param {Item} item */
function row(item) {
  const text = el("p", { dir: "auto" });
  if (item.text) text.append(marked(item.text, 0, item.text.length, markUnits(item.text, item.marks)));
  return el("li", {},
    !!item.title && el("div", { class: "title", dir: "auto" }, item.title),
    !!item.text && text,
    !!item.note && el("p", { class: "note", dir: "auto" }, item.note),
    el("div", { class: "tools" }, !!item.verdict && badge(item.verdict), !!item.address && placeButton(item, item.address)));
}

/** What holds of a view: the state of the source, and the verdict of the quote. @param {View} of @param {Item} item */
function checked(of, item) {
  const quote = of.quote;
  const differs = (quote?.difference ?? []).map((d) => `“${d.quote}” → “${d.source}”${d.note ? ` (${d.note})` : ""}`);
  const said = new Set([...(quote?.notes ?? []), quote?.problem ?? "", of.note ?? ""].filter(Boolean).map(sentence));
  const notes = [differs.join("; "), ...said].filter(Boolean).join(" ");
  const badges = [of.state === "changed" && badge(t("sourceChanged")), of.state === "missing" && badge(t("sourceMissing")), !!quote && badge(quote.class)].filter(Boolean);
  if (!badges.length && !notes) return undefined;
  const others = [quote?.address, ...(quote?.others ?? [])].filter((a) => a && a !== of.address);
  return el("div", { class: "tools checked" }, .../** @type {HTMLElement[]} */ (badges), !!notes && el("span", { class: "note", dir: "auto" }, notes),
    ...others.slice(0, 3).map((a) => placeButton(item, /** @type {string} */ (a))));
}

function draw() {
  const focused = head.contains(document.activeElement);
  head.replaceChildren(...(place ? placeHead(place) : list()));
  stage.hidden = !shown;
  status.textContent = place && !view && !failed ? t("loading") : "";
  main.dataset.state = failed || result?.error ? "error" : view?.state ?? "";
  main.dataset.ready = String(place ? !!view || !!failed : !!result);
  if (focused) main.focus();
}

/** @returns {(Node | string)[]} */
function list() {
  if (!result) return [el("h1", { dir: "auto" }, t(asked ? "looking" : "waiting", { asked }))];
  if (result.error) return [el("h1", {}, t("failed")), el("p", { role: "alert", dir: "auto" }, result.error)];
  const n = result.items.length;
  return [
    el("h1", {}, n ? t(n === 1 ? "onePlace" : "places", { n }) : t("noPlace")),
    ...(result.note ? [el("p", { class: "note", dir: "auto" }, result.note)] : []),
    el("ul", { class: "results" }, ...result.items.map(row)),
  ];
}

/** @param {{item: Item, address: string}} at @returns {Node[]} */
function placeHead({ item, address }) {
  const { link } = item;
  const larger = about.availableDisplayModes?.includes("fullscreen") && about.displayMode !== "fullscreen";
  const checks = view && checked(view, item);
  return [
    el("div", { class: "tools" },
      !result?.single && button(t("all"), () => { close(); keep(); draw(); }),
      address !== item.address && !!item.address && placeButton(item, item.address),
      !!link && button(t("outside"), () => host.request("ui/open-link", { url: link }).catch(() => {})),
      larger && button(t("fullscreen"), () => host.request("ui/request-display-mode", { mode: "fullscreen" }).then(({ mode }) => context({ displayMode: mode }), () => {}))),
    el("h1", { dir: "auto" }, view?.label ?? address),
    el("p", { class: "address" }, el("code", {}, view?.address ?? address)),
    ...(checks ? [checks] : []),
    ...(failed ? [el("p", { role: "alert", dir: "auto" }, failed)] : []),
  ];
}

draw();

/** @type {number[]} */
let size = [];
new ResizeObserver(() => {
  const now = [Math.ceil(root.scrollWidth), Math.ceil(main.getBoundingClientRect().height)];
  if (now.join() === size.join()) return;
  size = now;
  host.notify("ui/notifications/size-changed", { width: now[0], height: now[1] });
}).observe(main);

host.request("ui/initialize", {
  protocolVersion: "2026-01-26",
  appInfo: { name: "citekit-evidence", version: "1" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
}).then(({ hostContext }) => {
  context(hostContext ?? {});
  host.notify("ui/notifications/initialized");
}, () => { result = { items: [], single: false, error: t("noHost") }; draw(); });
