import Dialects
import Wiring

extension ServeConfiguration {
    /// The settings of the use cases.
    var service: ServiceSettings {
        var settings = ServiceSettings(dialects: allDialects(newestPackageAt: newestPackageAt))
        settings.outsideSigner = signer
        settings.limits = limits
        settings.uploadLimits = uploadLimits
        settings.reportWindow = reportWindow
        settings.devicesSeen = devicesSeen
        settings.retention = retention
        return settings
    }
}
