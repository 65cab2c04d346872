// Reads forms of citations, a JSON list of {form, text}, from the standard input,
// and prints what these libraries find in each. CITEKIT_READERS is the directory
// of their packages.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const require = createRequire(path.join(process.env.CITEKIT_READERS, "x.js"));
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const { Cite } = (await load("@citation-js/core")).default ?? (await load("@citation-js/core"));
await load("@citation-js/plugin-bibtex");
const jsonld = (await load("jsonld")).default;

// What http://www.w3.org/ns/anno.jsonld says of the terms that are used here.
// Another term is an error in the safe mode of the library.
const oa = "http://www.w3.org/ns/oa#";
const terms = { id: "@id", type: "@type" };
for (const name of ["Annotation", "SpecificResource", "TextQuoteSelector", "TextPositionSelector", "FragmentSelector", "exact", "prefix", "suffix", "start", "end"]) {
  terms[name] = oa + name;
}
for (const [name, id] of Object.entries({ target: "hasTarget", source: "hasSource", selector: "hasSelector" })) {
  terms[name] = { "@id": oa + id, "@type": "@id" };
}
terms.value = "http://www.w3.org/1999/02/22-rdf-syntax-ns#value";
terms.conformsTo = { "@id": "http://purl.org/dc/terms/conformsTo", "@type": "@id" };

const documentLoader = async (url) => {
  if (url !== "http://www.w3.org/ns/anno.jsonld") throw new Error("no context " + url);
  return { documentUrl: url, document: { "@context": terms } };
};

const readers = {
  csl: (text) => item(new Cite(JSON.parse(text)).data[0]),
  bibtex: (text) => {
    const found = new Cite(text).data;
    if (found.length !== 1) throw new Error(found.length + " entries");
    return item(found[0]);
  },
  annotation: async (text) => {
    const [annotation] = await jsonld.expand(JSON.parse(text), { documentLoader, safe: true });
    const nquads = await jsonld.toRDF(JSON.parse(text), { documentLoader, safe: true, format: "application/n-quads" });
    const target = annotation[oa + "hasTarget"][0];
    const all = { types: annotation["@type"], address: target["@id"], source: target[oa + "hasSource"][0]["@id"], quads: nquads.split("\n").length - 1 };
    for (const selector of target[oa + "hasSelector"] ?? []) {
      for (const [term, values] of Object.entries(selector)) {
        if (term !== "@type") all[term.split(/[#/]/).pop()] = String(values[0]["@value"] ?? values[0]["@id"]);
      }
    }
    return all;
  },
};

function item(data) {
  const authors = (data.author ?? []).map((a) => a.literal ?? (a.given ? a.family + ", " + a.given : a.family));
  return { title: data.title, authors, url: data.URL, date: (data.issued?.["date-parts"]?.[0] ?? []).map(Number), page: data.page, quote: data.annote ?? data.custom?.quote };
}

let input = "";
for await (const chunk of process.stdin) input += chunk;
const found = [];
for (const { form, text } of JSON.parse(input)) {
  try {
    found.push(await readers[form](text));
  } catch (e) {
    found.push({ error: form + ": " + (e.details ? JSON.stringify(e.details.event ?? e.details) : e.stack) });
  }
}
console.log(JSON.stringify(found));
