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
    /// The form in which device ids are stored.
    package var deviceIDForm = DeviceIDForm.plain
    /// The secret under which device ids are hashed; `nil` for that in the database.
    package var deviceIDSecret: [UInt8]?
    /// The fingerprint of a secret that may replace an earlier one; `nil` for none.
    package var acceptedDeviceIDFingerprint: String?
    /// The cost of new hashes of passwords.
    package var passwordCost = ScryptCost.standard
    package var retention = RetentionPolicy.standard
    /// The time limit of a patch that a device requested.
    package var patchTimeLimit = RequestedPatches.defaultTimeLimit

    package init(dialects: [any ServedDialect]) {
        self.dialects = dialects
    }
}
