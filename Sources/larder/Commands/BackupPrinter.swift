import Domain
import Ground
import Store

/// A printer of the report of a backup or a restore.
struct BackupPrinter {
    let report: BackupReport
    /// The name of the command.
    let name: String
    /// The folder that was written.
    let path: String

    func show(asJSON: Bool) {
        guard !asJSON else { return Terminal.out(json.text) }
        for finding in report.examination.findings {
            Terminal.out("\(finding.code.rawValue) \(finding.subject): \(finding.message)")
        }
        let unlisted = report.examination.findingCount - report.examination.findings.count
        if unlisted > 0 { Terminal.out("… and \(unlisted) more") }
        for note in report.examination.notes { Terminal.out("note: \(note)") }
        Terminal.out(
            "archives and files: \(report.blobs) (\(ByteCount.text(report.bytes))), copied: \(report.copiedBlobs) "
                + "(\(ByteCount.text(report.copiedBytes))), removed: \(report.removedBlobs)")
        Terminal.out(report.isComplete ? "\(name) complete: \(path)" : "\(name) NOT complete: \(path)")
    }

    private var json: JSON {
        .object([
            "complete": .bool(report.isComplete), "path": .string(path), "blobs": .integer(Int64(report.blobs)),
            "bytes": .integer(Int64(report.bytes)), "copiedBlobs": .integer(Int64(report.copiedBlobs)),
            "copiedBytes": .integer(Int64(report.copiedBytes)), "removedBlobs": .integer(Int64(report.removedBlobs)),
            "findingCount": .integer(Int64(report.examination.findingCount)),
            "findings": .array(report.examination.findings.map(\.json)),
            "notes": .array(report.examination.notes.map { .string($0) }),
        ])
    }
}

extension Finding {
    var json: JSON {
        .object(["code": .string(code.rawValue), "subject": .string(subject), "message": .string(message)])
    }
}
