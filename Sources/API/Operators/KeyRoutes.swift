import Domain
import Ground
import HTTP
import Platform

/// The routes of an app's keys, for admins.
struct KeyRoutes {
    let routes: OperatorRoutes

    /// A key with its place in the list: the keys in use, then the retired ones.
    private struct ListedKey {
        /// The state of a key.
        enum State: String, CaseIterable {
            case inUse = "in-use"
            case retired
        }

        let place: Int
        let key: AppKey

        var state: State { key.retiredAt == nil ? .inUse : .retired }
    }

    private static let list = ObjectList<ListedKey>(
        sorts: [.init("place") { [.number(Int64($0.place))] }],
        filters: [
            .choice("state", ListedKey.State.self) { $0.state },
            .choice("purpose", KeyPurpose.self) { $0.key.purpose },
        ])

    func add(to router: inout OperatorRouter) {
        addSigning(to: &router)
        addLegacy(to: &router)
        let routes = routes
        routes.add(.get, "/apps/{app}/keys", .admin, to: &router, parameters: Self.list.parameters) {
            call throws(PlatformError) in
            let (inUse, retired) = try await routes.services.keys.keys(of: try routes.app(call.parameters).id)
            let first = inUse.legacy.first?.id
            let places = (inUse + retired).enumerated().map { ListedKey(place: $0.offset, key: $0.element) }
            let page = try Self.list.page(of: places, for: call.request.head)
            func json(_ keys: [ListedKey]) -> JSON {
                .array(keys.map { Self.json($0.key, isFirst: $0.key.id == first, routes) })
            }
            return .json(
                .ok,
                .object([
                    "keys": json(page.items.filter { $0.key.retiredAt == nil }),
                    "retired": json(page.items.filter { $0.key.retiredAt != nil }),
                ]), fields: page.fields)
        }
        routes.add(.get, "/apps/{app}/keys/{keyId}", .admin, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters).id
            let key = try await routes.services.keys.requireKey(try call.parameters.read(.key), of: app)
            let first = try await routes.services.keys.keys(of: app).inUse.legacy.first?.id
            return Self.respond(.ok, key, isFirst: key.id == first, routes)
        }
    }

    /// Adds the routes that make, import and retire keys.
    private func addSigning(to router: inout OperatorRouter) {
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
                throw JSONReader.wrong("purpose", "'signing' or 'root'; a legacy key can only be imported")
            }
            return Self.respond(.created, key, routes)
        }
        routes.add(.put, "/apps/{app}/keys/signing", .admin, to: &router, parameters: ["half"]) {
            call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let (pem, half) = (try await call.body(), call.request.head.query["half"])
            guard half == nil || half == "public" else {
                throw PlatformError(
                    .invalidRequest,
                    "'half' must be 'public', for a key whose private half is outside the server, or left out.")
            }
            let (key, isNew) =
                half == nil
                ? try await keys.importSigning(pem: pem, of: app, by: call.author)
                : try await keys.importOutside(pem: pem, of: app, by: call.author)
            return Self.respond(isNew ? .created : .ok, key, routes)
        }
        routes.add(.post, "/apps/{app}/keys/{keyId}/retire", .admin, to: &router, hasTag: true) {
            call throws(PlatformError) in
            try await call.json().finish()
            let app = try routes.app(call.parameters)
            let id = try call.parameters.read(.key)
            let key = try await keys.retire(id, of: app, ifMatch: call.precondition, by: call.author)
            return Self.respond(.ok, key, routes)
        }
    }

    private func addLegacy(to router: inout OperatorRouter) {
        let routes = routes
        routes.add(.get, "/apps/{app}/keys/legacy", .admin, to: &router, parameters: ["keyId"]) {
            call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let id = try call.request.head.query["keyId"].map { (text) throws(PlatformError) in
                try NameKind.key.read(text)
            }
            let key = try await routes.services.keys.exportLegacy(id, of: app.id, by: call.author)
            return Response(
                .ok, fields: [.contentType: "application/x-pem-file", .cacheControl: "no-store"],
                body: .bytes(key.privateKey ?? []))
        }
        routes.add(.put, "/apps/{app}/keys/legacy", .admin, to: &router) { call throws(PlatformError) in
            let app = try routes.app(call.parameters)
            let key = try await routes.services.keys.importLegacy(
                pem: try await call.body(), of: app, by: call.author)
            return Self.respond(.ok, key, routes)
        }
    }

    private static func respond(
        _ status: Status, _ key: AppKey, isFirst: Bool = false, _ routes: OperatorRoutes
    ) -> Response {
        .json(status, json(key, isFirst: isFirst, routes), tag: key.tag(by: routes.services.cryptography))
    }

    /// - Parameter isFirst: Whether clients that name no legacy key get this key's signatures.
    private static func json(_ key: AppKey, isFirst: Bool = false, _ routes: OperatorRoutes) -> JSON {
        let isLegacy = key.purpose == .legacy
        var members: [JSON.Member] = [
            .init("keyId", .string(key.id.text)), .init("purpose", .string(key.purpose.rawValue)),
            .init("algorithm", isLegacy ? "rsa" : "ed25519"),
        ]
        // Neither half of a legacy key is public: its holder can forge packages (semantics.md §6).
        if !isLegacy {
            members.append(.init("publicKey", .string(Base64.encode(key.publicKey))))
            members.append(.init("fingerprint", .string(routes.services.cryptography.sha256(key.publicKey).hex)))
        }
        members.append(.init("privateHalf", .bool(key.privateKey != nil)))
        members.append(.init("createdAt", .string(key.createdAt.rfc3339)))
        if let retiredAt = key.retiredAt {
            members.append(.init("retiredAt", .string(retiredAt.rfc3339)))
        } else if isLegacy {
            let keys = isFirst ? [nil, key.id] : [key.id]
            let urls = keys.map { legacyKey in
                let base = ClientBase(app: key.app, channel: .production, legacyKey: legacyKey)
                return JSON.string("\(routes.publicURL)\(base.path)")
            }
            members.append(.init("baseUrls", .array(urls)))
        }
        return .object(members)
    }
}
