package import Domain

extension Publisher {
    /// A request to publish a version.
    package struct Request: Sendable {
        package let package: Package
        package let version: VersionString
        package let unwrapping: UploadArrangement.Unwrapping
        package let details: VersionDetails
        package let requirements: VersionRequirements
        package let ifExists: IfExists
        /// Whether to run every step except storing the version.
        package let isDryRun: Bool
        /// The online location of the version's pages; `nil` for the package's.
        package var urlPrefix: URLPrefix?
        /// The resource settings for clients of seed 004; `nil` for those of the upload, or else of the package.
        package var resources: ResourceSettings?
        /// Whether the version must be orderable if other packages depend on a range of this one.
        ///
        /// `false` for a version that takes the package off devices: its release is reviewed for the losses of devices.
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

    /// The treatment of a version string that is taken.
    package enum IfExists: Sendable {
        /// Equal content changes nothing, other content is rejected.
        case compare
        /// The existing version stays, whatever the content is.
        case accept
    }

    /// The outcome of a successful publishing.
    package enum Outcome: Sendable {
        case published(VersionSummary, LintResult)
        /// The version exists with equal content.
        case unchanged(VersionSummary, LintResult)
        /// The version exists, and the request accepts that.
        case exists(VersionSummary, isSame: Bool)
        /// The version that a real run would publish, from a dry run.
        case possible(VersionSummary, LintResult)
    }
}
