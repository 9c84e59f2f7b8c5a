import Domain
import Ground

/// A kind of name that occurs in paths, queries and bodies, with one rule for malformed names.
///
/// A malformed name refers to nothing, so it gets the error code of an unknown one (404). The name of an object that a
/// `PUT` creates is input instead, so a malformed one gets `invalidRequest` (400).
struct NameKind<Value: Sendable>: Sendable {
    /// The placeholder in the patterns of routes.
    let placeholder: String
    /// The error code if no object has the name.
    let notFound: PlatformError.Code
    /// A function that parses a name; it returns `nil` for a malformed one.
    let parse: @Sendable (String) -> Value?
    /// A function that returns the message about a malformed name, which is passed in a form fit to be shown.
    let fault: @Sendable (String) -> String

    /// Reads the name of an existing object.
    func read(_ text: String) throws(PlatformError) -> Value { try read(text, orThrow: notFound) }

    /// Reads the name of an object that the request creates.
    func readNew(_ text: String) throws(PlatformError) -> Value { try read(text, orThrow: .invalidRequest) }

    private func read(_ text: String, orThrow code: PlatformError.Code) throws(PlatformError) -> Value {
        guard let value = parse(text) else { throw PlatformError(code, fault(ShownText.of(text.utf8))) }
        return value
    }
}

extension NameKind {
    /// Creates the kind of names that have one grammar.
    ///
    /// - Parameters:
    ///   - noun: The kind with its article, for messages: "an app id".
    ///   - shape: The grammar in words.
    private init(
        _ placeholder: String, _ notFound: PlatformError.Code, _ noun: String, _ shape: String,
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.init(placeholder: placeholder, notFound: notFound, parse: parse) { "'\($0)' is not \(noun): \(shape)." }
    }
}

extension NameKind where Value == AppID {
    static var app: Self {
        Self("app", .appNotFound, "an app id", AppID.shape) { AppID($0) }
    }
}

extension NameKind where Value == ChannelName {
    static var channel: Self {
        Self("channel", .channelNotFound, "a channel name", ChannelName.shape) { ChannelName($0) }
    }
}

extension NameKind where Value == PackageID {
    static var package: Self {
        Self("package", .packageNotFound, "a package id", PackageID.shape) { PackageID($0) }
    }
}

extension NameKind where Value == VersionString {
    static func version(_ placeholder: String = "version", of package: PackageID) -> Self {
        Self(placeholder: placeholder, notFound: .versionNotFound) {
            VersionString($0)
        } fault: {
            "'\(package)' has no version '\($0)'."
        }
    }

    /// The version of a host build that a preset is for.
    static var presetBuild: Self {
        Self("build", .presetNotFound, "the app version of a build", VersionString.shape) { VersionString($0) }
    }
}

extension NameKind where Value == Layout {
    static var layout: Self {
        Self(placeholder: "layout", notFound: .notFound) {
            Layout(rawValue: $0)
        } fault: {
            "'\($0)' is not a layout. Layouts: \(Layout.names)."
        }
    }
}

extension NameKind where Value == LintFinding.Code {
    /// The code of the finding that a waiver accepts.
    static var waivedCode: Self {
        Self(placeholder: "code", notFound: .waiverNotFound) {
            LintFinding.Code(rawValue: $0)
        } fault: {
            let known = LintFinding.Code.allCases.map(\.rawValue).joined(separator: ", ")
            return "'\($0)' is not the code of a finding. Codes: \(known)."
        }
    }
}

extension NameKind where Value == CITrustName {
    static var ciTrust: Self {
        Self("trust", .ciTrustNotFound, "the name of a CI trust", CITrustName.shape) { CITrustName($0) }
    }
}

extension NameKind where Value == SignInProviderName {
    static var signInProvider: Self {
        Self("provider", .signInProviderNotFound, "the name of a sign-in provider", SignInProviderName.shape) {
            SignInProviderName($0)
        }
    }
}

extension NameKind where Value == GrantName {
    static var grant: Self {
        Self("grant", .grantNotFound, "the name of a page grant", GrantName.shape) { GrantName($0) }
    }
}

extension NameKind where Value == DeviceListName {
    static var deviceList: Self {
        Self("list", .listNotFound, "the name of a device list", DeviceListName.shape) { DeviceListName($0) }
    }
}

extension NameKind where Value == String {
    /// The id of a device, which may be any text.
    static var device: Self {
        Self(placeholder: "device", notFound: .invalidRequest) {
            $0
        } fault: {
            $0
        }
    }

    /// The version of a host build; old registrations may have any text.
    static var appVersion: Self {
        Self(placeholder: "appVersion", notFound: .buildNotFound) {
            $0
        } fault: {
            $0
        }
    }
}

extension NameKind where Value == ReleaseID {
    static var release: Self {
        Self(placeholder: "release", notFound: .releaseNotFound) {
            Int64($0).flatMap { $0 > 0 ? ReleaseID($0) : nil }
        } fault: {
            "'\($0)' is not a release number. The list of releases shows the numbers."
        }
    }
}

extension NameKind where Value == ReleaseSetID {
    static var releaseSet: Self {
        Self(placeholder: "set", notFound: .releaseNotFound) {
            Int64($0).flatMap { $0 > 0 ? ReleaseSetID($0) : nil }
        } fault: {
            "'\($0)' is not the number of a release set. The list of sets shows the numbers."
        }
    }
}

extension NameKind where Value == ApprovalID {
    static var approval: Self {
        Self(placeholder: "approval", notFound: .approvalNotFound) {
            Int64($0).flatMap { $0 > 0 ? ApprovalID($0) : nil }
        } fault: {
            "'\($0)' is not the number of an approval. The list of approvals shows the numbers."
        }
    }
}

extension NameKind where Value == WebhookID {
    static var webhook: Self {
        Self(placeholder: "webhook", notFound: .webhookNotFound) {
            Int64($0).flatMap { $0 > 0 ? WebhookID($0) : nil }
        } fault: {
            "'\($0)' is not the number of a webhook. The list of webhooks shows the numbers."
        }
    }
}

extension NameKind where Value == KeyID {
    static var key: Self {
        Self(placeholder: "keyId", notFound: .keyNotFound) {
            KeyID($0)
        } fault: {
            "'\($0)' is not a key id: 16 hex digits in lower case."
        }
    }
}

extension NameKind where Value == UploadID {
    static var upload: Self {
        Self(placeholder: "upload", notFound: .uploadNotFound) {
            UploadID($0)
        } fault: { _ in
            "This is not an upload id. Use the URL in 'Location' of the response to POST /api/v1/uploads."
        }
    }
}

extension NameKind where Value == UserName {
    static var user: Self {
        Self("user", .userNotFound, "a user name", UserName.shape) { UserName($0) }
    }
}

extension NameKind where Value == CommandLineCode {
    static var commandLine: Self {
        Self("request", .signInExpired, "the code of a command line", CommandLineCode.shape) { CommandLineCode($0) }
    }
}

extension NameKind where Value == Int64 {
    static var session: Self {
        Self(placeholder: "session", notFound: .sessionNotFound) {
            Int64($0)
        } fault: { _ in
            "A session id must be a number."
        }
    }

    static var token: Self {
        Self(placeholder: "id", notFound: .tokenNotFound) {
            Int64($0)
        } fault: { _ in
            "A token id must be a number."
        }
    }
}
