"""Runs a prepared folder on a GPU: ``python run.py [--dry-run] [--only KERNEL] [--json]``.

It stands alone: a CUDA driver and PyTorch are enough. PTX and cubins are loaded and launched by the
driver, whose five functions for that are called with ctypes; PyTorch has the memory, the clock and
the right answers. Of each kernel, our launches and those of the cubin take turns; before each one
the L2 cache is filled with something else, and the median counts. Exit code 1: something is wrong.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SIDES = ("ours", "tileiras")
WARM_UP = 5
MAX_DYNAMIC_SHARED = 8
"""CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES."""
FREE_SHARED = 48 << 10
"""Bytes of dynamic shared memory that need not be asked for."""
MAP_BYTES, MAP_ALIGNMENT = 128, 64
"""Of a tensor map."""
DATA_TYPES = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16")
"""By their number in CUtensorMapDataType."""
SPANS = (0, 32, 64, 128)
"""Bytes, by their number in CUtensorMapSwizzle."""
PROMOTION = 2
"""CU_TENSOR_MAP_L2_PROMOTION_L2_128B."""


# What is right, by PyTorch -----------------------------------------------------------------------


def reference(torch, kernel, tensors, numbers):
    """What a kernel has to compute of its tensors, as f32 where it is of 16 bits."""
    functional = torch.nn.functional
    x, *rest = (t.float() if t.is_floating_point() else t for t in tensors)
    answers = {
        "pointer_add": lambda: x + rest[0],
        "vector_add": lambda: x + rest[0],
        "copy": lambda: x,
        "transpose": lambda: x.T,
        "gather": lambda: x[rest[0].long()],
        "softmax_1024": lambda: torch.softmax(x, 1),
        "softmax": lambda: torch.softmax(x, 1),
        "rms_norm": lambda: functional.rms_norm(x, x.shape[1:], rest[0], numbers[0]),
        "layer_norm": lambda: functional.layer_norm(x, x.shape[1:], *rest, numbers[0]),
        "row_sum": lambda: x.sum(1),
        "cumulative_sum": lambda: x.cumsum(1),
        "matmul_f16": lambda: x @ rest[0],
        "matmul_f32": lambda: x @ rest[0],
        "attention": lambda: functional.scaled_dot_product_attention(
            x, *rest, scale=numbers[0]
        ),
    }  # fmt: skip
    return answers[kernel.removesuffix("_bf16")]()


def worst(found, expected, tolerance):
    """The largest error in units of what is tolerated (absolute and relative), or in all."""
    found, expected = found.double(), expected.double()
    if not found.isfinite().all():
        return math.inf
    error = (found - expected).abs() / ((1 + expected.abs()) * tolerance if tolerance else 1)
    return error.max().item()


# The device --------------------------------------------------------------------------------------


class Gpu:
    """The current GPU of PyTorch, and the driver below it."""

    name = "cuda"

    def __init__(self, torch):
        self.torch = torch
        torch.zeros(1, device=self.name)  # makes the context
        torch.backends.cuda.matmul.allow_tf32 = False
        self._driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        size = 2 * torch.cuda.get_device_properties(0).L2_cache_size
        self._flush = torch.empty(max(size, 1 << 26), dtype=torch.uint8, device=self.name)

    def about(self):
        """One line on what is measured."""
        version = ctypes.c_int()
        self._call("cuDriverGetVersion", ctypes.byref(version))
        major, minor = version.value // 1000, version.value % 1000 // 10
        name = self.torch.cuda.get_device_name()
        return f"{name}, driver of CUDA {major}.{minor}, PyTorch {self.torch.__version__}"

    def _call(self, name, *arguments):
        code = getattr(self._driver, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorString(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'unknown').decode()} ({code})")

    def load(self, image, entry, shared):
        """The kernel of PTX or a cubin."""
        library, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuLibraryLoadData", ctypes.byref(library), image + b"\0", *[None] * 2, 0,
                   *[None] * 2, 0)  # fmt: skip
        self._call("cuLibraryGetKernel", ctypes.byref(kernel), library, entry.encode())
        if shared > FREE_SHARED:
            self._call("cuKernelSetAttribute", MAX_DYNAMIC_SHARED, shared, kernel, 0)
        return kernel

    def launch(self, kernel, grid, block, shared, arguments):
        """Put a launch into PyTorch's stream. `arguments` are ctypes values."""
        addresses = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
        stream = ctypes.c_void_p(self.stream())
        self._call("cuLaunchKernel", kernel, *grid, *block, shared, stream, addresses, None)

    def tensor_map(self, recipe, arguments):
        """The tensor map of a recipe in a launch plan, whose guard holds for all cases here."""

        def number(size):
            if isinstance(size, int):
                return size
            return arguments[size["parameter"]].value * size["times"] + size["plus"]

        room = ctypes.create_string_buffer(MAP_BYTES + MAP_ALIGNMENT)
        start = -ctypes.addressof(room) % MAP_ALIGNMENT
        made = (ctypes.c_char * MAP_BYTES).from_buffer(room, start)
        rank = len(recipe["box"])
        wide, narrow = ctypes.c_uint64 * rank, ctypes.c_uint32 * rank
        self._call(
            "cuTensorMapEncodeTiled",
            ctypes.c_void_p(ctypes.addressof(made)),
            DATA_TYPES.index(recipe["element"]),
            rank,
            ctypes.c_void_p(number(recipe["base"])),
            wide(*map(number, recipe["extents"])),
            wide(*map(number, recipe["strides"])),
            narrow(*recipe["box"]),
            narrow(*[1] * rank),
            0,
            SPANS.index(recipe["swizzle"]),
            PROMOTION,
            0,
        )
        return made

    def stream(self):
        """The handle of PyTorch's stream."""
        return self.torch.cuda.current_stream().cuda_stream

    def wait(self):
        """Until everything is done."""
        self.torch.cuda.synchronize()

    def seconds(self, run):
        """How long a launch takes on the device, with nothing of use in the L2 cache."""
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        self._flush.zero_()
        begin.record()
        run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1e3


# One kernel --------------------------------------------------------------------------------------


def tensors_of(row, torch, device):
    """The tensors of a kernel, the same on every run; results are NaN."""
    choice = torch.Generator(device=device).manual_seed(1)
    made = []
    for tensor in row["tensors"]:
        about = {"dtype": getattr(torch, tensor["dtype"]), "device": device}
        if tensor["fill"] == "result":
            made.append(torch.full(tensor["shape"], math.nan, **about))
        elif tensor["fill"] == "normal":
            made.append(torch.randn(tensor["shape"], generator=choice, **about))
        else:
            size = tensor["shape"]
            made.append(torch.randint(tensor["fill"], size, generator=choice, **about))
    return made


def arguments_of(tensors, numbers):
    """What cuTile passes: address, extents and strides of each tensor; then the numbers."""
    made = []
    for tensor in tensors:
        made.append(ctypes.c_void_p(tensor.data_ptr()))
        made += [ctypes.c_int32(n) for n in (*tensor.shape, *tensor.stride())]
    return made + [ctypes.c_float(number) for number in numbers]


def measure(row, gpu, folder, repeat):
    """Median seconds and error of each side that there is, by name; or what went wrong."""
    torch = gpu.torch
    tensors = tensors_of(row, torch, gpu.name)
    *given, result = tensors
    expected = reference(torch, row["kernel"], given, row["numbers"])
    arguments = arguments_of(tensors, row["numbers"])
    sides, found = {}, {}
    for side in SIDES:
        about = row[side]
        if about is None:
            continue
        try:
            image = (folder / about["file"]).read_bytes()
            kernel = gpu.load(image, row["kernel"], about["shared"])
            shape = about["grid"], about["block"], about["shared"]
            recipes = about.get("tensor_maps", ())
            passed = arguments + [gpu.tensor_map(each, arguments) for each in recipes]
            result.fill_(math.nan)
            gpu.launch(kernel, *shape, passed)
            gpu.wait()
        except RuntimeError as problem:
            found[side] = {"problem": str(problem).splitlines()[0]}
            continue
        error = worst(result, expected, row["tolerance"])
        limit = 1 if row["tolerance"] else 0
        found[side] = {"error": error, "right": error <= limit}
        sides[side] = lambda kernel=kernel, shape=shape, passed=passed: gpu.launch(
            kernel, *shape, passed
        )
    times = {side: [] for side in sides}
    for turn in range(WARM_UP + repeat):
        for side, run in sides.items():
            seconds = gpu.seconds(run)
            if turn >= WARM_UP:
                times[side].append(seconds)
    for side, seconds in times.items():
        found[side]["seconds"] = statistics.median(seconds)
    return found


# What is printed ---------------------------------------------------------------------------------

COLUMNS = ("kernel", "ours, us", "tileiras, us", "x as fast", "ours", "right", "notes")


def cells(row, found):
    """A line of the table."""
    ours, theirs = (found.get(side, {}) for side in SIDES)
    seconds = [side.get("seconds") for side in (ours, theirs)]
    ratio = f"{seconds[1] / seconds[0]:.2f}" if all(seconds) else ""
    rate = ""
    if seconds[0]:
        flops = row["flops"]
        rate = f"{(flops or row['bytes']) / seconds[0] / 1e9:,.0f} G{'flop' if flops else 'B'}/s"
    right = ", ".join(
        f"{side} {'yes' if found[side]['right'] else 'NO'} ({found[side]['error']:.2g})"
        for side in SIDES if "error" in found.get(side, {})
    )  # fmt: skip
    problems = [
        f"{side}: {about['problem']}" for side, about in found.items() if "problem" in about
    ]
    shown = [f"{1e6 * s:,.1f}" if s else "" for s in seconds]
    return [row["kernel"], *shown, ratio, rate, right, "; ".join([*row["notes"], *problems])]


def table(lines):
    """Columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cut = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        print("  ".join(cut).rstrip())


def dry_run(manifest, folder):
    """Say what would be done, and whether all files are there."""
    print(f"for {manifest['target']}; tileiras: {manifest['tileiras'] or 'not there'}")
    missing = 0
    for row in manifest["kernels"]:
        shapes = ", ".join(f"{'x'.join(map(str, t['shape']))} {t['dtype']}" for t in row["tensors"])
        print(f"{row['kernel']}: {shapes}; {row['bytes'] / 1e6:,.1f} MB")
        for side in SIDES:
            if about := row[side]:
                there = (folder / about["file"]).is_file()
                missing += not there
                grid, block = ("x".join(map(str, each)) for each in (about["grid"], about["block"]))
                state = "" if there else ", which is MISSING"
                print(f"  {side}: {about['file']}{state}, {grid} blocks of {block},"
                      f" {about['shared']} bytes of shared memory")  # fmt: skip
        for note in row["notes"]:
            print(f"  {note}")
    print("would compare each with PyTorch, then time both in turns")
    return 1 if missing else 0


def options():
    """The parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="say what would be done")
    parser.add_argument("--only", action="append", metavar="KERNEL", help="this kernel")
    parser.add_argument(
        "--repeat", type=int, default=50, metavar="N",
        help="launches that are timed (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    return parser


def main(given=None):
    """Run; returns the exit code."""
    parser = options()
    arguments = parser.parse_args(given)
    manifest = json.loads((HERE / "bench.json").read_text())
    if arguments.only:
        names = {row["kernel"] for row in manifest["kernels"]}
        if unknown := set(arguments.only) - names:
            parser.error(f"there is no kernel {', '.join(sorted(unknown))}")
        kept = [row for row in manifest["kernels"] if row["kernel"] in arguments.only]
        manifest["kernels"] = kept
    if arguments.dry_run:
        return dry_run(manifest, HERE)
    try:
        import torch
    except ImportError:
        parser.error("this needs PyTorch")
    if not torch.cuda.is_available():
        parser.error("PyTorch sees no GPU; --dry-run says what would be done")
    return report(manifest, Gpu(torch), HERE, max(arguments.repeat, 1), arguments.json)


def report(manifest, gpu, folder, repeat, as_json):
    """Measure everything and print it; returns the exit code.

    After most failures of a kernel the driver serves the process no more. What was measured before
    is printed all the same, and --only runs the others.
    """
    results = []
    for row in manifest["kernels"]:
        try:
            found = measure(row, gpu, folder, repeat)
        except RuntimeError as problem:  # of PyTorch: it needs the driver too
            found = {"ours": {"problem": f"not measured: {problem}".splitlines()[0]}}
        results.append((row, found))
        print(f"{row['kernel']} done", file=sys.stderr)
    if as_json:
        found = {row["kernel"]: about for row, about in results}
        print(json.dumps({"schema": 1, "machine": gpu.about(), "kernels": found}))
    else:
        print(f"{gpu.about()}; median of {repeat} launches each, in turns, L2 flushed")
        table([COLUMNS, *(cells(row, found) for row, found in results)])
    wrong = [a for _, found in results for a in found.values() if not a.get("right")]
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
