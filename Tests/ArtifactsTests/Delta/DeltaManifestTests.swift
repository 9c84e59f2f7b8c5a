import Domain
import Testing

@testable import Artifacts

struct DeltaManifestTests {
    private static let base = Tree(
        ["a-12345678.js", "b.js", "c.js"].compactMap { name in
            (try? TreePath(name)).map { path in
                let content = FileContent(
                    digest: OpenSSLCryptography().sha256(Array(name.utf8)), size: 10, crc32: 0, deflated: nil)
                return TreeFile(path: path, content: content)
            }
        })

    @Test func `a manifest is read as it was written`() throws {
        let manifest = DeltaManifest(
            runs: [.init(isKept: false, count: 1), .init(isKept: true, count: 2)], prefix: [1...2, 0...0],
            entries: [
                .init(source: 0, destination: .renamed(offset: 2, token: "87654321"), content: .mapped),
                .init(source: 1, destination: .literal(try TreePath("d e/ f")), content: .copied),
                .init(source: 2, destination: .same, content: .framed(size: 5, length: 17)),
                .init(source: nil, destination: .literal(try TreePath("g")), content: .common(size: 0)),
            ])
        let text = "d 1\nk 2\np 1-2 0\nm 0 2 87654321\nc 1 /d e/ f\nf 2 5 17\ns - 0 /g\n"
        #expect(String(decoding: manifest.text, as: UTF8.self) == text)
        #expect(try DeltaManifest(parsing: Array(text.utf8)) == manifest)
    }

    @Test(
        arguments: [
            "x 1\n", "k 1", "k\n", "k 0\n", "k 01\n", "k -1\n", "k 1 \n", "k 1 2\n", "k 9999999999999\n", "\n", "p\n",
            "p 2-1\n", "p 1-\n", "p 1-2-3\n", "p 1\np 2\n", "c - /a\n", "m - /a\n", "c 1 a\n", "c 1 /a/../b\n",
            "c 1 //a\n", "c 1 /\n", "c 1 2 short€\n", "c 1 2 abc\n", "f 1 2\n", "f - 2 3\n", "s - 1\n",
            "s - 1 2 abcd\n",
            "p 1\nk 1\n", "c 0 /z\nk 1\n", "c 0 /z\np 1\n", "c 0 /e\u{301}\n", "s 1\n", "k 1\r\n", "c 1 2 abcd e\n",
        ])
    func `a line that is not of the table is refused`(text: String) {
        #expect(throws: PlatformError.self) { try DeltaManifest(parsing: Array(text.utf8)) }
    }

    @Test(
        arguments: [
            ("k 4\n", "delta-reference"), ("k 3\nd 1\n", "delta-reference"), ("c 3 /z\n", "delta-reference"),
            ("p 0-3\n", "delta-reference"), ("k 3\nc 0 /b.js\n", "delta-reference"),
            ("c 0 /z\nc 1 /z\n", "delta-reference"), ("c 0 20 abcdefgh\n", "delta-reference"),
            ("c 0 5 abcdefgh\n", "delta-hash-map"), ("c 0 2 abcdefgh\nc 0 2 hgfedcba\n", "delta-hash-map"),
            ("c 0 2 abcdefgh\nc 0 2 abcd\n", "delta-hash-map"), ("f 0 67108865 1 /z\n", "too-large"),
            ("s - 67108864 /z\ns - 1 /y\n", "too-large"), ("s - 99 /z\n", "too-large"),
            ("p 0-2 0\n", "too-large"), ("p 0 0 0 0\n", "too-large"),
        ])
    func `a manifest that does not fit its base is refused`(text: String, reason: String) throws {
        let manifest = try DeltaManifest(parsing: Array(text.utf8))
        let limit = text.contains("99") ? 98 : Int.max
        let error = #expect(throws: PlatformError.self) {
            try DeltaApplication(of: manifest, to: Self.base, limit: limit)
        }
        #expect(error?.reason == reason)
    }

    @Test func `a patch may make as many files as a zip has, and read so much of the base`() throws {
        func manifest(_ lines: Int, _ line: (Int) -> String) throws -> DeltaManifest {
            try DeltaManifest(parsing: Array((0..<lines).map { line($0) + "\n" }.joined().utf8))
        }
        _ = try DeltaApplication(of: manifest(65_535) { "c 0 /x\($0)" }, to: Self.base, limit: .max)
        #expect(throws: PlatformError.self) {
            try DeltaApplication(of: manifest(65_536) { "c 0 /x\($0)" }, to: Self.base, limit: .max)
        }
        let content = FileContent(
            digest: OpenSSLCryptography().sha256([]), size: DeltaLimits.frameBytes, crc32: 0, deflated: nil)
        let large = Tree([TreeFile(path: try TreePath("a"), content: content)])
        _ = try DeltaApplication(of: manifest(16) { "f 0 0 9 /x\($0)" }, to: large, limit: .max)
        #expect(throws: PlatformError.self) {
            try DeltaApplication(of: manifest(17) { "f 0 0 9 /x\($0)" }, to: large, limit: .max)
        }
    }

    @Test func `a frame may hold as much as is allowed, to the byte`() throws {
        for text in ["f 0 67108864 1 /z\n", "s - 67108863 /z\ns - 1 /y\n"] {
            #expect(throws: Never.self) {
                try DeltaApplication(of: DeltaManifest(parsing: Array(text.utf8)), to: Self.base, limit: .max)
            }
        }
    }
}
