"""How do texts that look the same become the same?"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from enum import IntEnum
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.text.spans import texts_of
from s2sad.dataset.text.tokens import compiled
from s2sad.dataset.transforms.base import Transform


class NormalizeForm(IntEnum):
    """The forms of Unicode (UAX 15)."""

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


#: What has no shape of its own (Default_Ignorable_Code_Point), which NFKC_Casefold leaves out.
IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def checked_form(name: str, form: Any) -> NormalizeForm:
    """`form`, which must be one (E0304)."""
    if not isinstance(form, NormalizeForm):
        raise fail("E0304", f"{name} is a NormalizeForm, got {form!r}", help="NormalizeForm.NFKC")
    return form


def normalized(text: str, form: NormalizeForm) -> str:
    """`text` in a form of Unicode."""
    return text if form is NormalizeForm.NONE else unicodedata.normalize(form.name, text)  # type: ignore


def casefolded(text: str) -> str:
    """`text` as NFKC_Casefold has it (Unicode 3.13, R5).

    Examples
    --------
    >>> casefolded("Ｆull ﬁＬＬ Straße")
    'full fill strasse'
    """
    before = None
    while text != before:  # to fold may undo the form, and the reverse
        before = text
        folded = unicodedata.normalize("NFD", IGNORABLE.sub("", text)).casefold()
        text = unicodedata.normalize("NFKC", folded)
    return text


class _OfTexts(Transform, ABC):
    """Changes each text by itself; classes define `changed`."""

    def __call__(self, value: Any) -> np.ndarray:
        array = texts_of(value, self)
        found = [self.changed(text) for text in array.reshape(-1).tolist()]
        return np.array(found, np.str_).reshape(array.shape)

    @abstractmethod
    def changed(self, text: str) -> str:
        """`text` as it is then."""


class CaseFold(_OfTexts):
    """Texts without differences of case, and of compatible characters (NFKC_Casefold).

    Examples
    --------
    >>> CaseFold()(np.array("Welcome"))
    array('welcome', dtype='<U7')
    """

    def changed(self, text: str) -> str:
        return casefolded(text)


class NormalizeUTF8(_OfTexts):
    """Texts in a form of Unicode.

    Parameters
    ----------
    normalize_form : NormalizeForm
    """

    def __init__(self, normalize_form: NormalizeForm = NormalizeForm.NFKC) -> None:
        self.normalize_form = checked_form("normalize_form", normalize_form)

    def changed(self, text: str) -> str:
        return normalized(text, self.normalize_form)


class RegexReplace(_OfTexts):
    r"""Texts with something else in place of what a pattern matches.

    Parameters
    ----------
    pattern : str
        A regular expression of Python's `re`, where MindSpore takes those of ICU.
    replace : str
        ``$1`` is what the first group has matched; a backslash takes the next character as it is.
    replace_all : bool
        Or the first match only.

    Examples
    --------
    >>> RegexReplace(r"(\w+) (\w+)", "$2 $1")(np.array("or be"))
    array('be or', dtype='<U5')
    """

    def __init__(self, pattern: str, replace: str, replace_all: bool = True) -> None:
        if not isinstance(replace, str) or not isinstance(replace_all, bool):
            raise fail("E0303", f"replace is a str, and replace_all a bool, got {replace!r}, "
                       f"{replace_all!r}")  # fmt: skip
        self.pattern = compiled("pattern", pattern)
        self.replace = _pieces(replace, self.pattern.groups)
        self.replace_all = replace_all

    def changed(self, text: str) -> str:
        return self.pattern.sub(self._of, text, count=0 if self.replace_all else 1)

    def _of(self, found: re.Match[str]) -> str:
        return "".join(x if isinstance(x, str) else found[x] or "" for x in self.replace)


def _pieces(text: str, groups: int) -> list[str | int]:
    """What `text` is put together of: texts, and numbers of groups (E0404)."""
    found: list[str | int] = []
    for escaped, group, plain in re.findall(r"\\(.)|\$(\d*)|([^\\$]+)", text, re.DOTALL):
        if escaped or plain:
            found.append(escaped or plain)
        elif not group or int(group) > groups:
            raise fail(
                "E0404", f"${group} in {text!r} is no group: the pattern has {groups}",
                help="write \\$ for a dollar",
            )  # fmt: skip
        else:
            found.append(int(group))
    return found
