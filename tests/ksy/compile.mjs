// node compile.mjs LANGUAGE FOLDER: compiles formats/tileir.ksy into FOLDER, prints the files made.
// Languages as kaitai-struct-compiler names them: python, javascript, cpp_stl, java, rust, go, ...
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import compiler from "kaitai-struct-compiler";
import { load } from "js-yaml";

const [language, folder] = process.argv.slice(2);
const ksy = load(readFileSync(new URL("../../formats/tileir.ksy", import.meta.url), "utf8"));
const importer = { importYaml: (name) => Promise.reject(new Error(`unexpected import of ${name}`)) };
try {
  const files = await compiler.compile(language, ksy, importer, false);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, basename(name));
    writeFileSync(path, text.replace(/[ \t]+$/gm, "").trimEnd() + "\n");
    console.log(path);
  }
} catch (error) {
  console.error(String(error.message ?? error));
  process.exitCode = 1;
}
