import Domain
import Ground

/// The content of `<appId>/app.config.json` in a device's copy.
package enum LocalConfig: Sendable, Equatable {
    /// The file does not exist, so there is no copy.
    case absent
    /// The file exists and is not a JSON object.
    case unreadable
    /// - Parameter version: The `version` member; `nil` if it is missing or not a string.
    case present(version: String?)

    /// Parses the bytes of the file; `nil` stands for a missing file.
    package init(_ bytes: [UInt8]?) {
        guard let bytes else {
            self = .absent
            return
        }
        guard let json = JSON(parsing: bytes), json.members != nil else {
            self = .unreadable
            return
        }
        self = .present(version: json["version"]?.string)
    }

    package var version: String? {
        guard case .present(let version) = self else { return nil }
        return version
    }

    /// The limit on the bytes of the file.
    static let maximumSize = 4 << 20
}
