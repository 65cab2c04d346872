// @ts-check
// The shell: which screen shows, who is signed in, keys, and what goes wrong.
//
// A screen is a module whose default export is a component. Its properties are those of
// ScreenProps. It has one h1, and calls ready once its content shows.
import { html, render, useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState } from "./vendor/preact.js";
import { base, client, routeOf, session, signedOut, Problem } from "./api.js";
import { t } from "./words.js";
import { Theme } from "./theme.js";

/**
 * @typedef {object} ScreenProps
 * @property {import("./api.js").Api} api
 * @property {import("./api.js").Route} route
 * @property {(path: string, options?: {replace?: boolean}) => void} go goes to a path, as a link to it does
 * @property {(title?: string, drawn?: Promise<void>) => void} ready says that the content shows, once drawn is fulfilled, and its title
 * @property {(text: string) => void} say has a screen reader say something
 */

/** @type {Record<string, () => Promise<{default: (props: ScreenProps) => any}>>} */
const screens = {
  library: () => import("./library.js"),
  reader: () => import("./reader.js"),
  search: () => import("./search.js"),
  check: () => import("./check.js"),
  ask: () => import("./ask.js"),
};

const places = ["library", "search", "check", "ask"];

/** Whether single keys do something. */
const keys = {
  get on() { try { return localStorage.getItem("keys") !== "off"; } catch { return true; } },
  set on(on) { try { localStorage.setItem("keys", on ? "on" : "off"); } catch { /* it holds until the page goes */ } },
};

/** What went wrong, in words. @param {{error: any, again?: () => void}} props */
export function Failure({ error, again }) {
  const words = error instanceof Problem ? error.message : t("failed");
  return html`<div class="failure" role="alert">
    <p dir="auto">${words}</p>
    ${again && html`<button type="button" onClick=${again}>${t("again")}</button>`}
  </div>`;
}

/** @param {{done: () => void, why: string}} props */
function SignIn({ done, why }) {
  const [key, setKey] = useState("");
  const [wrong, setWrong] = useState("");
  /** @param {Event} event */
  const submit = async (event) => {
    event.preventDefault();
    setWrong(""); // the same words again are said again
    try {
      await session.key(key.trim());
      done();
    } catch (error) {
      setWrong(error instanceof Problem && error.status === 401 ? t("wrongKey") : error instanceof Problem ? error.message : t("failed"));
    }
  };
  return html`<form class="sign-in" onSubmit=${submit}>
    <h1>${t("signIn")}</h1>
    <p>${why}</p>
    <label for="key">${t("key")}</label>
    <input id="key" type="password" autocomplete="current-password" required value=${key}
      aria-invalid=${wrong ? "true" : "false"} aria-describedby="key-wrong"
      onInput=${(/** @type {any} */ e) => { setKey(e.target.value); setWrong(""); }} />
    <p id="key-wrong" class="wrong" role="alert">${wrong}</p>
    <button type="submit">${t("signIn")}</button>
  </form>`;
}

/** @param {{open: boolean, close: () => void}} props */
function Help({ open, close }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [on, setOn] = useState(keys.on);
  useLayoutEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open && dialog.current?.open) dialog.current?.close();
  }, [open]);
  const list = [["j", "keyNext"], ["k", "keyPrevious"], ["/", "keySearch"], ["y", "keyCopy"], ["+ −", "keyZoom"], ["?", "keyHelp"]];
  return html`<dialog ref=${dialog} class="help" aria-labelledby="help-title" onClose=${close}>
    <h2 id="help-title">${t("keysTitle")}</h2>
    <dl>${list.map(([k, words]) => html`<div key=${k}><dt><kbd>${k}</kbd></dt><dd>${t(words)}</dd></div>`)}</dl>
    <label class="choice"><input type="checkbox" checked=${on}
      onChange=${(/** @type {any} */ e) => { keys.on = e.target.checked; setOn(e.target.checked); }} /> ${t("keysOn")}</label>
    <button type="button" onClick=${close}>${t("close")}</button>
  </dialog>`;
}

/** Shows a screen, or what went wrong in it. @param {{Screen: any, props: ScreenProps}} props */
function Held({ Screen, props }) {
  const [error, reset] = useErrorBoundary((e) => console.error(e));
  useEffect(() => { if (error) props.ready(t("failed")); }, [error]);
  if (error) return html`<h1>${t("failed")}</h1><${Failure} error=${error} again=${reset} />`;
  return html`<${Screen} ...${props} />`;
}

/**
 * @param {{link: string, first: {name?: string, Screen?: any}}} props link is what is wrong with the link that was
 * opened, first the screen that is loaded already
 */
function App({ link, first }) {
  const [route, setRoute] = useState(() => routeOf(location));
  const [who, setWho] = useState(/** @type {any} */ (undefined));
  const [needed, setNeeded] = useState(false);
  const [turn, setTurn] = useState(0);
  const [loaded, setLoaded] = useState(/** @type {any} */ (first));
  const [said, say] = useState("");
  const [help, setHelp] = useState(false);
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const started = useRef(false);
  const here = useRef(location.pathname + location.search);
  const api = useMemo(() => client(route.workspace), [route.workspace]);

  const shows = useRef(0);
  const unready = () => { shows.current++; delete main.current?.dataset.ready; };
  const ready = useCallback(/** @type {ScreenProps["ready"]} */ ((title, drawn) => {
    document.title = title ? `${title} · citekit` : "citekit";
    const show = ++shows.current;
    const done = () => { if (main.current && show === shows.current) main.current.dataset.ready = "true"; };
    if (drawn) drawn.then(done); else done();
  }), []);
  const go = useCallback((/** @type {string} */ path, /** @type {{replace?: boolean}} */ { replace = false } = {}) => {
    if (path === location.pathname + location.search) return;
    if (!replace) unready();
    history[replace ? "replaceState" : "pushState"](null, "", path);
    here.current = location.pathname + location.search;
    setRoute({ ...routeOf(location), followed: true });
  }, []);

  useEffect(() => {
    const turned = () => {
      if (here.current === location.pathname + location.search) return; // a fragment alone
      here.current = location.pathname + location.search;
      unready();
      setRoute(routeOf(location));
    };
    const out = () => { setNeeded(true); setWho((/** @type {any} */ now) => now && { ...now, signedIn: false, ended: now.signedIn || now.ended, workspaces: [] }); };
    addEventListener("popstate", turned);
    signedOut.add(out);
    return () => { removeEventListener("popstate", turned); signedOut.delete(out); };
  }, []);

  useEffect(() => {
    session.get().then((got) => { setWho(got); setNeeded(got.needed && !got.signedIn); }, () => {});
  }, [turn]);

  // The module of the screen.
  useEffect(() => {
    const load = screens[route.screen];
    if (!load || loaded.name === route.screen) return;
    let current = true;
    load().then(
      (m) => current && setLoaded({ name: route.screen, Screen: m.default }),
      (error) => { console.error(error); if (current) setLoaded({ name: route.screen, error }); });
    return () => { current = false; };
  }, [route.screen]);

  useEffect(() => {
    if (needed || route.screen === "none" || loaded.error) ready(needed ? t("signIn") : t("noPage"));
  }, [needed, route.screen, loaded]);

  // A screen reader starts to read at a new screen.
  useEffect(() => {
    if (started.current) main.current?.focus({ preventScroll: true });
    started.current = true;
  }, [route.screen]);

  // Links within the pages do not load them again.
  useEffect(() => {
    const click = (/** @type {MouseEvent} */ e) => {
      const link = /** @type {Element} */ (e.target).closest?.("a[href]");
      if (!(link instanceof HTMLAnchorElement) || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
      if (link.target || link.download || link.origin !== location.origin || !link.pathname.startsWith(base)) return;
      if (link.hash && link.pathname + link.search === location.pathname + location.search) return;
      e.preventDefault();
      go(link.pathname + link.search);
    };
    const key = (/** @type {KeyboardEvent} */ e) => {
      const at = /** @type {HTMLElement} */ (e.target);
      if (!keys.on || e.defaultPrevented || e.metaKey || e.ctrlKey || e.altKey || at.closest?.("input, textarea, select, [contenteditable], dialog")) return;
      if (e.key === "?") setHelp(true);
      else if (e.key === "/") {
        const field = /** @type {HTMLInputElement | null} */ (document.querySelector("main [data-search], header [data-search]"));
        field?.focus();
        field?.select();
      } else if (!/^[jky+\-=0]$/.test(e.key) || document.dispatchEvent(new CustomEvent("citekit-key", { detail: e.key, cancelable: true }))) return;
      e.preventDefault();
    };
    document.addEventListener("click", click);
    document.addEventListener("keydown", key);
    return () => { document.removeEventListener("click", click); document.removeEventListener("keydown", key); };
  }, []);

  /** @param {SubmitEvent} e */
  const find = (e) => {
    e.preventDefault();
    const q = String(new FormData(/** @type {HTMLFormElement} */ (e.target)).get("q") ?? "").trim();
    if (q) go(api.page("search", { q }));
  };
  const leave = async () => { await session.end().catch(() => {}); location.assign(base); };

  const props = { api, route, go, ready, say };
  let content;
  if (needed) content = html`<${SignIn} why=${who?.ended ? t("sessionEnded") : link || t("signInWhy")} done=${() => { setNeeded(false); unready(); setTurn(turn + 1); }} />`;
  else if (route.screen === "none") content = html`<h1>${t("noPage")}</h1><p><a href=${api.page("library")}>${t("library")}</a></p>`;
  else if (loaded.name !== route.screen) content = null;
  else if (loaded.error) content = html`<h1>${t("failed")}</h1><${Failure} error=${loaded.error} again=${() => location.reload()} />`;
  else content = html`<${Held} key=${route.screen + " " + route.workspace + " " + turn} Screen=${loaded.Screen} props=${props} />`;

  return html`
    <a class="skip" href="#main" onClick=${(/** @type {Event} */ e) => { e.preventDefault(); main.current?.focus(); }}>${t("skip")}</a>
    <header class="top">
      <a class="brand" href=${api.page("library")}>citekit</a>
      <nav aria-label=${t("screens")}>
        <ul>${places.map((name) => html`<li key=${name}><a href=${api.page(name)} aria-current=${route.screen === name ? "page" : undefined}>${t(name)}</a></li>`)}</ul>
      </nav>
      <form role="search" class="find" onSubmit=${find}>
        <input type="search" name="q" data-search aria-label=${t("searchAll")} placeholder=${t("searchAll")} />
      </form>
      ${who?.workspaces?.length > 1 && html`<select class="workspace" aria-label=${t("workspace")} value=${route.workspace || who.workspaces[0]}
        onChange=${(/** @type {any} */ e) => go(client(e.target.value).page("library"))}>
        ${who.workspaces.map((/** @type {string} */ w) => html`<option key=${w} value=${w}>${w}</option>`)}</select>`}
      <${Theme} />
      <button type="button" class="quiet" onClick=${() => setHelp(true)}>${t("keysTitle")}</button>
      ${who?.needed && who.signedIn && html`<button type="button" class="quiet" onClick=${leave}>${t("signOut")}</button>`}
    </header>
    <main id="main" tabindex="-1" ref=${main} data-screen=${needed ? "sign-in" : route.screen}>${content}</main>
    <div class="status visually-hidden" role="status" aria-live="polite">${said}</div>
    <${Help} open=${help} close=${() => setHelp(false)} />`;
}

/** Signs in by the token of the link, which then leaves the address bar. */
async function start() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  let wrong = "";
  if (token) {
    history.replaceState(null, "", location.pathname + location.search);
    await session.token(token).catch((error) => { wrong = error instanceof Problem ? error.message : t("failed"); });
  }
  const name = routeOf(location).screen;
  const first = await screens[name]?.().then((m) => ({ name, Screen: m.default }), () => undefined); // App tries again
  const at = /** @type {Element} */ (document.getElementById("app"));
  at.replaceChildren();
  render(html`<${App} link=${wrong} first=${first ?? {}} />`, at);
}

start();
