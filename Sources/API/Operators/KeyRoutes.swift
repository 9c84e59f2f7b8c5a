import Domain
import HTTP
import Platform

/// The keys of an app; for admins.
struct KeyRoutes {
    let routes: OperatorRoutes

    func add(to router: inout Router<APIEndpoint>) {
        let routes = routes
        routes.add(.get, "/apps/{app}/keys", .admin, to: &router) { call throws(PlatformError) in
            let keys = try await routes.services.store.keys(of: try routes.app(call.parameters).id)
            return .json(.ok, .object(["keys": .array(keys.map { Self.json($0, routes.services.cryptography) })]))
        }
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
        ])
    }
}
