"""The C++ functions that torch's Python calls for "cuda": each is there, works or is refused."""

import re
from pathlib import Path

import torch

from . import idiom

_OTHERS = {
    "_FastCudaLauncher",
    "_StaticCudaLauncher",
    "_construct_CUDA_Tensor_From_Storage_And_Metadata",
    "_cuda_getHipblasltVersion",
    "_cuda_resetCublasLtWorkspaceSize",
    "_cuda_resetCublasWorkspaceSize",
    "_cudart",
    "get_cuda_stream",
}
"""Used where graphs or kernels of a GPU have been made, by torch's own tests, or where present."""


@idiom
def every_binding():
    folder = Path(torch.__file__).parent
    wanted = set()
    for path in folder.rglob("*.py"):
        text = path.read_text(errors="ignore")
        wanted |= set(re.findall(r"torch\._C\.(\w*(?:[cC]uda|CUDA|nccl)\w*)", text))
        for names in re.findall(r"from torch\._C import\s*(\([^)]*\)|[^\n]*)", text):
            names = re.sub("#.*", "", names)
            wanted |= set(re.findall(r"\w*(?:[cC]uda|CUDA|nccl)\w*", names))
    assert len(wanted) > 90
    assert {name for name in wanted if not hasattr(torch._C, name)} <= _OTHERS
