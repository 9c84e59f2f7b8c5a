/// A step of the way of a version to a device.
///
/// A device that reached a step has passed all earlier ones.
package enum FunnelStep: String, Sendable, CaseIterable, Comparable {
    case offered
    case downloaded
    case applied
    case activated

    /// The latest step that a device which reports an event has reached.
    ///
    /// A report about a version shows at least that the device was offered it.
    package init(event: String) {
        switch event {
        case "activated", "opened", "pageLoad", "resourceMissing", "whiteScreen", "scriptError": self = .activated
        case "applied", "rolledBack": self = .applied
        case "downloaded", "verifyFailed", "applyFailed": self = .downloaded
        default: self = .offered
        }
    }

    package static func < (one: FunnelStep, other: FunnelStep) -> Bool { one.index < other.index }

    private var index: Int {
        switch self {
        case .offered: 0
        case .downloaded: 1
        case .applied: 2
        case .activated: 3
        }
    }
}
