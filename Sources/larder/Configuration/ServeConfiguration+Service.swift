import Dialects
import Wiring

extension ServeConfiguration {
    /// The settings of the use cases.
    func service(_ environment: [String: String]) throws(CommandError) -> ServiceSettings {
        var settings = ServiceSettings(dialects: allDialects(newestPackageAt: newestPackageAt))
        settings.outsideSigner = signer
        settings.limits = limits
        settings.uploadLimits = uploadLimits
        settings.reportWindow = reportWindow
        settings.devicesSeen = devicesSeen
        settings.deviceIDForm = deviceIDForm
        settings.deviceIDSecret = try deviceIDKeySource?.deviceIDSecret(environment)
        settings.acceptedDeviceIDFingerprint = acceptedDeviceIDFingerprint
        settings.retention = retention
        return settings
    }
}
