// The page: files that are open, and what is done with the one that is chosen.

import { Editor } from "./editor.js";
import { Highlighter } from "./highlight.js";
import { Ended, Python } from "./python.js";
import { expanded, packed } from "./share.js";

const { draw, make, plural, visible } = globalThis.TileIRReport;
const $ = (id) => document.getElementById(id);

const LARGEST_FILE = 64 * 1024 * 1024;
const LONGEST_OUTPUT = 300_000;
const PAUSE = 350;  // milliseconds without a key until a text is assembled
const MADE = ".made";  // what a command writes: no file is called so (`tame`)
const COMMANDS = {
  inspect: ["inspect"], dis: ["dis"], "dis -g": ["dis", "-g"], verify: ["verify"], stats: ["stats"],
};
const SAMPLE = `// Adds one to each of 128 numbers for each block.
entry @increment(%array: tile<ptr<f32>>) {
  %one = constant <f32: 1.0> : tile<128xf32>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %view = make_tensor_view %array, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
  %tiles = make_partition_view %view : partition_view<tile=(128), tensor_view<4096xf32, strides=[1]>>
  %old, %loaded = load_view_tko weak %tiles[%x] : partition_view<tile=(128), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %new = addf %old, %one : tile<128xf32>
  %stored = store_view_tko weak %new, %tiles[%x] token = %loaded : tile<128xf32>, partition_view<tile=(128), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> token
  return
}
`;
/** Characters that turn others around, or have no width: a text that has them is not what it looks like. */
const DECEIVING = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

const files = [];
/** The file that is chosen, the one before it, and the panel that is shown. */
let chosen = null, before = null, panel = "bytes", numbers = 0;

const python = new Python((state, detail) => {
  $("state").textContent = { starting: "starting " + detail, ready: detail, working: "working", failed: "Python did not start" }[state];
  $("state").dataset.state = state;
  $("stop").hidden = state !== "working" && state !== "failed";
  $("stop").textContent = state === "failed" ? "Try again" : "Stop";
  if (state === "failed") say("Python did not start: " + detail);
});
$("stop").addEventListener("click", () => python.end());

// Messages -----------------------------------------------------------------------------------------

/** Say something above all; a warning, unless it is good news. */
function say(text, kind = "warning") {
  $("notice").hidden = !text;
  $("notice").className = "notice " + kind;
  $("notice").firstElementChild.textContent = visible(text);
}
$("notice").lastElementChild.addEventListener("click", () => say(""));

/** Say something in a panel: an error, unless it only tells what to do or to wait for. */
function message(name, text, quiet = false) {
  const element = document.querySelector("#panel-" + name + " .message");
  element.hidden = !text;
  element.classList.toggle("quiet", quiet);
  element.textContent = text ? text.split("\n").map(visible).join("\n") : "";
}

/** Do something for the chosen file; what goes wrong is said in its panel, unless another one is shown by now. */
async function during(name, action) {
  const file = chosen;
  const starting = $("state").dataset.state === "starting";
  message(name, starting ? "Python is starting. The file is shown as soon as it runs." : "", starting);
  try {
    await action(file);
    if (starting && file === chosen) message(name, "");
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    if (file === chosen && error.message) message(name, error.message);
  }
}

// Files --------------------------------------------------------------------------------------------

/** Return a name that a file system has no trouble with. */
function tame(name) {
  const last = name.split(/[/\\]/).at(-1).replace(/[\0-\x1f\x7f]/g, "_").replace(/^[-.]+/, "_");
  return [...last].slice(0, 60).join("") || "module";
}

const isText = (bytes) => bytes.length > 0 && bytes[0] !== 0x7f && !bytes.some((byte) => byte < 9);

/** Open bytes or a text as a file of the page. */
function open(name, bytes) {
  const file = { id: ++numbers, name: tame(name), bytes, text: null, edited: false, version: null, model: null };
  const plain = file.name;
  for (let count = 2; files.some((each) => each.name === file.name); count++) {
    file.name = plain.replace(/(\.[^.]*)?$/, (end) => " " + count + end);
  }
  if (isText(bytes)) {
    try {
      file.text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r\n?/g, "\n");
      file.isText = true;
      file.bytes = null;
    } catch { /* it is no text */ }
  }
  const deceiving = file.text?.match(DECEIVING)?.length;
  if (deceiving) say(file.name + " has " + plural(deceiving, "character") + " that cannot be seen or that turn others around.");
  files.push(file);
  choose(file);
  return file;
}

function choose(file) {
  if (file !== chosen) before = chosen;
  chosen = file;
  list();
  $("welcome").hidden = !!file;
  for (const id of ["share", "save"]) $(id).disabled = !file;
  for (const tab of $("tabs").children) tab.disabled = !file;
  if (!file) {
    for (const tab of $("tabs").children) $("panel-" + tab.dataset.panel).hidden = true;
    return;
  }
  if (file.isText && panel === "bytes" && !file.bytes) panel = "text";
  show(panel);
}

function close(file) {
  const at = files.indexOf(file);
  files.splice(at, 1);
  if (file === chosen) choose(files[at] ?? files[at - 1] ?? null);
  else list();
}

function list() {
  $("mine").hidden = !files.length;
  $("files").replaceChildren(...files.map((file) => {
    const row = make("li", file === chosen ? "chosen" : "");
    const pick = make("button", "pick", file.name);
    pick.type = "button";
    pick.setAttribute("aria-current", file === chosen);
    pick.addEventListener("click", () => choose(file));
    const away = make("button", "away", "\u00d7");
    away.type = "button";
    away.setAttribute("aria-label", "close " + visible(file.name));
    away.addEventListener("click", () => close(file));
    row.append(pick, away);
    return row;
  }));
}

/** Return the bytecode of a file, that of its text if it has been edited; Ended where there is none. */
async function bytecode(file) {
  if (file.bytes) return file.bytes;
  const version = file.version ? ["--version", file.version] : [];
  const { name, text } = file;
  const done = await python.command(["as", ...version, name, "-o", MADE], { [name]: new TextEncoder().encode(text) });
  if (done.code) throw new Ended("The text cannot be assembled, so there is no bytecode:\n" + done.stderr);
  if (file.text !== text) throw new Ended("");
  file.bytes = done.files[MADE];
  return file.bytes;
}

/** Return what a command prints about files, as JSON. */
async function report(given, key) {
  const done = await python.command(["report", "--json", "--paths", ...Object.keys(given)], given, key);
  if (!done.stdout) throw new Ended(done.stderr);
  return JSON.parse(done.stdout);
}

// Panels -------------------------------------------------------------------------------------------

const PANELS = { bytes: explore, text: edit, compare, convert: offer, command: runCommand };

function show(name) {
  panel = name;
  if (!chosen) return;
  for (const tab of $("tabs").children) {
    const here = tab.dataset.panel === name;
    tab.setAttribute("aria-selected", here);
    tab.tabIndex = here ? 0 : -1;
    $("panel-" + tab.dataset.panel).hidden = !here;
  }
  PANELS[name]();
}

$("tabs").addEventListener("click", (event) => {
  const tab = event.target.closest("[role=tab]");
  if (tab && chosen) show(tab.dataset.panel);
});
$("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || !chosen) return;
  const tabs = [...$("tabs").children];
  const next = tabs[(tabs.findIndex((tab) => tab.dataset.panel === panel) + step + tabs.length) % tabs.length];
  show(next.dataset.panel);
  next.focus();
});

const drawn = {};

function clear(name) {
  drawn[name]?.view.close();
  drawn[name] = null;
  document.querySelector("#panel-" + name + " .drawn").replaceChildren();
}

/** Draw a model into the panel of that name, with the theme of the page. */
function drawModel(name, model) {
  clear(name);
  const place = make("div");
  document.querySelector("#panel-" + name + " .drawn").append(place);
  if (document.body.dataset.theme) place.dataset.theme = document.body.dataset.theme;
  drawn[name] = { view: draw(model, place), model };
  new MutationObserver(() => setTheme(place.dataset.theme)).observe(place, { attributeFilter: ["data-theme"] });
}

function explore() {
  return during("bytes", async (file) => {
    if (!file.model || drawn.bytes?.model !== file.model) clear("bytes");
    if (!file.model) {
      const bytes = await bytecode(file);
      const model = await report({ [file.name]: bytes }, "bytes");
      if (file.bytes !== bytes) return;
      file.model = model;
      file.version ??= model.files[0].version;
    }
    if (file === chosen && panel === "bytes" && !drawn.bytes) drawModel("bytes", file.model);
  });
}

let editor = null, pause = 0;

async function edit() {
  await during("text", async (file) => {
    if (file.text === null) {
      showText("", false);
      verdict("");
      const done = await python.command(["dis", file.name], { [file.name]: file.bytes }, "dis");
      if (done.code && !done.stdout) throw new Ended(done.stderr);
      file.text = done.stdout;
      if (!file.version) {
        const told = await python.command(["stats", "--json", file.name], { [file.name]: file.bytes }, "version");
        file.version = told.code ? null : JSON.parse(told.stdout).files?.[0]?.version ?? null;
      }
    }
    if (file !== chosen || panel !== "text") return;
    showText(file.text, true);
    await check(file);
  });
}

function showText(text, editable) {
  if (editor.text !== text || editor.field.readOnly === editable) editor.set(text, editable);
}

function edited() {
  const file = chosen;
  file.text = editor.text;
  file.bytes = file.model = null;
  file.edited = true;
  clearTimeout(pause);
  pause = setTimeout(() => during("text", check), PAUSE);
}

/** Show what is wrong with the text of a file. */
async function check(file) {
  const { text } = file;
  const found = await python.ask("findings", { text }, "findings");
  if (file !== chosen || file.text !== text) return;
  editor.mark(found);
  const errors = found.filter((each) => each.severity === "error").length;
  const warnings = found.length - errors;
  verdict(!found.length ? "valid" : [errors && plural(errors, "error"), warnings && plural(warnings, "warning")].filter(Boolean).join(", "),
    errors ? "error" : warnings ? "warning" : "good");
  $("problems").replaceChildren(...found.slice(0, 200).map((each) => {
    const place = make("span", "place", each.line + 1 + ":" + (each.start + 1));
    const row = make("button", each.severity, place, make("span", "", each.message.replaceAll("\n", "  ")),
      each.rule ? make("span", "rule", each.rule) : "");
    row.type = "button";
    row.addEventListener("click", () => editor.goTo(each));
    return make("li", "", row);
  }));
}

function verdict(text, kind = "") {
  $("verdict").textContent = text;
  $("verdict").className = kind;
  if (!text) $("problems").replaceChildren();
}

function compare() {
  const others = files.filter((each) => each !== chosen);
  $("other").replaceChildren(...others.map((each) => {
    const option = make("option", "", each.name);
    option.value = each.id;
    return option;
  }));
  clear("compare");
  if (!others.length) return message("compare", "Open a second file, or choose an example, to compare this one with.", true);
  $("other").value = (others.find((each) => each === before) ?? others.at(-1)).id;
  return compareWith();
}

function compareWith() {
  return during("compare", async (file) => {
    const other = files.find((each) => each.id === Number($("other").value));
    const given = { [file.name]: await bytecode(file), [other.name]: await bytecode(other) };
    const model = await report(given, "compare");
    if (file === chosen && panel === "compare" && Number($("other").value) === other.id) drawModel("compare", model);
  });
}
$("other").addEventListener("change", compareWith);

function offer() {
  message("convert", "");
  document.querySelector("#panel-convert .result").replaceChildren(
    make("p", "quiet", "Writes the module in another version of the bytecode. If that version lacks something, "
      + "nothing is written, and what it lacks is listed."));
}

$("convert").addEventListener("click", () => during("convert", async (file) => {
  offer();
  const to = $("version").value;
  const made = file.name.replace(/(\.[^.]*)?$/, "-" + to + ".tileirbc");
  const given = { [file.name]: await bytecode(file) };
  const done = await python.command(["convert", "--json", "--to-version", to, file.name, "-o", MADE], given);
  if (!done.stdout) throw new Ended(done.stderr);
  const told = JSON.parse(done.stdout);
  if (file !== chosen) return;
  const result = document.querySelector("#panel-convert .result");
  result.replaceChildren();
  if (told.lacks.length) {
    const head = make("tr", "", make("th", "", "what"), make("th", "", "in function"), make("th", "count", "times"),
      make("th", "", "versions that have it"));
    const rows = told.lacks.map((each) => make("tr", "",
      make("td", "code", each.slot ? each.owner + ": " + each.slot : String(each.owner)), make("td", "code", each.function ?? ""),
      make("td", "count", String(each.times)), make("td", "", "from " + each.since + (each.until ? " to " + each.until : ""))));
    result.append(make("p", "", "Version " + to + " lacks what the module uses, so it was not written:"),
      make("table", "", make("thead", "", head), make("tbody", "", ...rows)));
    return;
  }
  const bytes = done.files[MADE];
  const take = make("button", "", "Open it");
  take.type = "button";
  take.addEventListener("click", () => { panel = "bytes"; open(made, bytes); });
  result.append(make("p", "", "From version " + told.from + " to " + told.to + ": " + plural(told.bytes_before, "byte") + " before, "
    + plural(told.bytes_after, "byte") + " now. Nothing is lost."), take);
}));

let output = "";

function runCommand() {
  output = "";
  document.querySelector("#panel-command .output").textContent = "";
  $("keep").disabled = true;
  return during("command", async (file) => {
    const argv = [...COMMANDS[$("command").value], ...($("json").checked ? ["--json"] : []), file.name];
    const done = await python.command(argv, { [file.name]: await bytecode(file) }, "command");
    if (file !== chosen || panel !== "command") return;
    output = done.stdout;
    const said = "$ tileir " + argv.join(" ") + "\n" + done.stdout + done.stderr + (done.code ? "exit status " + done.code + "\n" : "");
    const cut = said.length > LONGEST_OUTPUT ? said.slice(0, LONGEST_OUTPUT) + "\n... the download has the rest\n" : said;
    document.querySelector("#panel-command .output").textContent = cut;
    $("keep").disabled = !output;
  });
}
for (const id of ["command", "json"]) $(id).addEventListener("change", runCommand);
$("keep").addEventListener("click", () => save(chosen.name + ($("json").checked ? ".json" : ".txt"), output));

// Around -------------------------------------------------------------------------------------------

function save(name, data) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

$("save").addEventListener("click", () => {
  const { name, text, bytes, edited, isText } = chosen;
  if (isText || edited) save(name.replace(/\.tileirbc$/, "") + (isText ? "" : ".tileir"), text);
  else save(name, bytes);
});

$("share").addEventListener("click", async () => {
  const { text, bytes, edited, isText } = chosen;
  const asText = isText || edited;
  try {
    const fragment = await packed(asText ? "text" : "bytecode", asText ? new TextEncoder().encode(text) : bytes);
    history.replaceState(null, "", fragment);
    await navigator.clipboard.writeText(location.href).then(
      () => say("The link is copied. It holds the file itself; a server sees none of it.", ""),
      () => say("The address of this page holds the file now; copy it from there.", ""));
  } catch (error) {
    say(error.message);
  }
});

async function openLink() {
  try {
    const found = await expanded(location.hash);
    if (found) open(found.kind === "text" ? "linked.tileir" : "linked.tileirbc", found.bytes);
  } catch (error) {
    say(error.message);
  }
}
addEventListener("hashchange", openLink);

async function openAll(list) {
  for (const each of list) {
    if (each.size > LARGEST_FILE) say(each.name + " is larger than " + LARGEST_FILE / 1024 / 1024 + " MB, and was not opened.");
    else open(each.name, new Uint8Array(await each.arrayBuffer()));
  }
}
$("open").addEventListener("click", () => $("chosen").click());
$("chosen").addEventListener("change", async () => {
  await openAll([...$("chosen").files]);
  $("chosen").value = "";
});
$("new").addEventListener("click", () => {
  panel = "text";
  open("new.tileir", new TextEncoder().encode(SAMPLE));
});

addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dragging");
});
addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dragging"); });
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dragging");
  openAll([...event.dataTransfer.files]);
});

const dark = matchMedia("(prefers-color-scheme: dark)");

function setTheme(theme) {
  if (theme === document.body.dataset.theme) return;
  document.body.dataset.theme = theme;
  for (const root of document.querySelectorAll(".report")) root.dataset.theme = theme;
  nameTheme();
}

function nameTheme() {
  $("theme").textContent = (document.body.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark" ? "Light" : "Dark";
}
$("theme").addEventListener("click", () => setTheme($("theme").textContent.toLowerCase()));
dark.addEventListener("change", nameTheme);

async function fetched(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(path + ": " + answer.status);
  return answer;
}

async function begin() {
  nameTheme();
  choose(null);
  for (const name of Object.keys(COMMANDS)) $("command").append(make("option", "", name));
  const [{ examples, versions }, grammar] = await Promise.all(
    ["examples.json", "grammar.json"].map((path) => fetched(path).then((answer) => answer.json())));
  editor = new Editor($("editor"), new Highlighter(grammar), edited);
  for (const version of versions) $("version").append(make("option", "", version));
  $("examples").append(...examples.map(({ name, text }) => {
    const pick = make("button", "pick", make("span", "name", name), make("span", "about", text));
    pick.type = "button";
    pick.addEventListener("click", async () => {
      const known = files.find((each) => each.example === name && !each.edited);
      if (known) return choose(known);
      const answer = await fetched("examples/" + name);
      open(name.replaceAll("/", "-"), new Uint8Array(await answer.arrayBuffer())).example = name;
    });
    return make("li", "", pick);
  }));
  await openLink();
  document.body.dataset.begun = "yes";
}

globalThis.playground = { python, files, drawn, open, choose, show, nameTheme, Highlighter };
begin().catch((error) => say("This page is not complete: " + error.message));
