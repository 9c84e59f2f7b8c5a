import Domain
import FoundationEssentials
import Glibc
import Store
import TestKit
import Testing

@Suite(.scratchDirectory)
struct DataDirectoryTests {
    private var path: String { "\(ScratchDirectory.path)/new/data" }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func `a new directory is for its owner alone`() throws {
        let directory = try DataDirectory(path, at: Fixture.start)
        let store = try SQLiteStore(opening: .file(directory.databasePath))
        _ = try DiskBlobStore(directory: path)
        #expect(mode(path) == 0o700)
        #expect(mode("\(path)/lock") == 0o600)
        #expect(mode("\(path)/blobs") == 0o700)
        #expect(mode("\(path)/staging") == 0o700)
        #expect(mode(directory.databasePath) == 0o600)
        #expect(mode("\(directory.databasePath)-wal") == 0o600)
        #expect(!store.epoch.isEmpty)
    }

    @Test func `a second owner is told who has it`() throws {
        let first = try DataDirectory(path, at: Fixture.start)
        let error = #expect(throws: PlatformError.self) { try DataDirectory(path, at: Fixture.start) }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("process \(getpid()), started 2026-01-01T00:00:00Z") == true)
        #expect(error?.message.contains(first.path) == true)
    }

    @Test func `a directory is free once its owner is gone`() throws {
        let later = try #require(Timestamp(rfc3339: "2026-01-02T00:00:00.123Z"))
        do { _ = try DataDirectory(path, at: later) }
        let second = try DataDirectory(path, at: Fixture.start)
        let text = try String(contentsOfFile: "\(second.path)/lock", encoding: .utf8)
        #expect(text == "process \(getpid()), started 2026-01-01T00:00:00Z")
    }

    @Test func `what is there stays as it is`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        chmod(path, 0o750)
        try Data("x".utf8).write(to: URL(filePath: "\(path)/larder.sqlite"))
        let directory = try DataDirectory(path, at: Fixture.start)
        #expect(mode(path) == 0o750)
        #expect(try String(contentsOfFile: directory.databasePath, encoding: .utf8) == "x")
    }

    @Test func `a path that cannot be a directory is an error`() throws {
        try Data().write(to: URL(filePath: "\(ScratchDirectory.path)/file"))
        let error = #expect(throws: PlatformError.self) {
            try DataDirectory("\(ScratchDirectory.path)/file", at: Fixture.start)
        }
        #expect(error?.code == .storageFailed)
        #expect(error?.cause?.contains("\(ScratchDirectory.path)/file") == true)
    }
}
