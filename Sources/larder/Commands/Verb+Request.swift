import Client
import Domain
import Ground
import HTTP

/// An option that becomes a member of the body, or a parameter of the query, of a verb's request.
struct Field: Sendable {
    enum Kind: Sendable {
        case text
        /// A text, or `none` for `null`.
        case textOrNone
        case number
        /// `true` or `false`.
        case bool
        /// Texts separated by commas.
        case list
        case json
        /// The text of a file, without white space around it.
        case file
        /// A flag that stands for this value.
        case flag(JSON)
    }

    let shape: OptionShape
    let kind: Kind
    /// The name of the member or parameter: `urlPrefix` for `--url-prefix`.
    let member: String
    /// Whether the value is a parameter of the query.
    let isInQuery: Bool

    /// - Parameters:
    ///   - placeholder: The name of the value in the help; ignored for flags.
    ///   - member: The name in the request; by default the option's.
    init(
        _ option: String, _ placeholder: String = "", _ help: String, _ kind: Kind = .text, as member: String? = nil,
        isRequired: Bool = false, isInQuery: Bool = false
    ) {
        let isFlag = if case .flag = kind { true } else { false }
        shape = OptionShape(
            name: option, placeholder: isFlag ? nil : placeholder, help: help, isRequired: isRequired)
        self.kind = kind
        self.member = member ?? Self.member(of: option)
        self.isInQuery = isInQuery
    }

    /// The order of a list: one of some properties, the first of which is the standard.
    static func sort(_ properties: String...) -> Field {
        let choice = properties.count == 1 ? "" : " (default: \(properties[0]))"
        return Field(
            "--sort", "PROPERTY",
            "the order: \(properties.joined(separator: " or "))\(choice); - before the name reverses it",
            isInQuery: true)
    }

    /// A filter of a list.
    static func filter(_ option: String, _ placeholder: String, _ help: String) -> Field {
        Field(option, placeholder, help, isInQuery: true)
    }

    private static func member(of option: String) -> String {
        let words = option.drop { $0 == "-" }.split(separator: "-").map(String.init)
        return words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    fileprivate var parameter: Parameter<[FieldValue]> {
        let field = self
        guard case .flag(let value) = kind else {
            return Parameter<[String: String]>.options([shape]).map { values throws(CommandError) in
                guard let text = values[field.shape.name] else {
                    guard !field.shape.isRequired else {
                        throw .usage("\(field.shape.name) is missing: \(field.shape.help)")
                    }
                    return []
                }
                return [FieldValue(field: field, text: text, json: try field.json(text))]
            }
        }
        return Parameter<Bool>.flag(shape.name, shape.help).map { isSet throws(CommandError) in
            isSet ? [FieldValue(field: field, text: "1", json: value)] : []
        }
    }

    private func json(_ text: String) throws(CommandError) -> JSON {
        let name = shape.name
        guard shape.choices.isEmpty || shape.choices.contains(text) else {
            throw .usage("\(name) must be one of \(shape.choices.joined(separator: ", "))")
        }
        switch kind {
        case .text, .flag: return .string(text)
        case .textOrNone: return text == "none" ? .null : .string(text)
        case .number:
            guard let number = Int64(text) else { throw .usage("\(name) must be a whole number") }
            return .integer(number)
        case .bool:
            guard ["true", "false"].contains(text) else { throw .usage("\(name) must be true or false") }
            return .bool(text == "true")
        case .file: return .string(try Self.text(ofFileAt: text))
        case .list: return .array(text.split(separator: ",").map { .string(String($0)) })
        case .json:
            guard text != "none" else { return .null }
            guard let json = JSON(parsing: Array(text.utf8)) else { throw .usage("\(name) is not valid JSON") }
            return json
        }
    }
}

extension Field {
    /// The limit on the bytes of a file whose text is sent.
    private static let fileLimit = 64 << 10

    private static func text(ofFileAt path: String) throws(CommandError) -> String {
        do throws(SmallFileError) {
            let bytes = try SmallFile.read(path, upTo: fileLimit)
            let text = String(decoding: bytes, as: UTF8.self)
            return String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        } catch {
            throw .failure(error.message(path, of: "text"))
        }
    }
}

extension Parameter where Value == String {
    /// The query of a request, with its question mark; empty without any of the options.
    static func query(_ fields: [Field]) -> Parameter<String> {
        Parameter<[FieldValue]>.all(fields.map(\.parameter)).map { values throws(CommandError) in
            RequestContent(values).query
        }
    }
}

/// The requirement on the object of a request by `PUT`.
enum RequestCondition: Sendable {
    /// The object does not exist yet.
    case isNew
    /// The object exists.
    case exists
}

/// The value of an option for a request.
private struct FieldValue: Sendable {
    let field: Field
    let text: String
    let json: JSON
}

/// The body and the query of a request.
private struct RequestContent: Sendable {
    let members: [JSON.Member]
    /// The query with its question mark; empty for none.
    let query: String

    init(_ values: [FieldValue]) {
        members = values.filter { !$0.field.isInQuery }.map { .init($0.field.member, $0.json) }
        let parameters = values.filter(\.field.isInQuery).map {
            "\($0.field.member)=\(PercentEncoding.encode($0.text.utf8))"
        }
        query = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
    }
}

/// The lines that a verb prints of a response.
enum View: Sendable {
    /// A table of the objects in a member.
    ///
    /// - Parameters:
    ///   - isBare: Whether `--json` prints the list without the object around it.
    ///   - isPaged: Whether the server sends the list in pages.
    case table(String, [Column], isBare: Bool = false, isPaged: Bool = true)
    /// All members of the response.
    case details
    /// A sentence with names of members in braces: `declared the channel {name}`, and the one for a dry run.
    case line(String, dryRun: String? = nil)

    /// The member with the objects of a table; `nil` for another view.
    fileprivate var list: String? {
        if case .table(let list, _, _, _) = self { list } else { nil }
    }

    /// The options of a request that only reads.
    fileprivate var reading: Parameter<OperatorCall> {
        guard case .table(_, _, _, let isPaged) = self else { return .reading }
        return isPaged ? .paging : .listing
    }

    fileprivate func show(_ response: JSON, _ call: OperatorCall) throws(CommandError) {
        switch self {
        case .table(let list, _, true, _) where call.isJSON: Terminal.out(response[list]?.text ?? "[]")
        case .table(let list, let columns, _, _): try call.showTable(response, of: list, columns)
        case .details:
            try call.show(response) { response throws(CommandError) in
                for line in Details.lines(response) { Terminal.out(line) }
            }
        case .line(let template, let rehearsed):
            try call.show(response) { response throws(CommandError) in
                Terminal.out(Self.filled(call.client.isDryRun ? rehearsed ?? template : template, with: response))
            }
        }
    }

    private static func shown(_ value: JSON?) -> String {
        guard let elements = value?.elements else { return OperatorCall.text(value) }
        return elements.map { OperatorCall.text($0) }.joined(separator: ", ")
    }

    private static func filled(_ template: String, with response: JSON) -> String {
        template.split(separator: "{", omittingEmptySubsequences: false).enumerated().map { index, part in
            guard index > 0, let end = part.firstIndex(of: "}") else { return String(part) }
            return shown(response[String(part[..<end])]) + part[part.index(after: end)...]
        }.joined()
    }
}

extension Verb {
    /// Returns a verb that sends one request, and prints the response.
    ///
    /// - Parameters:
    ///   - route: The request; its placeholders become options and operands.
    ///   - fields: The options for the body and the query.
    ///   - view: The lines to print.
    ///   - isRisky: Whether a person is asked before the request is sent.
    ///   - isRehearsable: Whether the server has a dry run of the request.
    ///   - condition: What has to hold for the object.
    ///   - defaults: The values of members that no option gives.
    static func request(
        _ name: String, _ summary: String, _ route: Route, _ fields: [Field] = [], _ view: View,
        isRisky: Bool = false, isRehearsable: Bool = true, condition: RequestCondition? = nil,
        defaults: KeyValuePairs<String, JSON> = [:]
    ) -> Verb {
        let content = Parameter<[FieldValue]>.all(fields.map(\.parameter)).map { values throws(CommandError) in
            RequestContent(values)
        }
        let defaults = defaults.map { JSON.Member($0.key, $0.value) }
        let call: Parameter<OperatorCall> =
            if route.method == .get || !isRehearsable {
                view.reading
            } else {
                isRisky ? .confirmed(.acting) : .acting
            }
        return Verb(name, summary, Parameter(.path(of: route), content, call), route: route) {
            path, content, call throws(CommandError) in
            var call = call
            let path = path + content.query
            if let list = view.list {
                try call.showPages(path, of: list, view.show)
                return .success
            }
            let missing = defaults.filter { member in !content.members.contains { $0.key == member.key } }
            let hasBody = [.post, .put, .patch].contains(route.method)
            let body: JSON? = hasBody ? .object(content.members + missing) : nil
            switch condition {
            case .exists:
                // For the error; the condition also holds when the change is made.
                _ = try call.ask(.get, path)
                call.precondition = "*"
            case .isNew: try call.requireMissing(path)
            case nil: break
            }
            let response =
                isRisky
                ? try call.askConfirmed(route.method, path, body) { plan, call throws(CommandError) in
                    try view.show(plan, call)
                } : try call.ask(route.method, path, body)
            try view.show(response, call)
            return .success
        }
    }
}

extension Parameter where Value == String {
    /// The path of a route, whose placeholders are options and operands.
    static func path(of route: Route) -> Parameter<String> {
        let names = route.operandNames
        let usage = names.map(Route.usage).joined(separator: " ")
        let words: Parameter<[String]> = names.isEmpty ? .constant([]) : .operands(usage, upTo: names.count)
        let options = route.optionNames
        let app: Parameter<String> =
            options.contains("app")
            ? Parameter<AppID>.app.map { app throws(CommandError) in app.text } : .constant("")
        let package: Parameter<String> =
            options.contains("package")
            ? Parameter<PackageID>.package.map { package throws(CommandError) in package.text } : .constant("")
        return Parameter<([String], String, String)>(words, app, package).map {
            words, app, package throws(CommandError) in
            guard words.count == names.count, words.allSatisfy({ !$0.isEmpty }) else {
                throw .usage("\(Route.usage(of: names[min(words.count, names.count - 1)])) is missing; give \(usage)")
            }
            var values = ["app": app, "package": package]
            for (name, word) in zip(names, words) {
                guard !Route.numbers.contains(name) || Int64(word).map({ $0 > 0 }) ?? false else {
                    throw .usage("\(Route.usage(of: name)) must be a number; the verb 'list' shows it")
                }
                if name == "app", AppID(word) == nil { throw .usage("APP must be an app id: \(AppID.shape)") }
                if name == "package", PackageID(word) == nil {
                    throw .usage("PACKAGE must be a package id: \(PackageID.shape)")
                }
                values[name] = word
            }
            return route.path(values)
        }
    }
}
