// @ts-check
// The client of /v1 and of the session, and the URLs of the pages.

/** @typedef {import("./show.js").View} View */

/** The path of the pages, such as "/view/". */
export const base = new URL("./", import.meta.url).pathname.replace(/-\/assets\/.*$/, "");
const root = new URL("../", new URL(base, import.meta.url)).pathname;

/** An answer that is no success, as RFC 9457 has it. status is 0 if no answer came. */
export class Problem extends Error {
  /** @param {number} status @param {any} [body] */
  constructor(status, body) {
    super(body?.detail || body?.title || (status ? `HTTP ${status}` : "no answer"));
    this.name = "Problem";
    this.status = status;
    /** The code at the end of the type, such as "not_found". @type {string} */
    this.code = String(body?.type ?? "").split(":").pop() || (status ? "internal" : "unreachable");
    /** @type {{pointer?: string, parameter?: string, detail: string}[]} */
    this.errors = body?.errors ?? [];
  }
}

/** Listeners of answers with status 401. @type {Set<() => void>} */
export const signedOut = new Set();

/** @param {number} ms @param {AbortSignal} [signal] */
const pause = (ms, signal) => new Promise((done, stop) => {
  const timer = setTimeout(done, ms);
  signal?.addEventListener("abort", () => { clearTimeout(timer); stop(signal.reason); }, { once: true });
});

/**
 * Sends one request, again after a while if the server is busy and says when.
 * @param {string} url @param {RequestInit} [init]
 * @returns {Promise<Response>} a success; else it throws a Problem
 */
async function send(url, init = {}) {
  for (let turn = 0; ; turn++) {
    let response;
    try {
      response = await fetch(url, { credentials: "same-origin", ...init });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new Problem(0);
    }
    if (response.ok) return response;
    const wait = Number(response.headers.get("Retry-After") ?? NaN);
    if ((response.status === 429 || response.status === 503) && wait <= 5 && turn < 3) {
      await pause(Math.max(wait, 0.2) * 1000, init.signal ?? undefined);
      continue;
    }
    const body = await response.json().catch(() => undefined);
    if (response.status === 401) for (const tell of signedOut) tell();
    throw new Problem(response.status, body);
  }
}

/**
 * The events of a text/event-stream.
 * @param {Response} response
 * @returns {AsyncGenerator<{event: string, data: any}>}
 */
async function* events(response) {
  let kept = "", event = "", data = "";
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      kept += decoder.decode(value, { stream: !done });
      const lines = kept.split(/\r?\n/);
      kept = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") {
          if (data) yield { event: event || "message", data: JSON.parse(data) };
          event = data = "";
        } else if (line.startsWith("event:")) event = line.slice(6).trim();
        else if (line.startsWith("data:")) data += line.slice(5).trimStart();
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** An address as one segment of a path of /v1. @param {string} address */
const segment = (address) => encodeURIComponent(address);

/**
 * An address as the rest of the path of a page: as it is, but for what would end the path
 * or be read as something else.
 * @param {string} address
 */
const inPath = (address) => {
  const [scheme, rest] = address.includes("://") ? address.split(/:\/\/(.*)/s) : ["", address];
  const coded = encodeURIComponent(rest).replace(/%(3D|2C|26|3A|40|2B|21)/g, (s) => decodeURIComponent(s));
  return (scheme ? scheme + "://" : "") + coded;
};

/** @param {Record<string, string | undefined>} values */
const query = (values) => {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) q.set(name, value);
  return q.size ? "?" + q : "";
};

/**
 * The client for one workspace, and the paths of its pages. Every call takes {signal} last.
 * Calls throw a Problem, or the reason of the signal.
 * @param {string} [workspace] the first of the key if it is ""
 */
export function client(workspace = "") {
  const workspaceId = workspace || undefined;
  /** @typedef {{signal?: AbortSignal}} Call */
  /** @param {string} path @param {object} body @param {Call} [call] */
  const post = (path, body, call) => send(root + path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ workspaceId, ...body }), signal: call?.signal,
  });
  /** @param {string} path @param {object} body @param {Call} [call] @returns {Promise<any>} */
  const ask = async (path, body, call) => (await post(path, body, call)).json();
  /** @param {string} path @param {Record<string, string | undefined>} [values] @param {Call} [call] @returns {Promise<any>} */
  const get = async (path, values, call) => (await send(root + path + query({ workspaceId, ...values }), { signal: call?.signal })).json();

  return {
    workspace,

    /** @param {{address: string, quote?: string, cursor?: string, layout?: boolean}} asked @param {Call} [call] @returns {Promise<View>} */
    view: (asked, call) => {
      // A page of a link has its browser ask for this URL before any module is there; the
      // answer before signing in is no use.
      const path = "v1/view/" + segment(asked.address) + query({ workspaceId, quote: asked.quote });
      if (!asked.cursor && !asked.layout && path.length <= 2000 && !session.begun) return send(root + path, { signal: call?.signal }).then((response) => response.json());
      return ask("v1/view", { ...asked, quote: asked.quote || undefined }, call);
    },
    /** @param {object} asked @param {Call} [call] */
    search: (asked, call) => ask("v1/search", asked, call),
    /** @param {object} asked @param {Call} [call] */
    similar: (asked, call) => ask("v1/similar", asked, call),
    /** @param {object} asked @param {Call} [call] */
    contents: (asked, call) => ask("v1/contents", asked, call),
    /** @param {object} asked @param {Call} [call] */
    verify: (asked, call) => ask("v1/verify", asked, call),
    /** @param {{address: string, quote?: string, format?: string, pin?: boolean, number?: number, url?: string}} asked @param {Call} [call] */
    cite: (asked, call) => ask("v1/cite", { ...asked, quote: asked.quote || undefined }, call),
    /** @param {{address: string, mode?: string}} asked @param {Call} [call] */
    resolve: (asked, call) => ask("v1/resolve", asked, call),
    /** @param {object} asked @param {Call} [call] */
    answer: (asked, call) => ask("v1/answer", asked, call),
    /** The events meta, token, citation and final of an answer. @param {object} asked @param {Call} [call] */
    async *stream(asked, call) { yield* events(await post("v1/answer", { ...asked, stream: true }, call)); },

    /** @param {{cursor?: string, limit?: number, state?: boolean}} [asked] @param {Call} [call] */
    resources: (asked = {}, call) => get("v1/resources", { cursor: asked.cursor, limit: asked.limit ? String(asked.limit) : "", state: asked.state ? "true" : "" }, call),
    /** @param {string} id @param {Call} [call] */
    resource: (id, call) => get("v1/resources/" + segment(id), {}, call),
    /** @param {Call} [call] */
    unmapped: (call) => get("v1/unmapped", {}, call),
    /** @param {Call} [call] */
    info: (call) => get("v1/info", {}, call),
    /** Writes a new file below the folder of the server. @param {string} path @param {Blob} file @param {Call} [call] */
    put: async (path, file, call) => {
      await send(root + "v1/files/" + path.split("/").map(segment).join("/") + query({ workspaceId }), { method: "PUT", body: file, signal: call?.signal });
    },
    /** The events progress and final of mapping. @param {{paths?: string[]}} [asked] @param {Call} [call] */
    async *ingest(asked = {}, call) { yield* events(await post("v1/ingest", asked, call)); },

    /** The URL of the bytes of an address. @param {string} address */
    evidence: (address) => root + "v1/evidence/" + segment(address) + query({ workspaceId }),
    /** The URL of a picture of an address, whose longer side has at most side pixels. @param {string} address @param {number} [side] */
    picture: (address, side) => root + "v1/pictures/" + segment(address) + query({ workspaceId, side: side ? String(side) : "" }),

    /** The path of the reader of an address. @param {string} address @param {string} [quote] */
    reader: (address, quote) => base + inPath(address) + query({ q: quote, w: workspace }),
    /** The path of a screen: library, search, check or ask. @param {string} screen @param {Record<string, string | undefined>} [values] */
    page: (screen, values) => base + (screen === "library" ? "" : "-/" + screen) + query({ ...values, w: workspace }),
  };
}

/** @typedef {ReturnType<typeof client>} Api */

const sessionURL = base + "-/session";

/** Who may call. */
export const session = {
  /** Whether it was begun on this page. */
  begun: false,
  /** @returns {Promise<{signedIn: boolean, needed: boolean, workspaces?: string[], version?: string}>} */
  get: async () => (await send(sessionURL)).json(),
  /** Signs in with a key. @param {string} key */
  key: async (key) => {
    if (!/^[!-~]+$/.test(key)) throw new Problem(401); // it is none, and no header can have it
    await send(sessionURL, { method: "POST", headers: { Authorization: "Bearer " + key } });
    session.begun = true;
  },
  /** Signs in with the token of a link, which holds once. @param {string} token */
  token: async (token) => {
    await send(sessionURL, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) });
    session.begun = true;
  },
  end: async () => { await send(sessionURL, { method: "DELETE" }); },
};

/**
 * What the address bar says.
 * @typedef {object} Route
 * @property {"library" | "reader" | "search" | "check" | "ask" | "none"} screen
 * @property {string} address of the reader
 * @property {string} q the quote of the reader, or what is asked for
 * @property {string} workspace
 * @property {URLSearchParams} params all of the query
 * @property {boolean} [followed] a link or a button of these pages led here, not another page
 */

/** @param {{pathname: string, search: string}} location @returns {Route} */
export function routeOf(location) {
  const params = new URLSearchParams(location.search);
  /** @param {Route["screen"]} screen @param {string} [address] @returns {Route} */
  const route = (screen, address = "") => ({ screen, address, q: params.get("q") ?? "", workspace: params.get("w") ?? "", params });
  const rest = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : "";
  if (rest === "") return route("library");
  if (rest.startsWith("-/")) {
    const name = rest.slice(2).replace(/\/$/, "");
    return route(name === "search" || name === "check" || name === "ask" ? name : "none");
  }
  let address = rest;
  try { address = decodeURIComponent(rest); } catch { /* it is no address, which the server says */ }
  // Some proxies and muxes make one slash of two, and the mux of Go then escapes twice.
  const merged = /^([a-z][a-z0-9+.-]*):\/(?!\/)/i;
  if (merged.test(address)) {
    if (rest.includes("%25")) try { address = decodeURIComponent(address); } catch { /* it was escaped once */ }
    address = address.replace(merged, "$1://");
  }
  return route("reader", address);
}
