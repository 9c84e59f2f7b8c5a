import Domain
import Ground
import HTTP

/// The description of the operators' API in the format OpenAPI 3.1, made from the routes and the operations beside them.
struct OpenAPIDocument {
    static let groups: [OperationGroup] = [
        .apps, .packages, .versions, .uploads, .releases, .releaseSets, .approvals, .devices, .hosts, .statistics,
        .keys, .tokens,
        .ciTrusts, .users, .signInProviders, .webhooks, .server,
    ]

    private let descriptions: [OperatorRouter.Description]
    /// The version of the program, which has no number, so that of the API.
    private static let version = "1"

    init(of descriptions: [OperatorRouter.Description]) {
        self.descriptions = descriptions
    }

    /// Returns the name of a route in ``Operation/route``.
    static func name(of route: OperatorRouter.Description) -> String {
        "\(route.method.token) \(route.path.trimmingPrefix(OperatorRoutes.root))"
    }

    var json: JSON {
        .object([
            "openapi": "3.1.0",
            "info": .object([
                "title": "Larder", "version": .string(Self.version), "summary": "The operators' API of Larder.",
                "description": "docs/api.md and docs/semantics.md describe the terms and the rules.",
            ]),
            "servers": .array([.object(["url": "../"])]),
            "security": .array([.object(["token": .array([])]), .object(["session": .array([])])]),
            "tags": .array(
                Self.groups.map { .object(["name": .string($0.name), "description": .string($0.text)]) }),
            "paths": paths,
            "components": .object([
                "securitySchemes": .object([
                    "token": .object([
                        "type": "http", "scheme": "bearer",
                        "description": "A token of an operator: larder token create.",
                    ]),
                    "session": .object([
                        "type": "apiKey", "in": "cookie", "name": .string(SessionCookie.name),
                        "description": "The session of a user: POST /api/v1/session.",
                    ]),
                ]),
                "schemas": .object(
                    [.init("Problem", Self.problem.json)]
                        + Self.groups.flatMap(\.schemas).map { JSON.Member($0.name, $0.schema.json) }),
            ]),
        ])
    }

    private var paths: JSON {
        var operations: [String: (OperationGroup, Operation)] = [:]
        for group in Self.groups {
            for operation in group.operations { operations[operation.route] = (group, operation) }
        }
        var order: [String] = []
        var members: [String: [JSON.Member]] = [:]
        for route in descriptions {
            guard let (group, operation) = operations[Self.name(of: route)] else { continue }
            if members[route.path] == nil { order.append(route.path) }
            let json = DescribedRoute(route: route, operation: operation, tag: group.name).json
            members[route.path, default: []].append(.init(route.method.token.lowercased(), json))
        }
        return .object(order.map { JSON.Member($0, .object(members[$0] ?? [])) })
    }

    /// The body of an error (RFC 9457), which has further members for some codes.
    private static let problem: Schema = {
        let schema = Schema.object(
            [
                "type": .text, "title": .text, "status": .integer(400...599),
                "code": .choice(PlatformError.Code.self), "detail": .text,
            ],
            optional: [
                "id": .text, "entry": .text, "reason": .text, "release": .count, "releaseSet": .count,
                "losses": .array(.named("Loss")), "devices": Schema.count.orNull,
            ])
        return schema
    }()
}

/// A route with its operation.
struct DescribedRoute {
    let route: OperatorRouter.Description
    let operation: Operation
    let tag: String

    /// The schemas of objects that can be changed, whose responses have an entity tag.
    private static let tagged: Set<String> = [
        "App", "AppHealth", "Channel", "Package", "Version", "VersionWithFiles", "Waiver", "Release", "ReleaseSet",
        "Approval", "DeviceList", "Build", "PageGrant", "Preset", "Key", "Webhook", "Token", "CITrust", "User",
        "SignInProvider",
    ]

    private var isChange: Bool { route.method != .get && route.method != .head }

    /// The placeholders of the path.
    private var placeholders: [String] {
        route.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    var json: JSON {
        .object([
            "operationId": .string(operation.id), "summary": .string(operation.summary),
            "description": operation.details.isEmpty ? nil : .string(operation.details), "tags": .array([.string(tag)]),
            "x-role": route.role.map { .string($0.rawValue) },
            "security": route.role == nil ? .array([]) : nil, "x-scope": .string(route.scope.rawValue),
            "parameters": .array(parameters), "requestBody": body,
            "responses": responses,
        ])
    }

    // MARK: The request

    private var parameters: [JSON] {
        var parameters = placeholders.map { name in
            let known = ParameterSchema.path[name]
            return parameter(
                name, in: "path", known?.schema ?? .text, known?.text ?? "", isRequired: true, example: known?.example)
        }
        for name in route.parameters.names {
            let known = ParameterSchema.query[name]
            parameters.append(
                parameter(
                    name, in: "query", operation.parameters[name] ?? known?.schema ?? .text, known?.text ?? "",
                    isRequired: operation.required.contains(name)))
        }
        for field in operation.fields {
            parameters.append(
                parameter(field.name, in: "header", field.schema, field.text, isRequired: field.isRequired))
        }
        if isChange, route.hasTag {
            parameters.append(
                parameter(
                    "If-Match", in: "header", .text, "The ETag of the object that the change is based on.",
                    isRequired: false))
        }
        if acceptsKey {
            let schema = Schema.text(1...IdempotencyKey.maximumLength)
            parameters.append(
                parameter(
                    "Idempotency-Key", in: "header", schema, "The name of the request, for retries.", isRequired: false)
            )
        }
        return parameters
    }

    private func parameter(
        _ name: String, in place: String, _ schema: Schema, _ text: String, isRequired: Bool, example: JSON? = nil
    ) -> JSON {
        .object([
            "name": .string(name), "in": .string(place), "required": .bool(isRequired), "description": .string(text),
            "schema": schema.json, "example": example,
        ])
    }

    private var acceptsKey: Bool {
        guard IdempotencySupport.methods.contains(route.method) else { return false }
        switch route.idempotency {
        case .keepsResponse, .keepsOutcome: return true
        case .unneeded: return false
        }
    }

    private var body: JSON? {
        operation.body.map { body in
            let example = JSON(parsing: Array(body.example.utf8))
            return .object([
                "required": .bool(body.isRequired),
                "content": .object([
                    .init(body.mediaType, .object(["schema": body.schema.json, "example": example]))
                ]),
            ])
        }
    }

    // MARK: Responses

    private var responses: JSON {
        let outcomes = operation.responses.map { outcome in
            JSON.Member(String(outcome.status.code), json(outcome))
        }
        let errors = Dictionary(grouping: codes) { $0.status.code }.sorted { $0.key < $1.key }
        return .object(outcomes + errors.map { status, codes in .init(String(status), Self.json(codes, status)) })
    }

    private func json(_ outcome: Operation.Outcome) -> JSON {
        var fields = outcome.fields
        // The objects of these two remain after DELETE.
        if route.method != .delete || ["/online", "/tokens/{id}"].contains(where: { route.path.hasSuffix($0) }),
            outcome.content.contains(where: { Self.tagged.contains(Self.name(of: $0.schema)) })
        {
            fields.append("ETag")
        }
        let content = outcome.content.map { content in
            JSON.Member(
                content.mediaType,
                .object([
                    "schema": content.schema.json, "example": JSON(parsing: Array(content.example.utf8)),
                ]))
        }
        let headers = fields.map { JSON.Member($0, .object(["schema": Schema.text.json])) }
        return .object([
            "description": .string(outcome.text), "headers": headers.isEmpty ? nil : .object(headers),
            "content": content.isEmpty || route.method == .head ? nil : .object(content),
        ])
    }

    private static func name(of schema: Schema) -> String {
        schema.json["$ref"]?.string?.split(separator: "/").last.map(String.init) ?? ""
    }

    private static func json(_ codes: [PlatformError.Code], _ status: Int) -> JSON {
        let names = Set(codes.map(\.rawValue)).sorted()
        var content = [
            JSON.Member("application/problem+json", .object(["schema": Schema.named("Problem").json]))
        ]
        // Requests that violate HTTP are refused before a route is found.
        if status == 400 { content.append(.init("text/plain", .object(["schema": Schema.text.json]))) }
        return .object([
            "description": .string(names.joined(separator: ", ")),
            "x-codes": .array(names.map { .string($0) }), "content": .object(content),
        ])
    }

    /// The codes of the errors with which the route responds.
    var codes: [PlatformError.Code] {
        var codes: [PlatformError.Code] = [
            .invalidRequest, .unauthorized, .forbidden, .rateLimited, .storageUnavailable,
        ]
        codes += placeholders.compactMap { Self.unknown[$0] }
        if !placeholders.isEmpty { codes.append(.notFound) }
        if isChange {
            codes += [
                .malformedPrecondition, .preconditionFailed, .bodyIncomplete, .bodyTooLarge, .conflict, .storageFull,
            ]
        }
        if acceptsKey { codes += [.idempotencyKeyInUse, .responseNotKept, .idempotencyKeyReused] }
        return codes + operation.errors
    }

    /// The error for an unknown name in a path, by placeholder.
    private static let unknown: [String: PlatformError.Code] = [
        "app": .appNotFound, "channel": .channelNotFound, "package": .packageNotFound, "version": .versionNotFound,
        "other": .versionNotFound, "layout": .notFound, "code": .waiverNotFound, "release": .releaseNotFound,
        "set": .releaseNotFound, "list": .listNotFound, "appVersion": .buildNotFound, "grant": .grantNotFound,
        "build": .presetNotFound, "keyId": .keyNotFound, "id": .tokenNotFound, "webhook": .webhookNotFound,
        "upload": .uploadNotFound, "approval": .approvalNotFound, "trust": .ciTrustNotFound, "user": .userNotFound,
        "provider": .signInProviderNotFound, "session": .sessionNotFound,
        "request": .signInExpired,
    ]
}
