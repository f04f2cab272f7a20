// Runs a Python script in CPython for WebAssembly, every warning an error.
//
// node run.mjs SITE SCRIPT ARGUMENT ...
//
// SITE is a folder of Python packages. Paths of the machine are there under /host.

import { loadPyodide } from "pyodide";

const [site, ...argv] = process.argv.slice(2);
const python = await loadPyodide({ stdout: console.log, stderr: console.error });
python.FS.mkdir("/host");
python.FS.mount(python.FS.filesystems.NODEFS, { root: "/" }, "/host");
python.globals.set("given", python.toPy([`/host${site}`, ...argv]));
python.runPython(`
import runpy, sys, warnings
warnings.simplefilter("error")
sys.dont_write_bytecode = True
site, *sys.argv = given
sys.path.insert(0, site)
runpy.run_path(sys.argv[0], run_name="__main__")
`);
