import FoundationEssentials
package import Testing

/// A trait that gives each test a new folder and removes it afterwards: `@Suite(.scratchDirectory)` or
/// `@Test(.scratchDirectory)`.
package struct ScratchDirectory: TestTrait, SuiteTrait, TestScoping {
    /// The parent of the folders.
    private let root: URL

    init(root: URL = FileManager.default.temporaryDirectory) {
        self.root = root
    }

    package var isRecursive: Bool { true }

    @TaskLocal private static var current: String?

    /// The folder of the running test.
    package static var path: String {
        guard let current else { preconditionFailure("the test has no .scratchDirectory") }
        return current
    }

    /// Runs `body` on a thread that the test started, with the folder of the test.
    package static func with<Result>(path: String, _ body: () throws -> Result) rethrows -> Result {
        try $current.withValue(path, operation: body)
    }

    @concurrent
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let folder = root.appending(path: "larder-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Self.$current.withValue(folder.path, operation: function)
    }
}

extension Trait where Self == ScratchDirectory {
    /// Gives each test a folder of its own, at ``ScratchDirectory/path``.
    package static var scratchDirectory: Self { Self() }

    /// Gives each test a folder in memory if the system has a file system there.
    ///
    /// For tests that are not about the disk, which would spend most of their time waiting for it.
    package static var scratchMemory: Self {
        let memory = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: memory.path) ? Self(root: memory) : Self()
    }
}
