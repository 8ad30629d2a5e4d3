"""Opening the page in a browser without its token on a command line, which all users of a machine can read."""

from __future__ import annotations

import html
import os
import shutil
import tempfile
import webbrowser
from pathlib import Path


class RedirectFile:
    """A private file that leads a browser to an address. It is deleted by `delete`.

    Attributes
    ----------
    path : the file, in a folder of its own that only this user can read.

    Examples
    --------
    >>> file = RedirectFile("http://127.0.0.1:8000/?token=secret")
    >>> "secret" in file.path.as_uri(), "secret" in file.path.read_text()
    (False, True)
    >>> file.delete()
    """

    def __init__(self, url: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="lcshap-")) / "open.html"  # the folder has the mode 700
        address = html.escape(url)
        page = (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>lcshap playground</title>\n'
            f'<meta name="referrer" content="no-referrer">\n'
            f'<meta http-equiv="refresh" content="0; url={address}"></head>\n'
            f'<body><p>The playground is at <a href="{address}">this address</a>.</p></body></html>\n'
        )
        with open(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            stream.write(page)

    def open(self) -> None:
        """Open the file in the browser of the user."""
        webbrowser.open(self.path.as_uri())

    def delete(self) -> None:
        """Delete the file and its folder."""
        shutil.rmtree(self.path.parent, ignore_errors=True)
