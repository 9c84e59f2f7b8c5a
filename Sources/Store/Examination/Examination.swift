/// What a data directory was found to be like.
package struct Examination: Sendable, Equatable {
    /// Findings that are listed at most; all are counted.
    package static let listed = 1_000

    /// What is wrong; in the order in which it was found.
    package private(set) var findings: [Finding] = []
    package private(set) var findingCount = 0
    /// What is told, and is no fault.
    package internal(set) var notes: [String] = []
    package internal(set) var blobs = 0
    /// Of the blobs, read and hashed.
    package internal(set) var bytes = 0
    package internal(set) var versions = 0
    package internal(set) var artifacts = 0
    package internal(set) var signatures = 0

    package var isSound: Bool { findingCount == 0 }

    /// Whether SQLite's checks found the pages of the database intact: only then does what they say count.
    ///
    /// These findings come first and are few, so they are always listed.
    var isDatabaseReadable: Bool { findings.allSatisfy { $0.code != .databaseDamaged } }

    mutating func add(_ code: Finding.Code, _ subject: String, _ message: String) {
        findingCount += 1
        guard findings.count < Self.listed else { return }
        findings.append(Finding(code: code, subject: subject, message: message))
    }
}

/// Something that is wrong with a data directory.
package struct Finding: Sendable, Equatable {
    package enum Code: String, Sendable, CaseIterable {
        case specialFile = "special-file"
        case databaseDamaged = "database-damaged"
        case migrationAltered = "migration-altered"
        case referenceBroken = "reference-broken"
        case blobMissing = "blob-missing"
        case blobSize = "blob-size"
        case blobDamaged = "blob-damaged"
        case treeDiffers = "tree-differs"
        case archiveMissing = "archive-missing"
        case signatureMissing = "signature-missing"
        case signatureWrong = "signature-wrong"
    }

    package let code: Code
    /// A digest, a version, a table.
    package let subject: String
    /// What is wrong and what to do.
    package let message: String
}
