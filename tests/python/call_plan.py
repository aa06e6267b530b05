# SPDX-License-Identifier: Apache-2.0
"""One call of one function, put together from the table's row, the C prototype and the families' expectations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import expectations
from api_table import Prototype, c_parameter_of, prototypes
from expectations import OBJECTS, Argument, Output, Place
from recorder import Recorder


@dataclass
class CallPlan:
    """Everything that one call needs and must show; the special functions edit it."""

    module: Any
    module_name: str
    row: dict
    prototype: Prototype
    variant: str
    values: dict[str, object] = field(default_factory=dict)
    arrived: dict[int, Callable[[int], None]] = field(default_factory=dict)
    stored: dict[int, Callable[[int], None]] = field(default_factory=dict)
    returned: list[Callable[[object], None]] = field(default_factory=list)
    keep: list = field(default_factory=list)
    answers: dict[str, Callable] = field(default_factory=dict)      # other functions that are called on the way
    after: list[Callable[[], None]] = field(default_factory=list)

    def index(self, c_name: str) -> int:
        """Index of a C parameter by its C name."""
        return [p.name for p in self.prototype.parameters].index(c_name)

    def place(self, name: str) -> Place:
        """Where a Python argument stands."""
        index = c_parameter_of(name, self.prototype)
        has_lists = any(a["token"].startswith("[") for a in self.row["arguments"])
        return Place(self.module, self.module_name, self.prototype, self.prototype.parameters[index], name, index,
                     self.variant, has_lists)

    def set(self, name: str, argument: Argument) -> None:
        """Passes a Python argument and checks it where the C parameter of that name stands."""
        self.values[name] = argument.value
        self.arrived[c_parameter_of(name, self.prototype)] = argument.arrived
        self.keep.append(argument.keep)

    def output(self, c_name: str, result: Output) -> None:
        """Adds a result that comes from a C parameter."""
        self.stored[self.index(c_name)] = result.stored
        self.returned.append(result.returned)

    @property
    def objects(self) -> bool:
        """Whether the call passes instances and buffers."""
        return self.variant == OBJECTS


def plan_call(module: object, module_name: str, row: dict, variant: str,
              specials: dict[str, Callable[[CallPlan], None]]) -> CallPlan:
    """Puts a call together: a special function's own expectation, else the families'."""
    plan = CallPlan(module, module_name, row, prototypes()[row["name"]], variant)
    special = specials.get(row["name"])
    tokens = {a["name"]: a["token"] for a in row["arguments"]}
    for name, token in tokens.items():
        if token == "attrval" or (token == "[Any]?" and name.lower().endswith(("optionvalues", "optionsvalues"))):
            plan.values[name] = None    # a special function fills it in, in its place
            continue
        plan.set(name, expectations.argument(token, plan.place(name)))
    if special is None or not special(plan):
        rest = [i for i in range(len(plan.prototype.parameters)) if i not in plan.arrived]
        assert len(rest) == len(row["outputs"]), f"{row['name']}: {rest} against {row['outputs']}"
        for number, (index, token) in enumerate(zip(rest, row["outputs"], strict=True)):
            parameter = plan.prototype.parameters[index]
            result = expectations.output(token, module, module_name, parameter, number)
            plan.output(parameter.name, result)
    return plan


def run_call(plan: CallPlan, recorder: Recorder, status: int = 0, by_keyword: bool = False) -> Any:
    """Makes the call; what arrives is checked inside it, while pointers are alive."""
    def handler(link: str, words) -> int:
        for index, check in plan.arrived.items():
            try:
                check(words[index])
            except AssertionError as error:
                raise AssertionError(f"{link}, {plan.prototype.parameters[index]}: {error}") from error
        for index, store in plan.stored.items():
            assert words[index], f"{link}: NULL for the output {plan.prototype.parameters[index]}"
            if status == 0:
                store(words[index])
        return status

    recorder.reset()
    for link, answer in plan.answers.items():
        recorder.on(link, answer)
    recorder.on(plan.prototype.link, handler)
    function = getattr(plan.module, plan.row["name"])
    result = function(**plan.values) if by_keyword else function(*plan.values.values())
    recorder.only(plan.prototype.link)
    # Sizes and counts are asked where they are told, and nothing else is called.
    assert {link for link, _ in recorder.calls} == {plan.prototype.link, *plan.answers}
    return result
