"""The fixed text of a prompt: a template or chat messages with fields in braces, filled in once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import MaskerError

_FIELD = re.compile(r"\{([A-Za-z_]\w*)\}")
_PLACE = "sources"


@dataclass(frozen=True)
class Template:
    """A text, or messages, with fields.

    Attributes
    ----------
    parts : for each message its role and its content; of a plain text one part without a role.

    Examples
    --------
    >>> filled = Template.read("{sources} Why? {why}").fill({"why": "{sources}"})
    >>> filled.with_sources("Because.")
    'Because. Why? {sources}'
    """

    parts: tuple[tuple[str | None, str], ...]

    @classmethod
    def read(cls, given: Any) -> Template:
        """Check what the user gives as a template."""
        if isinstance(given, str):
            parts: tuple[tuple[str | None, str], ...] = ((None, given),)
        elif isinstance(given, Sequence) and given and all(_is_message(part) for part in given):
            parts = tuple((part["role"], part["content"]) for part in given)
        else:
            raise MaskerError(
                f'Expected a text or a list of messages {{"role": ..., "content": ...}} as template, got {given!r:.60}.'
            )
        places = sum(_FIELD.findall(content).count(_PLACE) for _, content in parts)
        if places != 1:
            raise MaskerError(
                f"Expected {{sources}} once in the template, got it {places} times. Write it where the sources go."
            )
        return cls(parts)

    @property
    def fields(self) -> list[str]:
        """The names of all fields, in their order."""
        return list(dict.fromkeys(name for _, content in self.parts for name in _FIELD.findall(content)))

    def fill(self, given: Mapping[str, Any]) -> Filled:
        """Put texts in the place of all fields but the sources."""
        wanted = [name for name in self.fields if name != _PLACE]
        if unknown := [name for name in given if name not in wanted]:
            raise MaskerError(
                f"Expected the fields of the template, {', '.join([_PLACE, *wanted])}, got {unknown[0]!r} too. "
                f"Write {{{unknown[0]}}} into the template or leave it out."
            )
        for name in wanted:
            if not isinstance(given.get(name), str):
                got = "nothing" if name not in given else type(given[name]).__name__
                raise MaskerError(f"Expected a text for {{{name}}} of the template, got {got}. Give it in the input.")
        found: list[tuple[str | None, tuple[str, ...]]] = []
        for role, content in self.parts:
            pieces = content.split(f"{{{_PLACE}}}")
            found.append((role, tuple(_FIELD.sub(lambda match: str(given[match[1]]), piece) for piece in pieces)))
        return Filled(tuple(found))


@dataclass(frozen=True)
class Filled:
    """A template in which only the sources are missing.

    Attributes
    ----------
    parts : for each message its role and its content, which is cut in two where the sources go.
    """

    parts: tuple[tuple[str | None, tuple[str, ...]], ...]

    def with_sources(self, block: str, tokenizer: Any = None) -> Any:
        """The prompt with these sources: a text, or messages where there are roles and no tokenizer."""
        if self.parts[0][0] is None:
            return block.join(self.parts[0][1])
        messages = [{"role": role, "content": block.join(pieces)} for role, pieces in self.parts]
        if tokenizer is None:
            return messages
        return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)

    def shown(self, block: str) -> tuple[int, str]:
        """The prompt as people read it, with the roles of messages in words, and where the sources start in it."""
        text, start = "", 0
        for role, pieces in self.parts:
            text += ("\n\n" if text else "") + (f"{role}: " if role is not None else "")
            if len(pieces) == 2:
                start = len(text) + len(pieces[0])
            text += block.join(pieces)
        return start, text


def _is_message(part: Any) -> bool:
    return isinstance(part, Mapping) and all(isinstance(part.get(name), str) for name in ("role", "content"))
