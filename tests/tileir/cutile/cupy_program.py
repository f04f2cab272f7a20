"""A program for test_kernels.py: the stand-in for cupy. It prints what it has checked."""

import copy
import importlib
import pickle

import cuda.tile as ct
import cupy
import cupy as cp
import numpy as np
import pytest

from tileir.errors import UnsupportedError


@ct.kernel
def add(x, y, z, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (tile,)) + ct.load(y, (i,), (tile,)))


def test_kernels():
    for dtype in (cp.float32, cp.float16, cp.int32, cp.float64):
        x = cp.arange(500).astype(dtype)
        z = cp.zeros_like(x)
        ct.launch(cp.cuda.get_current_stream(), (8,), add, (x, x, z, 64))
        cp.testing.assert_array_equal(z, 2 * x)
        assert z.dtype == dtype


def test_views_share_memory():
    matrix = cp.zeros((4, 64), dtype=cp.float32)
    ones = cp.ones(64, dtype=cp.float32)
    ct.launch(cp.cuda.Stream(), (1,), add, (ones, ones, matrix[2], 64))
    assert cp.asnumpy(matrix.sum(axis=1)).tolist() == [0, 0, 128, 0]
    column = matrix[:, 5]
    ct.launch(0, (1,), add, (column, column, matrix.T[7], 4))
    assert matrix[2, 7] == 4


def test_arrays_are_not_numpys():
    x = cp.arange(3)
    assert isinstance(x, cupy.ndarray)
    assert not isinstance(x, np.ndarray)
    for mixed in (lambda: np.asarray(x), lambda: x + np.arange(3), lambda: cp.add(x, np.arange(3))):
        with pytest.raises(TypeError):
            mixed()
    with pytest.raises(TypeError, match="Please use"):
        float(np.sqrt(np.array(x)))
    assert isinstance(np.sqrt(x), cupy.ndarray)
    assert isinstance(np.concatenate([x, x]), cupy.ndarray)


def test_copies():
    a = np.arange(3.0)
    x = cp.asarray(a)
    x += 1
    assert a.tolist() == [0, 1, 2]
    b = cp.asnumpy(x)
    b += 1
    assert x.tolist() == [1, 2, 3]
    assert cp.asarray(x) is x
    assert cp.array(x) is not x
    x.set(a)
    assert x.get().tolist() == a.tolist()
    assert copy.deepcopy(x).tolist() == pickle.loads(pickle.dumps(x)).tolist() == a.tolist()


def test_functions_return_arrays():
    x = cp.arange(6, dtype=cp.float32).reshape(2, 3)
    assert isinstance(x.sum(), cupy.ndarray)
    assert x.sum().shape == ()
    assert float(x.mean()) == 2.5
    assert int(x.argmax()) == 5
    assert x.max().item() == 5
    assert cp.linalg.norm(x[0]).get() == np.sqrt(5, dtype="f4")
    assert cp.fft.fft(x).shape == (2, 3)
    assert (x @ x.T).shape == (2, 2)
    assert cp.where(x > 2)[0].tolist() == [1, 1, 1]
    assert cp.stack([x, x]).dtype == cp.float32
    q, r = cp.linalg.qr(x)
    cp.testing.assert_allclose(q @ r, x, rtol=1e-5)
    out = cp.empty_like(x)
    assert cp.exp(x, out=out) is out
    x[x > 3] = 0
    assert bool((x <= 3).all())
    assert f"{x.sum():.1f}" == "6.0"
    assert [int(n) for n in x[0]] == [0, 1, 2]
    assert cp.get_array_module(x) is cupy
    assert cp.get_array_module(np.ones(2)) is np
    assert cp.pi == np.pi
    assert divmod(cp.arange(3), 2)[1].tolist() == [0, 1, 0]


def test_results_are_what_they_are_written_to():
    x, y = cp.arange(3.0), cp.empty(3)
    for written in (np.add(x, x, out=y), cp.add(x, x, y), np.add(x, x, y), x.clip(0, 2, out=y)):
        assert written is y
    assert y.tolist() == [0, 1, 2]
    z = cp.empty(3)
    quotients, remainders = np.divmod(x, 2, out=(y, z))
    assert quotients is y
    assert remainders is z
    assert cp.add(x, x) is not y
    a, out = np.arange(3), np.zeros(3, int)
    assert cp.asnumpy(a, out=out) is out
    assert cp.asnumpy(cp.asarray(a), out=out) is out
    assert out.tolist() == [0, 1, 2]


def test_functions_by_element():
    x = cp.arange(1, 5)
    assert isinstance(cp.multiply, cp.ufunc)
    assert int(cp.multiply.reduce(x)) == int(np.multiply.reduce(x)) == 24
    assert isinstance(cp.multiply.reduce(x), cp.ndarray)
    assert cp.add.accumulate(x).tolist() == [1, 3, 6, 10]
    assert cp.subtract.outer(x, x).shape == (4, 4)
    assert cp.add.reduceat(x, cp.asarray([0, 2])).tolist() == [3, 7]
    cp.add.at(x, cp.asarray([0, 0]), 1)
    assert x.tolist() == [3, 2, 3, 4]
    assert cp.add.nin == 2
    with pytest.raises(AttributeError, match=r"'cupy\.ufunc' object has no attribute 'nope'"):
        cp.add.nope  # noqa: B018


def test_names_that_arrays_lack():
    x = cp.arange(3)
    with pytest.raises(AttributeError, match=r"^'cupy\.ndarray' object has no attribute 'nope'$"):
        x.nope  # noqa: B018
    with pytest.raises(AttributeError, match=r"^'cupy\.ndarray' object has no attribute 'nope'$"):
        x.nope = 1
    x.shape = (3, 1)
    assert x.T.shape == (1, 3)
    assert cp.ones(3).base is None


def test_graphs_are_refused():
    for make in (lambda: cp.cuda.Graph, cp.cuda.Stream().begin_capture):
        with pytest.raises(UnsupportedError, match="no support for CUDA graphs"):
            make()
    assert not cp.cuda.Stream().is_capturing()
    with pytest.raises(AttributeError, match="is not supported where a CPU stands in"):
        cp.cuda.not_there  # noqa: B018


def test_random_numbers():
    def drawn():
        rng = cp.random.default_rng(3)
        return rng.random(4, dtype=cp.float32)

    cp.testing.assert_array_equal(drawn(), drawn())
    cp.random.seed(1)
    x = cp.random.randn(2, 3, dtype=cp.float32)
    assert x.dtype == cp.float32
    cp.random.seed(1)
    cp.testing.assert_array_equal(x, cp.random.randn(2, 3, dtype=cp.float32))
    assert cp.random.rand(3).shape == cp.random.uniform(0, 1, 3).shape == (3,)
    assert int(cp.random.randint(0, 5, (9,)).max()) < 5
    assert type(cp.random.permutation(4)) is cupy.ndarray
    assert cp.random.RandomState(1).normal(size=2).shape == (2,)


def test_the_device():
    assert cp.cuda.is_available()
    assert cp.cuda.runtime.getDeviceCount() == 1
    with cp.cuda.Device(0) as device:
        device.synchronize()
    assert device.compute_capability == "100"
    assert cp.cuda.Device().attributes["MultiProcessorCount"] > 0
    assert b"tileir" in cp.cuda.runtime.getDeviceProperties(0)["name"]
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
        cp.cuda.Device(1)
    cp.get_default_memory_pool().free_all_blocks()
    x = cp.ones(3)
    assert x.device == device
    assert x.data.ptr == x.__cuda_array_interface__["data"][0]
    assert x.__dlpack_device__() == (2, 0)


def test_streams_and_events():
    stream, before = cp.cuda.Stream(non_blocking=True), cp.cuda.get_current_stream()
    start, end = cp.cuda.Event(), cp.cuda.Event()
    with stream:
        assert cp.cuda.get_current_stream() == stream != before
        start.record()
        end.record(stream)
    assert cp.cuda.get_current_stream() == before == cp.cuda.Stream.null
    stream.wait_event(stream.record())
    end.synchronize()
    assert cp.cuda.get_elapsed_time(start, end) > 0


def test_what_compiles_is_refused():
    for name in ("RawKernel", "RawModule", "ElementwiseKernel", "ReductionKernel", "fuse"):
        with pytest.raises(UnsupportedError, match=f"^cupy.{name} compiles CUDA C"):
            getattr(cp, name)
    with pytest.raises(AttributeError, match="is not supported"):
        cp.not_there  # noqa: B018
    for name in ("cupyx", "cupyx.scipy", "cupy.cuda.nccl"):
        with pytest.raises(ModuleNotFoundError, match="cupy"):
            importlib.import_module(name)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name)
