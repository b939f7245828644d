#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what a terminal shows as SVG: `script -qec COMMAND /dev/null | terminal_picture.py > picture.svg`.

Blanks are kept twice: every word has its own place, and white-space is pre (browsers no longer honour xml:space)."""
import html
import re
import sys

COLOURS = {"31": "#e5534b", "33": "#d4a72c", "34": "#5b9bd5", "36": "#39b5c4", "32": "#57ab5a"}


def runs(line):
    """(text, css) pieces of a line with ANSI colour codes."""
    style, at = "", 0
    for match in re.finditer(r"\x1b\[([0-9;]*)m", line):
        if match.start() > at:
            yield line[at:match.start()], style
        at = match.end()
        codes = match.group(1).split(";")
        style = ""
        for code in codes:
            if code == "1":
                style += "font-weight:bold;"
            elif code == "2":
                style += "opacity:.65;"
            elif code in COLOURS:
                style += f"fill:{COLOURS[code]};"
    if at < len(line):
        yield line[at:], style


def main():
    lines = [l.rstrip("\r") for l in sys.stdin.read().split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", l) for l in lines]
    width, height = max(len(l) for l in plain) * 8.43 + 40, len(lines) * 18 + 62
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}">',
           f'<rect width="{width:.0f}" height="{height}" rx="9" fill="#1c2128"/>']
    for i, colour in enumerate(("#e5534b", "#d4a72c", "#57ab5a")):
        out.append(f'<circle cx="{22 + 20 * i}" cy="20" r="6" fill="{colour}"/>')
    out.append('<g font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="14" fill="#cdd9e5" style="white-space:pre">')
    for i, line in enumerate(lines):
        spans, column = "", 0
        for text, style in runs(line):
            css = f' style="{style}"' if style else ""
            for word in re.finditer(r"\S+(?: \S+)*", text):
                place = 20 + (column + word.start()) * 8.43
                spans += f'<tspan x="{place:.2f}"{css}>{html.escape(word.group())}</tspan>'
            column += len(text)
        out.append(f'<text y="{56 + 18 * i}">{spans}</text>')
    out.append("</g></svg>")
    print("\n".join(out))


main()
