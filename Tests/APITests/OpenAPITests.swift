@testable import API
import Domain
import FoundationEssentials
import Ground
import ServiceKit
import TestKit
import Testing

/// Holds the description of the API against the routes and their responses.
@Suite(.scratchMemory, .timeLimit(.minutes(5)))
struct OpenAPITests {
    private static func document() async throws -> JSON {
        let response = try await TestService(hasLegacyKey: false).send(TestRequest("GET", OpenAPIEndpoint.path))
        try #require(response.status == 200)
        return try response.json
    }

    private static var operations: [Operation] { OpenAPIDocument.groups.flatMap(\.operations) }

    /// Returns the operations of the document by method and path.
    private static func described(_ document: JSON) -> [String: JSON] {
        var described: [String: JSON] = [:]
        for path in document["paths"]?.members ?? [] {
            for method in path.value.members ?? [] {
                described["\(method.key.uppercased()) \(path.key)"] = method.value
            }
        }
        return described
    }

    @Test func `every route has a description, and every description a route`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let list = try await service.send(
            try TestRequest("GET", "/api/v1").by(await service.makeToken(.publisher)))
        let routes = try #require(try list.json["routes"]?.elements)
        let names = routes.compactMap { route in
            route["method"]?.string.map { "\($0) \(route["path"]?.string ?? "")" }
        }
        let described = Self.described(try await Self.document())
        #expect(Set(described.keys) == Set(names))
        let known = Self.operations.map(\.route)
        #expect(Set(known).count == known.count)
        #expect(known.count == names.count)
        for route in routes {
            let name = "\(route["method"]?.string ?? "") \(route["path"]?.string ?? "")"
            #expect(described[name]?["x-role"] ?? .null == route["role"], "\(name)")
        }
    }

    @Test func `every parameter is described, and no other is given a schema or required`() async throws {
        let service = try await TestService(hasLegacyKey: false)
        let list = try await service.send(
            try TestRequest("GET", "/api/v1").by(await service.makeToken(.publisher)))
        var used: (path: Set<String>, query: Set<String>) = ([], [])
        let operations = Dictionary(uniqueKeysWithValues: Self.operations.map { ($0.route, $0) })
        for route in try #require(try list.json["routes"]?.elements) {
            let path = try #require(route["path"]?.string)
            let names = Set((route["parameters"]?.elements ?? []).compactMap(\.string))
            used.query.formUnion(names)
            used.path.formUnion(
                path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) })
            let name = "\(route["method"]?.string ?? "") \(path.trimmingPrefix(OperatorRoutes.root))"
            let operation = try #require(operations[name], "\(name)")
            #expect(operation.required.union(operation.parameters.keys).isSubset(of: names), "\(name)")
        }
        #expect(used.query == Set(ParameterSchema.query.keys))
        #expect(used.path == Set(ParameterSchema.path.keys))
    }

    @Test func `ids are unique, references exist, and every schema is used`() async throws {
        let document = try await Self.document()
        let ids = Self.operations.map(\.id)
        #expect(Set(ids).count == ids.count)
        let check = SchemaCheck(document: document)
        var references: Set<String> = []
        func collect(_ json: JSON) {
            for member in json.members ?? [] {
                if member.key == "$ref", let text = member.value.string { references.insert(text) }
                collect(member.value)
            }
            for element in json.elements ?? [] { collect(element) }
        }
        collect(document)
        for reference in references { #expect(check.resolve(reference) != nil, "\(reference)") }
        let schemas = try #require(document["components"]?["schemas"]?.members).map { "#/components/schemas/\($0.key)" }
        #expect(Set(schemas).count == schemas.count)
        #expect(Set(schemas) == references)
    }

    @Test func `every example is valid by its schema`() async throws {
        let document = try await Self.document()
        let check = SchemaCheck(document: document)
        var count = 0
        for operation in Self.operations {
            let examples =
                operation.responses.flatMap(\.content).map { ($0.mediaType, $0.schema, $0.example) }
                + (operation.body.map { [($0.mediaType, $0.schema, $0.example)] } ?? [])
            for (type, schema, text) in examples where type == "application/json" {
                let example = try #require(JSON(parsing: Array(text.utf8)), "\(operation.route): \(text)")
                #expect(check.faults(of: example, by: schema.json) == [], "\(operation.route)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    private func expect(_ response: TestResponse, of operation: JSON, _ check: SchemaCheck, _ route: String) throws {
        let status = String(response.status)
        let described = try #require(operation["responses"]?[status], "\(route): \(status) \(response.text)")
        let type = response["Content-Type"]?.split(separator: ";").first.map(String.init)
        guard let type, !response.text.isEmpty else {
            #expect(described["content"] == nil || response.text.isEmpty, "\(route): \(status)")
            return
        }
        let content = try #require(described["content"]?[type], "\(route): \(status) \(type)")
        if type.hasSuffix("json") {
            let faults = try check.faults(of: response.json, by: #require(content["schema"]))
            #expect(faults == [], "\(route): \(response.text)")
        }
        if let codes = described["x-codes"]?.elements {
            #expect(codes.contains(.string(response.code ?? "")), "\(route): \(response.code ?? "")")
        }
        for name in ["ETag", "Link", "Upload-Offset", "Location"] where response[name] != nil {
            // A published version has its URL, which no change needs.
            #expect(described["headers"]?[name] != nil || name == "Location", "\(route): \(status) \(name)")
        }
    }

    @Test(arguments: OperatorRoute.all)
    func `a route responds as it is described: done, in a dry run, twice, and refused`(
        route: OperatorRoute
    ) async throws {
        let document = try await Self.document()
        let check = SchemaCheck(document: document)
        let desk = try await Desk()
        try await desk.service.publishSample("1.0.0")
        let request = try await desk.request(route, authorization: "Bearer \(desk.token(.admin))")
        let path = String(request.target.prefix { $0 != "?" })
        let parts = path.split(separator: "/")
        let patterns = Self.described(document).filter { name, _ in
            let pattern = name.split(separator: " ")
            return pattern[0] == request.method
                && pattern[1].split(separator: "/").elementsEqual(parts) { $0 == $1 || $0.hasPrefix("{") }
        }
        // `keys/legacy` matches two patterns, of which the one with fewer names is its own.
        let operation = try #require(
            patterns.min { $0.key.count(where: { $0 == "{" }) < $1.key.count(where: { $0 == "{" }) }?.value, "\(path)")

        var requests = [request.with("If-Match", "\"never\""), request.with("If-Match", "never")]
        var rehearsal = request
        rehearsal.target += (request.target.contains("?") ? "&" : "?") + "dryRun=1"
        requests += [rehearsal, request, request]
        var unknown = request
        unknown.body = JSON.object((route.body?.members ?? []) + [.init("colour", "red")]).bytes()
        var parameter = request
        parameter.target += (request.target.contains("?") ? "&" : "?") + "colour=red"
        requests += [unknown, parameter]
        for request in requests { try expect(try await desk.service.send(request), of: operation, check, "\(route)") }
        for token in [try desk.token(.publisher), "none"] {
            var other = request
            other.fields.removeAll { $0.name == "Authorization" }
            try expect(try await desk.service.send(other.by(token)), of: operation, check, "\(route)")
        }
    }

    private static func page() throws -> String {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/api.md")
        return try String(contentsOf: path, encoding: .utf8)
    }

    /// The JSON examples of the section about operators: blocks, and lines with a request or a response.
    private static func documentedExamples() throws -> [JSON] {
        let page = try page()
        let start = try #require(page.firstRange(of: "\n## Operators\n")).upperBound
        let end = try #require(page[start...].firstRange(of: "\n## System\n")).lowerBound
        var examples: [JSON] = []
        var block: String?
        for line in page[start..<end].split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let json = block.flatMap({ JSON(parsing: Array($0.utf8)) }) { examples.append(json) }
                block = line == "```json" || (block == nil && line == "```") ? "" : nil
            } else {
                block? += line + "\n"
                guard block != nil, let brace = line.firstIndex(of: "{"), brace != line.startIndex else { continue }
                if let json = JSON(parsing: Array(line[brace...].utf8)) { examples.append(json) }
            }
        }
        return examples
    }

    @Test func `every JSON example of docs/api.md for operators is valid by the description`() async throws {
        let document = try await Self.document()
        let check = SchemaCheck(document: document, allowsEllipsis: true)
        var schemas = try #require(document["components"]?["schemas"]?.members).map(\.value)
        for operation in Self.operations {
            schemas += operation.responses.flatMap(\.content).map(\.schema.json)
            if let body = operation.body { schemas.append(body.schema.json) }
        }
        // A schema without members accepts anything.
        schemas = schemas.filter {
            ($0["$ref"]?.string.flatMap(check.resolve) ?? $0)["properties"]?.members?.isEmpty == false
        }
        let examples = try Self.documentedExamples()
        #expect(examples.count > 40)
        for example in examples {
            // A single member is an excerpt of an object.
            let isExcerpt = example.members?.count == 1
            let isValid = schemas.contains { schema in
                check.faults(of: example, by: schema).allSatisfy {
                    isExcerpt && $0.hasPrefix("$: ") && $0.hasSuffix(" is missing")
                }
            }
            #expect(isValid, "\(example.text)")
        }
    }

    @Test func `the table of docs/api.md has the role and the parameters of each operation`() async throws {
        let text = try Self.page()
        let described = Self.described(try await Self.document())
        var count = 0
        for row in text.split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|").map { $0.trimming { $0 == " " } }
            guard cells.count == 3, let role = Role(rawValue: String(cells[1])) else { continue }
            let name = cells[0].filter { $0 != "`" }
            let parts = name.split(separator: " ")
            let path = parts[1].hasPrefix("/api/v1") ? String(parts[1]) : OperatorRoutes.root + parts[1]
            let operation = try #require(described["\(parts[0]) \(path)"], "\(name)")
            #expect(operation["x-role"]?.string == role.rawValue, "\(name)")
            count += 1
        }
        #expect(count > 90)
    }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        let start = drop(while: isTrimmed)
        return start[..<(start.lastIndex { !isTrimmed($0) }.map { start.index(after: $0) } ?? start.startIndex)]
    }
}
