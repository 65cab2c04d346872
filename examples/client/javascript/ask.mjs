// Asks a citekit server a question and checks what it cites.
//
//	citekit serve --dir FOLDER --transport http --port 8808 &
//	node ask.mjs http://127.0.0.1:8808 'How many cups does a pot hold?'
//
// It prints the best passage, and the sentences of the answer as they come, each with its
// address and whether the bytes of the evidence have the hash that the server says. The
// key of a server that asks for one is taken from CITEKIT_TOKEN. It needs Node 18 and no
// package.
import { createHash } from "node:crypto";

const [url, question] = process.argv.slice(2);
if (!question) end("usage: node ask.mjs URL QUESTION");
const headers = { "Content-Type": "application/json" };
if (process.env.CITEKIT_TOKEN) headers.Authorization = `Bearer ${process.env.CITEKIT_TOKEN}`;

// end ends the program with a message.
function end(message) {
  console.error(message);
  process.exit(1);
}

// send returns an answer of the server, or ends with what it says is wrong.
async function send(path, body) {
  const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
  const answer = await fetch(new URL(path, url), init);
  if (!answer.ok) {
    const { detail, errors = [] } = await answer.json();
    end([detail, ...errors.map((e) => `${e.pointer} ${e.detail}`)].join("; "));
  }
  return answer;
}

// call calls an operation, such as search or verify.
const call = async (operation, body) => (await send(`/v1/${operation}`, body)).json();

// events yields the events of a stream: {event, data}.
async function* events(answer) {
  let text = "";
  for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const lines = text.slice(0, end).split("\n");
      const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      yield { event: field("event"), data: JSON.parse(field("data")) };
    }
  }
}

const { results } = await call("search", { q: question, topK: 3 });
if (results.length === 0) end("nothing is found");
const [{ kind, id, address }] = results;
const { contents } = await call("contents", { ids: [{ kind, id }] });
console.log(`best of ${results.length}, ${address}: ${JSON.stringify(contents[0].text)}`);

const answer = await send("/v1/answer", { question, answerType: "extractive", stream: true });
for await (const { event, data } of events(answer)) {
  if (event === "final" && data.problem) end(data.problem.detail);
  if (event === "final" && !data.answer.found) end("the files do not say");
  if (event !== "citation") continue;
  const checked = await call("verify", { quote: data.text, address: data.address });
  const evidence = await call("resolve", { address: data.address });
  const bytes = Buffer.from(await (await send(evidence.path)).arrayBuffer());
  const same = createHash("sha256").update(bytes).digest("hex") === evidence.sha256;
  console.log(`${data.text} [${data.address}]`);
  console.log(`  ${checked.verdicts[0].class}; ${evidence.size} bytes of evidence, hash ${same ? "right" : "WRONG"}`);
}
