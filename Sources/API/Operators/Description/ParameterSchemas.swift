import Domain
import Ground

/// A parameter of a path or a query in the description of the API.
struct ParameterSchema: Sendable {
    let schema: Schema
    let text: String
    var example: JSON?

    private init(_ schema: Schema, _ text: String, _ example: JSON? = nil) {
        self.schema = schema
        self.text = text
        self.example = example
    }

    /// The parameters of paths, by placeholder.
    static let path: [String: ParameterSchema] = [
        "app": .init(.name, "The id of the app.", "default"),
        "channel": .init(.name, "The name of the channel.", "production"),
        "package": .init(.packageID, "The id of the package.", "news"),
        "version": .init(.version, "The version.", "1.0.0"), "other": .init(.version, "The other version.", "1.1.0"),
        "layout": .init(.choice(Layout.self), "The layout of the archive.", "flat"),
        "code": .init(.choice(LintFinding.Code.self), "The code of the finding.", "source-map"),
        "release": .init(.id, "The number of the release.", 1), "set": .init(.id, "The number of the release set.", 1),
        "approval": .init(.id, "The number of the approval request.", 12),
        "list": .init(.name, "The name of the device list.", "testers"),
        "device": .init(.text(1...DeviceIdentity.maximumLength), "The id of the device.", "ann"),
        "appVersion": .init(.text(1...DeviceFacts.maximumLength), "The version of the host build.", "8.3.0"),
        "grant": .init(.name, "The name of the page grant.", "checkout"),
        "build": .init(.version, "The version of the host build.", "8.3.0"),
        "keyId": .init(.pattern("^[0-9a-f]{16}$"), "The id of the key.", "6207bef7226b9d6b"),
        "id": .init(.id, "The number of the token.", 2), "webhook": .init(.id, "The number of the webhook.", 1),
        "user": .init(.pattern("^[a-z0-9][a-z0-9._@+-]{0,63}$"), "The name of the user.", "ann"),
        "session": .init(.id, "The number of the session.", 7),
        "request": .init(
            .pattern("^[B-DF-HJ-NP-TV-XZ]{4}-?[B-DF-HJ-NP-TV-XZ]{4}$"), "The code of the request.", "BDFG-HJKL"),
        "provider": .init(.name, "The name of the sign-in provider.", "acme"),
        "trust": .init(.name, "The name of the CI trust.", "github"),
        "upload": .init(
            .pattern("^[0-9a-f]{32}$"), "The id of the upload.", .string(String(repeating: "0", count: 32))),
    ]

    /// The parameters of queries, by name.
    static let query: [String: ParameterSchema] = [
        PageLimit.parameter: .init(PageLimit.list.schema, "The items of a page."),
        ListRequest.cursor: .init(.text, "The position at which the page begins, from Link of the page before."),
        ListRequest.sort: .init(.text, "A property, after - for the reverse order."),
        "text": .init(.text, "A part of the name."), "prefix": .init(.text, "The beginning of the version."),
        "flight": .init(.choice(["1"]), "1 selects packages with a release in flight on the channel."),
        "online": .init(.choice(["1"]), "1 selects packages that are used from the network."),
        "state": .init(.text, "The state."), "code": .init(.choice(LintFinding.Code.self), "The code of the finding."),
        "channel": .init(.name, "The channel."), "version": .init(.text, "The version."),
        "api": .init(.text, "A native API of the build."), "package": .init(.packageID, "The id of a package."),
        "purpose": .init(.choice(KeyPurpose.self), "The purpose of the key."),
        "role": .init(.choice(Role.self), "The role of the token."), "kind": .init(.text, "The kind."),
        "outcome": .init(.text, "The outcome."), "user": .init(.text, "The name of a user."),
        DryRunSupport.parameter: .init(.choice(["0", "1"]), "1 checks everything and changes nothing."),
        "path": .init(.text, "The path of a file in the package."),
        "half": .init(.text, "public, if the private half stays outside of the server."),
        "keyId": .init(.pattern("^[0-9a-f]{16}$"), "The id of a key."),
        "format": .init(.text, "The form of the response."),
        "packages": .init(.text, "Ids of packages, separated by commas."),
        "days": .init(.text, "The days in which devices were seen."),
        "return": .init(.text, "The page of the console that opens after signing in, such as /console/."),
        "iss": .init(.text, "The issuer."), "error": .init(.text, "The error of the provider."),
        "release": .init(.id, "The number of a release."), "id": .init(.text, "The id of the device."),
        "upload": .init(.pattern("^[0-9a-f]{32}$"), "The id of a finished upload."),
        "unwrap": .init(.choice(["0", "1"]), "1 removes the only top folder of the zip."),
        "notes": .init(.text, "The notes of the version."), "commit": .init(.text, "The commit."),
        "author": .init(.text, "The author."), "ifExists": .init(.choice(["ok"]), "ok accepts an existing version."),
        "minAppVersion": .init(.text, "The lowest version of the host app."),
        "maxAppVersion": .init(.text, "The highest version of the host app."),
        "apis": .init(.text, "The native APIs that the version needs, separated by commas."),
        "needs": .init(.text, "The packages that the version needs, such as common@^7."),
        "from": .init(.time, "The beginning."), "to": .init(.time, "The end."),
        "bucket": .init(.integer(0...9_999), "The bucket of the device, instead of deviceId."),
        "groupBy": .init(.text, "Properties by which reports are grouped, separated by commas."),
        "event": .init(.text, "The name of the event."), "reason": .init(.text, "The reason of the failure."),
        "platform": .init(.text, "The operating system."), "appVersion": .init(.text, "The version of the host app."),
        "at": .init(.time, "The instant; now without it."), "deviceId": .init(.text, "The id of the device."),
        "have": .init(.text, "The versions on the device, such as news@1.0.0."),
        "only": .init(.text, "Ids of packages, separated by commas."), "signed": .init(.text, "Ignored."),
        "osVersion": .init(.text, "The version of the operating system."), "model": .init(.text, "The model."),
        "region": .init(.text, "The region."), "network": .init(.text, "The type of the network."),
        "actor": .init(.text, "The whole name of the actor."),
        "action": .init(.text, "An action, or all of a subject such as release.*."),
        "object": .init(.text, "The object of the entry."), "app": .init(.name, "The app of the entry."),
        "since": .init(.time, "The earliest time."), "until": .init(.time, "The time before which entries are."),
        "before": .init(.id, "The id before which entries are."),
        "after": .init(.count, "The id of the audit entry after which the stream begins."),
    ]
}

extension PageLimit {
    /// The schema of the parameter ``parameter``.
    var schema: Schema { .integer(Int64(sizes.lowerBound)...Int64(sizes.upperBound)) }
}
