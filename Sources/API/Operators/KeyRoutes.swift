import Domain
import HTTP
import Platform

/// The keys of an app; for admins.
struct KeyRoutes {
    let routes: OperatorRoutes

    /// Retired signing keys in one answer, at most.
    static let retiredPage = 200

    func add(to router: inout Router<APIEndpoint>) {
        addSigning(to: &router)
        addLegacy(to: &router)
        let routes = routes
        routes.add(.get, "/apps/{app}/keys", .admin, to: &router) { call throws(PlatformError) in
            let (services, app) = (routes.services, try routes.app(call.parameters).id)
            func json(_ keys: [AppKey]) -> JSON { .array(keys.map { Self.json($0, services.cryptography) }) }
            return .json(
                .ok,
                .object([
                    "keys": json(try await services.store.keys(of: app)),
                    "retired": json(
                        try await services.store.retiredKeys(.signing, of: app, last: Self.retiredPage)
                            + services.store.retiredKeys(.root, of: app, last: RootChange.historyLength)),
                ]))
        }
    }

    /// Making, importing and retiring.
    private func addSigning(to router: inout Router<APIEndpoint>) {
        let (routes, keys) = (routes, routes.services.keys)
        routes.add(.post, "/apps/{app}/keys", .admin, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            var body = try await call.json()
            let purpose = try body.string("purpose")
            try body.finish()
            let key: AppKey
            switch purpose.flatMap(KeyPurpose.init) {
            case .signing: key = try await keys.makeSigning(of: app, by: call.author)
            case .root: key = try await keys.makeRoot(of: app, by: call.author)
            default:
                throw JSONReader.wrong("purpose", "'signing' or 'root'; a legacy key is imported")
            }
            return .json(.created, Self.json(key, routes.services.cryptography))
        }
        routes.add(.put, "/apps/{app}/keys/signing", .admin, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let (pem, half) = (try await call.body(), call.request.head.query["half"])
            guard half == nil || half == "public" else {
                throw PlatformError(
                    .invalidRequest, "'half' is public, for a key whose private half is outside, or is left out.")
            }
            let (key, isNew) =
                half == nil
                ? try await keys.importSigning(pem: pem, of: app, by: call.author)
                : try await keys.importOutside(pem: pem, of: app, by: call.author)
            return .json(isNew ? .created : .ok, Self.json(key, routes.services.cryptography))
        }
        routes.add(.post, "/apps/{app}/keys/{keyId}/retire", .admin, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let text = call.parameters["keyId"] ?? ""
            guard let id = KeyID(text) else {
                throw PlatformError(
                    .keyNotFound, "'\(ShownText.of(text.utf8))' is no key's id: that is 16 hex digits in lower case.")
            }
            return .json(
                .ok, Self.json(try await keys.retire(id, of: app, by: call.author), routes.services.cryptography))
        }
    }

    private func addLegacy(to router: inout Router<APIEndpoint>) {
        let routes = routes
        routes.add(.get, "/apps/{app}/keys/legacy", .admin, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let key = try await routes.services.keys.exportLegacy(of: app.id, by: call.author)
            return Response(
                .ok, fields: [.contentType: "application/x-pem-file", .cacheControl: "no-store"],
                body: .bytes(key.privateKey ?? []))
        }
        routes.add(.put, "/apps/{app}/keys/legacy", .admin, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let key = try await routes.services.keys.importLegacy(
                pem: try await call.body(), of: app, by: call.author)
            return .json(.ok, Self.json(key, routes.services.cryptography))
        }
    }

    private static func json(_ key: AppKey, _ cryptography: any Cryptography) -> JSON {
        let isLegacy = key.purpose == .legacy
        return .object([
            "keyId": .string(key.id.text), "purpose": .string(key.purpose.rawValue),
            "algorithm": isLegacy ? "rsa" : "ed25519",
            // Neither half of a legacy key is ever public: whoever holds one can forge (semantics.md §6).
            "publicKey": isLegacy ? nil : .string(Base64.encode(key.publicKey)),
            "fingerprint": isLegacy ? nil : .string(cryptography.sha256(key.publicKey).hex),
            "privateHalf": .bool(key.privateKey != nil), "createdAt": .string(key.createdAt.rfc3339),
            "retiredAt": key.retiredAt.map { .string($0.rfc3339) },
        ])
    }
}
