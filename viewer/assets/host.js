// @ts-check
// The host of MCP Apps (specification 2026-01-26): JSON-RPC 2.0 with the window above.

/** An error that the host answered with. */
export class HostError extends Error {
  /** @param {{code?: number, message?: string}} error */
  constructor(error) {
    super(String(error.message ?? "the host refused"));
    this.name = "HostError";
    this.code = error.code;
  }
}

/**
 * Connects to the host. Handlers get the parameters of a notification or a request, by its
 * method; what they return answers a request.
 * @param {{[method: string]: (params: any) => unknown}} handlers
 * @param {Window} [above] the window of the host
 */
export function connect(handlers, above = window.parent) {
  /** @type {Map<number, {done: (result: any) => void, fail: (error: Error) => void}>} */
  const waiting = new Map();
  let last = 0;

  // The host may have any origin, and says nothing secret is asked of it.
  /** @param {object} message */
  const post = (message) => above.postMessage({ jsonrpc: "2.0", ...message }, "*");

  /** @param {any} message */
  async function answer({ id, method, params }) {
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    if (id === undefined) return void handler?.(params ?? {});
    if (!handler) return post({ id, error: { code: -32601, message: "Method not found" } });
    try {
      post({ id, result: (await handler(params ?? {})) ?? {} });
    } catch (error) {
      post({ id, error: { code: -32603, message: String(error) } });
    }
  }

  window.addEventListener("message", ({ source, data }) => {
    if (source !== above || data?.jsonrpc !== "2.0") return;
    if (typeof data.method === "string") return void answer(data);
    const asked = waiting.get(data.id);
    if (!asked) return;
    waiting.delete(data.id);
    if (data.error) asked.fail(new HostError(data.error));
    else asked.done(data.result ?? {});
  });

  return {
    /** @param {string} method @param {object} params @returns {Promise<any>} */
    request: (method, params) => new Promise((done, fail) => {
      waiting.set(++last, { done, fail });
      post({ id: last, method, params });
    }),
    /** @param {string} method @param {object} [params] */
    notify: (method, params = {}) => post({ method, params }),
  };
}
