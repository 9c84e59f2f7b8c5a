package import Domain

extension Publisher {
    /// What is to be published, under which name and how.
    package struct Request: Sendable {
        package let package: Package
        package let version: VersionString
        package let unwrapping: UploadArrangement.Unwrapping
        package let details: VersionDetails
        package let requirements: VersionRequirements
        package let ifExists: IfExists
        /// Whether everything is done but for keeping it.
        package let isDryRun: Bool
        /// Where its pages live online; `nil` for where the package's do.
        package var urlPrefix: URLPrefix?
        /// What clients of seed 004 are told of its files; `nil` for what the upload itself says, or else the package.
        package var resources: ResourceSettings?
        /// Whether the version has to have a place in the ranges by which other packages need this one.
        ///
        /// Not for a version that takes the package off devices: its release is reviewed for what devices lose by it.
        package var needsOrder = true

        package init(
            package: Package, version: VersionString, unwrapping: UploadArrangement.Unwrapping,
            details: VersionDetails = .none, requirements: VersionRequirements = .none, ifExists: IfExists = .compare,
            isDryRun: Bool = false
        ) {
            self.package = package
            self.version = version
            self.unwrapping = unwrapping
            self.details = details
            self.requirements = requirements
            self.ifExists = ifExists
            self.isDryRun = isDryRun
        }
    }

    /// What comes of a version string that is taken.
    package enum IfExists: Sendable {
        /// The same content changes nothing, other content is refused.
        case compare
        /// Nothing changes, whatever the content is.
        case accept
    }

    /// How a publishing ended, when it did not fail.
    package enum Outcome: Sendable {
        case published(VersionSummary, LintResult)
        /// The same content is there already under this version.
        case unchanged(VersionSummary, LintResult)
        /// The version is there, and was not to be published again.
        case exists(VersionSummary, isSame: Bool)
        /// A dry run: the version as it would be.
        case possible(VersionSummary, LintResult)
    }
}
