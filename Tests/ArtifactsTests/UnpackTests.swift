import Artifacts
import ArtifactsProbe
import Domain
import Ground
import TestKit
import Testing

@Suite(.ownThread)
struct UnpackTests {
    @Test func `files come out as they went in, stored or deflated`() throws {
        let unpacking = try Unpacking()
        let page = Array(String(repeating: "<p>hello</p>", count: 1000).utf8)
        let tree = try unpacking.tree(
            of: CraftedZip([.deflated("index.html", page), .stored("a/b.txt"), .stored("empty.txt", [])]))
        #expect(tree.files.map(\.path.text) == ["a/b.txt", "empty.txt", "index.html"])
        #expect(try unpacking.bytes(of: "index.html", in: tree) == page)
        #expect(try unpacking.bytes(of: "a/b.txt", in: tree) == Array("content".utf8))
        #expect(try unpacking.bytes(of: "empty.txt", in: tree)?.isEmpty == true)
        #expect(tree.totalSize == page.count + 7)
        #expect(
            tree.files.map(\.content.digest) == [Array("content".utf8), [], page].map(OpenSSLCryptography().sha256))
    }

    @Test func `only a file that deflating makes smaller has a stream`() throws {
        let unpacking = try Unpacking()
        let page = Array(String(repeating: "<p>hello</p>", count: 1000).utf8)
        let noise = OpenSSLCryptography().randomBytes(5000)
        let tree = try unpacking.tree(
            of: CraftedZip([.stored("page", page), .stored("noise", noise), .stored("one", [1]), .stored("none", [])]))
        let stream = try #require(tree[TreePath("page")]?.content.deflated)
        #expect(stream.size < page.count)
        #expect(try unpacking.staging.bytes(of: stream.digest).count == stream.size)
        for name in ["noise", "one", "none"] {
            #expect(try tree[TreePath(name)]?.content.deflated == nil)
        }
    }

    @Test func `a file too long for memory is deflated piece by piece, or stored if that does not help`() throws {
        let unpacking = try Unpacking()
        let long = Array((0..<250_000).map { "<p>\($0 &* 2_654_435_761)</p>" }.joined().utf8)
        let noise = OpenSSLCryptography().randomBytes(3 << 20)
        let tree = try unpacking.tree(of: CraftedZip([.deflated("long", long), .stored("noise", noise)]))
        let content = try #require(tree[TreePath("long")]?.content)
        let stream = try #require(content.deflated)
        #expect(stream.size < long.count / 2)
        #expect(try tree[TreePath("noise")]?.content.deflated == nil)
        // Another program reads the contents of the stream.
        let bytes = try unpacking.staging.bytes(of: stream.digest)
        let entry = CraftedZip.Entry.deflated("long", long).with {
            ($0.packed, $0.packedSize) = (bytes, UInt32(bytes.count))
        }
        let again = try unpacking.tree(of: CraftedZip([entry]))
        #expect(try again[TreePath("long")]?.content.digest == content.digest)
    }

    @Test func `a dot part at the start of a path is ignored`() throws {
        #expect(
            try Unpacking().paths(of: [.stored("./", []), .stored("./a.txt"), .stored("././b/c.txt")]) == [
                "a.txt", "b/c.txt",
            ])
    }

    @Test func `folders and macOS metadata files are left out`() throws {
        let junk: [CraftedZip.Entry] = [
            .stored("site/", []).with { $0.mode = 0o040755 }, .stored("__MACOSX/site/._a.txt"),
            .stored("site/.DS_Store"),
            .stored(".DS_Store"), .stored("site/__MACOSX/b"),
        ]
        #expect(try Unpacking().paths(of: junk + [.stored("site/a.txt")]) == ["site/a.txt"])
    }

    @Test func `an archive with no file left is refused`() throws {
        #expect(try Unpacking.refusal(of: CraftedZip([])) == Refusal("empty"))
        #expect(try Unpacking.refusal(of: [.stored("a/", []), .stored(".DS_Store")]) == Refusal("empty"))
    }

    @Test func `names become nfc`() throws {
        #expect(
            try Unpacking().paths(of: [.stored("cafe\u{301}.txt")]).map { Array($0.utf8) } == [
                Array("caf\u{E9}.txt".utf8)
            ])
    }

    @Test func `info-zip's UTF-8 name counts if the name itself is in another encoding`() throws {
        let raw: [UInt8] = [0xD6, 0xD0]  // 中 in GBK
        let checksum = CraftedZip([.stored("", raw)]).entries[0].crc32
        let name = Array("中".utf8)
        let field = little(0x7075 as UInt16) + little(UInt16(5 + name.count)) + [1] + little(checksum) + name
        let entry = CraftedZip.Entry.stored("").with {
            $0.name = raw
            $0.extra = field
        }
        #expect(try Unpacking().paths(of: [entry]) == ["中"])
        // A name that was made for another name is ignored.
        let stale = entry.with { $0.extra[5] ^= 1 }
        #expect(try Unpacking.refusal(of: [stale])?.reason == "path-not-utf8")
    }

    @Test func `entries streamed with data descriptors are read`() throws {
        let streamed = CraftedZip.Entry.deflated("a", [UInt8](repeating: 7, count: 100)).with {
            $0.flags = 8
            $0.localCRC = 0
            $0.localSize = 0
            $0.localPackedSize = 0
            $0.trailer = little(0x0807_4B50 as UInt32) + little($0.crc32) + little($0.packedSize) + little($0.size)
        }
        #expect(try Unpacking().paths(of: [streamed, .stored("b")]) == ["a", "b"])
    }

    @Test func `zip64 is read`() throws {
        let wide = CraftedZip.Entry.stored("a").with {
            $0.extra = little(1 as UInt16) + little(16 as UInt16) + little(7 as UInt64) + little(7 as UInt64)
            $0.localExtra = $0.extra
            $0.size = .max
            $0.packedSize = .max
        }
        let zip = CraftedZip([wide, .stored("b")]).with { $0.hasZip64End = true }
        #expect(try Unpacking().tree(of: zip).totalSize == 14)
    }

    @Test func `a zip within the zip, stored at its end, is a file like others`() throws {
        let inner = CraftedZip([.stored("x")]).bytes
        let unpacking = try Unpacking()
        let tree = try unpacking.tree(of: CraftedZip([.stored("inner.zip", inner)]))
        #expect(try unpacking.bytes(of: "inner.zip", in: tree) == inner)
    }

    @Test func `equal contents have one blob`() throws {
        let unpacking = try Unpacking()
        let page = Array(String(repeating: "same ", count: 100).utf8)
        _ = try unpacking.tree(of: CraftedZip((0..<10).map { .stored("\($0)", page) }))
        #expect(unpacking.staging.records.count == 2)
        // Ten files and one stream: equal contents are deflated once.
        #expect(unpacking.staging.fileCount == 11)
    }

    @Test func `bytes are staged as a file with its stream`() throws {
        let unpacking = try Unpacking()
        let bytes = Array(String(repeating: "{}", count: 200).utf8)
        let content = try unpacking.workshop.stage(bytes, into: unpacking.staging)
        #expect(content.size == 400)
        #expect(content.deflated != nil)
        #expect(content.crc32 == CraftedZip.Entry.stored("", bytes).crc32)
        #expect(try unpacking.workshop.read(content, from: unpacking.staging, upTo: 400) == bytes)
        let error = #expect(throws: PlatformError.self) {
            try unpacking.workshop.read(content, from: unpacking.staging, upTo: 399)
        }
        #expect(error?.reason == "file-too-large")
    }

    @Test(.enabled(if: Tool.isInstalled("zip")))
    func `zips made by info-zip are read, streamed and in zip64 too`() throws {
        let unpacking = try Unpacking()
        try unpacking.folder.write(Array("x".utf8), to: "site/日本/テ.txt")
        try unpacking.folder.write([UInt8](repeating: 1, count: 5000), to: "site/b.bin")
        for options in [["-r", "out.zip"], ["-rfz", "out.zip"], ["-rfd", "out.zip"]] {
            _ = try Tool.run(["rm", "-f", "out.zip"], in: unpacking.folder)
            let outcome = try Tool.run(["zip"] + options + ["site"], in: unpacking.folder)
            try #require(outcome.status == 0, "\(outcome.text)")
            let tree = try unpacking.tree(of: unpacking.folder.read("out.zip"))
            #expect(tree.files.map(\.path.text) == ["site/b.bin", "site/日本/テ.txt"])
        }
    }
}
