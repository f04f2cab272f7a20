"""Streams, events, memory, threads, and what surrounds kernels."""

import os
import tempfile

import cuda.tile as ct
import pytest
import torch
from torch import nn

from . import idiom, refused


@idiom
def synchronize():
    torch.cuda.synchronize()
    torch.cuda.synchronize(0)
    torch.cuda.synchronize(torch.device("cuda"))


@idiom
def events():
    s, e = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    s.record()
    torch.ones(10, device="cuda").sum()
    e.record()
    torch.cuda.synchronize()
    assert s.elapsed_time(e) > 0


@idiom
def event_of_a_stream():
    s = torch.cuda.Stream()
    e = s.record_event()
    torch.cuda.current_stream().wait_event(e)
    e.synchronize()
    assert e.query()


@idiom
def events_without_timing():
    s, e = (torch.cuda.Event(), torch.cuda.Event())
    s.record()
    e.record()
    with pytest.raises(ValueError, match="timing"):
        s.elapsed_time(e)


@idiom
def stream_contexts():
    s = torch.cuda.Stream()
    with torch.cuda.stream(s):
        assert torch.cuda.current_stream() == s
        x = torch.ones(3, device="cuda")
    torch.cuda.current_stream().wait_stream(s)
    assert torch.cuda.current_stream() != s
    assert x.sum() == 3


@idiom
def stream_none():
    with torch.cuda.stream(None):
        torch.ones(1, device="cuda")


@idiom
def stream_handles():
    assert torch.cuda.current_stream().cuda_stream == 0
    assert torch.cuda.Stream().cuda_stream != 0


@idiom
def default_stream():
    assert torch.cuda.default_stream() == torch.cuda.current_stream()


@idiom
def priorities():
    lo, hi = torch.cuda.Stream.priority_range()
    assert hi <= lo
    assert torch.cuda.Stream(priority=-1).priority == -1


@idiom
def stream_of_a_device():
    s = torch.cuda.Stream(device=torch.device("cuda"))
    s.synchronize()
    assert s.query()
    assert s.device.type == "cuda"


@idiom
def record_stream():
    x = torch.ones(2, device="cuda")
    x.record_stream(torch.cuda.current_stream())


@idiom
def externalstream():
    s = torch.cuda.ExternalStream(torch.cuda.Stream().cuda_stream)
    with torch.cuda.stream(s):
        torch.ones(1, device="cuda")


@idiom
def set_stream():
    s, old = (torch.cuda.Stream(), torch.cuda.current_stream())
    torch.cuda.set_stream(s)
    assert torch.cuda.current_stream() == s
    torch.cuda.set_stream(old)


@idiom
def a_torch_stream():
    assert isinstance(torch.cuda.Stream(), torch.Stream)


@idiom
def prefetcher():
    class Prefetcher:
        def __init__(self, loader):
            self.loader, self.stream = (iter(loader), torch.cuda.Stream())
            self.preload()

        def preload(self):
            with torch.cuda.stream(self.stream):
                self.batch = next(self.loader).cuda(non_blocking=True)

        def next(self):
            torch.cuda.current_stream().wait_stream(self.stream)
            self.batch.record_stream(torch.cuda.current_stream())
            return self.batch

    assert Prefetcher([torch.ones(2)]).next().is_cuda


@idiom
def memory_allocated():
    torch.cuda.empty_cache()
    assert torch.cuda.memory_allocated() >= 0
    assert torch.cuda.memory_reserved() >= 0


@idiom
def peak_memory():
    torch.cuda.reset_peak_memory_stats()
    torch.ones(10, device="cuda")
    assert torch.cuda.max_memory_allocated() / 2**20 >= 0
    assert torch.cuda.max_memory_reserved(0) >= 0


@idiom
def mem_get_info():
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total


@idiom
def memory_stats():
    assert torch.cuda.memory_stats()["allocated_bytes.all.peak"] >= 0


@idiom
def memory_summary():
    assert "memory" in torch.cuda.memory_summary().lower()


@idiom
def free_memory():
    import gc

    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.ipc_collect()


@idiom
def set_per_process_memory_fraction():
    torch.cuda.set_per_process_memory_fraction(0.5)


@idiom
def outofmemoryerror():
    try:
        raise torch.cuda.OutOfMemoryError("no")
    except torch.cuda.OutOfMemoryError:
        pass


@idiom
def nvtx():
    with torch.cuda.nvtx.range("step"):
        torch.cuda.nvtx.mark("x")
    torch.cuda.nvtx.range_push("a")
    torch.cuda.nvtx.range_pop()


@idiom
def profiler_start_and_stop():
    torch.cuda.profiler.start()
    torch.cuda.profiler.stop()
    torch.cuda.cudart().cudaProfilerStart()


@idiom
def torch_profiler():
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU]) as p:
        torch.ones(2, device="cuda") + 1
    assert p.key_averages()


@ct.kernel
def _thrice(x):
    ct.store(x, (0,), 3 * ct.load(x, (0,), (4,)))


@idiom
def torch_profiler_of_the_device():
    from torch.profiler import ProfilerActivity, profile

    x, said = torch.ones(4, device="cuda"), os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
                ct.launch(torch.cuda.current_stream(), (1,), _thrice, (x + 1,))
        finally:
            os.dup2(said, 2)
            os.close(said)
        file.seek(0)
        assert b"Failed to record" not in file.read()
    table = p.key_averages().table(sort_by="cuda_time_total", row_limit=10)
    assert "aten::add" in table
    assert "_thrice" in table


@idiom
def sync_debug_mode():
    torch.cuda.set_sync_debug_mode(0)


@idiom
def current_blas_handle():
    torch.cuda.current_blas_handle()


@idiom
def not_capturing():
    assert not torch.cuda.is_current_stream_capturing()


@idiom
def benchmark_timer():
    from torch.utils.benchmark import Timer

    x = torch.ones(4, device="cuda")
    assert Timer("x + x", globals={"x": x}).timeit(3).mean > 0


@idiom
def threads():
    import threading

    seen = []
    t = threading.Thread(target=lambda: seen.append(torch.ones(2, device="cuda").is_cuda))
    t.start()
    t.join()
    assert seen == [True]


@idiom
def thread_pool():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as p:
        assert list(p.map(lambda n: torch.full((2,), n, device="cuda").sum().item(), [1, 2])) == [
            2,
            4,
        ]


@idiom
def backends_flags():
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.deterministic = False
    torch.set_float32_matmul_precision("high")


@idiom
def reduced_precision_flags():
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False


@idiom
def deterministic_algorithms():
    torch.use_deterministic_algorithms(True)
    x = torch.ones(3, device="cuda").cumsum(0)
    torch.use_deterministic_algorithms(False)
    assert x[2] == 3


@idiom
def multiprocessing_start():
    import torch.multiprocessing as mp

    assert "spawn" in mp.get_all_start_methods()


@refused("no support for CUDA graphs")
def graph_capture():
    torch.cuda.CUDAGraph()


@refused("no support for CUDA graphs")
def graph_context():
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        pass


@refused("no support for CUDA graphs")
def make_graphed_callables():
    torch.cuda.make_graphed_callables(nn.Linear(2, 2).cuda(), (torch.ones(2, 2, device="cuda"),))


@refused("no support for CUDA graphs")
def graph_pools():
    torch.cuda.graph_pool_handle()


@refused("no support for memory allocators of GPUs")
def memory_snapshot():
    torch.cuda.memory_snapshot()


@refused("no support for memory allocators of GPUs")
def memory_pools():
    torch.cuda.MemPool()


@refused("no support for kernels in CUDA C++")
def jiterator():
    torch.cuda.jiterator._create_jit_fn("template <typename T> T f(T x) { return x; }")(
        torch.ones(1, device="cuda")
    )


@refused("no support for NCCL")
def nccl():
    torch.cuda.nccl.version()


@refused("NCCL")
def process_group_of_nccl():
    import torch.distributed as dist

    dist.init_process_group("nccl", init_method="tcp://127.0.0.1:29501", rank=0, world_size=1)
