# SPDX-License-Identifier: Apache-2.0
"""Changes to the text of a header, found by the names of what they change: no header text is needed to say them.

Each function gives a change: a function from a header's text to the changed text, which fails where it changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Change = Callable[[str], str]


class NotFoundError(Exception):
    """A header does not have what is to be changed."""


def _prototype(text: str, name: str) -> re.Match[str]:
    """Parameters and all of the first declaration of a function, which no comment and no directive holds."""
    pattern = rf"(?m)^(?![ \t]*[*#/])(?P<head>[^\n;#]*?)\b{name}\s*\((?P<params>[^;{{}}]*)\)\s*(?:;|\{{)"
    found = re.search(pattern, text)
    if not found:
        raise NotFoundError(f"no prototype of {name}")
    return found


def _split(params: str) -> list[str]:
    """The parameters, as they stand; commas inside parentheses part nothing."""
    parts, depth = [""], 0
    for letter in params:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _position(params: list[str], name: str) -> int:
    for index, text in enumerate(params):
        if re.search(rf"\b{name}\b", text):
            return index
    raise NotFoundError(f"no parameter {name} in {params}")


def parameters(function: str, edit: Callable[[list[str]], list[str]]) -> Change:
    """Replaces the parameters of a function by what `edit` makes of them."""
    def change(text: str) -> str:
        found = _prototype(text, function)
        edited = ",".join(edit(_split(found["params"])))
        return text[:found.start("params")] + edited + text[found.end("params"):]
    return change


def _edit_one(function: str, name: str, edit: Callable[[str], str]) -> Change:
    def edit_all(params: list[str]) -> list[str]:
        index = _position(params, name)
        return [*params[:index], edit(params[index]), *params[index + 1:]]
    return parameters(function, edit_all)


def rename(function: str, name: str, new: str) -> Change:
    """Gives a parameter another name."""
    return _edit_one(function, name, lambda text: re.sub(rf"\b{name}\b", new, text))


def insert(function: str, index: int, parameter: str) -> Change:
    """Inserts a parameter."""
    return parameters(function, lambda params: [*params[:index], " " + parameter, *params[index:]])


def remove(function: str, name: str) -> Change:
    """Removes a parameter."""
    def edit(params: list[str]) -> list[str]:
        index = _position(params, name)
        return params[:index] + params[index + 1:] or ["void"]
    return parameters(function, edit)


def swap(function: str, first: int, second: int) -> Change:
    """Exchanges two parameters."""
    def edit(params: list[str]) -> list[str]:
        params = list(params)
        params[first], params[second] = params[second], params[first]
        return params
    return parameters(function, edit)


def retype(function: str, name: str, new: str) -> Change:
    """Gives a parameter another type."""
    return _edit_one(function, name, lambda text: f" {new} {name}")


def write(function: str, name: str, parameter: str) -> Change:
    """Writes a parameter anew."""
    return _edit_one(function, name, lambda text: " " + parameter)


def add_const(function: str, name: str) -> Change:
    """Makes what a parameter points at const."""
    return _edit_one(function, name, lambda text: " const" + (text if text[0].isspace() else " " + text))


def drop_const(function: str, name: str) -> Change:
    """Takes the const from what a parameter points at."""
    return _edit_one(function, name, lambda text: text.replace("const ", "", 1))


def result(function: str, old: str, new: str) -> Change:
    """Makes a function return another type."""
    def change(text: str) -> str:
        found = _prototype(text, function)
        head = re.sub(rf"\b{old}\b", new, found["head"])
        return text[:found.start("head")] + head + text[found.end("head"):]
    return change


def drop_function(name: str) -> Change:
    """Removes a prototype."""
    def change(text: str) -> str:
        found = _prototype(text, name)
        return text[:found.start()] + text[found.end():]
    return change


def add_after(function: str, declaration: str) -> Change:
    """Writes a declaration of our own behind a function's prototype."""
    def change(text: str) -> str:
        found = _prototype(text, function)
        return text[:found.end()] + "\n" + declaration + "\n" + text[found.end():]
    return change


def _comment(text: str, function: str) -> tuple[int, int]:
    found = _prototype(text, function)
    start = text.rfind("/**", 0, found.start())
    return start, text.index("*/", start) + 2


def drop_comment(function: str) -> Change:
    """Removes the comment in front of a function."""
    def change(text: str) -> str:
        start, end = _comment(text, function)
        return text[:start] + text[end:]
    return change


def tag(function: str, name: str, value: str) -> Change:
    """Tags a parameter in the function's comment as in, out or inout."""
    def change(text: str) -> str:
        start, end = _comment(text, function)
        pattern = rf"\\param\s*(?:\[[^\]]*\])?\s+{name}\b"
        comment = re.sub(pattern, rf"\\param[{value}] {name}", text[start:end])
        return text[:start] + comment + text[end:]
    return change


def unword(function: str) -> Change:
    """Takes from a function's comment the words that say what is returned."""
    def change(text: str) -> str:
        start, end = _comment(text, function)
        return text[:start] + re.sub(r"(?i)\breturn(s|ed|ing)?\b", "concerns", text[start:end]) + text[end:]
    return change


def comment_of(function: str, words: str) -> Change:
    """Puts a comment of our own in the place of a function's."""
    def change(text: str) -> str:
        start, end = _comment(text, function)
        return text[:start] + f"/** {words} */" + text[end:]
    return change


def _body(text: str, keyword: str, tag_name: str) -> tuple[int, int]:
    found = re.search(rf"(?m)^[^\n*]*\b{keyword}\b[^;{{}}\n]*\b{tag_name}\s*\{{", text)
    if not found:
        raise NotFoundError(f"no {keyword} {tag_name}")
    depth, at = 1, found.end()
    while depth:
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
    return found.end(), at - 1


def _members(body: str) -> list[str]:
    """The members of a struct, comments and all, each up to its semicolon."""
    return re.findall(r"(?s)(?:/\*.*?\*/|[^;/]|/(?!\*))*;", body)


def members(record: str, edit: Callable[[list[str]], list[str]], keyword: str = "struct") -> Change:
    """Replaces the members of a struct or union by what `edit` makes of them."""
    def change(text: str) -> str:
        start, end = _body(text, keyword, record)
        found = _members(text[start:end])
        rest = text[start:end][sum(map(len, found)):]
        return text[:start] + "".join(edit(found)) + rest + text[end:]
    return change


def swap_members(record: str, first: int, second: int) -> Change:
    """Exchanges two members."""
    def edit(found: list[str]) -> list[str]:
        found = list(found)
        found[first], found[second] = found[second], found[first]
        return found
    return members(record, edit)


def add_member(record: str, index: int, member: str) -> Change:
    """Inserts a member."""
    return members(record, lambda found: [*found[:index], f"\n    {member};", *found[index:]])


def drop_member(record: str, index: int) -> Change:
    """Removes a member."""
    return members(record, lambda found: found[:index] + found[index + 1:])


def retype_member(record: str, name: str, new: str) -> Change:
    """Writes a member anew; `new` is its whole declaration."""
    def edit(found: list[str]) -> list[str]:
        index = next(i for i, text in enumerate(found) if re.search(rf"\b{name}\b(\[[^\]]*\])?\s*;$", text))
        return [*found[:index], f"\n    {new};", *found[index + 1:]]
    return members(record, edit)


def enumerator(name: str, value: str) -> Change:
    """Gives an enumerator another value."""
    return _match(rf"(?m)^(\s*{name}\s*)=[^,/\n}}]*", rf"\g<1>= {value} ")


def drop_enumerator(name: str) -> Change:
    """Removes an enumerator."""
    return _match(rf"(?m)^\s*{name}\b[^,\n]*,[^\n]*\n", "")


def add_enumerator(after: str, name: str, value: str) -> Change:
    """Adds an enumerator behind another one."""
    return _match(rf"(?m)^(\s*{after}\s*=[^,/\n]*,)", rf"\g<1> {name} = {value},")


def drop_macro(name: str) -> Change:
    """Removes a macro of one line."""
    return _match(rf"(?m)^[ \t]*#[ \t]*define[ \t]+{name}\b[^\n]*\n", "")


def macro(name: str, value: str) -> Change:
    """Gives a macro another value."""
    return _match(rf"(?m)^([ \t]*#[ \t]*define[ \t]+{name})\b[ \t]+[^\n]*", rf"\g<1> {value}")


def _match(pattern: str, new: str) -> Change:
    def change(text: str) -> str:
        changed, count = re.subn(pattern, new, text, count=1)
        if not count:
            raise NotFoundError(f"nothing matches {pattern}")
        return changed
    return change


def replace(old: str, new: str) -> Change:
    """Replaces the first place of a text."""
    return _match(re.escape(old), new.replace("\\", r"\\"))


def replace_all(old: str, new: str) -> Change:
    """Replaces a text wherever it stands."""
    return lambda text: text.replace(old, new)


def retarget(name: str, typedef: str) -> Change:
    """Writes a typedef of one line anew."""
    return _match(rf"(?m)^typedef [^\n;]*\b{name}\b[^\n;]*;", typedef)


def row(section: str, text: str) -> Change:
    """Adds a row to a section of a data file."""
    return replace(f"[{section}]", f"[{section}]\n{text}")


def append(declaration: str) -> Change:
    """Writes a line of our own in front of the header's last directive."""
    def change(text: str) -> str:
        at = text.rindex("#endif")
        return text[:at] + declaration + "\n" + text[at:]
    return change


def both(*changes: Change) -> Change:
    """One change after the other."""
    def change(text: str) -> str:
        for one in changes:
            text = one(text)
        return text
    return change
