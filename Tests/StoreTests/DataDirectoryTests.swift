import Domain
import FoundationEssentials
import Glibc
import Ground
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
        let store = try SQLStore(opening: .file(directory.databasePath))
        _ = try DiskBlobStore(directory: path)
        #expect(mode(path) == 0o700)
        #expect(mode("\(path)/lock") == 0o600)
        #expect(mode("\(path)/blobs") == 0o700)
        #expect(mode("\(path)/staging") == 0o700)
        #expect(mode(directory.databasePath) == 0o600)
        #expect(mode("\(directory.databasePath)-wal") == 0o600)
        #expect(!store.epoch.isEmpty)
    }

    @Test func `a second owner gets the process id of the first`() throws {
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

    @Test func `existing files and permissions stay as they are`() throws {
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

    private func fill(_ names: [String]) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for name in names {
            let url = URL(filePath: "\(path)/\(name)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: url)
        }
    }

    @Test(arguments: [
        ["lock", "staging/site/work.txt"], ["lock"], ["staging/site/work.txt"],
        ["blobs/notes", "staging/site/work.txt"],
        ["larder.sqlite", "readme.txt"], ["larder.sqlite.restoring"], ["larder.sqlite", "uploads/1"],
    ])
    func `a backup refuses a folder that is neither empty nor a backup, and changes nothing in it`(
        _ names: [String]
    ) throws {
        try fill(names)
        let before = try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
        let error = #expect(throws: PlatformError.self) {
            try DataDirectory(path, at: Fixture.start, for: .backup)
        }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains(path) == true)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: path).sorted() == before)
        for name in names { #expect(try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) == "mine") }
    }

    @Test(arguments: [
        [], ["lost+found/1"], ["larder.sqlite"], ["larder.sqlite", "lock", "backup.lock", "staging/1/2", "blobs/ab/1"],
        ["larder.sqlite.new", "larder.sqlite.new-journal", "lost+found/1"],
    ])
    func `a backup takes an empty folder and a backup, complete or begun`(_ names: [String]) throws {
        try fill(names)
        for _ in 0...1 { _ = try DataDirectory(path, at: Fixture.start, for: .backup) }
    }

    @Test func `a backup that was killed after it took the lock of an empty folder may take it again`() throws {
        do { _ = try DataDirectory(path, at: Fixture.start, for: .backup) }
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "lock" {
            try FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
        _ = try DataDirectory(path, at: Fixture.start, for: .backup)
    }

    @Test func `a first backup that was broken off is not served`() throws {
        for left in [[], ["blobs/ab/1", "larder.sqlite.new", "larder.sqlite.new-journal"]] {
            try fill(left)
            if left.isEmpty { do { _ = try DataDirectory(path, at: Fixture.start, for: .backup) } }
            let error = #expect(throws: PlatformError.self) { try DataDirectory(path, at: Fixture.start) }
            #expect(error?.code == .conflict)
            #expect(error?.message.contains("larder backup") == true)
            #expect(!FileManager.default.fileExists(atPath: "\(path)/larder.sqlite"))
            try FileManager.default.removeItem(atPath: path)
        }
        // An interrupted run beside a complete backup does no harm.
        try fill(["larder.sqlite", "larder.sqlite.new"])
        _ = try DataDirectory(path, at: Fixture.start)
    }
}
