// Prints the symbols that tree-sitter finds, to compare ours with.
//
//	node oracle.mjs NODE_MODULES <list >symbols
//
// NODE_MODULES has web-tree-sitter@0.25, @vscode/tree-sitter-wasm@0.3 and
// tree-sitter-wasms@0.1.
//
// The list has a language, a tab and a path on each line; the answer, on each
// line, is {"lang", "path", "broken", "symbols": [{"kind", "name", "first",
// "last", "damaged"}]} with lines from 1, both included; "damaged" marks what
// the grammar cannot read without an error. A file with "broken" is one that
// the grammar cannot read without an error.
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { createRequire } from "node:module";

// A row of a table says for a type of node the kind of symbol it is, and
// where needed how to find its name ("" or undefined: no symbol) and which
// node has its extent.
const own = (n) => n.childForFieldName("name")?.text;
const within = (...types) => (n) => (types.includes(n.parent?.type) ? n.parent : n);

// declared follows the declarators of C to the name.
const declared = (n) => {
  let d = n.childForFieldName("declarator");
  while (d?.childForFieldName("declarator")) d = d.childForFieldName("declarator");
  return d?.type === "reference_declarator" || d?.type === "parenthesized_declarator" ? last(d)?.text : d?.text;
};
const last = (n) => n.namedChild(n.namedChildCount - 1);
const first = (n) => n.namedChild(0);
// heading is the text of a node from a word on, up to its body or conditions.
const heading = (n, word, conditions) => {
  const from = n.children.find((c) => c.type === word);
  const to = child(n, conditions) ?? n.childForFieldName("body") ?? n;
  const end = to === n ? n.endIndex : to.startIndex;
  return from ? n.text.slice(from.startIndex - n.startIndex, end - n.startIndex).trim() : undefined;
};

// memberOf says that a function among the members of these is a method.
const memberOf = (...types) => (n) => (types.includes(n.parent?.type) || (n.parent?.type === "template_declaration" && types.includes(n.parent.parent?.type)) ? "method" : "function");
const bare = (n) => own(n)?.replaceAll("`", "");

const manyLines = (n) => (n.endPosition.row - n.startPosition.row > (n.endPosition.column === 0 ? 1 : 0) ? own(n) : undefined);

// cppName follows the declarators of C++ to the name, which may be that of an
// operator or of a conversion.
const cppName = (n) => {
  let d = n.childForFieldName("declarator");
  for (let next = d; next; ) {
    d = next;
    next = d.childForFieldName("declarator") ?? (/^(reference|parenthesized|attributed)_declarator$/.test(d.type) ? d.namedChildren.find((c) => c.type.endsWith("declarator") || /identifier|name/.test(c.type)) : undefined);
    if (d.type === "operator_cast" || d.type === "qualified_identifier") next = undefined;
  }
  return d?.text.replace(/(operator\s*(\(\s*\)(?=\s*\()|[^(\s][^(]*))\(.*/s, "$1").replace(/\s+/g, " ").trim();
};

// inTypedef names a type with members by its tag, else by its typedef.
const inTypedef = (n) => (n.childForFieldName("body") ? own(n) ?? (n.parent?.type === "type_definition" ? declared(n.parent) : undefined) : undefined);
const templated = (n) => {
  let o = within("type_definition")(n);
  while (o.parent?.type === "template_declaration") o = o.parent;
  return o;
};
const child = (n, type) => n.namedChildren.find((c) => c.type === type);
const typeName = (n) => child(n, "type_identifier")?.text.replaceAll("`", "");
const withBody = (n) => (n.childForFieldName("body") ? own(n) : undefined);

// In JavaScript a value that is a function or class makes a symbol of what it
// is given to.
const values = new Set(["arrow_function", "function", "function_expression", "generator_function", "class"]);
const given = (field, name) => (n) => (values.has(n.childForFieldName(field)?.type) ? name(n) : undefined);
const text = (n) => n?.text?.replace(/^(["'])(.*)\1$/s, "$2");
const target = (n) => {
  const called = n.childForFieldName("right")?.childForFieldName("name")?.text;
  if (called && ["module.exports", "exports"].includes(n.childForFieldName("left")?.text)) return called;
  const left = n.childForFieldName("left");
  if (left?.type === "member_expression") return text(left.childForFieldName("property"));
  if (left?.type === "identifier") return left.text;
};
const exported = within("export_statement", "ambient_declaration");
const outermost = (n) => {
  let o = exported(n);
  while (o !== n && exported(o) !== o) o = exported(o);
  return o === n ? n : o;
};
const statement = (n) => {
  const s = n.parent;
  if (["lexical_declaration", "variable_declaration"].includes(s?.type) && s.namedChildren.filter((c) => c.type === "variable_declarator").length === 1) return outermost(s);
  return n;
};
const valueKind = (field, otherwise) => (n) => (n.childForFieldName(field)?.type === "class" ? "class" : otherwise);
const declaredMethod = (n) => (["interface_body", "class_body"].includes(n.parent?.type) || n.parent?.parent?.type === "interface_declaration" ? text(n.childForFieldName("name")) : undefined);

const script = {
  class_declaration: ["class", own, outermost],
  abstract_class_declaration: ["class", own, outermost],
  function_declaration: ["function", own, outermost],
  generator_function_declaration: ["function", own, outermost],
  function_signature: ["function", own, outermost],
  interface_declaration: ["interface", own, outermost],
  type_alias_declaration: ["type", own, outermost],
  enum_declaration: ["enum", own, outermost],
  internal_module: ["namespace", own, (n) => outermost(n.parent?.type === "expression_statement" ? n.parent : n)],
  module: ["module", (n) => text(n.childForFieldName("name")), outermost],
  method_definition: ["method", (n) => text(n.childForFieldName("name")), (n) => decorated(n)],
  method_signature: ["method", declaredMethod, (n) => decorated(n)],
  abstract_method_signature: ["method", declaredMethod, (n) => decorated(n)],
  variable_declarator: [valueKind("value", "function"), given("value", (n) => (n.childForFieldName("name").type === "identifier" ? own(n) : undefined)), statement],
  assignment_expression: [valueKind("right", "function"), given("right", target)],
  pair: [valueKind("value", "method"), given("value", (n) => text(n.childForFieldName("key")))],
  field_definition: [valueKind("value", "method"), given("value", (n) => text(n.childForFieldName("property")))],
  public_field_definition: [valueKind("value", "method"), given("value", (n) => text(n.childForFieldName("name")))],
};

// decorated starts a member at the decorators before it, which stand beside
// it in the class.
const decorated = (n) => {
  let start = n;
  for (let p = n.previousSibling; p?.type === "decorator" || p?.type === "comment"; p = p.previousSibling) if (p.type === "decorator") start = p;
  return start === n ? n : { startPosition: start.startPosition, endPosition: n.endPosition };
};

const goTypes = { struct_type: "struct", interface_type: "interface" };
const goType = (n) => goTypes[n.childForFieldName("type")?.type] ?? "type";

const tables = {
  go: {
    function_declaration: ["function"],
    method_declaration: ["method"],
    type_spec: [goType, own, (n) => (n.parent.namedChildCount === 1 && n.parent.child(1)?.text !== "(" ? n.parent : n)],
    type_alias: [goType, own, (n) => (n.parent.namedChildCount === 1 && n.parent.child(1)?.text !== "(" ? n.parent : n)],
    method_spec: ["method", (n) => (["type_spec", "type_alias"].includes(n.parent?.parent?.type) ? own(n) : undefined)],
    method_elem: ["method", (n) => (["type_spec", "type_alias"].includes(n.parent?.parent?.type) ? own(n) : undefined)],
  },
  python: {
    function_definition: [(n) => (within("decorated_definition")(n).parent?.parent?.type === "class_definition" ? "method" : "function"), own, within("decorated_definition")],
    class_definition: ["class", own, within("decorated_definition")],
  },
  javascript: script,
  typescript: script,
  tsx: script,
  ruby: {
    method: ["method"],
    singleton_method: ["method"],
    class: ["class"],
    module: ["module"],
    singleton_class: ["class", (n) => "<< " + n.childForFieldName("value")?.text],
  },
  php: {
    function_definition: ["function"],
    method_declaration: ["method"],
    class_declaration: ["class"],
    interface_declaration: ["interface"],
    trait_declaration: ["trait"],
    enum_declaration: ["enum"],
    namespace_definition: ["namespace", withBody],
  },
  shell: { function_definition: ["function"] },
  java: {
    class_declaration: ["class"],
    interface_declaration: ["interface"],
    enum_declaration: ["enum"],
    record_declaration: ["class"],
    annotation_type_declaration: ["interface"],
    method_declaration: ["method"],
    constructor_declaration: ["method"],
    compact_constructor_declaration: ["method"],
    annotation_type_element_declaration: ["method"],
  },
  c: {
    function_definition: ["function", declared],
    struct_specifier: ["struct", inTypedef, within("type_definition")],
    union_specifier: ["struct", inTypedef, within("type_definition")],
    enum_specifier: ["enum", inTypedef, within("type_definition")],
    preproc_function_def: ["macro", manyLines],
  },
  cpp: {
    function_definition: [(n) => (/::(?!\s*$)/.test(cppName(n)?.replace(/<.*>/s, "").replace(/operator.*/s, "")) ? "method" : memberOf("field_declaration_list")(n)), cppName, templated],
    class_specifier: ["class", inTypedef, templated],
    struct_specifier: ["struct", inTypedef, templated],
    union_specifier: ["struct", inTypedef, templated],
    enum_specifier: ["enum", inTypedef, templated],
    namespace_definition: ["namespace"],
    preproc_function_def: ["macro", manyLines],
  },
  csharp: {
    class_declaration: ["class"],
    struct_declaration: ["struct"],
    interface_declaration: ["interface"],
    enum_declaration: ["enum"],
    record_declaration: ["class"],
    method_declaration: ["method"],
    constructor_declaration: ["method"],
    destructor_declaration: ["method", (n) => "~" + own(n)],
    indexer_declaration: ["method", () => "this"],
    operator_declaration: ["method", (n) => "operator " + n.childForFieldName("operator")?.text],
    conversion_operator_declaration: ["method", (n) => "operator " + n.childForFieldName("type")?.text],
    delegate_declaration: ["type"],
    namespace_declaration: ["namespace"],
  },
  rust: {
    function_item: [(n) => (["impl_item", "trait_item"].includes(n.parent?.parent?.type) ? "method" : "function")],
    function_signature_item: [(n) => (["impl_item", "trait_item"].includes(n.parent?.parent?.type) ? "method" : "function")],
    struct_item: ["struct"],
    union_item: ["struct"],
    enum_item: ["enum"],
    trait_item: ["trait"],
    impl_item: ["impl", (n) => heading(n, "impl", "where_clause")],
    mod_item: ["module", withBody],
    type_item: ["type"],
    macro_definition: ["macro"],
  },
  kotlin: {
    class_declaration: [(n) => (n.children.some((c) => c.type === "enum") ? "enum" : n.children.some((c) => c.type === "interface") ? "interface" : "class"), typeName],
    object_declaration: ["class", typeName],
    companion_object: ["class", (n) => typeName(n) ?? "Companion"],
    function_declaration: [memberOf("class_body", "enum_class_body"), (n) => child(n, "simple_identifier")?.text.replaceAll("`", "")],
    secondary_constructor: ["method", () => "constructor"],
    type_alias: ["type", typeName],
  },
  swift: {
    class_declaration: [(n) => (n.child(0).type === "extension" || n.children.some((c) => c.type === "extension") ? "impl" : /^(enum|struct)$/.test(n.childForFieldName("declaration_kind")?.text) ? n.childForFieldName("declaration_kind").text : "class"), (n) => (n.children.some((c) => c.type === "extension") ? heading(n, "extension", "type_constraints") : own(n))],
    protocol_declaration: ["interface"],
    function_declaration: [memberOf("class_body", "enum_class_body"), bare],
    protocol_function_declaration: ["method", bare],
    init_declaration: ["method", () => "init"],
    deinit_declaration: ["method", () => "deinit"],
    subscript_declaration: ["method", () => "subscript"],
    typealias_declaration: ["type"],
  },
};

const files = {
  csharp: ["@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp.wasm"],
  shell: ["@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm"],
};
const grammar = (lang) =>
  [...(files[lang] ?? [`@vscode/tree-sitter-wasm/wasm/tree-sitter-${lang}.wasm`]), `tree-sitter-wasms/out/tree-sitter-${lang}.wasm`]
    .map((name) => path.join(modules, name))
    .find(fs.existsSync);

const modules = path.resolve(process.argv[2]);
const { Parser, Language } = createRequire(path.join(modules, "any.js"))("web-tree-sitter");
await Parser.init();
const parsers = new Map();

async function parserOf(lang) {
  if (!parsers.has(lang)) {
    const parser = new Parser();
    parser.setLanguage(await Language.load(grammar(lang)));
    parsers.set(lang, parser);
  }
  return parsers.get(lang);
}

function symbols(tree, table) {
  const found = [];
  const cursor = tree.walk();
  for (;;) {
    const row = cursor.nodeIsNamed ? table[cursor.nodeType] : undefined;
    if (row) add(found, cursor.currentNode, row);
    if (cursor.gotoFirstChild()) continue;
    while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return found;
  }
}

function add(found, node, [kind, name = own, extent = (n) => n]) {
  const called = name(node);
  if (!called) return;
  const { startPosition: a, endPosition: b } = extent(node);
  const end = b.column === 0 && b.row > a.row ? b.row : b.row + 1;
  found.push({ kind: typeof kind === "function" ? kind(node) : kind, name: called.replace(/\s+/g, " "), first: a.row + 1, last: end, damaged: node.hasError || undefined });
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const [lang, file] = line.split("\t");
  const source = fs.readFileSync(file, "utf8").replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  const parser = await parserOf(lang);
  let answer = { lang, path: file, broken: true, symbols: [] };
  try {
    const tree = parser.parse(source);
    answer = { lang, path: file, broken: tree.rootNode.hasError, symbols: symbols(tree, tables[lang]) };
    tree.delete();
  } catch (error) {
    console.error(`${file}: ${error.message}`);
  }
  console.log(JSON.stringify(answer));
}
