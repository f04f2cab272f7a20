"""Packages of compiled kernels (.tilepack): PTX or cubins for several GPUs, plans, one file.

`tileir package` makes them, `tileir.load_package` reads them, and so can anything that reads zip
files and JSON. A package is a zip archive with these members, stored or deflated, and no others:

manifest.json         what is in the package; see below
sm_90/plan.json       the launch plans for sm_90: entry symbol -> plan, as
                      help("tileir.codegen.nvptx.plan") explains them
sm_90/kernels.ptx     the PTX of all entries, in UTF-8
sm_90/kernels.cubin   the same as machine code, made by ptxas

PTX, a cubin or both are there for each target. The manifest is an object:

format    "tilepack"
schema    1; another number when a key goes or means something else
tileir    the version of tileir that compiled the kernels
llvm      the version of LLVM in it
module    of the bytecode that was compiled: `sha256`, `bytes` and `version` of the format
options   options of the compiler by name, where they are not the default
targets   one object for each target: `target` (sm_90), `ptx_target` and `ptx_version` (what the PTX
          says of itself; PTX for sm_90 runs on 9.0 and all later GPUs, PTX for sm_90a on 9.0
          alone), `cubin_target` (the GPU of the cubin, which runs there and on later ones of the
          same major number unless it ends in a; null if there is none), `entries` (their symbols)
          and `files`: plan, ptx, cubin -> `name`, `bytes` and `sha256` of a member

The same module, options and versions give the same manifest; dates are not in it.

Reading checks all sizes before and all hashes after decompression; nothing is written anywhere, and
a package with members that the manifest does not name, or names otherwise, is refused. Hashes find
damage, and no malice: launching a kernel of somebody's package is running their program.
"""
