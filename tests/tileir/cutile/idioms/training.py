"""Modules, autograd, optimisers, mixed precision, checkpoints."""

import torch
import torch.nn.functional as F  # noqa: N812  as programs have it
from torch import nn

from . import idiom


@idiom
def module_cuda():
    m = nn.Linear(2, 2).cuda()
    assert next(m.parameters()).is_cuda


@idiom
def module_to():
    for d in ("cuda", 0, torch.device("cuda:0")):
        assert nn.Linear(2, 2).to(d).weight.device.type == "cuda"


@idiom
def module_to_half():
    m = nn.Linear(2, 2).to("cuda", dtype=torch.bfloat16)
    assert m(torch.ones(1, 2, device="cuda", dtype=torch.bfloat16)).dtype == torch.bfloat16


@idiom
def module_with_device():
    m = nn.Linear(2, 2, device="cuda")
    assert m.weight.is_cuda
    assert m.weight.is_leaf


@idiom
def buffers_move():
    m = nn.BatchNorm1d(2).cuda()
    assert m.running_mean.is_cuda


@idiom
def back_to_the_cpu():
    m = nn.Linear(2, 2).cuda().cpu()
    assert not m.weight.is_cuda


@idiom
def module_on_meta():
    with torch.device("meta"):
        m = nn.Linear(2, 2)
    m = m.to_empty(device="cuda")
    assert m.weight.is_cuda


@idiom
def skip_init():
    assert nn.utils.skip_init(nn.Linear, 2, 2, device="cuda").weight.is_cuda


@idiom
def backward():
    x = torch.ones(3, device="cuda", requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.is_cuda
    assert x.grad.tolist() == [2, 2, 2]


@idiom
def autograd_grad():
    x = torch.ones(3, device="cuda", requires_grad=True)
    (g,) = torch.autograd.grad(x.exp().sum(), x, create_graph=True)
    assert g.is_cuda
    assert g.requires_grad


@idiom
def autograd_function():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return 2 * x

        @staticmethod
        def backward(ctx, g):
            assert g.is_cuda
            assert ctx.saved_tensors[0].is_cuda
            return 2 * g

    x = torch.ones(2, device="cuda", requires_grad=True)
    Twice.apply(x).sum().backward()
    assert x.grad.tolist() == [2, 2]


@idiom
def custom_fwd():
    from torch.amp import custom_bwd, custom_fwd

    class One(torch.autograd.Function):
        @staticmethod
        @custom_fwd(device_type="cuda")
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        @custom_bwd(device_type="cuda")
        def backward(ctx, g):
            return g

    x = torch.ones(2, device="cuda", requires_grad=True)
    One.apply(x).sum().backward()


@idiom
def gradcheck():
    x = torch.rand(3, device="cuda", dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(torch.sin, x)


@idiom
def no_grad_and_inference_mode():
    m = nn.Linear(2, 2).cuda()
    with torch.no_grad():
        assert not m(torch.ones(1, 2, device="cuda")).requires_grad
    with torch.inference_mode():
        assert m(torch.ones(1, 2, device="cuda")).is_inference()


@idiom
def sgd():
    m = nn.Linear(2, 1).cuda()
    o = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
    b = m.weight.clone()
    m(torch.ones(1, 2, device="cuda")).sum().backward()
    o.step()
    o.zero_grad(set_to_none=True)
    assert not torch.equal(b, m.weight)


@idiom
def adamw():
    m = nn.Linear(2, 1).cuda()
    o = torch.optim.AdamW(m.parameters())
    m(torch.ones(1, 2, device="cuda")).sum().backward()
    o.step()
    assert o.state[m.weight]["exp_avg"].is_cuda


@idiom
def fused_adam():
    m = nn.Linear(2, 1).cuda()
    o = torch.optim.AdamW(m.parameters(), fused=True)
    m(torch.ones(1, 2, device="cuda")).sum().backward()
    o.step()


@idiom
def foreach():
    x = [torch.ones(2, device="cuda") for _ in range(2)]
    torch._foreach_mul_(x, 3)
    assert x[1].tolist() == [3, 3]


@idiom
def every_optimiser():
    for name in (
        "Adadelta",
        "Adagrad",
        "Adam",
        "Adamax",
        "ASGD",
        "NAdam",
        "RAdam",
        "RMSprop",
        "Rprop",
        "Adafactor",
    ):
        p = nn.Parameter(torch.ones(3, 2, device="cuda"))
        o = getattr(torch.optim, name)([p])
        (p * p).sum().backward()
        o.step()
        assert p.is_cuda, name
        assert not torch.equal(p, torch.ones_like(p)), name


@idiom
def lbfgs():
    p = nn.Parameter(torch.ones(2, device="cuda"))
    o = torch.optim.LBFGS([p])

    def close():
        o.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    o.step(close)
    assert p.abs().max() < 1


@idiom
def schedulers():
    p = nn.Parameter(torch.ones(2, device="cuda"))
    o = torch.optim.SGD([p], lr=1.0)
    s = torch.optim.lr_scheduler.CosineAnnealingLR(o, 10)
    o.step()
    s.step()


@idiom
def clip_grad_norm():
    p = nn.Parameter(torch.ones(4, device="cuda"))
    (9 * p).sum().backward()
    n = nn.utils.clip_grad_norm_([p], 1.0)
    assert n.is_cuda
    assert abs(p.grad.norm().item() - 1) < 0.001


@idiom
def autocast():
    m = nn.Linear(2, 2).cuda()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        y = m(torch.ones(1, 2, device="cuda"))
        assert y.dtype == torch.bfloat16
        assert y.float().softmax(-1).dtype == torch.float32


@idiom
def cuda_amp_autocast():
    import warnings

    warnings.simplefilter("ignore")
    with torch.cuda.amp.autocast():
        x = torch.ones(2, 2, device="cuda")
        assert (x @ x).dtype == torch.float16


@idiom
def is_autocast_enabled():
    with torch.autocast("cuda"):
        assert torch.is_autocast_enabled("cuda")
        assert torch.get_autocast_dtype("cuda") == torch.float16


@idiom
def autocast_of_the_cpu_is_another():
    x = torch.ones(2, 2, device="cuda")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert (x @ x).dtype == torch.float32


@idiom
def gradscaler():
    m = nn.Linear(2, 1).cuda()
    o = torch.optim.SGD(m.parameters(), lr=0.1)
    s = torch.amp.GradScaler("cuda")
    with torch.autocast("cuda"):
        loss = m(torch.ones(1, 2, device="cuda")).sum()
    s.scale(loss).backward()
    s.unscale_(o)
    s.step(o)
    s.update()
    assert s.get_scale() > 0
    assert s.is_enabled()


@idiom
def checkpoint():
    from torch.utils.checkpoint import checkpoint

    m = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)).cuda()
    x = torch.ones(2, 4, device="cuda", requires_grad=True)
    for r in (True, False):
        checkpoint(m, x, use_reentrant=r).sum().backward()
    assert x.grad is not None


@idiom
def state_dict_map_location():
    import io

    b = io.BytesIO()
    m = nn.Linear(2, 2).cuda()
    torch.save(m.state_dict(), b)
    for where in ("cpu", "cuda", "cuda:0", torch.device("cuda"), None):
        b.seek(0)
        s = torch.load(b, map_location=where)
        assert s["weight"].is_cuda == (where != "cpu")
    m.load_state_dict(s)


@idiom
def map_location_as_a_function():
    import io

    b = io.BytesIO()
    torch.save(torch.ones(2), b)
    b.seek(0)
    assert torch.load(b, map_location=lambda s, where: s.cuda(0)).is_cuda


@idiom
def map_location_as_a_dict():
    import io

    b = io.BytesIO()
    torch.save(torch.ones(2, device="cuda"), b)
    b.seek(0)
    assert not torch.load(b, map_location={"cuda:0": "cpu"}).is_cuda


@idiom
def checkpoint_of_everything():
    import io

    m = nn.Linear(2, 2).cuda()
    o = torch.optim.AdamW(m.parameters())
    m(torch.ones(1, 2, device="cuda")).sum().backward()
    o.step()
    b = io.BytesIO()
    torch.save({"o": o.state_dict(), "rng": torch.cuda.get_rng_state()}, b)
    b.seek(0)
    s = torch.load(b, map_location="cuda")
    o.load_state_dict(s["o"])
    torch.cuda.set_rng_state(s["rng"].cpu())


@idiom
def pin_memory():
    x = torch.ones(3).pin_memory()
    assert x.is_pinned()
    assert x.to("cuda", non_blocking=True).is_cuda
    assert not torch.ones(3).is_pinned()


@idiom
def factory_with_pin_memory():
    assert torch.empty(3, pin_memory=True).shape == (3,)


@idiom
def dataloader_with_pin_memory():
    from torch.utils.data import DataLoader, TensorDataset

    for (x,) in DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2, pin_memory=True):
        assert x.is_pinned()
        assert x.cuda(non_blocking=True).is_cuda


@idiom
def softmax_of_halves_in_floats():
    for function in (F.softmax, F.log_softmax):
        x = torch.randn(3, 5, device="cuda").half().requires_grad_()
        y = function(x, -1, dtype=torch.float32)
        y[:, 1].sum().backward()
        host = x.detach().cpu().float().requires_grad_()
        expected = function(host, -1)
        expected[:, 1].sum().backward()
        assert y.dtype == torch.float32
        assert torch.equal(y.cpu(), expected)
        assert x.grad.dtype == torch.float16
        assert torch.equal(x.grad.cpu(), host.grad.half())


@idiom
def softmax_of_halves_under_autocast():
    x = torch.randn(3, 5, device="cuda").half().requires_grad_()
    with torch.autocast("cuda", dtype=torch.float16):
        y = F.softmax(x, -1)
        loss = F.cross_entropy(x, torch.tensor([0, 1, 2], device="cuda"))
    assert y.dtype == loss.dtype == torch.float32
    (y[:, 0].sum() + loss).backward()
    assert x.grad.dtype == torch.float16


@idiom
def softmax_of_halves_into_floats():
    x = torch.randn(3, 5, device="cuda").half()
    out = torch.empty(0, device="cuda")
    y = torch._softmax(x, 1, True, out=out)
    assert y is out
    assert torch.equal(y, torch.softmax(x.float(), 1))
    gradient = torch.empty(0, device="cuda", dtype=torch.float16)
    ones = torch.ones_like(y)
    torch._softmax_backward_data(ones, y, 1, torch.float16, grad_input=gradient)
    assert torch.equal(gradient, torch._softmax_backward_data(ones, y, 1, torch.float16))
