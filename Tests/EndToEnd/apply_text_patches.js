// Applies text patches like a client that applies hunks only at their exact position: apply_text_patches.js CASES
//
// CASES is a JSON array of {"old", "new", "patch"}; fails if a case does not give the exact new bytes. A string's length
// and offsets count UTF-16 units here, as in Objective-C.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");

function apply(patch, text) {
    let at = 0;
    for (const line of patch.split("\n").slice(0, -1)) {
        const heading = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@$/.exec(line);
        if (heading) {
            at = heading[2] === "0" ? Number(heading[1]) : Number(heading[1]) - 1;
            continue;
        }
        const words = decodeURI(line.slice(1));
        if (line[0] === "+") {
            text = text.slice(0, at) + words + text.slice(at);
            at += words.length;
            continue;
        }
        assert.strictEqual(text.slice(at, at + words.length), words);
        if (line[0] === "-") text = text.slice(0, at) + text.slice(at + words.length);
        else at += words.length;
    }
    return text;
}

const cases = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
for (const { old, new: wanted, patch } of cases) {
    assert.deepStrictEqual(Buffer.from(apply(patch, old)), Buffer.from(wanted));
}
console.log(cases.length);
