import Ground

/// The form in which an installation stores device ids.
package enum DeviceIDForm: String, Sendable, CaseIterable {
    /// Reports contain the id, and seen devices have a digest of it that anyone can compute.
    case plain
    /// Reports and seen devices have a hash under a secret of the installation.
    case hashed
}

/// The names by which the rows of a store refer to a device.
package struct DeviceName: Sendable, Hashable {
    /// The text in reports.
    package let text: String
    /// The key in seen devices.
    package let key: DeviceKey

    package init(text: String, key: DeviceKey) {
        self.text = text
        self.key = key
    }
}

/// The names of a device in both forms, since the form of an installation may have changed.
package struct DeviceNames: Sendable, Hashable {
    /// The name with ``DeviceIDForm/plain``; device lists always have its key.
    package let plain: DeviceName
    package let hashed: DeviceName

    package init(plain: DeviceName, hashed: DeviceName) {
        self.plain = plain
        self.hashed = hashed
    }
}

/// The names that an installation gives to devices (decision 0075).
package struct DeviceIDs: Sendable {
    /// The prefix of a hashed id in a report; 32 hexadecimal digits follow.
    package static let hashedPrefix = "hashed:"
    private static let label = Array("larder-device-ids-1".utf8)
    private static let fingerprintLabel = Array("larder-device-ids-fingerprint-1".utf8)
    private static let fingerprintBytes = 8

    package let form: DeviceIDForm
    private let key: [UInt8]
    private let cryptography: any Cryptography

    /// - Parameter secret: The secret of the installation, at least 16 random bytes.
    package init(_ form: DeviceIDForm, secret: [UInt8], by cryptography: any Cryptography) {
        self.form = form
        self.cryptography = cryptography
        key = cryptography.hmacSHA256(of: Self.label, key: secret)
    }

    /// The fingerprint of the secret: 16 hexadecimal digits from which the secret cannot be computed.
    package var fingerprint: String {
        Hex.encode(cryptography.hmacSHA256(of: Self.fingerprintLabel, key: key).prefix(Self.fingerprintBytes))
    }

    /// Returns the bucket and the key of a device, whose rows and lists are compared by that key.
    ///
    /// Returns `nil` for an empty or too long id.
    package func identity(of id: String, in app: AppID) -> DeviceIdentity? {
        let plain = DeviceIdentity(of: id, in: app, by: cryptography)
        switch form {
        case .plain: return plain
        case .hashed: return plain.map { DeviceIdentity(hidden($0.key)) }
        }
    }

    /// Returns the names under which a device may be stored; `nil` for an empty or too long id.
    package func names(of id: String, in app: AppID) -> DeviceNames? {
        guard let plain = DeviceIdentity(of: id, in: app, by: cryptography)?.key else { return nil }
        let hashed = hidden(plain)
        return DeviceNames(
            plain: DeviceName(text: id, key: plain), hashed: DeviceName(text: Self.text(of: hashed), key: hashed))
    }

    /// Returns a copy of a report in the form in which it is stored.
    ///
    /// - Parameter report: A report with the id that the device sent.
    package func stored(_ report: Report) -> Report {
        guard form == .hashed else { return report }
        let plain = DeviceKey(of: report.deviceID, in: report.app, by: cryptography)
        return report.naming(device: Self.text(of: hidden(plain)))
    }

    /// Returns a copy of a report from a spool in the form in which it is stored; one with a hashed id stays as it is.
    package func stored(spooled report: Report) -> Report {
        Self.hashedKey(in: report.deviceID) == nil ? stored(report) : report
    }

    /// Returns the key of the device that a stored report names; `nil` for an empty or too long id.
    package func key(ofStored text: String, in app: AppID) -> DeviceKey? {
        Self.hashedKey(in: text) ?? identity(of: text, in: app)?.key
    }

    /// Returns the devices of a stored list by the keys of ``identity(of:in:)``.
    ///
    /// Takes a microsecond or two for each device in the form `hashed`.
    package func listed(_ devices: DeviceSet) -> DeviceSet {
        switch form {
        case .plain: devices
        case .hashed: devices.mapping(hidden)
        }
    }

    /// Returns the HMAC of a key, with the bucket of the key.
    func hidden(_ plain: DeviceKey) -> DeviceKey {
        let hash = cryptography.hmacSHA256(of: plain.bytes, key: key)
        func word(at offset: Int) -> UInt64 { hash[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        return DeviceKey(high: word(at: 0), low: word(at: 8)).moved(to: DeviceIdentity(plain).bucket)
    }

    private static func text(of hashed: DeviceKey) -> String { hashedPrefix + Hex.encode(hashed.bytes) }

    /// Returns the key in a text of a report; `nil` for a plain id.
    private static func hashedKey(in text: String) -> DeviceKey? {
        guard text.hasPrefix(hashedPrefix) else { return nil }
        return Hex.decode(String(text.dropFirst(hashedPrefix.count))).flatMap { DeviceKey(bytes: $0) }
    }
}
