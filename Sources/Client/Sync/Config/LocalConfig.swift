import Domain

/// What `<appId>/app.config.json` of a device's copy says.
package enum LocalConfig: Sendable, Equatable {
    /// There is no such file: no copy.
    case absent
    /// The file is there and is not a JSON object.
    case unreadable
    /// - Parameter version: `nil` where the object has no `version` that is a string.
    case present(version: String?)

    /// Reads the bytes of the file; `nil` where there is none.
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

    /// Bytes of the file that are read at most.
    static let maximumSize = 4 << 20
}
