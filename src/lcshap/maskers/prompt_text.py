"""The fixed text of a prompt: a template or chat messages with fields in braces, filled in once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import MaskerError

_FIELD = re.compile(r"\{([A-Za-z_]\w*)\}")
_SOURCES_FIELD = "sources"


@dataclass(frozen=True)
class Template:
    """A text, or messages, with fields.

    Attributes
    ----------
    parts : the role and the content of each message; a plain text is one part without a role.

    Examples
    --------
    >>> filled = Template.read("{sources} Why? {why}").fill({"why": "{sources}"})
    >>> filled.with_sources("Because.")
    'Because. Why? {sources}'
    """

    parts: tuple[tuple[str | None, str], ...]

    @classmethod
    def read(cls, template: Any) -> Template:
        """Check the template of the user."""
        if isinstance(template, str):
            parts: tuple[tuple[str | None, str], ...] = ((None, template),)
        elif isinstance(template, Sequence) and template and all(_is_message(message) for message in template):
            parts = tuple((message["role"], message["content"]) for message in template)
        else:
            raise MaskerError(
                f'Expected a text or a list of messages {{"role": ..., "content": ...}} as template, got '
                f"{template!r:.60}."
            )
        count = sum(_FIELD.findall(content).count(_SOURCES_FIELD) for _, content in parts)
        if count != 1:
            raise MaskerError(
                f"Expected {{sources}} once in the template, got it {count} times. Write it where the sources go."
            )
        return cls(parts)

    @property
    def fields(self) -> list[str]:
        """The names of all fields, in their order."""
        return list(dict.fromkeys(name for _, content in self.parts for name in _FIELD.findall(content)))

    def fill(self, texts: Mapping[str, Any]) -> FilledTemplate:
        """Fill in all fields except the sources."""
        names = [name for name in self.fields if name != _SOURCES_FIELD]
        if unknown := [name for name in texts if name not in names]:
            raise MaskerError(
                f"Expected the fields of the template, {', '.join([_SOURCES_FIELD, *names])}, got {unknown[0]!r} too. "
                f"Write {{{unknown[0]}}} into the template or leave it out."
            )
        for name in names:
            if not isinstance(texts.get(name), str):
                type_name = "nothing" if name not in texts else type(texts[name]).__name__
                raise MaskerError(
                    f"Expected a text for {{{name}}} of the template, got {type_name}. Give it in the input."
                )
        messages: list[tuple[str | None, tuple[str, ...]]] = []
        for role, content in self.parts:
            pieces = content.split(f"{{{_SOURCES_FIELD}}}")
            messages.append((role, tuple(_FIELD.sub(lambda match: str(texts[match[1]]), piece) for piece in pieces)))
        return FilledTemplate(tuple(messages))


@dataclass(frozen=True)
class FilledTemplate:
    """A template in which only the sources are missing.

    Attributes
    ----------
    parts : the role and the content of each message. The content with the sources is cut in two at their position.
    """

    parts: tuple[tuple[str | None, tuple[str, ...]], ...]

    def with_sources(self, block: str, tokenizer: Any = None) -> Any:
        """The prompt with these sources: a text, or messages if there are roles and no tokenizer."""
        if self.parts[0][0] is None:
            return block.join(self.parts[0][1])
        messages = [{"role": role, "content": block.join(pieces)} for role, pieces in self.parts]
        if tokenizer is None:
            return messages
        return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)

    def readable(self, block: str) -> tuple[int, str]:
        """The prompt as readable text, with the roles of messages in words, and the position of the sources."""
        text, start = "", 0
        for role, pieces in self.parts:
            text += ("\n\n" if text else "") + (f"{role}: " if role is not None else "")
            if len(pieces) == 2:
                start = len(text) + len(pieces[0])
            text += block.join(pieces)
        return start, text


def _is_message(candidate: Any) -> bool:
    return isinstance(candidate, Mapping) and all(isinstance(candidate.get(name), str) for name in ("role", "content"))
