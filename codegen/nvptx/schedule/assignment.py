"""The result of assigning layouts: which thread holds which elements, and what is staged."""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir.codegen.layouts.linear_layout import LinearLayout, uniform
from tileir.ir import Op, Value

from .group_products import Restaged
from .mma_plan import ProductPlan
from .read_conversions import Reading
from .split_operands import SplitOperands
from .staged import Staging


@dataclass(slots=True)
class Assignment:
    """The layouts of the values and ops of a kernel, for blocks of so many threads."""

    threads: int
    required: dict[Value, list[LinearLayout]] = field(default_factory=dict)
    """Value -> the layouts that its uses need."""
    canonical: dict[Value, list[LinearLayout]] = field(default_factory=dict)
    """Value -> the layouts that it is defined in, where these are not all the required ones."""
    op_layouts: dict[Op, LinearLayout] = field(default_factory=dict)
    """Op -> the layout that it works in, where that is not the layout of a result."""
    products: dict[Op, ProductPlan] = field(default_factory=dict)
    """Matrix product -> how it is computed."""
    staged: dict[Value, Staging] = field(default_factory=dict)
    """Tiles that matrix products read from shared memory."""
    converted: dict[tuple[Op, str], Reading] = field(default_factory=dict)
    """Product and slot -> the operand that is converted when it is read, where it is staged."""
    restaged: dict[tuple[Op, str], Restaged] = field(default_factory=dict)
    """Product and slot -> the operand that is staged twice."""
    split: dict[Op, SplitOperands] = field(default_factory=dict)
    """Matrix products whose operands are staged in pieces."""

    def required_in(self, value: Value) -> list[LinearLayout]:
        """Return the layouts that the uses of a value need."""
        return self.required.get(value, [])

    def defined_in(self, value: Value) -> list[LinearLayout]:
        """Return the layouts that a value is defined in."""
        return self.canonical.get(value) or self.required_in(value)

    def require(self, value: Value, layout: LinearLayout) -> None:
        """Note that a use of a value needs it in a layout; single elements are in every thread."""
        layout = uniform(self.threads) if value.type.size == 1 else layout
        layouts = self.required.setdefault(value, [])
        if layout not in layouts:
            layouts.append(layout)

    def set_canonical(self, value: Value, layout: LinearLayout) -> None:
        """Have a value defined in one layout, from which it is converted to the required ones."""
        self.canonical[value] = [uniform(self.threads) if value.type.size == 1 else layout]
