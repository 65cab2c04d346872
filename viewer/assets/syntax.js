// @ts-check
// Colours of code: a tokenizer for the common languages. It knows comments, strings,
// numbers, names and the words of a language, no grammar. No pattern looks further than
// what it takes, so the time is linear, whatever the text.

/** @typedef {"" | "comment" | "string" | "number" | "keyword" | "type" | "call" | "name"} Kind */
/** @typedef {[Kind, RegExp][]} Parts */

/** @param {string} q @returns {[Kind, RegExp]} */
const quoted = (q) => ["string", new RegExp(`${q}(?:[^${q}\\\\\\n]|\\\\[^])*${q}?`)];
const double = quoted('"');
const single = quoted("'");
/** @type {[Kind, RegExp]} */
const slashes = ["comment", /\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*)/];
/** @type {[Kind, RegExp]} */
const hash = ["comment", /#[^\n]*/];
/** @type {[Kind, RegExp]} */
const dashes = ["comment", /--[^\n]*/];
/** @type {[Kind, RegExp]} A letter, but no lifetime and no quote of Lisp. */
const letter = ["string", /'(?:[^'\\\n]|\\[^\n]{1,9}?)'/];
/** @type {Parts} */
const rest = [
  ["number", /\b0[xXbBoO][\da-fA-F_]+\w*|\b\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?[a-zA-Z%]*/],
  ["", /[@$]?[\p{L}_][\p{L}\p{N}_]*/u],
];
/** @type {Parts} */
const plain = [rest[0], ["", /[\w.-]+/]];

// Each row: the extensions, the parts in the order in which they are tried, the words.
/** @type {[string, Parts, string?][]} */
const rows = [
  ["c h cc cpp cxx hpp hh cs java kt kts scala swift dart groovy m proto zig php", [slashes, double, letter, ...rest],
    "abstract as async auto await base bool boolean break byte case catch char class const constexpr continue default define delete do double else endif enum extends extern false final finally float for fun func get goto if ifdef ifndef implements import in include inline instanceof int interface internal is let long namespace new null nullptr object override package private protected public return sealed set short signed sizeof static struct super switch template this throw throws true try typedef typename typeof union unsigned using val var virtual void volatile when where while yield"],
  ["js mjs cjs jsx ts mts cts tsx vue svelte", [slashes, double, single, ["string", /`(?:[^`\\]|\\[^])*`?/], ...rest],
    "any as async await boolean break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let namespace new null number of private protected public readonly return set static string super switch this throw true try type typeof undefined unknown var void while yield"],
  ["go", [slashes, double, letter, ["string", /`[^`]*`?/], ...rest],
    "any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface iota map nil package range return rune select string struct switch true type uint64 uint8 var"],
  ["rs", [slashes, double, letter, ...rest],
    "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while"],
  ["py pyi pyw", [["string", /"""(?:[^]*?"""|[^]*)|'''(?:[^]*?'''|[^]*)/], hash, double, single, ...rest],
    "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield"],
  ["rb ex exs cr r jl nim", [hash, double, single, ...rest],
    "and begin break case class def do else elsif end ensure false FALSE for function if import in let module next nil not NULL or raise require rescue retry return self struct super then true TRUE undef unless until using when while yield"],
  ["sh bash zsh fish pl pm ps1 tcl mk make cmake dockerfile", [["name", /\$(?:\w+|\{[^}\n]*\}?)/], ["comment", /(?<![\w$])#[^\n]*/], double, ["string", /'[^']*'?/], ...rest],
    "case do done echo elif else esac exit export fi for foreach function if in local my proc read return select set shift sub then trap unset until use while"],
  ["sql adb ads vhdl", [dashes, slashes, single, double, ...rest],
    "add all alter and as asc begin between by case check commit constraint create cross default delete desc distinct drop else end exists false foreign from full grant group having if in index inner insert into is join key left like limit not null offset on or order outer primary references right rollback select set table then true union unique update values view when where with"],
  ["lua hs elm", [dashes, double, letter, ...rest],
    "and break case class data do else elseif end false for function goto if import in instance let local module newtype nil not of or repeat return then true type until where while"],
  ["lisp el clj cljs scm rkt asm s", [["comment", /;[^\n]*/], double, ...rest], "cond def define defmacro defn defun do else false fn if lambda let loop nil ns quote require setq true when"],
  ["css scss less", [slashes, double, single, ["number", /#[\da-fA-F]{3,8}\b/], ["keyword", /@[\w-]+/], ...plain]],
  ["json jsonl json5 ipynb", [slashes, double, ...plain], "true false null"],
  ["yaml yml toml ini cfg conf env properties", [["comment", /(?<!\S)[#;][^\n]*/], ["keyword", /^\[[^\n]*/m], double, single, ...plain], "true false null yes no"],
  ["md markdown mdx", [["keyword", /^#{1,6} [^\n]*/m], ["string", /```(?:[^]*?```|[^]*)|`[^`\n]*`?/], ["comment", /^>[^\n]*/m]]],
  ["tex sty cls bib", [["comment", /%[^\n]*/], ["keyword", /\\(?:[a-zA-Z]+|[^]|$)/], ["string", /\$[^$\n]*\$?/]]],
  ["xml html htm xhtml svg xsl rss plist", [["comment", /<!--(?:[^]*?-->|[^]*)/], ["type", /<[!/?]?[a-zA-Z][^<>]*>?/], ["number", /&#?\w{1,31};/]]],
  [" tag", [double, single, ["keyword", /<[!/?]?[\w:.-]*|[/?]?>/], ["name", /[\w:.-]+/]]],
];

/** @typedef {{pattern: RegExp, kinds: Kind[], words: Set<string>, names: boolean}} Lexer */
/** @type {Map<string, Lexer>} */
const lexers = new Map();
for (const [names, parts, words = ""] of rows) {
  const pattern = new RegExp(parts.map(([, part]) => `(${part.source})`).join("|"), "gmu");
  const lexer = { pattern, kinds: parts.map(([kind]) => kind), words: new Set(words.split(" ")), names: parts.includes(plain[1]) };
  for (const name of names.split(" ")) lexers.set(name, lexer);
}

/**
 * Divides code into tokens, whose texts together are the text. The language is the
 * extension of a file, such as "go"; text of another one is one token.
 * @param {string} text
 * @param {string} language
 * @returns {[Kind, string][]}
 */
export function tokens(text, language) {
  const lexer = lexers.get(language.toLowerCase().replace(/^\./, "") || "text");
  return lexer ? divide(text, lexer) : text ? [["", text]] : [];
}

/** @param {string} text @param {Lexer} lexer @returns {[Kind, string][]} */
function divide(text, lexer) {
  /** @type {[Kind, string][]} */
  const found = [];
  /** @param {Kind} kind @param {string} part */
  const add = (kind, part) => {
    const last = found.at(-1);
    if (last && last[0] === kind) last[1] += part;
    else if (part) found.push([kind, part]);
  };
  let end = 0;
  for (const match of text.matchAll(lexer.pattern)) {
    const token = match[0];
    add("", text.slice(end, match.index));
    end = match.index + token.length;
    let kind = lexer.kinds[match.findIndex((group, i) => i > 0 && group !== undefined) - 1];
    const next = text[end];
    if (kind === "type") {
      for (const [inner, part] of divide(token, /** @type {Lexer} */ (lexers.get("tag")))) add(inner, part);
      continue;
    }
    if (lexer.names && (kind === "" || kind === "string")) {
      if (next === ":" || next === "=" || (next === " " && text[end + 1] === "=")) kind = "name";
    } else if (kind === "" && next === "(") kind = "call";
    else if (kind === "" && /^\p{Lu}/u.test(token)) kind = "type";
    if (kind !== "string" && (lexer.words.has(token) || (lexer.words.has("select") && lexer.words.has(token.toLowerCase())))) kind = "keyword";
    add(kind, token);
  }
  add("", text.slice(end));
  return found;
}
