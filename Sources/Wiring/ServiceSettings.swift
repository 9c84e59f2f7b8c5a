package import API
package import Domain
package import Platform

/// The settings of the use cases.
package struct ServiceSettings: Sendable {
    /// The client protocols besides `/config`.
    package let dialects: [any ServedDialect]
    /// The signer for keys without a private half on the server.
    package var outsideSigner: (any OutsideSigner)?
    package var limits = PackageLimits()
    package var uploadLimits = UploadLimits(uploadBytes: PackageLimits().uploadBytes)
    package var reportWindow = ReportWindow()
    /// The number of devices that are remembered.
    package var devicesSeen = DevicesSeen.defaultLimit
    package var retention = RetentionPolicy.standard
    /// The time limit of a patch that a device requested.
    package var patchTimeLimit = RequestedPatches.defaultTimeLimit

    package init(dialects: [any ServedDialect]) {
        self.dialects = dialects
    }
}
