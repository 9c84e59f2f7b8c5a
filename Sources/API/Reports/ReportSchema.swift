import Domain
import Ground
import HTTP

/// The endpoint `/report/schema.json`, which compresses the schema at the first request.
struct ReportSchemaEndpoint {
    private let services: Services
    private let resource: DeferredResource

    init(services: Services) {
        self.services = services
        resource = DeferredResource(on: services.pools.reports) {
            let text = ReportSchema.json.bytes()
            var fields: Fields = [.contentType: "application/schema+json", .cacheControl: "no-cache"]
            CORS.add(to: &fields)
            return PreparedResource(
                CodedBody(text, by: services.compressor), etagName: services.cryptography.etagName(of: text),
                fields: fields)
        }
    }

    func respond(_ head: RequestHead, _ base: ClientBase) throws(PlatformError) -> Disposition {
        _ = try services.live.requireApp(at: base)
        return resource.respond(to: head)
    }
}

/// The JSON Schema of the body of `/report`; a body that is valid by it is accepted.
///
/// The server reads more: a member of another type counts as absent, and only the required members are checked.
enum ReportSchema {
    static let json: JSON = .object([
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Reports of devices to POST /report",
        "description": """
        One report or an array of them; as application/x-ndjson one report on each line. A report counts once by \
        eventId, deviceId and app.
        """,
        "oneOf": .array([
            reference,
            .object([
                "type": "array", "items": reference, "maxItems": .integer(Int64(ReportParser.maximumReports)),
            ]),
        ]),
        "$defs": .object(["report": report]),
    ])

    private static let reference: JSON = .object(["$ref": "#/$defs/report"])

    private static let report: JSON = .object([
        "type": "object", "required": .array(ReportParser.requiredMembers.map { .string($0) }),
        "description": .string(
            "Members besides the required ones are kept as details, \(ReportParser.maximumDetailBytes) bytes at most."),
        "properties": .object([
            "eventId": name("The id of the event, the same one whenever the report is sent again."),
            "deviceId": name("The id of the device."),
            "package": .object([
                "type": "string", "pattern": "^(?!.*\\.\\.)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
                "description": "The id of the package.",
            ]),
            "version": name("The version that the event is about."),
            "event": event,
            "time": .object([
                "description": "The time of the event by the device's clock: RFC 3339, or Unix milliseconds.",
                "anyOf": .array([
                    .object(["type": "string", "format": "date-time"]), .object(["type": "integer", "minimum": 0]),
                ]),
            ]),
            "release": .object([
                "type": "integer", "minimum": 1, "description": "The release by which the device got the version.",
            ]),
            "reason": detail(
                "Why it happened, best a code of few different ones, such as digest-mismatch.", length: 200),
            "duration": .object([
                "type": "number", "minimum": 0, "description": "The milliseconds that it took, at most a day.",
            ]),
            "bytes": .object([
                "type": "integer", "minimum": 0, "description": "The bytes that were transferred.",
            ]),
            "network": detail("The type of the network, such as wifi, cellular or ethernet."),
            "platform": detail("The operating system, such as android or ios."),
            "osVersion": detail("The version of the operating system."),
            "appVersion": detail("The version of the host app."),
        ]),
    ])

    private static func name(_ description: String) -> JSON {
        .object([
            "type": "string", "minLength": 1, "maxLength": .integer(Int64(ReportParser.maximumNameLength)),
            "description": .string("\(description) At most \(ReportParser.maximumNameLength) bytes of UTF-8."),
        ])
    }

    /// - Parameter length: The longest text; statistics use its first ``ReportFacts/maximumTextLength`` bytes.
    private static func detail(_ description: String, length: Int = ReportFacts.maximumTextLength) -> JSON {
        .object([
            "type": "string", "maxLength": .integer(Int64(length)),
            "description": .string(
                "\(description) Statistics distinguish the first \(ReportFacts.maximumTextLength) bytes of UTF-8."),
        ])
    }

    private static let event: JSON = .object([
        "description": "The name of the event.",
        "anyOf": .array(
            NamedEvent.allCases.map { event in
                .object(["const": .string(event.rawValue), "description": .string(event.meaning)])
            } + [
                name(
                    "A name of the app's own. A package has \(EventNames.limit) of them; reports with further ones "
                        + "count as the event \(ReportTotal.other).")
            ]),
    ])
}
