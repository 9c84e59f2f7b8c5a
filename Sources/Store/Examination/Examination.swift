/// The result of examining a data directory.
package struct Examination: Sendable, Equatable {
    /// The maximum number of listed findings; all are counted.
    package static let listed = 1_000

    /// The faults in the order in which they were found.
    package private(set) var findings: [Finding] = []
    package private(set) var findingCount = 0
    /// Remarks that are no faults.
    package internal(set) var notes: [String] = []
    package internal(set) var blobs = 0
    /// The total size in bytes of the blobs that were read and hashed.
    package internal(set) var bytes = 0
    package internal(set) var versions = 0
    package internal(set) var artifacts = 0
    package internal(set) var signatures = 0

    package var isSound: Bool { findingCount == 0 }

    /// Whether SQLite's checks found the pages of the database intact; its contents are reliable only then.
    ///
    /// These findings come first and are few, so they are always listed.
    var isDatabaseReadable: Bool { findings.allSatisfy { $0.code != .databaseDamaged } }

    mutating func add(_ code: Finding.Code, _ subject: String, _ message: String) {
        findingCount += 1
        guard findings.count < Self.listed else { return }
        findings.append(Finding(code: code, subject: subject, message: message))
    }
}

/// A fault of a data directory.
package struct Finding: Sendable, Equatable {
    package enum Code: String, Sendable, CaseIterable {
        case specialFile = "special-file"
        case databaseDamaged = "database-damaged"
        case migrationAltered = "migration-altered"
        case referenceBroken = "reference-broken"
        case dialectUnknown = "dialect-unknown"
        case blobMissing = "blob-missing"
        case blobSize = "blob-size"
        case blobDamaged = "blob-damaged"
        case treeDiffers = "tree-differs"
        case archiveMissing = "archive-missing"
        case signatureMissing = "signature-missing"
        case signatureWrong = "signature-wrong"
        case totalUnreadable = "total-unreadable"
        case reportIDsDamaged = "report-ids-damaged"
        case reportFilterWrong = "report-filter-wrong"
        case auditAltered = "audit-altered"
    }

    package let code: Code
    /// The object of the finding: a digest, a version, a package or a table.
    package let subject: String
    /// The fault and its remedy.
    package let message: String
}
