"""Random numbers on the device."""

import sys
import threading

import pytest
import torch
import torch.nn.functional as F  # noqa: N812  as programs have it
from torch import nn

from . import idiom

_SEEDED = (torch.Tag.nondeterministic_seeded,)


@idiom
def manual_seed():
    torch.manual_seed(3)
    a = torch.rand(4, device="cuda")
    torch.manual_seed(3)
    assert torch.equal(a, torch.rand(4, device="cuda"))


@idiom
def cuda_manual_seed():
    torch.cuda.manual_seed(3)
    a = torch.randn(4, device="cuda")
    torch.cuda.manual_seed_all(3)
    assert torch.equal(a, torch.randn(4, device="cuda"))


@idiom
def streams_of_numbers_are_apart():
    torch.manual_seed(1)
    a = torch.rand(3)
    torch.manual_seed(1)
    torch.rand(9, device="cuda")
    assert torch.equal(a, torch.rand(3))


@idiom
def rng_state():
    s = torch.cuda.get_rng_state()
    a = torch.rand(4, device="cuda")
    torch.cuda.set_rng_state(s)
    assert torch.equal(a, torch.rand(4, device="cuda"))


@idiom
def rng_state_of_all():
    s = torch.cuda.get_rng_state_all()
    a = torch.rand(4, device="cuda")
    torch.cuda.set_rng_state_all(s)
    assert torch.equal(a, torch.rand(4, device="cuda"))


@idiom
def fork_rng():
    torch.manual_seed(0)
    with torch.random.fork_rng():
        a = torch.rand(2, device="cuda")
    assert torch.equal(a, torch.rand(2, device="cuda"))


@idiom
def fork_rng_of_devices():
    with torch.random.fork_rng(devices=[0]):
        torch.rand(2, device="cuda")


@idiom
def generator():
    def draw():
        g = torch.Generator(device="cuda").manual_seed(7)
        return torch.randn(4, device="cuda", generator=g)

    assert torch.equal(draw(), draw())


@idiom
def generator_s_device():
    g = torch.Generator("cuda")
    assert g.device.type == "cuda"
    assert isinstance(g, torch.Generator)
    assert torch.Generator().device.type == "cpu"


@idiom
def generator_of_the_other_device():
    with pytest.raises(RuntimeError, match="generator"):
        torch.rand(2, device="cuda", generator=torch.Generator())


@idiom
def generator_s_state():
    g = torch.Generator("cuda").manual_seed(1)
    s = g.get_state()
    a = torch.rand(2, device="cuda", generator=g)
    g.set_state(s)
    assert torch.equal(a, torch.rand(2, device="cuda", generator=g))


@idiom
def default_generators():
    assert torch.cuda.default_generators[0].initial_seed() == torch.cuda.initial_seed()


@idiom
def dropout():
    torch.manual_seed(0)
    a = F.dropout(torch.ones(99, device="cuda"))
    torch.manual_seed(0)
    assert torch.equal(a, F.dropout(torch.ones(99, device="cuda")))
    assert 0 < a.count_nonzero() < 99


@idiom
def randint_randperm_multinomial():
    assert torch.randint(0, 5, (9,), device="cuda").max() < 5
    assert torch.randperm(4, device="cuda").sort().values.tolist() == [0, 1, 2, 3]
    assert torch.multinomial(torch.ones(3, device="cuda"), 1).is_cuda


@idiom
def init_in_place():
    x = torch.empty(3, 3, device="cuda")
    nn.init.xavier_uniform_(x)
    x.normal_().uniform_().bernoulli_(0.5)
    assert x.is_cuda


@idiom
def numbers_of_the_cpu_while_threads_draw():
    def draw():
        while not done.is_set():
            torch.rand(9999, device="cuda")
            F.dropout(torch.ones(9999, device="cuda"))
            torch.randint_like(torch.ones(99, device="cuda"), 5)

    torch.manual_seed(0)
    expected = [torch.rand(99) for _ in range(500)]
    torch.manual_seed(0)
    done = threading.Event()
    threads = [threading.Thread(target=draw) for _ in range(2)]
    for thread in threads:
        thread.start()
    drawn = [torch.rand(99) for _ in expected]
    done.set()
    for thread in threads:
        thread.join()
    assert all(map(torch.equal, drawn, expected))


@idiom
def numbers_of_another_library_s_op():
    """An op that takes no generator draws the device's numbers, whichever thread calls it."""

    @torch.library.custom_op("idioms::noise", mutates_args=(), tags=_SEEDED, device_types="cpu")
    def noise(x: torch.Tensor) -> torch.Tensor:
        return torch.rand(x.shape, device="cpu")

    torch.manual_seed(0)
    expected = torch.rand(5)
    torch.manual_seed(0)
    x = torch.ones(9999, device="cuda")
    threads = [threading.Thread(target=lambda: [noise(x) for _ in range(99)]) for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert torch.equal(torch.rand(5), expected)


@idiom
def dropout_s_numbers_are_the_cpu_s():
    torch.manual_seed(5)
    expected = F.dropout(torch.arange(99.0), 0.3)
    torch.manual_seed(5)
    kept = F.dropout(torch.arange(99.0, device="cuda"), 0.3)
    torch.testing.assert_close(kept.cpu(), expected)
