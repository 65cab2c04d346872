// Divides the samples of the input into tokens, as the pages do.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const { tokens } = await import(pathToFileURL(resolve(process.argv[2])).href);
const samples = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(samples.map(({ language, text }) => tokens(text, language))));
