"""A program for test_kernels.py: torch's device "cuda". It prints what it has checked."""

import contextlib
import io
import runpy
import threading

import cuda.tile as ct
import pytest
import torch

from tileir.errors import LaunchError, UnsupportedError


@ct.kernel
def add(x, y, z, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (tile,)) + ct.load(y, (i,), (tile,)))


def launch(x, y, z, stream=None):
    grid = (ct.cdiv(x.shape[0], 64),)
    ct.launch(stream or torch.cuda.current_stream(), grid, add, (x, y, z, 64))


def test_kernels():
    for dtype in (torch.float32, torch.float16, torch.int32):
        x = torch.arange(500, device="cuda").to(dtype)
        z = torch.zeros_like(x)
        launch(x, x, z)
        torch.testing.assert_close(z, 2 * x, rtol=0, atol=0)


def test_parameters_and_views():
    weight = torch.nn.Parameter(torch.ones(100, device="cuda"))
    matrix = torch.rand(100, 3, device="cuda")
    z = torch.empty(100, device="cuda")
    launch(weight, matrix[:, 1], z)
    torch.testing.assert_close(z, weight.detach() + matrix[:, 1])


def test_device_names():
    places = ["cuda", "cuda:0", torch.device("cuda"), torch.device("cuda", 0), 0]
    for place in places:
        assert torch.empty(2, device=place).device == torch.device("cuda", 0)
        assert torch.zeros(2).to(place).is_cuda
    with torch.device("cuda"):
        assert torch.ones(3).is_cuda
    assert torch.einsum("cuda", torch.ones(1, 1, 1, 1)).shape == (1, 1, 1, 1)


def test_moving_copies():
    x = torch.zeros(4)
    for moved in (x.cuda(), x.to("cuda"), x.to(device="cuda")):
        moved += 1
        moved.cpu().add_(1)
        assert moved.tolist() == [1] * 4
    assert x.tolist() == [0] * 4
    assert x.cpu() is x
    assert x.to(torch.float32) is x
    array = x.numpy()
    torch.as_tensor(array, device="cuda").add_(1)
    assert array.tolist() == [0] * 4
    torch.as_tensor(array).add_(1)
    assert array.tolist() == [1] * 4
    assert x.pin_memory().is_pinned()
    assert torch.empty(3, pin_memory=True).shape == (3,)


def test_modules_and_autograd():
    layer = torch.nn.Linear(3, 2).to("cuda")
    layer(torch.ones(1, 3, device="cuda")).sum().backward()
    assert layer.weight.grad.shape == (2, 3)


def test_random_numbers():
    def drawn():
        generator = torch.Generator(device="cuda").manual_seed(7)
        return torch.rand(5, device="cuda", generator=generator)

    assert torch.equal(drawn(), drawn())
    torch.cuda.manual_seed_all(1)


def test_the_device():
    assert torch.cuda.is_available()
    assert torch.cuda.device_count() == 1
    assert torch.cuda.get_device_capability() == (12, 1)
    properties = torch.cuda.get_device_properties("cuda")
    assert (properties.major, properties.minor) == (12, 1)
    assert properties.multi_processor_count > 0
    assert "tileir" in torch.cuda.get_device_name()
    with torch.cuda.device(0), torch.cuda.nvtx.range("nothing"):
        torch.cuda.synchronize()


def test_streams_and_events():
    stream = torch.cuda.Stream()
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    default = torch.cuda.current_stream()
    assert default == torch.cuda.default_stream()
    x = torch.ones(1000, device="cuda")
    z = torch.zeros_like(x)
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream != default
        start.record()
        launch(x, x, z, stream)
        end.record()
    assert torch.cuda.current_stream() == default
    stream.wait_stream(default)
    end.synchronize()
    assert start.elapsed_time(end) > 0
    assert z.sum() == 2000


def test_threads():
    seen = []

    def work():
        x = torch.ones(100, device="cuda")
        launch(x, x, x)
        seen.append(x.sum().item())

    class Worker(threading.Thread):
        def run(self):
            work()

    for thread in (threading.Thread(target=work), Worker()):
        thread.start()
        thread.join()
    assert seen == [200, 200]


def test_the_example():
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path("examples/transpose.py")
    assert printed.getvalue() == "transposed (100, 200) to (200, 100)\n"


def test_tensors_without_memory():
    with pytest.raises(LaunchError, match='argument y is a tensor on device meta, not "cuda"'):
        launch(torch.ones(8), torch.ones(8, device="meta"), torch.ones(8))


def test_graphs_are_refused():
    with pytest.raises(UnsupportedError, match="CUDA graphs"):
        torch.cuda.CUDAGraph()


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name)
