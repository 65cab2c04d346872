// The page of a host of MCP Apps, with the bridge of the reference implementation. The
// functions that begin with "node" are those of mcpapps.mjs.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const said = { contexts: [], links: [], sizes: [], modes: [], inits: 0 };
globalThis.said = said;

/**
 * Shows the page of a tool in a sandbox, and gives it the call and the result.
 * @param {{html: string, tool: any, input: any, result: any, context: any, isolated?: boolean, capabilities?: any}} of
 */
globalThis.start = async ({ html, tool, input, result, context, isolated, capabilities }) => {
  document.querySelector("iframe")?.remove();
  const iframe = document.createElement("iframe");
  iframe.title = "evidence";
  iframe.style = "width: 720px; height: 300px; border: 0";
  const ready = new Promise((done) => {
    addEventListener("message", function listen({ source, data }) {
      if (source !== iframe.contentWindow || data?.method !== "ui/notifications/sandbox-proxy-ready") return;
      removeEventListener("message", listen);
      done();
    });
  });
  iframe.src = "http://sandbox.host.test/" + (isolated ? "isolated" : "");
  document.body.append(iframe);
  await ready;
  const bridge = new AppBridge(null, { name: "host", version: "1" }, capabilities ?? { openLinks: {}, serverTools: {}, updateModelContext: { text: {}, structuredContent: {} } }, {
    hostContext: { toolInfo: { tool }, availableDisplayModes: ["inline", "fullscreen"], displayMode: "inline", ...context },
  });
  bridge.oncalltool = (params) => globalThis.nodeCall(params);
  bridge.onupdatemodelcontext = async (params) => (said.contexts.push(params), {});
  bridge.onopenlink = async ({ url }) => (said.links.push(url), {});
  bridge.onrequestdisplaymode = async ({ mode }) => {
    said.modes.push(mode);
    bridge.setHostContext({ ...bridge.hostContext, toolInfo: { tool }, displayMode: mode });
    return { mode };
  };
  bridge.onsizechange = ({ width, height }) => {
    said.sizes.push([width, height]);
    if (height !== undefined) iframe.style.height = `${height}px`;
  };
  const initialized = new Promise((done) => { bridge.oninitialized = () => (said.inits++, done()); });
  await bridge.connect(new PostMessageTransport(iframe.contentWindow, iframe.contentWindow));
  await bridge.sendSandboxResourceReady({ html });
  await initialized;
  await bridge.sendToolInputPartial({ arguments: Object.fromEntries(Object.entries(input).slice(0, 1)) });
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(result);
  globalThis.bridge = bridge;
};
