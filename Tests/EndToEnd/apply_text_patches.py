#!/usr/bin/env python3
"""Applies text patches with the library diff-match-patch: apply_text_patches.py CASES

CASES is a JSON array of {"old", "new", "patch"}; fails if a case does not give the exact new text.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".build/python"))
import diff_match_patch

library = diff_match_patch.diff_match_patch()
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    cases = json.load(file)
for case in cases:
    text, applied = library.patch_apply(library.patch_fromText(case["patch"]), case["old"])
    assert all(applied), f"not applied: {case!r}"
    assert text.encode() == case["new"].encode(), f"another text: {text!r} of {case!r}"
print(len(cases))
