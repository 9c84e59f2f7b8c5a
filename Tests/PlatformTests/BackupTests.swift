import Artifacts
import Domain
import FoundationEssentials
import Glibc
import Ground
import Platform
import ServiceKit
import Store
import TestKit
import Testing

/// Tests backups of a running service and their restores.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct BackupTests {
    private static let day: Int64 = 86_400_000
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private var source: String { "\(ScratchDirectory.path)/data" }
    private var backup: String { "\(ScratchDirectory.path)/backup" }
    private var restored: String { "\(ScratchDirectory.path)/restored" }

    private func makeService() async throws -> TestService {
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
        let service = try await TestService(
            in: source, retention: try #require(RetentionPolicy(keepVersions: 1, graceHours: 24)))
        try await service.ship("1.0.0")
        return service
    }

    @discardableResult
    private func backUp(
        isQuick: Bool = false, _ progress: (Int, Int) -> Void = { _, _ in }, now time: (() -> Timestamp)? = nil
    ) throws -> BackupReport {
        let target = try DataDirectory(backup, at: now, for: .backup)
        return try StoreBackup(of: source, into: target, cryptography: OpenSSLCryptography(), now: time ?? { now })
            .run(isQuick: isQuick, progress: progress)
    }

    @discardableResult
    private func restore(isForced: Bool = false, lost: String? = nil) throws -> BackupReport {
        let target = try DataDirectory(restored, at: now, for: .restoring)
        return try StoreRestore(of: backup, into: target, cryptography: OpenSSLCryptography())
            .run(isForced: isForced, lost: lost)
    }

    private func path(_ digest: SHA256Digest, in folder: String) -> String {
        "\(folder)/blobs/\(digest.hex.prefix(2))/\(digest.hex)"
    }

    private func flipByte(of digest: SHA256Digest, in folder: String) throws {
        let url = URL(filePath: path(digest, in: folder))
        var bytes = try Data(contentsOf: url)
        bytes[0] ^= 1
        try bytes.write(to: url)
    }

    /// Adds a row that refers to a missing one.
    private func breakReference(in folder: String) throws {
        try Database(.file("\(folder)/larder.sqlite")).executeScript(
            """
            PRAGMA foreign_keys = OFF;
            INSERT INTO seen_devices (place, device, seen_at, facts, cut) VALUES (99, zeroblob(16), 0, 1, 0);
            """)
    }

    private func archive(_ service: TestService) throws -> SHA256Digest {
        try #require(try service.entry()?.current).version.full.artifact.blob
    }

    private func code(_ body: () throws -> Void) -> PlatformError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? PlatformError)?.code
        }
    }

    @Test func `a backup of a running service is sound, and a restored one has another epoch`() async throws {
        let service = try await makeService()
        let report = try backUp()
        #expect(report.isComplete && report.examination.isSound)
        #expect(try await report.copiedBlobs == service.store.blobs().count && report.copiedBytes == report.bytes)
        #expect(try DataExamination.of(backup).findings == [])
        let outcome = try restore()
        #expect(outcome.isComplete && outcome.copiedBlobs == report.blobs)
        #expect(try DataExamination.of(restored).findings == [])
        let store = try SQLStore(opening: .file("\(restored)/larder.sqlite"))
        #expect(store.epoch != service.store.epoch)
        #expect(try await store.blobs() == service.store.blobs())
    }

    @Test func `a second backup copies new blobs and removes unneeded ones`() async throws {
        let service = try await makeService()
        let first = try backUp()
        try await service.ship("2.0.0")
        for _ in 0...1 {
            _ = try await service.pruner.prune(by: .server)
            service.clock.advance(milliseconds: Self.day)
        }
        try await service.publishSample("3.0.0")
        let second = try backUp()
        #expect(second.isComplete && second.copiedBlobs > 0 && second.copiedBlobs < second.blobs)
        #expect(second.removedBlobs > 0 && second.blobs < first.blobs + second.copiedBlobs)
        #expect(try DataExamination.of(backup).findings == [])
        #expect(try DataExamination.of(backup).notes == [])
        #expect(try backUp().copiedBlobs == 0)
    }

    @Test func `a server removes no blob while a backup holds them, and does so afterwards`() async throws {
        let service = try await makeService()
        // A version without a release and without patches from it.
        try await service.publish("1.5.0", ["index.html": "never released"])
        try await service.ship("2.0.0")
        _ = try await service.pruner.prune(by: .server)
        service.clock.advance(milliseconds: Self.day)
        let before = try await service.store.blobs()
        do {
            let hold = try RemovalHold(on: source, at: service.clock.now())
            let held = try await service.pruner.prune(by: .server)
            #expect(held.isHeldByBackup && held.versions == 1 && held.blobs == 0)
            withExtendedLifetime(hold) {}
        }
        #expect(try await service.store.blobs() == before)
        let free = try await service.pruner.prune(by: .server)
        #expect(!free.isHeldByBackup && free.blobs > 0)
    }

    @Test func `a hold and a permit end although a child process has inherited the file`() async throws {
        let service = try await makeService()
        var hold: RemovalHold? = try RemovalHold(on: source, at: now)
        let inherited = try Self.copies(ofFile: "\(source)/backup.lock")
        #expect(!inherited.isEmpty && hold != nil)
        hold = nil
        let others = try withExtendedLifetime(try #require(try service.blobs.permitRemoval(at: now))) {
            try Self.copies(ofFile: "\(source)/backup.lock")
        }
        _ = try RemovalHold(on: source, at: now, within: .zero)
        for number in inherited + others { close(number) }
    }

    /// Copies the descriptors of an open file, as a child process has them until its exec.
    private static func copies(ofFile path: String) throws -> [Int32] {
        func file(_ path: String) -> (dev_t, ino_t)? {
            var status = stat()
            return stat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
        }
        let wanted = try #require(file(path))
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            guard let number = Int32(name), let found = file("/proc/self/fd/\(name)"), found == wanted else {
                return nil
            }
            return fcntl(number, F_DUPFD_CLOEXEC, 0)
        }
    }

    @Test func `a hold lapses once it was not renewed for its patience`() async throws {
        let service = try await makeService()
        let hold = try RemovalHold(on: source, at: now)
        for offset in [RemovalHold.lapse, -RemovalHold.lapse] {
            #expect(try service.blobs.permitRemoval(at: now.adding(milliseconds: offset)) == nil)
            let beyond = now.adding(milliseconds: offset + offset.signum())
            #expect(try service.blobs.permitRemoval(at: beyond) != nil)
        }
        withExtendedLifetime(hold) {}
    }

    @Test func `a backup waits for a server that removes blobs, and fails if the removal goes on`() async throws {
        let service = try await makeService()
        let permit = try service.blobs.permitRemoval(at: now)
        #expect(code { _ = try RemovalHold(on: source, at: now, within: .zero) } == .busy)
        withExtendedLifetime(permit) {}
    }

    @Test func `a backup starts over if blobs are removed in spite of its hold`() async throws {
        let service = try await makeService()
        try await service.ship("2.0.0")
        _ = try await service.pruner.prune(by: .server)
        service.clock.advance(milliseconds: Self.day)
        _ = try await service.pruner.rehearse()
        let before = try DataExamination.of(source).blobs
        var isFirst = true
        let removing = try Database(.file("\(source)/larder.sqlite"))
        let report = try backUp { _, _ in
            guard isFirst else { return }
            isFirst = false
            // The actions of a server without support for the hold: all patches are removed.
            do {
                let blobs: [SHA256Digest] = try removing.values(
                    "SELECT blob FROM artifacts WHERE base IS NOT NULL")
                try removing.executeScript(
                    """
                    DELETE FROM artifact_signatures WHERE artifact IN (SELECT number FROM artifacts WHERE base IS NOT NULL);
                    DELETE FROM unreferenced_artifacts;
                    DELETE FROM artifacts WHERE base IS NOT NULL;
                    """)
                for blob in blobs {
                    try removing.execute("DELETE FROM blobs WHERE digest = \(blob)")
                    try FileManager.default.removeItem(atPath: path(blob, in: source))
                }
                #expect(!blobs.isEmpty)
            } catch { Issue.record(error) }
        }
        #expect(report.isComplete && report.blobs < before)
        #expect(try DataExamination.of(backup).findings == [])
    }

    @Test func `a damaged or missing blob of the source leaves the former backup in its place`() async throws {
        let service = try await makeService()
        try backUp()
        let former = try Data(contentsOf: URL(filePath: "\(backup)/larder.sqlite"))
        try await service.ship("2.0.0")
        let blob = try archive(service)
        try flipByte(of: blob, in: source)
        let damaged = try backUp()
        #expect(!damaged.isComplete && damaged.examination.findings.map(\.code) == [.blobDamaged])
        try FileManager.default.removeItem(atPath: path(blob, in: source))
        let missing = try backUp()
        #expect(!missing.isComplete && missing.examination.findings.map(\.code) == [.blobMissing])
        #expect(missing.examination.findings.map(\.subject) == [blob.hex])
        #expect(try Data(contentsOf: URL(filePath: "\(backup)/larder.sqlite")) == former)
        #expect(try DataExamination.of(backup).findings == [])
    }

    @Test func `a damaged blob of the backup is copied again, which a quick backup does not notice`() async throws {
        let blob = try archive(try await makeService())
        try backUp()
        try flipByte(of: blob, in: backup)
        #expect(try backUp(isQuick: true).copiedBlobs == 0)
        #expect(try DataExamination.of(backup).findings.map(\.code) == [.blobDamaged])
        #expect(try backUp().copiedBlobs == 1)
        #expect(try DataExamination.of(backup).findings == [])
    }

    @Test func `a backup is kept apart from data directories and from backups of other servers`() async throws {
        _ = try await makeService()
        #expect(code { _ = try DataDirectory(source, at: now, for: .backup) } == .conflict)
        try backUp()
        let script = "UPDATE meta SET epoch = '0123456789abcdef'"
        do { try Database(.file("\(backup)/larder.sqlite")).executeScript(script) }
        #expect(code { try backUp() } == .conflict)
    }

    @Test func `a restore requires an empty folder, and an unfinished one is not served`() async throws {
        let blob = try archive(try await makeService())
        try backUp()
        #expect(code { _ = try DataDirectory(source, at: now, for: .restoring) } == .conflict)
        let bytes = try Data(contentsOf: URL(filePath: path(blob, in: backup)))
        try FileManager.default.removeItem(atPath: path(blob, in: backup))
        let broken = try restore()
        #expect(!broken.isComplete && broken.examination.findings.map(\.code) == [.blobMissing])
        #expect(code { _ = try DataDirectory(restored, at: now) } == .conflict)
        try bytes.write(to: URL(filePath: path(blob, in: backup)))
        let whole = try restore()
        #expect(whole.isComplete && whole.copiedBlobs == 1)
        #expect(try DataExamination.of(restored).findings == [])
    }

    @Test func `a forced restore leaves out what is missing`() async throws {
        let blob = try archive(try await makeService())
        try backUp()
        try FileManager.default.removeItem(atPath: path(blob, in: backup))
        #expect(try restore(isForced: true).isComplete)
        #expect(try DataExamination.of(restored).findings.map(\.code) == [.blobMissing])
    }

    @Test func `a forced restore of a database with a broken reference has its blobs and another epoch`() async throws {
        let service = try await makeService()
        let report = try backUp()
        try breakReference(in: backup)
        let plain = try restore()
        #expect(!plain.isComplete && plain.examination.findings.map(\.code) == [.referenceBroken])
        let forced = try restore(isForced: true)
        #expect(forced.isComplete && forced.blobs == report.blobs)
        #expect(try DataExamination.of(restored).findings.map(\.code) == [.referenceBroken])
        #expect(try SQLStore(opening: .file("\(restored)/larder.sqlite")).epoch != service.store.epoch)
    }

    @Test func `a broken reference of the source is a finding of a complete backup`() async throws {
        let service = try await makeService()
        try breakReference(in: source)
        let report = try backUp()
        #expect(report.isComplete && report.examination.findings.map(\.code) == [.referenceBroken])
        #expect(try await report.copiedBlobs == service.store.blobs().count)
        #expect(try DataExamination.of(backup).findings.map(\.code) == [.referenceBroken])
        // A missing blob still keeps the former backup.
        try FileManager.default.removeItem(atPath: path(try archive(service), in: source))
        try FileManager.default.removeItem(atPath: path(try archive(service), in: backup))
        let lacking = try backUp()
        #expect(!lacking.isComplete && lacking.examination.findings.map(\.code) == [.referenceBroken, .blobMissing])
    }

    @Test func `a backup is complete also if old blobs cannot be removed from it`() async throws {
        let service = try await makeService()
        try backUp()
        let used = Set(try await service.store.blobs().map { String($0.hex.prefix(2)) })
        let shard = try #require((0..<256).map { Hex.encode([UInt8($0)]) }.first { !used.contains($0) })
        let report = try backUp { _, _ in
            let path = "\(backup)/blobs/\(shard)"
            do {
                try FileManager.default.removeItem(atPath: path)
                try Data().write(to: URL(filePath: path))
            } catch { Issue.record(error) }
        }
        #expect(report.isComplete && report.examination.isSound && report.removedBlobs == 0)
        #expect(report.examination.notes.contains { $0.contains("could not be removed") && $0.contains(shard) })
    }

    @Test func `a hold is renewed while the database is copied and checked`() async throws {
        _ = try await makeService()
        var (readings, renewals) = (0, Set<Date>())
        func readDate() throws -> Date? {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(source)/backup.lock")
            return attributes[.modificationDate] as? Date
        }
        try backUp(
            now: {
                // Each renewal shows when the time is read for the next one.
                if readings > 0, let date = try? readDate() { renewals.insert(date) }
                readings += 1
                return now.adding(milliseconds: Int64(readings) * 600_000)
            })
        // At the beginning, after the copying and after each of two checks.
        #expect(renewals.count >= 4)
    }

    @Test func `a backup is complete even if the server removes blobs in spite of every hold`() async throws {
        _ = try await makeService()
        let removing = try Database(.file("\(source)/larder.sqlite"))
        var number = 0
        // A blob of the snapshot without a file, which is forgotten before the next attempt.
        func forget() {
            do {
                try removing.execute("DELETE FROM blobs WHERE size = 77")
                number += 1
                let digest = try #require(SHA256Digest(bytes: [UInt8](repeating: UInt8(number % 250), count: 32)))
                try removing.execute("INSERT INTO blobs (digest, size) VALUES (\(digest), 77)")
            } catch { Issue.record(error) }
        }
        forget()
        #expect(code { try backUp { _, _ in forget() } } == .busy)
        #expect(!FileManager.default.fileExists(atPath: "\(backup)/larder.sqlite"))
    }

    /// The kinds of links to test; a hard link needs a file of another account, which only root can create.
    private static let links = geteuid() == 0 ? ["symbolic", "hard"] : ["symbolic"]

    @Test func `a backup continues after its folder was copied by hard links`() async throws {
        _ = try await makeService()
        try backUp()
        for name in ["lock", "larder.sqlite"] {
            try FileManager.default.linkItem(atPath: "\(backup)/\(name)", toPath: "\(ScratchDirectory.path)/1-\(name)")
        }
        #expect(try backUp().isComplete)
    }

    @Test(arguments: links)
    func `a name that leads to another file is neither locked nor written`(kind: String) async throws {
        _ = try await makeService()
        try backUp()
        let victim = "\(ScratchDirectory.path)/victim"
        try Data("secret".utf8).write(to: URL(filePath: victim))
        if kind == "hard" { #expect(chown(victim, 65_534, 65_534) == 0) }
        for path in ["\(source)/backup.lock", "\(backup)/lock"] {
            try FileManager.default.removeItem(atPath: path)
            if kind == "symbolic" {
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
            } else {
                try FileManager.default.linkItem(atPath: victim, toPath: path)
            }
            #expect(code { _ = try backUp() } == .storageFailed)
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(try Data(contentsOf: URL(filePath: victim)) == Data("secret".utf8))
        #expect(try backUp().isComplete)
    }

    @Test func `a restore names the keys and tokens that were taken out of use since the backup`() async throws {
        let service = try await makeService()
        let token = try await service.tokens.create(name: "ci", role: .publisher, by: .server)
        try backUp()
        let old = try #require(
            try await service.store.keys(of: .default).first { $0.purpose == .signing })
        _ = try await service.keys.makeSigning(of: service.app, by: .server)
        service.clock.advance(milliseconds: 1)
        _ = try await service.keys.retire(old.id, of: service.app, by: .server)
        _ = try await service.tokens.revoke(token.token.id, by: .server)
        let notes = try restore(lost: source).examination.notes
        #expect(notes.contains { $0.contains("RETIRED SINCE: the key default signing \(old.id)") })
        #expect(notes.contains { $0.contains("REVOKED SINCE: the token \(token.token.id) (ci)") })
        #expect(notes.count == 3)
        // Without the lost directory, the report names the keys to check.
        #expect(notes.first?.contains("signing \(old.id)") == true)
    }
}
