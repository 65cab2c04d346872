"""Prints the headings of files, whose names come on standard input, as JSON: a
list for every file, of {"Level", "Line", "Text"}. The argument is the format:
html (the parser of Python) or rest (docutils)."""

import json
import re
import sys
from html.parser import HTMLParser


class HTMLHeadings(HTMLParser):
    HIDDEN = {"template", "script", "style", "textarea", "iframe"}
    BLOCKS = {"p", "br", "div", "li", "td", "th", "tr", "ul", "ol", "dl", "dt", "dd", "table", "pre"}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found, self.open, self.hidden = [], None, 0

    def level(self, tag):
        return int(tag[1]) if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456" else 0

    def close_heading(self):
        if self.open:
            text = " ".join(self.open["Text"].split()) or " ".join(self.open["alt"].split())
            self.found.append({"Level": self.open["Level"], "Line": self.open["Line"], "Text": text})
        self.open = None

    def handle_starttag(self, tag, attrs):
        if tag in self.HIDDEN:
            self.hidden += 1
        elif self.hidden:
            return
        elif self.level(tag):
            self.close_heading()
            self.open = {"Level": self.level(tag), "Line": self.getpos()[0], "Text": "", "alt": ""}
        elif self.open and tag in self.BLOCKS:
            self.open["Text"] += " "
        elif self.open and tag == "img":
            self.open["alt"] += " " + (dict(attrs).get("alt") or "")

    def handle_startendtag(self, tag, attrs):
        if tag in ("br", "img", "hr"):
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if tag in self.HIDDEN:
            self.hidden = max(self.hidden - 1, 0)
        elif not self.hidden and self.level(tag):
            self.close_heading()
        elif self.open and tag in self.BLOCKS:
            self.open["Text"] += " "

    def handle_data(self, data):
        if self.open and not self.hidden:
            self.open["Text"] += data


def html_headings(text):
    parser = HTMLHeadings()
    parser.feed(text)
    parser.close()
    parser.close_heading()
    return parser.found


def rest_headings(text):
    import docutils.core
    import docutils.nodes
    import docutils.parsers.rst.roles
    import docutils.utils

    def role(name, language, lineno, reporter):
        found, messages = known(name, language, lineno, reporter)
        return found or any_role, []

    def any_role(name, raw, text, line, inliner, options=None, content=None):
        # Sphinx has more roles: "text <target>", "!text", "~module.name"
        text = docutils.utils.unescape(text)
        text = re.sub(r"(?s)^(.*\S)\s*<[^<>]*>$", r"\1", text)
        text = re.sub(r"^~.*\.", "", text).lstrip("!~")
        return [docutils.nodes.inline(raw, text)], []

    known = rest_headings.__dict__.setdefault("known", docutils.parsers.rst.roles.role)
    docutils.parsers.rst.roles.role = role
    settings = {
        "report_level": 5, "halt_level": 6, "doctitle_xform": False, "sectsubtitle_xform": False,
        "file_insertion_enabled": False, "raw_enabled": False, "_disable_config": True,
        "warning_stream": False,
    }
    lines = [""] + text.split("\n")

    def first_line(under):
        # docutils tells the line of the underline
        over = under - 2
        return over if over > 0 and lines[over].strip() and lines[over].rstrip() == lines[under].rstrip() else under - 1

    doc = docutils.core.publish_doctree(text, settings_overrides=settings)
    found = []

    def visit(node, level):
        for child in node.children:
            if isinstance(child, docutils.nodes.section):
                title = child.next_node(docutils.nodes.title)
                found.append({"Level": level, "Line": first_line(title.line), "Text": " ".join(title.astext().split())})
                visit(child, level + 1)

    visit(doc, 1)
    return found


def main():
    headings = {"html": html_headings, "rest": rest_headings}[sys.argv[1]]
    answers = []
    for name in sys.stdin.read().splitlines():
        with open(name, encoding="utf-8", newline="") as file:
            text = file.read()
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "").replace("\0", "")
        answers.append(headings(text))
    json.dump(answers, sys.stdout)


main()
