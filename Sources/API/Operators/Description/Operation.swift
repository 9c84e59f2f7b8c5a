import Domain
import Ground
import HTTP

/// The description of a route of the operators' API, beside what the route itself states: role, parameters and tags.
struct Operation: Sendable {
    /// The method and the path below `/api/v1`, such as `GET /apps/{app}`.
    let route: String
    /// The name of the operation in generated clients.
    let id: String
    let summary: String
    var details = ""
    var body: Body?
    var responses: [Outcome]
    /// The errors besides those of every route, of its path and of its kind.
    var errors: [PlatformError.Code] = []
    /// The schemas of parameters whose names mean something else on other routes.
    var parameters: [String: Schema] = [:]
    /// The parameters of the query that the request has to have.
    var required: Set<String> = []
    /// Header fields of the request.
    var fields: [Field] = []

    /// A header field of a request.
    struct Field: Sendable {
        let name: String
        let schema: Schema
        let text: String
        var isRequired = true
    }

    /// The body of a request.
    struct Body: Sendable {
        let mediaType: String
        let schema: Schema
        /// The text of an example; empty for bytes.
        let example: String
        let isRequired: Bool

        static func json(_ schema: Schema, _ example: String, isRequired: Bool = true) -> Body {
            Body(mediaType: "application/json", schema: schema, example: example, isRequired: isRequired)
        }

        /// No members, or `{"force": true}`.
        static let force = json(.named("Force"), #"{"force": true}"#, isRequired: false)

        static func bytes(_ mediaType: String, isRequired: Bool = true) -> Body {
            Body(mediaType: mediaType, schema: .bytes, example: "", isRequired: isRequired)
        }
    }

    /// A response to a request that succeeded.
    struct Outcome: Sendable {
        let status: Status
        let text: String
        /// The media types of the body, with their schemas; empty without a body.
        var content: [Content] = []
        var fields: [String] = []

        /// A form of the body.
        struct Content: Sendable {
            let mediaType: String
            let schema: Schema
            let example: String
        }

        static func json(_ status: Status, _ text: String, _ schema: Schema, _ example: String) -> Outcome {
            Outcome(
                status: status, text: text,
                content: [Content(mediaType: "application/json", schema: schema, example: example)])
        }

        /// The object as it is now.
        static func ok(_ schema: Schema, _ example: String) -> Outcome { json(.ok, "OK", schema, example) }

        /// The object that the request created.
        static func created(_ schema: Schema, _ example: String) -> Outcome {
            json(.created, "Created", schema, example)
        }

        /// A page of a list.
        static func list(_ name: String, of schema: String, _ example: String) -> Outcome {
            var outcome = ok(
                .object([name: .array(.named(schema), upTo: PageLimit.list.sizes.upperBound)]), example)
            outcome.fields = ["Link"]
            return outcome
        }
    }

    /// The responses of a `PUT` that creates an object, or changes it.
    static func put(_ schema: String, _ example: String) -> [Outcome] {
        [.ok(.named(schema), example), .created(.named(schema), example)]
    }
}

/// The operations of one subject.
struct OperationGroup: Sendable {
    let name: String
    let text: String
    let operations: [Operation]
    /// The schemas that the operations name.
    var schemas: [(name: String, schema: Schema)] = []
}
