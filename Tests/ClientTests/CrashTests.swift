import Artifacts
import Client
import Domain
import Files
import Glibc
import TestKit
import Testing
import Transport

/// Tests that a copy is either the old or the new one as a whole, at whatever moment a process ends.
@Suite(.scratchDirectory, .ownThread)
struct CrashTests {
    let larder: Larder
    let one: Publication.Version
    let two: Publication.Version

    init() throws {
        larder = try Larder()
        let filler = String(repeating: "content ", count: 100_000)
        one = try larder.version("1.0", ["index.html": "one", "same.txt": filler])
        two = try larder.version("1.1", ["index.html": "two", "same.txt": filler])
        try larder.offer(one)
        try larder.sync()
        try larder.offer(two, from: [one])
    }

    private var copy: [String: String] { Files.tree(Larder.folder + "/news") }
    private var folder: SyncFolder { SyncFolder(path: Larder.folder) }

    /// Stages the new tree as far as a process came.
    private func stage(_ files: [String: String]) throws -> TreeBuilder.Staged {
        let staged = TreeBuilder.Staged(
            package: try #require(PackageID("news")), root: folder.staging + "/news")
        for (path, text) in files { Files.write(text, to: "\(staged.copy)/\(path)") }
        return staged
    }

    private func expectRecovery() throws {
        #expect(try larder.sync().isSuccess)
        #expect(copy == two.files)
        #expect(Files.names(folder.staging).isEmpty)
    }

    @Test func `a crash while the new tree is built leaves the old one`() throws {
        _ = try stage(["index.html": "tw"])
        #expect(copy == one.files)
        try expectRecovery()
    }

    @Test func `a crash before the exchange leaves the old one`() throws {
        _ = try stage(two.files)
        #expect(copy == one.files)
        try expectRecovery()
    }

    @Test func `a crash after the exchange leaves the new one`() throws {
        let staged = try stage(two.files)
        try Installer(folder: folder).swap(staged.copy, staged.package)
        #expect(copy == two.files)
        #expect(Files.tree(staged.copy) == one.files)
        try expectRecovery()
    }

    @Test func `the folder may be reached by a link`() throws {
        let link = ScratchDirectory.path + "/link"
        try #require(symlink(folder.path, link) == 0)
        let staged = try stage(two.files)
        try Installer(folder: SyncFolder(path: link)).swap(staged.copy, staged.package)
        #expect(copy == two.files)
    }

    @Test func `an exchange that fails leaves the old one`() throws {
        let staged = TreeBuilder.Staged(
            package: try #require(PackageID("news")), root: folder.staging + "/missing")
        #expect(throws: SystemError.self) { try Installer(folder: folder).swap(staged.copy, staged.package) }
        #expect(copy == one.files)
    }

    @Test func `a process that is killed in the midst of a download leaves the old one, and the lock free`()
        async throws
    {
        let fresh = try larder.version(
            "2.0", ["index.html": String((0..<400_000).map { _ in Self.letters.randomElement() ?? "x" })])
        try larder.offer(fresh)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [base = larder.base as String, directory = Larder.folder as String] in
            let engine = try SyncEngine(
                SyncOptions(base: try HTTPURL(base), directory: directory), client: HTTPClient(),
                cryptography: StandIn.cryptography,
                progress: { _, here, _ in if here > 0 { kill(getpid(), SIGKILL) } })
            _ = try engine.run()
        }
        #expect(copy == one.files)
        #expect(!Files.names(Larder.folder + "/.larder/downloads").isEmpty)
        #expect(try larder.sync().isSuccess)
        #expect(copy == fresh.files)
    }

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
}

/// The program of a child process.
private enum StandIn {
    static let cryptography = OpenSSLCryptography()
}
