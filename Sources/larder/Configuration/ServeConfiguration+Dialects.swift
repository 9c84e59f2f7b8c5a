import API
import Dialects

extension ServeConfiguration {
    /// The client protocols besides `/config`.
    var dialects: [any ServedDialect] { allDialects(newestPackageAt: newestPackageAt) }
}
