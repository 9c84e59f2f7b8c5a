#!/usr/bin/env python3
"""Applies a delta patch with the zstd command, written from docs/formats/delta.md alone: apply_delta.py PATCH BASE RESULT"""
import hashlib, os, re, subprocess, sys, tempfile


def files(root):
    found = (os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names)
    return sorted((os.fsencode(os.path.relpath(path, root)), open(path, "rb").read()) for path in found)


def tree_hash(tree):
    return hashlib.sha256(b"".join(b"%s\0%s\n" % (p, hashlib.sha256(c).hexdigest().encode()) for p, c in tree)).digest()


def decode(frame, prefix):
    with tempfile.NamedTemporaryFile() as base:
        base.write(prefix)
        base.flush()
        option = ["--patch-from=" + base.name] if prefix else []
        return subprocess.run(["zstd", "-dcq", *option], input=frame, capture_output=True, check=True).stdout


patch, base = open(sys.argv[1], "rb").read(), files(sys.argv[2])
assert patch[:8] == b"LDELTA\0\1" and patch[8:40] == tree_hash(base)
body = 76 + int.from_bytes(patch[72:76], "little")
lines = decode(patch[76:body], b"".join(path + b"\n" for path, _ in base)).decode().split("\n")[:-1]
tokens, entries, prefix_files, result, at = {}, [], [], [], 0
for line in lines:
    if run := re.fullmatch(r"([kd]) (\d+)", line):
        result += base[at : at + int(run[2])] if run[1] == "k" else []
        at += int(run[2])
    elif line.startswith("p "):
        bounds = [[int(n) for n in part.split("-")] for part in line[2:].split()]
        prefix_files = [number for b in bounds for number in range(b[0], b[-1] + 1)]
    else:
        count = {"c": 0, "m": 0, "s": 1, "f": 2}[line[0]]
        kind, source, *sizes = line.split(" ", 2 + count)
        rest = sizes.pop() if len(sizes) > count else ""
        path = os.fsencode(rest[1:]) if rest.startswith("/") else base[int(source)][0]
        if rest and not rest.startswith("/"):
            offset, token = int(rest.split()[0]), rest.split()[1].encode()
            tokens[path[offset : offset + len(token)]] = token
            path = path[:offset] + token + path[offset + len(token) :]
        entries.append((kind, None if source == "-" else int(source), [int(size) for size in sizes], path))
pattern = re.compile(b"|".join(tokens) or b"(?!)")
mapped = lambda number: b"" if number is None else pattern.sub(lambda found: tokens[found[0]], base[number][1])
for kind, source, sizes, path in entries:
    if kind == "f":
        result.append((path, decode(patch[body : body + sizes[1]], mapped(source))))
        body += sizes[1]
    elif kind in "cm":
        result.append((path, mapped(source) if kind == "m" else base[source][1]))
common = decode(patch[body:], b"".join(mapped(number) for number in prefix_files)) if patch[body:] else b""
for kind, source, sizes, path in entries:
    if kind == "s":
        result.append((path, common[: sizes[0]]))
        common = common[sizes[0] :]
assert patch[40:72] == tree_hash(sorted(result)), "the result is not what the patch says"
assert len(dict(result)) == len(result) and not any({b"", b".", b".."} & set(path.split(b"/")) for path, _ in result)
for path, content in result:
    target = os.path.join(sys.argv[3], os.fsdecode(path))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    open(target, "wb").write(content)
