"""Tensors on the device, and between devices."""

import numpy as np
import pytest
import torch

from . import idiom, refused


@idiom
def factory_with_device():
    assert torch.zeros(2, 3, device="cuda").device.type == "cuda"


@idiom
def all_factories():
    for f in (torch.empty, torch.ones, torch.zeros, torch.rand, torch.randn):
        assert f(4, device="cuda").is_cuda
    assert torch.full((2,), 7, device="cuda").tolist() == [7, 7]
    assert torch.arange(3, device="cuda").sum() == 3
    assert torch.eye(2, device="cuda").trace() == 2
    assert torch.linspace(0, 1, 3, device="cuda")[1] == 0.5


@idiom
def tensor_with_device():
    assert torch.tensor([1, 2], device="cuda").tolist() == [1, 2]


@idiom
def as_tensor_and_from_numpy():
    a = np.arange(3.0)
    x = torch.as_tensor(a, device="cuda")
    x += 1
    assert a[0] == 0
    assert torch.from_numpy(a).cuda().is_cuda


@idiom
def device_0_as_a_number():
    assert torch.ones(2).to(0).is_cuda
    assert torch.empty(2, device=0).is_cuda


@idiom
def cuda_with_an_index():
    assert torch.ones(2).cuda(0).is_cuda
    assert torch.ones(2).cuda("cuda:0").is_cuda


@idiom
def device_compares_with_an_index():
    x = torch.zeros(1).cuda()
    assert x.device == torch.device("cuda:0") == torch.device("cuda", 0)


@idiom
def device_without_an_index_is_another():
    assert torch.zeros(1).cuda().device != torch.device("cuda")


@idiom
def device_of_two_tensors():
    x = torch.zeros(1).cuda()
    assert (x + 1).device == x.device != x.cpu().device


@idiom
def device_as_a_string():
    assert str(torch.zeros(1).cuda().device) == "cuda:0"


@idiom
def device_type_in_f_string():
    x = torch.zeros(1).cuda()
    assert f"{x.device.type}:{x.device.index}" == "cuda:0"


@idiom
def get_device():
    assert torch.zeros(1).cuda().get_device() == 0
    assert torch.zeros(1).get_device() == -1


@idiom
def is_cuda_tells_them_apart():
    x = torch.ones(2)
    assert not x.is_cuda
    assert x.cuda().is_cuda
    assert not x.cuda().cpu().is_cuda


@idiom
def type_of_a_tensor():
    assert torch.ones(1).cuda().type() == "torch.cuda.FloatTensor"


@idiom
def isinstance_of_a_tensor():
    x = torch.ones(1).cuda()
    assert type(x) is torch.Tensor
    assert isinstance(x, torch.cuda.FloatTensor)


@idiom
def cuda_floattensor():
    assert torch.cuda.FloatTensor([1, 2]).is_cuda


@idiom
def cpu_copies():
    x = torch.zeros(3, device="cuda")
    y = x.cpu()
    y += 1
    assert x.sum() == 0


@idiom
def to_the_same_device_is_the_same():
    x = torch.zeros(3, device="cuda")
    assert x.to("cuda") is x
    assert x.cuda() is x


@idiom
def to_with_copy():
    x = torch.zeros(3, device="cuda")
    assert x.to("cuda", copy=True) is not x


@idiom
def to_with_dtype_and_non_blocking():
    x = torch.ones(3).to("cuda", torch.float16, non_blocking=True)
    assert x.is_cuda
    assert x.dtype == torch.float16


@idiom
def to_another_tensor():
    x = torch.ones(3, dtype=torch.float64).to(torch.zeros(1, device="cuda"))
    assert x.is_cuda
    assert x.dtype == torch.float32


@idiom
def new_keep_the_device():
    x = torch.ones(3, device="cuda")
    assert x.new_zeros(2).is_cuda
    assert x.new_tensor([1]).is_cuda
    assert x.new_empty(1).is_cuda


@idiom
def like_keep_the_device():
    x = torch.ones(3, device="cuda")
    assert all(
        f(x).is_cuda
        for f in (torch.zeros_like, torch.empty_like, torch.rand_like, torch.randn_like)
    )


@idiom
def empty_like_on_the_cpu():
    x = torch.empty_like(torch.ones(3, device="cuda"), device="cpu")
    assert not x.is_cuda


@idiom
def detach_cpu_numpy():
    x = torch.ones(2, device="cuda", requires_grad=True)
    assert x.detach().cpu().numpy().sum() == 2


@idiom
def numpy_of_the_device_fails():
    with pytest.raises(TypeError, match="cpu\\(\\)"):
        torch.ones(2, device="cuda").numpy()


@idiom
def mixed_devices_fail():
    with pytest.raises(RuntimeError, match="same\\ device"):
        torch.ones(2, device="cuda") + torch.ones(2)


@idiom
def a_number_from_the_cpu_is_fine():
    assert (torch.ones(2, device="cuda") * torch.tensor(3.0)).tolist() == [3, 3]


@idiom
def copy__between_devices():
    x, y = (torch.zeros(3, device="cuda"), torch.arange(3.0))
    x.copy_(y, non_blocking=True)
    y.zero_().copy_(x)
    assert y.tolist() == [0, 1, 2]


@idiom
def item_tolist_bool():
    x = torch.tensor([3], device="cuda")
    assert x.item() == 3
    assert int(x) == 3
    assert bool(x == 3)


@idiom
def slices_are_views():
    x = torch.zeros(4, device="cuda")
    x[1:3] = 1
    x[::2].add_(5)
    assert x.tolist() == [5, 1, 6, 0]


@idiom
def masks():
    x = torch.arange(4, device="cuda")
    x[x > 1] = 0
    assert x.tolist() == [0, 1, 0, 0]


@idiom
def index_with_the_cpu_s():
    x = torch.arange(4, device="cuda")
    assert x[torch.tensor([1, 3])].tolist() == [1, 3]


@idiom
def views_and_strides():
    x = torch.arange(6.0, device="cuda").view(2, 3).t()
    assert x.stride() == (1, 3)
    assert not x.is_contiguous()
    assert x.contiguous().is_contiguous()


@idiom
def in_place_shapes():
    x = torch.zeros(2, 1, device="cuda")
    x.squeeze_().unsqueeze_(0).resize_(2, 3)
    assert x.shape == (2, 3)


@idiom
def out():
    x, o = (torch.ones(3, device="cuda"), torch.empty(0, device="cuda"))
    torch.add(x, x, out=o)
    assert o.tolist() == [2, 2, 2]


@idiom
def cat_stack_split():
    x = torch.ones(2, device="cuda")
    a, b = torch.cat([x, x]).split(2)
    assert torch.stack([a, b]).shape == (2, 2)


@idiom
def matmul_einsum_bmm():
    x = torch.ones(2, 3, device="cuda")
    assert (x @ x.T).tolist() == [[3, 3]] * 2
    assert torch.einsum("ij,kj->ik", x, x)[0, 0] == 3


@idiom
def half_products():
    x = torch.ones(4, 4, device="cuda", dtype=torch.float16)
    assert (x @ x).float().sum() == 64


@idiom
def topk_sort_unique():
    x = torch.tensor([3, 1, 2, 3], device="cuda")
    assert x.topk(1).values.item() == 3
    assert x.sort().values[0] == 1
    assert x.unique().tolist() == [1, 2, 3]


@idiom
def nonzero_where_scatter():
    x = torch.zeros(4, device="cuda")
    x.scatter_(0, torch.tensor([1], device="cuda"), 5.0)
    assert x.nonzero().item() == 1
    assert torch.where(x > 0)[0].item() == 1


@idiom
def float8():
    x = torch.ones(4, device="cuda").to(torch.float8_e4m3fn)
    assert x.is_cuda
    assert x.float().sum() == 4


@idiom
def complex_and_fft():
    x = torch.fft.fft(torch.ones(4, device="cuda"))
    assert x.is_cuda
    assert x.real[0] == 4
    assert x.conj().is_cuda


@idiom
def print_of_a_tensor():
    assert "device='cuda:0'" in repr(torch.ones(2, device="cuda"))


@idiom
def data_ptr():
    x = torch.ones(4, device="cuda")
    assert x.data_ptr() % 16 == 0
    assert x[1:].data_ptr() == x.data_ptr() + 4


@idiom
def untyped_storage():
    s = torch.ones(4, device="cuda").untyped_storage()
    assert s.nbytes() == 16
    assert s.device.type == "cuda"


@idiom
def element_size():
    x = torch.ones(4, device="cuda")
    assert x.element_size() * x.nelement() == x.nbytes == 16


@idiom
def deepcopy():
    import copy

    x = copy.deepcopy(torch.ones(2, device="cuda"))
    assert x.is_cuda


@idiom
def pickle():
    import pickle

    x = pickle.loads(pickle.dumps(torch.ones(2, device="cuda")))
    assert x.is_cuda
    assert x.sum() == 2


@idiom
def cuda_array_interface():
    x = torch.ones(3, device="cuda")
    assert x.__cuda_array_interface__["data"][0] == x.data_ptr()


@idiom
def dlpack():
    x = torch.ones(3, device="cuda")
    assert x.__dlpack_device__()[0] == 2
    y = torch.from_dlpack(x)
    y += 1
    assert x.sum() == 6
    assert y.is_cuda


@idiom
def assert_close():
    x = torch.rand(5, device="cuda")
    torch.testing.assert_close(x, x.clone())


@idiom
def assert_close_sees_devices():
    with pytest.raises(AssertionError, match="device"):
        torch.testing.assert_close(torch.ones(1).cuda(), torch.ones(1))


@idiom
def data_and_set():
    x = torch.zeros(2, device="cuda")
    x.data = torch.ones(3, device="cuda")
    assert x.tolist() == [1, 1, 1]


@idiom
def vmap():
    x = torch.ones(3, 2, device="cuda")
    assert torch.vmap(torch.sum)(x).tolist() == [2, 2, 2]


@idiom
def linalg():
    x = torch.eye(3, device="cuda") * 2
    assert torch.linalg.inv(x)[0, 0] == 0.5
    assert torch.linalg.svd(x).S.is_cuda


@refused('quantized tensors are not supported on device "cuda"')
def quantized_tensors():
    torch.quantize_per_tensor(torch.ones(3, device="cuda"), 0.1, 0, torch.qint8)


@refused("sparse tensors are not supported")
def sparse_tensors():
    torch.ones(2, 2, device="cuda").to_sparse()


@idiom
def conjugated_and_negated_views():
    x = torch.tensor([1 + 2j, 3 - 1j], device="cuda")
    assert x.conj().tolist() == x.conj().cpu().tolist() == [1 - 2j, 3 + 1j]
    assert x.conj().imag.tolist() == x.conj().imag.clone().tolist() == [-2, 1]
    y = torch.empty_like(x)
    y.copy_(x.conj())
    assert y.tolist() == [1 - 2j, 3 + 1j]
    x.conj().mul_(1j)
    assert x.conj().tolist() == [2 + 1j, -1 + 3j]
    assert torch.vdot(x, x).item() == 15


@idiom
def type_with_a_class():
    assert torch.ones(3).type(torch.cuda.HalfTensor).type() == "torch.cuda.HalfTensor"
    assert torch.ones(3, device="cuda").type("torch.DoubleTensor").device.type == "cpu"


@idiom
def product_with_a_wider_result():
    a, b = (torch.randn(8, 8, device="cuda").bfloat16() for _ in range(2))
    exact = a.float() @ b.float()
    assert torch.equal(torch.mm(a, b, out_dtype=torch.float32), exact)
    assert torch.equal(torch.bmm(a[None], b[None], out_dtype=torch.float32)[0], exact)
    added = torch.addmm(exact, a, b, out_dtype=torch.float32, beta=2)
    assert torch.allclose(added, 3 * exact)
    torch.mm(a, b, out_dtype=torch.float32, out=added)
    assert torch.equal(added, exact)


@idiom
def magnitude_of_truths():
    x = torch.tensor([True, False], device="cuda")
    assert x.abs().tolist() == abs(x).tolist() == x.abs_().tolist() == [True, False]
    assert torch.abs(x, out=torch.empty(0, dtype=torch.bool, device="cuda")).tolist() == [1, 0]
    assert torch.abs(torch.tensor([-1.5], device="cuda", requires_grad=True)).item() == 1.5
