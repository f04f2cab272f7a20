// node read.mjs PARSER.js FILE...: reads files with the compiled JavaScript parser. Prints a line of
// JSON for each: its leaves by path. Paths are those of tests/formats/mirrored.py, in camelCase.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [parser, ...files] = process.argv.slice(2);
const made = {};
new Function("require", "exports", readFileSync(parser, "utf8"))(createRequire(import.meta.url), made);
const { TileIrBytecode } = made.TileIrBytecode ? made : { TileIrBytecode: made };
const KaitaiStream = createRequire(import.meta.url)("kaitai-struct/KaitaiStream");

const TRANSPARENT = new Set(["items", "fields", "window", "slots", "entry", "data"]);
const HIDDEN = new Set(["raw", "trailing", "idx", "expected"]);

function walk(node, path, leaves) {
  if (typeof node === "number") leaves[path] = node;
  else if (node instanceof Uint8Array) {
    if (node.length) leaves[path] = Buffer.from(node).toString("hex");
  } else if (Array.isArray(node)) node.forEach((item, i) => walk(item, `${path}[${i}]`, leaves));
  else {
    const kind = node.constructor.name;
    if (/^(Varint|Varint32|SignedVarint)$|Enum$/.test(kind)) leaves[path] = node.value;
    else if (kind === "IntegerBits" || kind === "FloatBits") {
      leaves[path] = node.byteValue ?? node.number.value;
      leaves[`${path}.pattern`] = node.value;
    } else if (kind === "Padding") walk(node.fill, path, leaves);
    else if (kind.endsWith("Slot")) walk(node.entry, path, leaves);
    else parts(node, kind, path, leaves);
  }
}

function parts(node, kind, path, leaves) {
  const fields = Object.entries(node).filter(([name]) => !name.startsWith("_"));
  if ("slots" in node) fields.push(["slots", node.slots]);
  if (kind.startsWith("Op"))
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(node)))
      if (typeof node[name] === "boolean") fields.push([name, Number(node[name])]);
  for (const [name, value] of fields) {
    if (HIDDEN.has(name) || value === undefined) continue;
    walk(value, TRANSPARENT.has(name) ? path : `${path}.${name.replace(/^offsets$/, "offset")}`, leaves);
  }
}

for (const file of files) {
  const bytes = readFileSync(file);
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const root = new TileIrBytecode(new KaitaiStream(data));
  const leaves = {};
  walk(root.header, "header", leaves);
  const last = new Map();
  root.sections.forEach((section, i) => {
    walk(section, `sections[${i}]`, leaves);
    if (!section.isEnd) last.set(section.kind, section);
  });
  for (const [kind, section] of last) {
    const name = TileIrBytecode.SectionKind[kind].toLowerCase().replace(/_section$/, "");
    walk(section.payload, name, leaves);
  }
  console.log(JSON.stringify(leaves));
}
