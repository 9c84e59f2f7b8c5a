import ArtifactsProbe
import Domain
import TestKit
import Testing

@Suite(.ownThread)
struct PackageLimitsTests {
    @Test func `an upload is accepted up to the size limit`() throws {
        let zip = CraftedZip([.stored("a")])
        #expect(try Unpacking.refusal(of: zip, limits: PackageLimits(uploadBytes: zip.bytes.count)) == nil)
        #expect(
            try Unpacking.refusal(of: zip, limits: PackageLimits(uploadBytes: zip.bytes.count - 1))
                == Refusal("upload-too-large"))
    }

    @Test func `entries are accepted up to the limit, folders included`() throws {
        let entries: [CraftedZip.Entry] = [.stored("a/", []), .stored("a/b"), .stored("a/c")]
        #expect(try Unpacking.refusal(of: entries, limits: PackageLimits(fileCount: 3)) == nil)
        #expect(
            try Unpacking.refusal(of: entries, limits: PackageLimits(fileCount: 2)) == Refusal("too-many-entries"))
    }

    @Test func `a file is accepted up to its limit, whatever size its header states`() throws {
        let bytes = [UInt8](repeating: 1, count: 1000)
        let limits = PackageLimits(fileBytes: 1000)
        #expect(try Unpacking.refusal(of: [.deflated("a", bytes)], limits: limits) == nil)
        let modest = CraftedZip.Entry.deflated("a", bytes + [1]).with { $0.size = 10 }
        #expect(try Unpacking.refusal(of: [modest], limits: limits) == Refusal("file-too-large", "a"))
    }

    @Test func `files are accepted up to the limit of their total size`() throws {
        let entries: [CraftedZip.Entry] = [
            .stored("a", [UInt8](repeating: 1, count: 600)), .stored("b", [UInt8](repeating: 2, count: 400)),
        ]
        #expect(try Unpacking.refusal(of: entries, limits: PackageLimits(totalBytes: 1000)) == nil)
        #expect(
            try Unpacking.refusal(of: entries, limits: PackageLimits(totalBytes: 999)) == Refusal("total-too-large"))
    }

    @Test func `compression is accepted up to the limit of its ratio, and below the floor at any ratio`() throws {
        let entry = CraftedZip.Entry.deflated("a", [UInt8](repeating: 0, count: 100_000))
        let exact = (100_000 + entry.packed.count - 1) / entry.packed.count
        #expect(
            try Unpacking.refusal(of: [entry], limits: PackageLimits(compressionRatio: exact, ratioFloor: 0)) == nil)
        #expect(
            try Unpacking.refusal(of: [entry], limits: PackageLimits(compressionRatio: exact - 1, ratioFloor: 0))
                == Refusal("ratio-too-high", "a"))
        #expect(
            try Unpacking.refusal(
                of: [entry], limits: PackageLimits(compressionRatio: exact - 1, ratioFloor: 100_000)) == nil)
        #expect(
            try Unpacking.refusal(
                of: [entry], limits: PackageLimits(compressionRatio: exact - 1, ratioFloor: 99_999))?.reason
                == "ratio-too-high")
    }

    @Test func `a bomb is refused before it has unpacked`() throws {
        let bomb = CraftedZip([.deflated("bomb", [UInt8](repeating: 0, count: 64 << 20))])
        let unpacking = try Unpacking()
        let error = #expect(throws: PlatformError.self) { try unpacking.tree(of: bomb) }
        #expect(error?.reason == "ratio-too-high")
        #expect(unpacking.staging.records.isEmpty)
    }
}
