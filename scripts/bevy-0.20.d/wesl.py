"""Converts shaders from the dialect of naga_oil (Bevy up to 0.19) to WESL (Bevy 0.20)."""

import re

# Modules of Bevy 0.19 and this crate whose path in 0.20 is not `crate::module`.
MODULES = {
    "bevy_pbr::prepass_io": "bevy_pbr::prepass::io",
    "bevy_pbr::prepass_utils": "bevy_pbr::prepass::utils",
    "bevy_pbr::prepass_bindings": "bevy_pbr::prepass::bindings",
    "bevy_pbr::pbr_deferred_functions": "bevy_pbr::deferred::functions",
    "bevy_pbr::pbr_deferred_types": "bevy_pbr::deferred::types",
    "bevy_pbr::decal": "bevy_pbr::decal",
    "bevy_pbr::atmosphere": "bevy_pbr::atmosphere",
    "bevy_pbr::lightmap": "bevy_pbr::lightmap",
    "bevy_core_pipeline::oit": "bevy_core_pipeline::oit::draw",
}
# All other modules of a crate are below this path.
ROOTS = {"bevy_pbr": "bevy_pbr::render", "bevy_classic_models": "bevy_classic_models::scene::shaders"}


def mapped(path):
    """The path in 0.20, and a new name for the module if an import of the module itself would change its name."""
    parts = path.split("::")
    module = "::".join(parts[:2])
    new = MODULES.get(module)
    if new is None:
        crate = parts[0]
        new = "::".join([ROOTS.get(crate, crate)] + parts[1:2])
    full = "::".join([new] + parts[2:])
    alias = parts[1] if len(parts) == 2 and new.split("::")[-1] != parts[1] else None
    return full, alias


def split_items(text):
    items, depth, item = [], 0, ""
    for c in text:
        if c == "," and depth == 0:
            items.append(item)
            item = ""
            continue
        depth += (c == "{") - (c == "}")
        item += c
    items.append(item)
    return [i.strip() for i in items if i.strip()]


def converted_import(text, indent):
    """Converts the part of an import after `#import`."""
    text = text.strip().rstrip(";").strip()
    match = re.fullmatch(r"(\w+)::\{(.*)\}", text, re.S)
    items = split_items(match[2]) if match else None
    if items is None:
        head = re.match(r"[\w:]+?(?=::\{|$)", text)[0]
        full, alias = mapped(head)
        return f"import {full}{text[len(head):]}{' as ' + alias if alias and head == text else ''};"
    out = []
    for item in items:
        head = re.match(r"[\w:]+?(?=::\{|$|\s)", item)[0]
        full, alias = mapped(f"{match[1]}::{head}")
        out.append(full[len(match[1]) + 2:] + item[len(head):] + (f" as {alias}" if alias and head == item else ""))
    prefixes = {item.split("::")[0] for item in out}
    prefix = match[1]
    if len(prefixes) == 1 and all("::" in item for item in out):
        prefix += "::" + prefixes.pop()
        out = [item.split("::", 1)[1] for item in out]
    return f"import {prefix}::{{\n" + "".join(f"    {item},\n" for item in out) + "};"


TOKEN = re.compile(
    r"(?P<comment>//[^\n]*)|(?P<directive>^[ \t]*#(?:ifdef|ifndef|else|endif|define_import_path)[^\n]*\n)"
    r"|(?P<import>^#import[^\n{]*(?:\{(?:[^{}]|\{[^{}]*\})*\})?[^\n]*\n)"
    r"|(?P<space>\s+?(?=\S|^)|\s)|(?P<open>[({\[])|(?P<close>[)}\]])|(?P<end>[;,])|(?P<word>\w+|.)",
    re.M,
)


class Converter:
    def __init__(self, text):
        text = re.sub(r"#\{(\w+)\}", r"constants::\1", text)
        self.tokens = [(m.lastgroup, m[0]) for m in TOKEN.finditer(text)]
        self.at = 0
        self.out = []

    def run(self):
        self.items("top")
        return "".join(self.out)

    def guard(self, conditions):
        if conditions:
            # The indentation before the item is already written: the guard takes it, and the item gets a new one.
            indent = re.search(r"[ \t]*$", "".join(self.out[-12:]))[0]
            self.out.append(f"@if({' && '.join(conditions)})\n{indent}")

    def items(self, context):
        """Converts items up to the bracket that closes them."""
        conditions = []
        while self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            if kind == "close":
                assert not conditions, conditions
                return
            self.at += 1
            if kind == "directive":
                word, *names = text.split()
                if word == "#ifdef":
                    conditions.append(names[0])
                elif word == "#ifndef":
                    conditions.append("!" + names[0])
                elif word == "#else":
                    last = conditions.pop()
                    conditions.append(last[1:] if last.startswith("!") else "!" + last)
                elif word == "#endif":
                    conditions.pop()
            elif kind in ("comment", "space"):
                self.out.append(text)
            elif kind == "import":
                self.guard(conditions)
                self.out.append(converted_import(text.strip()[len("#import"):], "") + "\n")
            else:
                self.guard(conditions)
                self.at -= 1
                self.item(context)

    def item(self, context):
        """Converts one item: a declaration, a statement, a member or a parameter."""
        first = self.tokens[self.at][1]
        ends = "," if context == "list" else ";"
        while self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            if kind == "close":
                return
            self.at += 1
            self.out.append(text)
            if kind == "end" and text in ends:
                return
            if kind == "open":
                inner = "list" if text in "([" or first == "struct" else "body"
                self.items(inner)
                self.out.append(self.tokens[self.at][1])
                self.at += 1
                if text == "{" and context != "list" and not self.follows("else"):
                    return
            assert kind not in ("directive", "import"), text

    def follows(self, word):
        rest = (t for t in self.tokens[self.at:] if t[0] not in ("space", "comment"))
        return next(rest, ("", ""))[1] == word


