import Domain
import TestKit
import Testing

@testable import Artifacts

@Suite(.ownThread)
struct DeltaTests {
    /// Returns statements that compress badly, so that a patch that repeats them is noticeable.
    private static func script(_ seed: Int, statements: Int = 400) -> [UInt8] {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
        var text = ""
        for _ in 0..<statements {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            text += "const v\(state >> 40)=call(\(state >> 20));\n"
        }
        return Array(text.utf8)
    }

    private static let common: DeltaTrial.Files = [
        "news/same.js": script(1), "news/empty.txt": [], "news/日本.txt": Array("こんにちは".utf8),
        "news/picture.png": [0x89, 0, 1, 2, 3, 0],
    ]

    private static func trial(
        _ base: DeltaTrial.Files, _ target: DeltaTrial.Files, effort: DeltaEffort = .small
    ) throws -> DeltaTrial {
        try DeltaTrial(
            from: common.merging(base) { $1 }, to: common.merging(target) { $1 }, effort: effort)
    }

    @Test(
        arguments: [
            ([:], [:]),
            (["news/a.js": script(2)], [:]),
            ([:], ["news/a.js": script(2)]),
            (["news/a.js": script(2)], ["news/a.js": script(2) + Array("x=1".utf8)]),
            (["news/a.js": script(2)], ["news/moved/b.js": script(2), "news/c.js": script(2)]),
            (["news/a b.js": script(2)], ["news/a  c.js": script(2) + [1], "news/1 2": [2]]),
            (["news/a.bin": [0, 1, 2]], ["news/a.bin": []]),
            (["news/index-C35vpr6y.js": script(2)], ["news/index-Dk40xx_-.js": script(2) + [10]]),
        ] as [(DeltaTrial.Files, DeltaTrial.Files)])
    func `a patch makes the new tree after any change of the files`(
        base: DeltaTrial.Files, target: DeltaTrial.Files
    ) throws {
        for effort in DeltaEffort.allCases {
            let trial = try Self.trial(base, target, effort: effort)
            #expect(try trial.result() == Self.common.merging(target) { $1 })
        }
    }

    @Test func `a tree without files is a base and a result like any other`() throws {
        #expect(try DeltaTrial(from: [:], to: Self.common).result() == Self.common)
        #expect(try DeltaTrial(from: Self.common, to: [:]).result() == [:])
        #expect(try DeltaTrial(from: [:], to: [:]).patch.count < 100)
    }

    @Test func `equal trees and an equal effort give equal bytes`() throws {
        let (base, target) = (["news/a.js": Self.script(2)], ["news/a.js": Self.script(3)])
        for effort in DeltaEffort.allCases {
            #expect(
                try Self.trial(base, target, effort: effort).patch == Self.trial(base, target, effort: effort).patch)
        }
    }

    @Test func `a chunk that differs only in the hashes of other chunks costs a line`() throws {
        let hashes = [("0d1f109c3d842497fd51", "9f27be1098bc8abebe3f"), ("C35vpr6y", "Dk40xx_-")]
        func files(_ pick: ((String, String)) -> String) -> DeltaTrial.Files {
            let (webpack, vite) = (pick(hashes[0]), pick(hashes[1]))
            let loader = Array("load('\(webpack)','index-\(vite).js')".utf8)
            return [
                "news/1036.\(webpack).js": Self.script(2) + loader,
                "news/1036.\(webpack).js.LICENSE.txt": Array("MIT".utf8),
                "news/assets/index-\(vite).js": Self.script(3) + loader, "news/index.html": Self.script(4) + loader,
            ]
        }
        let trial = try Self.trial(files(\.0), files(\.1))
        #expect(try trial.result() == Self.common.merging(files(\.1)) { $1 })
        #expect(trial.patch.count < DeltaHeader.length + 150)
    }

    @Test func `a moved file costs a line, however large it is`() throws {
        let large = Self.script(2, statements: 20_000)
        let trial = try Self.trial(["news/a.js": large], ["news/deep/b.js": large])
        #expect(trial.patch.count < DeltaHeader.length + 60)
    }

    @Test func `a file without a namesake has the most similar file as its base`() throws {
        let old = Self.script(2, statements: 2_000)
        let trial = try Self.trial(["news/a.js": old], ["news/a.js": Self.script(5), "news/z.js": old + [59]])
        #expect(trial.patch.count < old.count / 4)
    }

    @Test func `a patch for another base is refused`() throws {
        let trial = try Self.trial(["news/a.js": Self.script(2)], ["news/a.js": Self.script(3)])
        let other = try Self.trial(["news/a.js": Self.script(4)], ["news/a.js": Self.script(3)])
        #expect(trial.refusal(of: other.patch) == "delta-base")
        #expect(trial.refusal(of: trial.patch) == nil)
    }

    @Test func `no patch with a flipped byte makes another tree unnoticed`() throws {
        let trial = try Self.trial(
            ["news/a.js": Self.script(2), "news/b.js": Self.script(3)],
            ["news/a.js": Self.script(2) + [1], "news/b.js": Self.script(6), "news/c.js": Self.script(3)])
        for position in stride(from: 0, to: trial.patch.count, by: max(1, trial.patch.count / 500)) {
            var patch = trial.patch
            patch[position] ^= 0x55
            // The caller compares the result with the tree hash in the header.
            let inTree = (40..<72).contains(position)
            #expect(inTree || trial.refusal(of: patch) != nil, "byte \(position)")
        }
    }

    @Test func `no patch that was cut short is applied`() throws {
        let trial = try Self.trial(["news/a.js": Self.script(2)], ["news/a.js": Self.script(3)])
        for count in stride(from: 0, to: trial.patch.count, by: max(1, trial.patch.count / 200)) {
            #expect(trial.refusal(of: Array(trial.patch.prefix(count))) != nil, "\(count) bytes")
        }
        #expect(trial.refusal(of: trial.patch + [0]) != nil)
    }

    @Test func `the size of a patch's result is limited to the byte`() throws {
        let trial = try DeltaTrial(from: ["a": Self.script(2)], to: ["a": Self.script(3), "b": Self.script(2)])
        let size = try trial.result().values.reduce(0) { $0 + $1.count }
        #expect(trial.refusal(of: trial.patch, limit: size) == nil)
        #expect(trial.refusal(of: trial.patch, limit: size - 1) == "too-large")
    }
}
