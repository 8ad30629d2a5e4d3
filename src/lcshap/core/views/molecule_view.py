"""Molecules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..json_reader import JsonNode
from .base import View


@dataclass(frozen=True, eq=False, kw_only=True)
class MoleculeView(View):
    """A molecule. Its parts are atoms.

    Attributes
    ----------
    block : a mol block, which keeps the order of the atoms.
    """

    kind: ClassVar[str] = "molecule"

    block: str

    def unit_data(self, d: int) -> str:
        """The mol block."""
        return self.block

    @classmethod
    def read_fields(cls, place: JsonNode, last: int) -> dict[str, Any]:
        """The block and the unit of each atom."""
        atoms = place["labels"].array("iu").size
        return {"block": place["block"].string(), "labels": place["labels"].integer_array(-1, last, atoms)}
