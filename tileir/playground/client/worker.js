// Python in a worker: CPython for WebAssembly, with tileir. It answers one request at a time.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const AT = new URL(".", import.meta.url);
const SITE = "/tileir-site";
const FOLDER = "/folder";

// What could reach a network: nothing here needs it any more once Python has been loaded.
const REACHING = ["fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "importScripts", "Worker",
  "SharedWorker", "BroadcastChannel", "indexedDB", "caches"];

async function start() {
  // Pyodide waits for ever where it may not compile, or not fetch; so both are tried first.
  new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  const archive = await fetch(new URL("tileir.zip", AT)).then((answer) => {
    if (!answer.ok) throw new Error("tileir.zip: " + answer.status);
    return answer.arrayBuffer();
  });
  const python = await loadPyodide({
    indexURL: new URL("pyodide/", AT).href, stdout: () => {}, stderr: () => {}, checkAPIVersion: false,
  });
  postMessage({ loading: "tileir" });
  python.unpackArchive(archive, "zip", { extractDir: SITE });
  python.FS.mkdir(FOLDER);
  const door = python.runPython(
    `import sys; sys.path.insert(0, "${SITE}"); import tileir.playground.door as door; door`);
  for (const name of REACHING) Object.defineProperty(globalThis, name, { value: undefined });
  return { python, door };
}

const started = start();

const CALLS = {
  /** Run a command in a folder of `files`; returns also the files that it wrote. */
  command({ python, door }, { argv, files, input }) {
    const { FS } = python;
    const given = new Set();
    try {
      for (const [name, data] of Object.entries(files ?? {})) {
        FS.writeFile(FOLDER + "/" + name, data);
        given.add(name);
      }
      const result = JSON.parse(door.command(python.toPy(argv), FOLDER, python.toPy(input ?? new Uint8Array())));
      const made = FS.readdir(FOLDER).filter((name) => name !== "." && name !== ".." && !given.has(name));
      return { ...result, files: Object.fromEntries(made.map((name) => [name, FS.readFile(FOLDER + "/" + name)])) };
    } finally {
      for (const name of FS.readdir(FOLDER)) if (name !== "." && name !== "..") FS.unlink(FOLDER + "/" + name);
    }
  },
  findings: ({ door }, { text }) => JSON.parse(door.findings(text)),
  about: ({ door }) => door.about(),
};

onmessage = async ({ data: { id, call, given } }) => {
  let runtime;
  try {
    runtime = await started;
  } catch {
    return;  // has been told
  }
  try {
    postMessage({ id, result: CALLS[call](runtime, given) });
  } catch (error) {
    postMessage({ id, error: String(error.message ?? error).slice(0, 2000) });
  }
};

started.then(
  ({ door }) => postMessage({ ready: door.about() }),
  (error) => postMessage({ failed: String(error.message ?? error).slice(0, 2000) }),
);
