import Artifacts
import ArtifactsProbe
import Domain
import Ground
import TestKit
import Testing

@Suite(.ownThread)
struct BuildZipTests {
    /// Stages files of every kind: deflated, stored, empty, with names beyond ASCII.
    private func stagedFiles(in unpacking: Unpacking) throws -> [TreeFile] {
        let contents: [(String, [UInt8])] = [
            ("news/index.html", Array(String(repeating: "<p>hello</p>", count: 1000).utf8)),
            ("news/noise.bin", OpenSSLCryptography().randomBytes(300_000)), ("news/empty.txt", []),
            ("news/日本/テスト é.txt", Array("こんにちは".utf8)), ("news/a b+c&d.txt", [1]), ("a.txt", [2]),
        ]
        return try contents.map { path, bytes in
            TreeFile(path: try TreePath(path), content: try unpacking.workshop.stage(bytes, into: unpacking.staging))
        }
    }

    @Test(arguments: ArchiveReader.allCases.filter(\.isInstalled))
    func `the readers that clients use read an archive back`(reader: ArchiveReader) throws {
        let unpacking = try Unpacking()
        let files = try stagedFiles(in: unpacking)
        let built = try unpacking.workshop.buildZip(files, into: unpacking.staging)
        let expected = files.map { ($0.path.text, $0.content.digest.hex) }
        #expect(
            try reader.files(of: built.digest.hex, in: unpacking.folder)
                == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test func `files give the same archive in any order`() throws {
        let unpacking = try Unpacking()
        let files = try stagedFiles(in: unpacking)
        let built = try unpacking.workshop.buildZip(files, into: unpacking.staging)
        #expect(try unpacking.workshop.buildZip(files.reversed(), into: unpacking.staging) == built)
        #expect(try unpacking.workshop.buildZip(files.dropLast(), into: unpacking.staging) != built)
        #expect(built.recipe == 1)
    }

    @Test func `the archive is named by its digests`() throws {
        let unpacking = try Unpacking()
        let built = try unpacking.workshop.buildZip(stagedFiles(in: unpacking), into: unpacking.staging)
        let bytes = try unpacking.staging.bytes(of: built.digest)
        let md5 = try Tool.run(["md5sum", built.digest.hex], in: unpacking.folder).text
        #expect(OpenSSLCryptography().sha256(bytes) == built.digest)
        #expect(bytes.count == built.size)
        #expect(md5.hasPrefix(Hex.encode(built.md5)))
    }

    @Test func `the layout is fixed to the byte`() throws {
        let unpacking = try Unpacking()
        let content = try unpacking.workshop.stage(Array("hi".utf8), into: unpacking.staging)
        let files = try ["é", "a"].map { TreeFile(path: try TreePath($0), content: content) }
        let built = try unpacking.workshop.buildZip(files, into: unpacking.staging)
        let (crc, sizes) = ("ac2a93d8", "0200000002000000")
        #expect(
            Hex.encode(try unpacking.staging.bytes(of: built.digest))
                == "504b0304" + "1400" + "0000" + "0000" + "00002100" + crc + sizes + "0100" + "0000" + "61" + "6869"
                + "504b0304" + "1400" + "0008" + "0000" + "00002100" + crc + sizes + "0200" + "0000" + "c3a9" + "6869"
                + "504b0102" + "1403" + "1400" + "0000" + "0000" + "00002100" + crc + sizes + "0100" + "0000"
                + "000000000000" + "0000a481" + "00000000" + "61"
                + "504b0102" + "1403" + "1400" + "0008" + "0000" + "00002100" + crc + sizes + "0200" + "0000"
                + "000000000000" + "0000a481" + "21000000" + "c3a9"
                + "504b0506" + "00000000" + "02000200" + "5f000000" + "43000000" + "0000")
    }

    @Test func `an upload's tree comes out of its archive again`() throws {
        let unpacking = try Unpacking()
        let files = try stagedFiles(in: unpacking)
        let built = try unpacking.workshop.buildZip(files, into: unpacking.staging)
        let tree = try unpacking.tree(of: unpacking.staging.bytes(of: built.digest))
        #expect(tree == Tree(files))
    }

    @Test func `20,000 files go in and out`() throws {
        let unpacking = try Unpacking()
        let content = try unpacking.workshop.stage(Array("x".utf8), into: unpacking.staging)
        let files = try (0..<20_000).map { TreeFile(path: try TreePath("f/\($0).txt"), content: content) }
        let built = try unpacking.workshop.buildZip(files, into: unpacking.staging)
        let bytes = try unpacking.staging.bytes(of: built.digest)
        #expect(try unpacking.tree(of: bytes) == Tree(files))
        #expect(
            try Unpacking.refusal(ofBytes: bytes, limits: PackageLimits(fileCount: 19_999))?.reason
                == "too-many-entries")
        #expect(try ArchiveReader.python3.files(of: built.digest.hex, in: unpacking.folder).count == 20_000)
    }

    @Test func `an archive has at most 65,535 files`() throws {
        let unpacking = try Unpacking()
        let content = try unpacking.workshop.stage([], into: unpacking.staging)
        let files = try (0..<65_536).map { TreeFile(path: try TreePath("\($0)"), content: content) }
        let built = try unpacking.workshop.buildZip(files.dropLast(), into: unpacking.staging)
        #expect(try ArchiveReader.python3.files(of: built.digest.hex, in: unpacking.folder).count == 65_535)
        let error = #expect(throws: PlatformError.self) {
            try unpacking.workshop.buildZip(files, into: unpacking.staging)
        }
        #expect(error?.reason == "archive-too-large")
    }

    @Test func `an archive ends before 4 GiB`() throws {
        let unpacking = try Unpacking()
        // The stream is missing: its size alone decides between a rejection and the search for the stream.
        func refusal(size: Int) throws -> PlatformError? {
            let digest = OpenSSLCryptography().sha256([1])
            let content = FileContent(digest: digest, size: size, crc32: 0, deflated: nil)
            return #expect(throws: PlatformError.self) {
                try unpacking.workshop.buildZip(
                    [TreeFile(path: try TreePath("a"), content: content)], into: unpacking.staging)
            }
        }
        let largest = Int(UInt32.max) - 1 - 31
        #expect(try refusal(size: largest)?.code == .storageFailed)
        #expect(try refusal(size: largest + 1)?.reason == "archive-too-large")
    }

    @Test func `a file that is gone from the store fails the archive`() throws {
        let unpacking = try Unpacking()
        let content = FileContent(
            digest: OpenSSLCryptography().sha256([9]), size: 1, crc32: 0, deflated: nil)
        let error = #expect(throws: PlatformError.self) {
            try unpacking.workshop.buildZip(
                [TreeFile(path: try TreePath("a"), content: content)], into: unpacking.staging)
        }
        #expect(error?.code == .storageFailed)
    }
}
