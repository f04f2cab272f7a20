// Says what VS Code's engine calls each word of texts.
//
// node scopes.mjs GRAMMAR < TEXTS
//
// TEXTS is a JSON list of texts. Printed is a list for each: [word, its innermost scope], without
// blanks.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(import.meta.url);
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");
const { OnigScanner, OnigString, loadWASM } = require("vscode-oniguruma");

const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
await loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
const onigLib = Promise.resolve({
  createOnigScanner: (patterns) => new OnigScanner(patterns),
  createOnigString: (text) => new OnigString(text),
});
const file = process.argv[2];
const registry = new Registry({
  onigLib,
  loadGrammar: async () => parseRawGrammar(readFileSync(file, "utf8"), "grammar.json"),
});
const grammar = await registry.loadGrammar("source.tileir");

for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const words = [];
  let state = INITIAL;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    for (const { startIndex, endIndex, scopes } of tokens) {
      const word = line.slice(startIndex, endIndex);
      if (word.trim()) words.push([word, scopes.at(-1)]);
    }
    state = ruleStack;
  }
  console.log(JSON.stringify(words));
}
