import Domain

/// The thresholds and limits of the linter.
package struct LintRules: Sendable, Equatable {
    /// The bytes of a file above which the finding is `file-too-large`.
    package var fileBytes = 2 << 20
    /// The percentage by which a package may exceed the previous version.
    package var growthPercent = 20
    /// The number of files listed as the cause of a package's growth.
    package var growthFiles = 5
    /// The duplicate bytes below which there is no finding.
    package var duplicateBytes = 1 << 10
    /// The number of bytes read from the beginning of a file.
    package var readBytes = 4 << 20
    /// The number of references followed in one file.
    package var referencesPerFile = 10_000
    /// The number of references followed in all files, since each costs time proportional to its path.
    package var references = 200_000
    /// The number of findings listed for one code; one more counts the rest.
    package var findingsPerCode = 50

    package init() {}
}
