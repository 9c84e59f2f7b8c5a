import Domain
import Ground

/// A domain type that is stored as text.
protocol SQLText: SQLConvertible {
    init?(_ text: String)
    var text: String { get }
}

extension SQLText {
    package var sqlValue: SQLValue { .text(text) }

    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue else { return nil }
        self.init(text)
    }
}

extension AppID: SQLText {}
extension ChannelName: SQLText {}
extension PackageID: SQLText {}
extension VersionString: SQLText {}
extension URLPrefix: SQLText {}
extension KeyID: SQLText {}
extension DeviceListName: SQLText {}
extension ResourceID: SQLText {}
extension GrantName: SQLText {}
extension CITrustName: SQLText {}
extension SignInProviderName: SQLText {}
extension UserName: SQLText {}
extension CommandLineCode: SQLText {}
extension MachineName: SQLText {}
extension Principal: SQLText {}

extension TreePath: SQLConvertible {
    package var sqlValue: SQLValue { .text(text) }

    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue, let path = try? TreePath(text) else { return nil }
        self = path
    }
}

extension PageOrigin: SQLConvertible {
    package var sqlValue: SQLValue { .text(text) }

    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue, let origin = try? PageOrigin(text) else { return nil }
        self = origin
    }
}

extension PagePath: SQLConvertible {
    package var sqlValue: SQLValue { .text(text) }

    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue, let path = try? PagePath(text) else { return nil }
        self = path
    }
}

extension SQLConvertible where Self: RawRepresentable, RawValue == String {
    package var sqlValue: SQLValue { .text(rawValue) }

    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue else { return nil }
        self.init(rawValue: text)
    }
}

extension Role: SQLConvertible {}
extension UpdateMode: SQLConvertible {}
extension Floor.Behavior: SQLConvertible {}
extension KeyPurpose: SQLConvertible {}
extension Layout: SQLConvertible {}
extension Artifact.Kind: SQLConvertible {}
extension HealthAction: SQLConvertible {}
extension WebhookKind: SQLConvertible {}
extension WebhookOutcome.Kind: SQLConvertible {}
extension ApprovalState: SQLConvertible {}
extension ApprovalAction: SQLConvertible {}

extension SHA256Digest: SQLConvertible {
    package var sqlValue: SQLValue { .blob(bytes) }

    package init?(sqlValue: SQLValue) {
        guard case .blob(let bytes) = sqlValue else { return nil }
        self.init(bytes: bytes)
    }
}

extension DeviceKey: SQLConvertible {
    package var sqlValue: SQLValue { .blob(bytes) }

    package init?(sqlValue: SQLValue) {
        guard case .blob(let bytes) = sqlValue else { return nil }
        self.init(bytes: bytes)
    }
}

extension Timestamp: SQLConvertible {
    package var sqlValue: SQLValue { .integer(milliseconds) }

    package init?(sqlValue: SQLValue) {
        guard case .integer(let milliseconds) = sqlValue else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

extension Rank: SQLConvertible {
    package var sqlValue: SQLValue { .integer(value) }

    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self.init(value)
    }
}

extension ReleaseID: SQLConvertible {
    package var sqlValue: SQLValue { .integer(value) }

    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self.init(value)
    }
}

extension WebhookID: SQLConvertible {
    package var sqlValue: SQLValue { .integer(value) }

    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self.init(value)
    }
}

extension ApprovalID: SQLConvertible {
    package var sqlValue: SQLValue { .integer(value) }

    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self.init(value)
    }
}

extension ReleaseSetID: SQLConvertible {
    package var sqlValue: SQLValue { .integer(value) }

    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self.init(value)
    }
}

extension BasisPoints: SQLConvertible {
    package var sqlValue: SQLValue { .integer(Int64(value)) }

    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self.init(Int(clamping: value))
    }
}

extension Salt: SQLConvertible {
    package var sqlValue: SQLValue { .blob(bytes) }

    package init?(sqlValue: SQLValue) {
        guard case .blob(let bytes) = sqlValue else { return nil }
        self.init(bytes: bytes)
    }
}

extension JSON: SQLConvertible {
    package var sqlValue: SQLValue { .text(text) }

    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue else { return nil }
        self.init(parsing: Array(text.utf8))
    }
}

extension UserID: SQLConvertible {
    package var sqlValue: SQLValue { .integer(value) }

    package init?(sqlValue: SQLValue) {
        guard case .integer(let value) = sqlValue else { return nil }
        self.init(value)
    }
}
