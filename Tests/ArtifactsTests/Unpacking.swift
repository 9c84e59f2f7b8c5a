import Artifacts
import ArtifactsProbe
import Domain

/// The unpacking of one upload in a temporary folder.
struct Unpacking {
    let folder: ScratchFolder
    let staging: ScratchStaging
    let workshop = ZipWorkshop()

    init() throws {
        folder = try ScratchFolder()
        staging = ScratchStaging(folder)
    }

    func tree(of bytes: [UInt8], limits: PackageLimits = PackageLimits()) throws -> Tree {
        try workshop.unpack(zipAt: folder.write(bytes, to: "upload.zip"), limits: limits, into: staging)
    }

    func tree(of zip: CraftedZip, limits: PackageLimits = PackageLimits()) throws -> Tree {
        try tree(of: zip.bytes, limits: limits)
    }

    /// Returns the paths of a zip of these entries.
    func paths(of entries: [CraftedZip.Entry]) throws -> [String] {
        try tree(of: CraftedZip(entries)).files.map(\.path.text)
    }

    func bytes(of path: String, in tree: Tree) throws -> [UInt8]? {
        try tree[TreePath(path)].map { try staging.bytes(of: $0.content.digest) }
    }

    /// Returns the reason and the entry of a rejected upload, or `nil` if it is accepted.
    static func refusal(ofBytes bytes: [UInt8], limits: PackageLimits = PackageLimits()) throws -> Refusal? {
        do {
            _ = try Unpacking().tree(of: bytes, limits: limits)
            return nil
        } catch let error as PlatformError where error.code == .badPackage {
            return Refusal(error.reason ?? "", error.entry)
        }
    }

    static func refusal(of zip: CraftedZip, limits: PackageLimits = PackageLimits()) throws -> Refusal? {
        try refusal(ofBytes: zip.bytes, limits: limits)
    }

    static func refusal(
        of entries: [CraftedZip.Entry], limits: PackageLimits = PackageLimits()
    ) throws -> Refusal? {
        try refusal(of: CraftedZip(entries), limits: limits)
    }
}

/// The reason of a rejection, and the invalid entry.
struct Refusal: Equatable {
    let reason: String
    let entry: String?

    init(_ reason: String, _ entry: String? = nil) {
        self.reason = reason
        self.entry = entry
    }
}
