"""A program for test_transformers.py: blocks of transformers with kernels of cuTile in them.

Weights are random. What runs on the device with the kernels is compared with what transformers
computes on the CPU without them. It prints what it has checked.
"""

import copy

import cuda.tile as ct
import torch
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

LAUNCHES = {"rms_norm": 0, "swiglu": 0, "attention": 0}
SIZES = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "vocab_size": 96,
    "max_position_embeddings": 128,
}


@ct.kernel
def rms_norm(x, weight, y, eps, width: ct.Constant[int]):
    row = ct.bid(0)
    values = ct.astype(ct.load(x, (row, 0), (1, width)), ct.float32)
    scale = ct.rsqrt(ct.sum(values * values, axis=1, keepdims=True) / width + eps)
    normal = ct.astype(values * scale, x.dtype)
    ct.store(y, (row, 0), ct.load(weight, (0,), (width,)).reshape((1, width)) * normal)


@ct.kernel
def swiglu(gate, up, y, width: ct.Constant[int]):
    row = ct.bid(0)
    g = ct.astype(ct.load(gate, (row, 0), (1, width)), ct.float32)
    u = ct.astype(ct.load(up, (row, 0), (1, width)), ct.float32)
    ct.store(y, (row, 0), ct.astype(g / (1.0 + ct.exp(-g)) * u, y.dtype))


@ct.kernel
def attention(
    q, k, v, y, scale, before, rows: ct.Constant[int], columns: ct.Constant[int],
    width: ct.Constant[int], group: ct.Constant[int],
):  # fmt: skip
    """Causal attention of queries that come after `before` keys, with one pass over the keys."""
    block, head, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    queries = ct.load(q, (batch, head, block, 0), (1, 1, rows, width)).reshape((rows, width))
    row = before + block * rows + ct.arange(rows, dtype=ct.int32)[:, None]
    most = ct.full((rows, 1), -1e30, ct.float32)
    total = ct.full((rows, 1), 0.0, ct.float32)
    result = ct.full((rows, width), 0.0, ct.float32)
    for tile in range(ct.cdiv(k.shape[2], columns)):
        where = (batch, head // group, tile, 0)
        keys = ct.load(k, where, (1, 1, columns, width)).reshape((columns, width))
        values = ct.load(v, where, (1, 1, columns, width)).reshape((columns, width))
        product = ct.full((rows, columns), 0.0, ct.float32)
        product = ct.mma(queries, ct.permute(keys, (1, 0)), product) * scale
        column = tile * columns + ct.arange(columns, dtype=ct.int32)[None, :]
        product = ct.where(column <= row, product, -1e30)
        larger = ct.maximum(most, ct.max(product, axis=1, keepdims=True))
        weights = ct.exp(product - larger)
        kept = ct.exp(most - larger)
        total = total * kept + ct.sum(weights, axis=1, keepdims=True)
        result = ct.mma(ct.astype(weights, q.dtype), values, result * kept)
        most = larger
    result = ct.astype(result / total, y.dtype).reshape((1, 1, rows, width))
    ct.store(y, (batch, head, block, 0), result)


def launched(kernel, grid, *arguments):
    LAUNCHES[kernel._pyfunc.__name__] += 1
    ct.launch(torch.cuda.current_stream(), grid, kernel, arguments)


def norm_forward(self, x):
    flat = x.reshape(-1, x.shape[-1]).contiguous()
    y = torch.empty_like(flat)
    launched(rms_norm, (len(flat),), flat, self.weight, y, self.variance_epsilon, x.shape[-1])
    return y.view(x.shape)


def mlp_forward(self, x):
    gate, up = (p(x).reshape(-1, self.intermediate_size) for p in (self.gate_proj, self.up_proj))
    y = torch.empty_like(gate)
    launched(swiglu, (len(y),), gate, up, y, self.intermediate_size)
    return self.down_proj(y.view(*x.shape[:-1], -1))


def attention_forward(module, query, key, value, attention_mask, scaling, dropout=0.0, **kwargs):
    assert query.is_cuda
    batch, heads, rows, width = query.shape
    y = torch.empty_like(query, memory_format=torch.contiguous_format)
    grid = (ct.cdiv(rows, 16), heads, batch)
    before = key.shape[2] - rows
    sizes = (16, 32, width, module.num_key_value_groups)
    launched(attention, grid, query, key, value, y, scaling, before, *sizes)
    return y.transpose(1, 2).contiguous(), None


ALL_ATTENTION_FUNCTIONS.register("cutile", attention_forward)


def model_of(name, dtype):
    torch.manual_seed(0)
    config = AutoConfig.for_model(name, **SIZES)
    config._attn_implementation = "eager"
    return AutoModelForCausalLM.from_config(config).to(dtype).eval()


def patched(model):
    """The same model on the device, with the kernels in it."""
    model = copy.deepcopy(model).cuda()
    model.config._attn_implementation = "cutile"
    for module in model.modules():
        kind = type(module).__name__
        if kind.endswith("RMSNorm"):
            module.forward = norm_forward.__get__(module)
        elif kind.endswith("MLP"):
            module.forward = mlp_forward.__get__(module)
    return model


def close(found, expected, dtype):
    assert found.is_cuda
    exact = {torch.float32: 1e-5, torch.bfloat16: 2e-2}[dtype]
    torch.testing.assert_close(found.cpu(), expected, atol=exact, rtol=exact)


def check_blocks(name, dtype):
    model = model_of(name, dtype)
    ours = patched(model)
    layer, mine = model.model.layers[0], ours.model.layers[0]
    x = torch.randn(2, 40, 64).to(dtype)
    close(mine.mlp(x.cuda()), layer.mlp(x), dtype)
    where = torch.arange(40)[None]
    mask = torch.full((40, 40), float("-inf")).triu(1)[None, None].to(dtype)
    found, _ = mine.self_attn(x.cuda(), ours.model.rotary_emb(x.cuda(), where.cuda()), None)
    expected, _ = layer.self_attn(x, model.model.rotary_emb(x, where), mask)
    close(found, expected, dtype)


def check_model(name):
    model = model_of(name, torch.float32)
    ours = patched(model)
    tokens = torch.randint(0, 96, (2, 33))
    with torch.no_grad():
        close(ours(tokens.cuda()).logits, model(tokens).logits, torch.float32)
    options = {"max_new_tokens": 6, "do_sample": False, "pad_token_id": 0, "eos_token_id": None}
    found = ours.generate(tokens.cuda(), attention_mask=torch.ones_like(tokens).cuda(), **options)
    expected = model.generate(tokens, attention_mask=torch.ones_like(tokens), **options)
    assert found.is_cuda
    assert found.tolist() == expected.tolist()


def check_training(name):
    """Without kernels: autograd and an optimiser on the device, beside the CPU."""
    losses = []
    for device in ("cuda", "cpu"):
        model = model_of(name, torch.float32).to(device).train()
        optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
        tokens = torch.arange(64, device=device).reshape(2, 32)
        for _ in range(3):
            loss = model(tokens, labels=tokens).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            optimiser.zero_grad()
        losses.append(loss.item())
    assert abs(losses[0] - losses[1]) < 1e-4 * losses[1], losses


for name in ("llama", "qwen2", "qwen3"):
    for dtype in (torch.float32, torch.bfloat16):
        check_blocks(name, dtype)
        print(f"{name} blocks {dtype}".replace("torch.", ""))
    check_model(name)
    print(f"{name} model")
check_training("llama")
print("llama training")
assert all(LAUNCHES.values()), LAUNCHES
