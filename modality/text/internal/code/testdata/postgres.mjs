// Prints what statements of SQL create, as the parser of PostgreSQL sees it,
// to compare ours with.
//
//	node postgres.mjs NODE_MODULES <list >symbols
//
// NODE_MODULES has libpg-query@18. The list and the answer are those of
// oracle.mjs. Commands, variables and rows for psql are blanked first; a file
// that has a syntax error then is "broken".
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { createRequire } from "node:module";

const postgres = createRequire(path.join(path.resolve(process.argv[2]), "any.js"))("libpg-query");
await postgres.loadModule();

const parts = (names) => names?.map((n) => n.String?.sval).join(".");
const relation = (r) => r && [r.schemaname, r.relname].filter(Boolean).join(".");
const defined = { OBJECT_AGGREGATE: "function", OBJECT_TYPE: "type" };
const table = {
  CreateStmt: (n) => ["table", relation(n.relation)],
  CreateForeignTableStmt: (n) => ["table", relation(n.base?.relation ?? n.relation)],
  CreateTableAsStmt: (n) => ["table", relation(n.into?.rel)],
  ViewStmt: (n) => ["table", relation(n.view)],
  CreateFunctionStmt: (n) => ["function", parts(n.funcname)],
  CreateTrigStmt: (n) => ["function", n.trigname],
  CreateEventTrigStmt: (n) => ["function", n.trigname],
  RuleStmt: (n) => ["function", n.rulename],
  IndexStmt: (n) => ["key", n.idxname],
  CreateSchemaStmt: (n) => ["namespace", n.schemaname],
  CreatedbStmt: (n) => ["namespace", n.dbname],
  CreateSeqStmt: (n) => ["variable", relation(n.sequence)],
  CompositeTypeStmt: (n) => ["type", relation(n.typevar)],
  CreateEnumStmt: (n) => ["type", parts(n.typeName)],
  CreateRangeStmt: (n) => ["type", parts(n.typeName)],
  CreateDomainStmt: (n) => ["type", parts(n.domainname)],
  DefineStmt: (n) => [defined[n.kind], parts(n.defnames)],
};

const blank = (text) => text.replace(/[^\n]/g, " ");

// plain blanks what psql reads itself, byte for byte.
const plain = (source) =>
  source
    .replace(/[^\x00-\x7f]/g, "x")
    .replace(/^(copy\b[^;]*from stdin[^;]*;.*\n)([\s\S]*?)^\\\.$/gim, (_, copy, rows) => copy + blank(rows) + "  ")
    .replace(/^\s*\\.*$/gm, blank)
    .replace(/\\(g|gset|gexec|gdesc|crosstabview)\b.*$/gm, (command) => ";" + blank(command.slice(1)))
    .replace(/:'(\w+)'/g, "'$1' ")
    .replace(/([\s(,=]):("?)([a-zA-Z_]\w*)\2/g, (variable) => variable.replace(/[:"]/g, " "));

function symbols(source, statements) {
  const line = lineCounter(source);
  const found = [];
  for (const { stmt, stmt_location: from = 0, stmt_len: length } of statements) {
    const [type, node] = Object.entries(stmt)[0];
    const [kind, name] = table[type]?.(node) ?? [];
    const text = source.slice(from, length ? from + length : undefined);
    const lead = text.match(/^(\s|--.*\n|\/\*[\s\S]*?\*\/)*/)[0].length;
    if (!kind || !name || !/^create/i.test(text.slice(lead))) continue;
    const end = source.indexOf(";", from + text.length);
    found.push({ kind, name: written(text, name), first: line(from + lead), last: line(end < 0 ? source.length - 1 : end) });
  }
  return found;
}

// written returns a name as the statement has it, in its own case.
function written(text, name) {
  const pattern = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.replace(/"/g, "").match(new RegExp(`(?<![\\w$])${pattern}(?![\\w$])`, "i"))?.[0] ?? name;
}

function lineCounter(source) {
  let at = 0;
  let line = 1;
  return (place) => {
    if (place < at) [at, line] = [0, 1];
    for (; at < place; at++) if (source[at] === "\n") line++;
    return line;
  };
}

for await (const row of readline.createInterface({ input: process.stdin })) {
  const [lang, file] = row.split("\t");
  if (lang !== "sql") continue;
  const source = plain(fs.readFileSync(file, "utf8").replace(/\r\n?/g, "\n"));
  let answer = { lang, path: file, broken: true, symbols: [] };
  try {
    answer = { lang, path: file, broken: false, symbols: symbols(source, (await postgres.parse(source)).stmts ?? []) };
  } catch {
    // A syntax error: the file is broken.
  }
  console.log(JSON.stringify(answer));
}
