"""Where does a piece of a dump stand, and how is it refused?

A `Source` is the file being read: it turns nodes of the syntax tree into locations, raises the
errors that point there, and finds the mark (location and scope) at the end of a statement.
"""

from __future__ import annotations

import ast
import linecache
import re
from typing import Any, NoReturn

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.location import Location
from s2sad.ir.marks import read_mark

#: Location and scope of an operation.
Origin = tuple["Location | None", str]


class Source:
    """The file `name`, of which `text` is None when only a syntax tree is given."""

    def __init__(self, name: str, text: str | None) -> None:
        self.name = name
        self.text = text
        self.lines = [] if text is None else re.split("\r\n|\r|\n", text)
        self._origins: dict[str, Origin] = {}

    def place(self, node: Any) -> Location:
        """Where `node` stands; the start of the file for a node that was not parsed."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        same_line = getattr(node, "end_lineno", None) == line
        return Location(
            self.name, line, column, end_column=node.end_col_offset if same_line else None
        )

    def refusal(
        self, node: Any, message: str, *, help: str | None = None, code: str = "E0601"
    ) -> S2sadError:
        """The error that points at `node`; the caller raises it."""
        return self.refusal_at(self.place(node), message, help=help, code=code)

    def refusal_at(
        self, place: Location, message: str, *, help: str | None = None, code: str = "E0601"
    ) -> S2sadError:
        self._show()
        return fail(code, message, location=place, help=help)

    def reraise(self, error: S2sadError, node: Any) -> NoReturn:
        """Raise `error` as one of the dump's at `node`, unless it points into the dump already."""
        found = error.diagnostic
        if found.location is not None and found.location.file == self.name:
            raise error
        self._show()
        notes = found.notes
        if found.location is not None:
            notes = (*notes, f"the operation comes from {found.location}")
        raise fail(
            found.code, found.message, location=self.place(node), notes=notes, help=found.help
        ) from error

    def _show(self) -> None:
        """Let the excerpt of an error find the text, which may be in no file."""
        if self.text is not None and self.name.startswith("<"):
            lines = [line.encode(errors="replace").decode() + "\n" for line in self.lines]
            linecache.cache[self.name] = (len(self.text), None, lines, self.name)

    # ---- marks -----------------------------------------------------------------------------

    def origin(self, statement: ast.stmt, last: ast.expr | None = None) -> Origin:
        """Location and scope in the comment at the end of `statement`, or of the header in it.

        Parameters
        ----------
        last : ast.expr, optional
            Where the header of a compound statement ends but for closing parentheses and the
            colon. The parser says where code ends: what follows on the line is the comment.
        """
        comment = getattr(statement, "comment", None)
        if comment is None and self.lines:
            comment = self._comment_after(last or statement)
        if comment is None or not comment.startswith("@"):
            return None, ""
        if comment not in self._origins:
            try:
                self._origins[comment] = read_mark(comment)
            except ValueError as error:
                raise self.refusal(
                    statement, str(error), help="write `#@ file:line:column < caller in scope`"
                ) from error
        return self._origins[comment]

    def _comment_after(self, node: Any) -> str | None:
        number = node.end_lineno
        line = self.lines[number - 1]
        if "#" not in line:
            return None
        rest = line.encode()[node.end_col_offset :].decode().lstrip(") :\t")
        return rest[1:].rstrip() if rest.startswith("#") else None
