import Artifacts
import Client
import Foundation
import TestKit
import Testing
import Transport

extension EndToEnd {
    /// Tests corrupted patches and archives of a real package.
    @Suite struct SpoiledTests {
        @Test func `a patch or archive with any thousandth byte flipped is not applied`() throws {
            let line = try SpoiledLine()
            let longest = try #require(line.archives.map(\.size).max())
            #expect(longest > 1_000_000)
            for offset in stride(from: 0, to: longest, by: 1_000) {
                // Short files are corrupted several times.
                try line.spoil { "\($0.path) flip \(offset % $0.size)" }
                try line.expectNothingApplied(by: line.syncInThisProcess)
            }
            try line.expectApplied()
        }

        @Test func `an archive in the place of another one is not applied`() throws {
            let line = try SpoiledLine()
            let others = Array(line.archives.dropFirst() + line.archives.prefix(1))
            var other = others.makeIterator()
            try line.spoil { "\($0.path) swap \(other.next()?.path ?? "")" }
            try line.expectNothingApplied(by: line.syncByProgram)
            try line.expectApplied()
        }
    }
}

/// A device with the first version of a real package, which gets the second one through a corrupting proxy.
private struct SpoiledLine {
    private let server: Server
    private let device: LarderDevice
    private let proxy: Program
    private let package = "locust"
    /// The device's copy of the first version, and the files of the second.
    private let before: FolderContents
    private let after: FolderContents
    /// The delta patch, the incremental zip and the full one.
    let archives: [(path: String, size: Int)]

    private var spoiling: URL { URL(fileURLWithPath: "\(ScratchDirectory.path)/spoiling") }

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("EndToEnd/spoiling_proxy.py").path

    init() throws {
        let locust = RealPackage.locust
        let port = "\(ScratchDirectory.path)/port"
        proxy = try Program(["python3", Self.script, port, "\(ScratchDirectory.path)/spoiling"])
        let base = try Waiting.forValue("the proxy's port") {
            (try? String(contentsOfFile: port, encoding: .utf8)).flatMap { $0.isEmpty ? nil : "http://127.0.0.1:\($0)" }
        }
        server = try Server(options: ["--public-url", base])
        try Data("\(server.base)\n".utf8).write(to: URL(fileURLWithPath: "\(ScratchDirectory.path)/spoiling"))
        device = LarderDevice("device")
        try server.putPackage(package)
        for version in locust.versions.prefix(2) {
            try server.mustPublish(locust.folder(version), as: package, version)
            try server.release(version, of: package)
            if version == locust.versions[0] { #expect(try device.sync(package, with: server) == "full") }
        }
        let copy = "\(ScratchDirectory.path)/before"
        try FileManager.default.copyItem(atPath: "\(device.folder)/\(package)", toPath: copy)
        before = try FolderContents(copy)
        after = try FolderContents(locust.folder(locust.versions[1]))
        // The improved delta patch replaces the first one; waiting avoids this during the test.
        try Waiting.until("the small patch") { try Blobs.deltas(in: Server.defaultData) == 2 }
        let entry = try #require(try server.config()[package])
        let urls = [(entry.url, entry.size)] + (entry.patches ?? []).map { ($0.url, $0.size) }
        archives = try urls.map { url, size in
            (try #require(url.flatMap { URL(string: $0) }).path, try #require(size))
        }
        #expect(archives.count == 3 && urls.allSatisfy { $0.0?.hasPrefix(base) == true })
    }

    func spoil(_ line: ((path: String, size: Int)) -> String) throws {
        let lines = [server.base] + archives.map(line)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: spoiling)
    }

    /// Syncs the device and returns whether that succeeded.
    func syncByProgram() throws -> Bool {
        try Larder.run("sync", server.base, device.folder, "--json").status == 0
    }

    /// Syncs the device like the program, whose start takes as long as a sync.
    func syncInThisProcess() throws -> Bool {
        let options = SyncOptions(base: try HTTPURL(server.base), directory: device.folder)
        return try SyncEngine(options, client: HTTPClient(), cryptography: OpenSSLCryptography()).run().isSuccess
    }

    func expectNothingApplied(by sync: () throws -> Bool) throws {
        #expect(try !sync())
        #expect(try before.differences(in: device.copy(of: package)) == [])
    }

    func expectApplied() throws {
        try Data("\(server.base)\n".utf8).write(to: spoiling)
        #expect(try device.sync(package, with: server) == "delta")
        let descriptors: Set = ["app.config.json", "files.json"]
        let copy = try FolderContents("\(device.folder)/\(package)", skipping: descriptors.contains)
        #expect(try after.differences(in: copy) == [])
    }
}
