import FoundationEssentials
package import Testing

/// A new folder for each test, removed after it: `@Suite(.scratchDirectory)` or `@Test(.scratchDirectory)`.
package struct ScratchDirectory: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    @TaskLocal private static var current: String?

    /// The folder of the running test.
    package static var path: String {
        guard let current else { preconditionFailure("the test has no .scratchDirectory") }
        return current
    }

    @concurrent
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "larder-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Self.$current.withValue(folder.path, operation: function)
    }
}

extension Trait where Self == ScratchDirectory {
    /// Gives each test a folder of its own, at ``ScratchDirectory/path``.
    package static var scratchDirectory: Self { Self() }
}
