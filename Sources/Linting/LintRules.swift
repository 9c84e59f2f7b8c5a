import Domain

/// How much is fine, and how far a linter looks.
package struct LintRules: Sendable, Equatable {
    /// Bytes of a file; more is `file-too-large`.
    package var fileBytes = 2 << 20
    /// By how many percent a package may be larger than the version before.
    package var growthPercent = 20
    /// Files that are named as the ones that made a package grow.
    package var growthFiles = 5
    /// Bytes that files hold again, which are not worth a word.
    package var duplicateBytes = 1 << 10
    /// Bytes from the beginning of a file that are looked at.
    package var readBytes = 4 << 20
    /// References of one file that are followed.
    package var referencesPerFile = 10_000
    /// References of all files that are followed, since each costs as much as its file's path is long.
    package var references = 200_000
    /// Findings of one code that are listed; one more says how many there are beyond.
    package var findingsPerCode = 50

    package init() {}
}
