// @ts-check
// All words of the pages, in one object, so that they can be translated: a text, in which
// {name} stands for a value, or texts for each plural that the language has, chosen by n.
import { words as reader } from "./words-reader.js";

/** The language of the words, which also writes numbers and times. */
export const language = "en";

/** @type {Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>} */
export const words = {
  ...reader,

  theme: "Light or dark",
  themeAuto: "Auto",
  themeLight: "Light",
  themeDark: "Dark",
  loading: "Loading …",

  // Kinds of sources.
  kind: "Kind",
  document: "document",
  text: "text",
  image: "image",
  audio: "audio",
  video: "video",
  unreadable: "unreadable",

  // The library.
  filter: "Filter by title, path or kind",
  filterHelp: "{n} of {all} shown",
  resources: { one: "{n} source", other: "{n} sources" },
  title: "Title",
  extent: "Extent",
  size: "Size",
  state: "State",
  mapped: "Mapped",
  nodes: { one: "{n} part", other: "{n} parts" },
  pages: { one: "{n} page", other: "{n} pages" },
  slides: { one: "{n} slide", other: "{n} slides" },
  lines: { one: "{n} line", other: "{n} lines" },
  sheets: { one: "{n} sheet", other: "{n} sheets" },
  current: "current",
  changed: "changed",
  missing: "missing",
  changedHelp: "The file is not as it was mapped. Map it again.",
  mapAgain: "Map again",
  mapAgainOf: "Map again: {name}",
  missingHelp: "The file is not where it was.",
  nextPage: "Next {n}",
  firstPage: "Back to the first",
  noSources: "There is nothing here yet.",
  noSourcesHelp: "Map files with the command: citekit ingest",
  noSourcesDrop: "Drop files or a folder here, or choose them.",
  noMatch: "No source matches “{q}”.",
  moreMatch: "More match than are shown; write more of it.",
  notMapped: "Not mapped",
  notMappedHelp: "Files that were seen but have no map, and why. They cannot be found or cited.",
  path: "File",
  reason: "Reason",
  add: "Add sources",
  addHelp: "Drop files or a folder anywhere on this page. They are copied into the folder of the server and mapped; no file is overwritten.",
  chooseFiles: "Choose files",
  chooseFolder: "Choose a folder",
  dropHere: "Drop to add",
  copying: "Copying {path}",
  mapping: "Mapping {path}",
  progress: "{n} of {all}",
  stop: "Stop",
  stopped: "Stopped.",
  added: { one: "{n} file mapped", other: "{n} files mapped" },
  failedCount: { one: "{n} failed", other: "{n} failed" },
  dismiss: "Close this list",

  // Search.
  question: "Question",
  searchFor: "Words or a question",
  searchGo: "Search",
  searchTips: "Expressions: \"exact words\", head*, -excluded, title:word.",
  allKinds: "all kinds",
  sources: "Sources",
  sourcesHelp: "ids, paths or patterns such as *.pdf, with commas between",
  results: { one: "{n} result", other: "{n} results" },
  atLeast: { one: "at least {n} result", other: "at least {n} results" },
  firstOf: "the first {n} shown",
  incomplete: "The time ended before all was searched.",
  leftOut: { one: "{n} source left out", other: "{n} sources left out" },
  noResults: "Nothing was found for “{q}”.",
  noResultsHelp: "Try fewer or other words, or take away filters.",
  moreResults: "Show more",
  copies: "The same text at",
  searchStart: "Finds passages in all sources, and opens each at its place with the words marked.",
  resultKeys: "↓ and ↑ go through the results, Enter opens one.",

  // Verdicts.
  exact: "verbatim",
  repaired: "repaired",
  elsewhere: "elsewhere",
  altered: "altered",
  not_found: "not found",
  unchecked: "not checked",
  unquoted: "to be read",
  stale: "source changed",
  exactHelp: "The words stand there, letter for letter.",
  repairedHelp: "The words stand there, but for differences of copying and typesetting.",
  elsewhereHelp: "The words stand at another place than the one cited.",
  alteredHelp: "Similar words stand in the source. They differ in what may change the meaning.",
  not_foundHelp: "Neither these words nor similar ones are in the source.",
  uncheckedHelp: "This could not be checked.",
  unquotedHelp: "The place exists. No words are quoted: read whether it supports the sentence.",
  staleHelp: "The source has changed since it was mapped, so the citation does not hold. Map the source again.",

  // Check.
  checkIntro: "Paste an answer with its citations. Each quote and claim is looked for in its source, word by word.",
  answer: "Answer to check",
  answerHelp: "Citations are addresses in brackets, such as [doc://book#pages=12].",
  strict: "Claims must be in the words of the source, and quotes have an address",
  checkGo: "Check",
  checking: "Checking …",
  holds: "Everything holds.",
  failsCount: { one: "{n} of {all} does not hold.", other: "{n} of {all} do not hold." },
  uncitedFails: "The citations hold, but something has no address or was not checked.",
  nothingChecked: "Nothing was checked: the text cites nothing.",
  toRead: { one: "{n} claim holds as a place alone: read whether it supports the sentence.", other: "{n} claims hold as places alone: read whether they support the sentences." },
  notAllChecked: "Not all was checked before the time ended.",
  quote: "quote",
  claim: "claim",
  address: "address",
  cited: "cited",
  foundAt: "found at",
  similarAt: "similar words at",
  alsoAt: "also at",
  onlyQuote: "only in the answer",
  inSource: "words of the source",
  onlySource: "only in the source",
  differences: "Difference",
  repairs: "Repaired",
  white_space: "white space",
  hyphenation: "divided words",
  ligatures: "ligatures",
  case: "capital and small letters",
  typographic_signs: "quotation marks and dashes",
  character_forms: "forms of characters",
  page_break: "a page break",
  ellipsis: "left-out text",
  footnote_marks: "marks of notes",
  end_of_sentence: "the end of the sentence",
  markup: "markup",
  uncited: "Without a citation",
  uncitedHelp: "Sentences that cite nothing. They were not checked.",
  meant: "means perhaps",
  print: "Print",
  exportJSON: "Save as JSON",
  exportMarkdown: "Save as Markdown",
  report: "Check of citations",
  reportOf: "Checked on {date} by citekit.",

  // Ask.
  askIntro: "Answers with sentences of the sources, each with its place, or says that they do not answer.",
  askGo: "Ask",
  askOffered: "The question is from a link. Nothing was asked yet: press Ask.",
  answerType: "Answer",
  extractive: "sentences of the sources",
  abstractive: "written by the model",
  asking: "Looking for the answer …",
  found: "Answer",
  abstains: "The sources do not answer this.",
  abstainsHelp: "No sentence was found that answers the question, so none is given.",
  foundBy: "found by",
  sentences: { one: "{n} sentence", other: "{n} sentences" },
  copyAnswer: "Copy with citations",
  checkAnswer: "Check it",
};

const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);

/**
 * The words of a key.
 * @param {string} key @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const entry = words[key] ?? key;
  const text = typeof entry === "string" ? entry : entry[plurals.select(Number(values.n))] ?? entry.other ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => {
    const value = values[name] ?? all;
    return typeof value === "number" ? numbers.format(value) : value;
  });
}

const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
const sizes = units.flatMap((unit, i) => [0, 1].map((digits) => new Intl.NumberFormat(language, {
  style: "unit", unit, unitDisplay: i ? "short" : "long", maximumFractionDigits: digits })));
const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const times = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" });

/** A count of bytes. @param {number} n */
export function bytes(n) {
  let unit = 0;
  for (; n >= 1000 && unit < units.length - 1; unit++) n /= 1000;
  return sizes[2 * unit + (n < 10 && unit ? 1 : 0)].format(n);
}

/** A time as RFC 3339 has it. @param {string} time @param {boolean} [whole] with the time of day */
export function date(time, whole = false) {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? "" : (whole ? times : days).format(at);
}
