import Artifacts
import Domain
import FoundationEssentials
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

/// Tests the leftovers of killed backups and restores, and databases that are incomplete at the last step.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct BackupRecoveryTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private var source: String { "\(ScratchDirectory.path)/data" }
    private var backup: String { "\(ScratchDirectory.path)/backup" }
    private var restored: String { "\(ScratchDirectory.path)/restored" }

    private func makeService() async throws {
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
        try await TestService(in: source).ship("1.0.0")
    }

    @discardableResult
    private func backUp(_ progress: (Int, Int) -> Void = { _, _ in }) throws -> BackupReport {
        let target = try DataDirectory(backup, at: now, for: .backup)
        return try StoreBackup(of: source, into: target, cryptography: OpenSSLCryptography(), now: { now })
            .run(progress: progress)
    }

    @discardableResult
    private func restore(_ progress: (Int, Int) -> Void = { _, _ in }) throws -> BackupReport {
        let target = try DataDirectory(restored, at: now, for: .restoring)
        return try StoreRestore(of: backup, into: target, cryptography: OpenSSLCryptography()).run(progress: progress)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func write(_ path: String) throws {
        let url = URL(filePath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("left".utf8).write(to: url)
    }

    @Test func `a first backup that was killed before it copied the database is completed by the next run`()
        async throws
    {
        try await makeService()
        do {
            let target = try DataDirectory(backup, at: now, for: .backup)
            _ = try DiskBlobStore(directory: target.path)
        }
        #expect(throws: PlatformError.self) { try DataDirectory(backup, at: now) }
        #expect(try backUp().isComplete)
        #expect(try DataExamination.of(backup).findings == [])
    }

    @Test func `a backup removes what a killed one staged before it copies anything`() async throws {
        try await makeService()
        try backUp()
        try FileManager.default.removeItem(atPath: "\(backup)/blobs")
        let left = "\(backup)/staging/killed/1"
        try write(left)
        var calls = 0
        let report = try backUp { _, _ in
            calls += 1
            #expect(!exists(left))
        }
        #expect(report.isComplete && calls > 0)
    }

    @Test func `a restore removes what a killed one staged before it copies anything`() async throws {
        try await makeService()
        try backUp()
        do { _ = try DataDirectory(restored, at: now, for: .restoring) }
        let left = "\(restored)/staging/killed/1"
        try write(left)
        var calls = 0
        let report = try restore { _, _ in
            calls += 1
            #expect(!exists(left))
        }
        #expect(report.isComplete && calls > 0)
    }

    @Test func `a restore removes the copy of the lost database that a killed one left`() async throws {
        try await makeService()
        try backUp()
        do { _ = try DataDirectory(restored, at: now, for: .restoring) }
        let left = ["", "-wal", "-shm", "-journal"].map { "\(restored)/lost.sqlite\($0)" }
        for path in left { try write(path) }
        let report = try restore { _, _ in #expect(left.filter(exists) == []) }
        #expect(report.isComplete && left.filter(exists) == [])
    }

    @Test func `a backup keeps the former database if the log of the new one is not empty`() async throws {
        try await makeService()
        try backUp()
        let former = try Data(contentsOf: URL(filePath: "\(backup)/larder.sqlite"))
        var open: Database?
        let error = #expect(throws: PlatformError.self) {
            try backUp { _, _ in
                guard open == nil else { return }
                do {
                    open = try Database(.file("\(backup)/larder.sqlite.new"))
                    try open?.execute("UPDATE meta SET epoch = '0123456789abcdef'")
                } catch { Issue.record(error) }
            }
        }
        #expect(error?.message.contains("\(backup)/larder.sqlite.new-wal") == true)
        #expect(try Data(contentsOf: URL(filePath: "\(backup)/larder.sqlite")) == former)
        open = nil
        #expect(try backUp().isComplete)
    }

    @Test func `a restore is not completed if the log of its database is not empty`() async throws {
        try await makeService()
        try backUp()
        var open: Database?
        let error = #expect(throws: PlatformError.self) {
            try restore { _, _ in
                guard open == nil else { return }
                do {
                    open = try Database(.file("\(restored)/larder.sqlite.restoring"))
                    try open?.execute("UPDATE meta SET epoch = '0123456789abcdef'")
                } catch { Issue.record(error) }
            }
        }
        #expect(error?.message.contains("\(restored)/larder.sqlite.restoring-wal") == true)
        #expect(!exists("\(restored)/larder.sqlite"))
        open = nil
        #expect(try restore().isComplete)
    }
}
