"""The description of the package on an index page: README.md, without links that lead nowhere from there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # in the tests, which need `index_page` alone
    MetadataHookInterface = object

_IMAGE = re.compile(r"^!\[[^]]*\]\((?!https?://)[^)]*\)\n\n?", re.MULTILINE)
_LINK = re.compile(r"\[([^]]*)\]\((?!https?://|#)([^)]*)\)")
_CODE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def index_page(readme: str, source: str = "") -> str:
    """The text of README.md for an index page: relative links become absolute if the source has an address, else plain text.

    Args:
      readme: the text of README.md.
      source: the address under which the repository shows its files, such as `https://example.org/gradtape/blob/main`.
    """
    parts = _CODE.split(readme)
    for i in range(0, len(parts), 2):  # code blocks are at odd places
        parts[i] = _IMAGE.sub("", parts[i])
        parts[i] = _LINK.sub(rf"[\1]({source.rstrip('/')}/\2)" if source else r"\1", parts[i])
    return "".join(parts)


class CustomMetadataHook(MetadataHookInterface):  # type: ignore[misc]
    """Gives the built package `index_page` of README.md as its description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description; `project.urls.Files` is the address of the repository's files."""
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = index_page(readme, metadata.get("urls", {}).get("Files", ""))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
