"""Layers, and what transforms and compiles programs."""

import cuda.tile as ct
import torch
import torch.nn.functional as F  # noqa: N812  as programs have it
from torch import nn

from . import idiom, refused


@idiom
def convolutions():
    m = nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2)
    ).cuda()
    y = m(torch.ones(1, 3, 8, 8, device="cuda"))
    y.sum().backward()
    assert y.shape == (1, 4, 4, 4)


@idiom
def channels_last():
    m = nn.Conv2d(3, 4, 3).cuda().to(memory_format=torch.channels_last)
    x = torch.ones(1, 3, 8, 8, device="cuda").to(memory_format=torch.channels_last)
    assert x.is_contiguous(memory_format=torch.channels_last)
    assert m(x).shape == (1, 4, 6, 6)


@idiom
def attention():
    m = nn.MultiheadAttention(8, 2, batch_first=True).cuda()
    x = torch.rand(2, 5, 8, device="cuda")
    assert m(x, x, x)[0].shape == x.shape


@idiom
def scaled_dot_product_attention():
    q = torch.rand(1, 2, 8, 16, device="cuda", requires_grad=True)
    y = F.scaled_dot_product_attention(q, q, q, is_causal=True)
    y.sum().backward()
    assert y.is_cuda
    assert q.grad.is_cuda


@idiom
def sdpa_kernel():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    q = torch.rand(1, 2, 8, 16, device="cuda")
    for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
        with sdpa_kernel(backend):
            F.scaled_dot_product_attention(q, q, q)
    assert sdpa_kernel.__wrapped__


@idiom
def transformer_layer():
    m = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).cuda()
    x = torch.rand(2, 5, 8, device="cuda")
    m(x).sum().backward()
    m.eval()
    with torch.no_grad():
        assert m(x).shape == x.shape


@idiom
def norms():
    x = torch.rand(2, 8, device="cuda")
    assert nn.LayerNorm(8).cuda()(x).is_cuda
    assert nn.RMSNorm(8).cuda()(x).is_cuda
    assert nn.GroupNorm(2, 8).cuda()(x).is_cuda


@idiom
def embedding_and_loss():
    e = nn.Embedding(9, 4).cuda()
    loss = F.cross_entropy(
        e(torch.tensor([1, 2], device="cuda")), torch.tensor([0, 3], device="cuda")
    )
    loss.backward()
    assert e.weight.grad.is_cuda


@idiom
def lstm_and_gru():
    for c in (nn.LSTM, nn.GRU, nn.RNN):
        m = c(3, 4, batch_first=True).cuda()
        y, _ = m(torch.ones(2, 5, 3, device="cuda"))
        y.sum().backward()
        assert y.shape == (2, 5, 4)
        assert m.weight_ih_l0.grad.is_cuda


@idiom
def dataparallel_of_one_gpu():
    m = nn.DataParallel(nn.Linear(2, 2).cuda())
    assert m(torch.ones(1, 2, device="cuda")).is_cuda


@idiom
def func_grad():
    f = torch.func.grad(lambda x: (x**2).sum())
    assert f(torch.ones(2, device="cuda")).tolist() == [2, 2]


@idiom
def hooks():
    m = nn.Linear(2, 2).cuda()
    seen = []
    m.register_forward_hook(lambda *a: seen.append(a[2].is_cuda))
    m(torch.ones(1, 2, device="cuda"))
    assert seen == [True]


@idiom
def torch_compile_eager():
    f = torch.compile(lambda x: x.sin() + 1, backend="eager")
    x = torch.ones(3, device="cuda")
    assert torch.equal(f(x), x.sin() + 1)


@idiom
def torch_compile_aot_eager():
    m = nn.Linear(2, 2).cuda()
    f = torch.compile(m, backend="aot_eager")
    x = torch.ones(1, 2, device="cuda")
    f(x).sum().backward()
    assert torch.allclose(f(x), m(x))
    assert m.weight.grad.is_cuda


@ct.kernel
def _double(x, y):
    ct.store(y, (0,), 2 * ct.load(x, (0,), (4,)))


@idiom
def torch_compile_around_a_launch():
    graphs, stream = [], torch.cuda.current_stream()

    def counted(graph, inputs):
        graphs.append(graph)
        return graph

    @torch.compile(backend=counted)
    def f(x):
        y, z = x + 1, torch.empty_like(x)
        ct.launch(stream, (1,), _double, (y, z))
        return z.sin()

    x = torch.ones(4, device="cuda")
    assert torch.equal(f(x), torch.full_like(x, 4).sin())
    assert torch.equal(f(2 * x), torch.full_like(x, 6).sin())
    assert len(graphs) == 2


@refused("Unsupported stream type 'torch.Stream'")  # cuTile's words, on a GPU too
def torch_compile_around_a_launch_and_its_stream():
    @torch.compile(backend="eager")
    def f(x):
        ct.launch(torch.cuda.current_stream(), (1,), _double, (x, x))

    f(torch.ones(4, device="cuda"))


@refused("inductor generates code for GPUs")
def torch_compile_inductor():
    torch.compile(lambda x: x.sin() + 1)(torch.ones(3, device="cuda"))


@idiom
def import__dynamo():
    import torch._dynamo

    torch._dynamo.reset()

    @torch._dynamo.disable
    def f(x):
        return x + 1

    assert f(torch.ones(1, device="cuda")).item() == 2


@idiom
def torch_export():
    e = torch.export.export(nn.Linear(2, 2).cuda(), (torch.ones(1, 2, device="cuda"),))
    assert e.module()(torch.ones(1, 2, device="cuda")).is_cuda


@idiom
def fake_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        assert (torch.ones(2, device="cuda") + 1).device.type == "cuda"


@idiom
def custom_op():
    @torch.library.custom_op("idioms::twice", mutates_args=(), device_types="cuda")
    def twice(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    assert twice(torch.ones(2, device="cuda")).tolist() == [2, 2]


@idiom
def op_of_a_library_for_cpus():
    library = torch.library.Library("idioms2", "DEF")
    library.define("thrice(Tensor x) -> Tensor")
    library.impl("thrice", lambda x: 3 * x, "CPU")
    assert torch.ops.idioms2.thrice(torch.ones(1, device="cuda")).is_cuda


@idiom
def jit_script():
    f = torch.jit.script(nn.Linear(2, 2).cuda())
    assert f(torch.ones(1, 2, device="cuda")).is_cuda


@refused("for CPUs, which stand in for the GPU")
def torch_cuda_only_ops_by_name():
    torch.ops.aten._scaled_dot_product_cudnn_attention(
        *[torch.ones(1, 1, 8, 8, device="cuda")] * 3, None, False
    )


@idiom
def packed_sequences():
    lengths = torch.tensor([3, 2])
    x = torch.ones(3, 2, 4, device="cuda", requires_grad=True)
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths)
    assert packed.data.is_cuda
    assert not packed.batch_sizes.is_cuda
    y, _ = nn.LSTM(4, 5).cuda()(packed)
    padded, found = nn.utils.rnn.pad_packed_sequence(y)
    padded.sum().backward()
    assert padded.is_cuda
    assert x.grad.is_cuda
    assert found.tolist() == [3, 2]


@idiom
def ctc_loss():
    x = torch.randn(5, 1, 4, device="cuda", requires_grad=True)
    targets = torch.tensor([[1, 2]], device="cuda")
    loss = F.ctc_loss(x.log_softmax(-1), targets, torch.tensor([5]), torch.tensor([2]))
    loss.backward()
    assert x.grad.is_cuda
