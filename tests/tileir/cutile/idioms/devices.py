"""Asking for the device and about it."""

import pytest
import torch
from torch import nn

from . import idiom


@idiom
def device_if_available():
    d = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    assert d.type == "cuda"


@idiom
def assert_available():
    assert torch.cuda.is_available(), "needs a GPU"


@idiom
def device_count():
    assert torch.cuda.device_count() == 1


@idiom
def current_device():
    assert torch.cuda.current_device() == 0


@idiom
def device_of_current_device():
    d = torch.device(f"cuda:{torch.cuda.current_device()}")
    assert torch.ones(1, device=d).is_cuda


@idiom
def loop_over_devices():
    assert [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]


@idiom
def get_device_name():
    assert "tileir" in torch.cuda.get_device_name(0)


@idiom
def get_device_capability():
    major, minor = torch.cuda.get_device_capability()
    assert (major, minor) >= (8, 0)


@idiom
def capability_of_a_device():
    assert torch.cuda.get_device_capability(torch.device("cuda"))[0] * 10 >= 80


@idiom
def properties():
    p = torch.cuda.get_device_properties(0)
    assert p.multi_processor_count > 0
    assert p.total_memory > 1 << 30


@idiom
def properties_of_a_device():
    p = torch.cuda.get_device_properties(torch.ones(1, device="cuda").device)
    assert f"{p.name} {p.major}.{p.minor}"


@idiom
def shared_memory():
    p = torch.cuda.get_device_properties(0)
    assert (
        p.shared_memory_per_multiprocessor
        >= p.shared_memory_per_block_optin
        >= p.shared_memory_per_block
    )


@idiom
def l2_and_warps():
    p = torch.cuda.get_device_properties("cuda")
    assert p.L2_cache_size > 0
    assert p.warp_size == 32
    assert p.max_threads_per_multi_processor == 2048


@idiom
def set_device():
    torch.cuda.set_device(0)
    torch.cuda.set_device("cuda:0")


@idiom
def set_device_by_rank():
    import os

    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))


@idiom
def with_device():
    with torch.cuda.device(0):
        assert torch.zeros(2, device="cuda").get_device() == 0


@idiom
def with_device_of():
    x = torch.zeros(2, device="cuda")
    with torch.cuda.device_of(x):
        x += 1


@idiom
def with_torch_device():
    with torch.device("cuda"):
        assert torch.ones(3).is_cuda
        assert nn.Linear(2, 2).weight.is_cuda


@idiom
def set_default_device():
    torch.set_default_device("cuda")
    x = torch.rand(4)
    torch.set_default_device(None)
    assert x.is_cuda
    assert not torch.rand(4).is_cuda


@idiom
def get_default_device():
    torch.set_default_device("cuda")
    d = torch.get_default_device()
    torch.set_default_device(None)
    assert d.type == "cuda"


@idiom
def is_bf16_supported():
    dtype = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    assert dtype == torch.bfloat16


@idiom
def get_arch_list():
    assert any(a.startswith("sm_") for a in torch.cuda.get_arch_list())


@idiom
def version_cuda():
    assert tuple(map(int, torch.version.cuda.split("."))) >= (11, 0)


@idiom
def no_hip():
    assert torch.version.hip is None


@idiom
def backends_cuda_is_built():
    assert torch.backends.cuda.is_built()


@idiom
def is_initialized():
    torch.cuda.init()
    assert torch.cuda.is_initialized()


@idiom
def can_device_access_peer():
    assert not any(
        torch.cuda.can_device_access_peer(0, i) for i in range(1, torch.cuda.device_count())
    )


@idiom
def accelerator():
    assert torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator().type == "cuda"


@idiom
def accelerator_index():
    torch.accelerator.synchronize()
    assert torch.accelerator.device_count() == 1
    assert torch.accelerator.current_device_index() == 0


@idiom
def a_second_gpu_is_missing():
    with pytest.raises(RuntimeError, match="invalid\\ device\\ ordinal"):
        torch.zeros(1, device="cuda:1")
