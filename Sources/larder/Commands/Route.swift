import Ground
import HTTP

/// A request of the operators' API that a verb sends, such as `PUT /apps/{app}/channels/{channel}`.
///
/// The placeholders `app` and `package` are options, except at the end of the path and as `{=app}`; the others are operands
/// in their order. Errors of the server that name a request name the verb instead (decision 0084).
struct Route: Sendable, ExpressibleByStringLiteral {
    let method: Method
    /// The path below `/api/v1`, without a query.
    let parts: [Part]

    enum Part: Sendable, Equatable {
        case word(String)
        case option(String)
        case operand(String)
    }

    init(stringLiteral text: String) {
        let words = text.split(separator: " ").map(String.init)
        method = Method(words.first ?? "")
        parts = Self.parts(words.last ?? "")
    }

    private static func parts(_ path: String) -> [Part] {
        let words = path.split(separator: "/")
        return words.enumerated().map { index, word in
            guard word.hasPrefix("{") else { return .word(String(word)) }
            let name = word.dropFirst().dropLast()
            if name.hasPrefix("=") { return .operand(String(name.dropFirst())) }
            let isOption = ["app", "package"].contains(name) && index < words.count - 1
            return isOption ? .option(String(name)) : .operand(String(name))
        }
    }

    /// The placeholders that are options.
    var optionNames: [String] { parts.compactMap { if case .option(let name) = $0 { name } else { nil } } }

    /// The placeholders that are operands.
    var operandNames: [String] { parts.compactMap { if case .operand(let name) = $0 { name } else { nil } } }

    /// Returns the path with the values of its placeholders, percent-encoded.
    func path(_ values: [String: String]) -> String {
        parts.map { part in
            switch part {
            case .word(let word): "/" + word
            case .option(let name), .operand(let name): "/" + PercentEncoding.encode((values[name] ?? "").utf8)
            }
        }.joined()
    }

    /// The placeholders that stand for numbers.
    static let numbers: Set<String> = ["approval", "id", "release", "set", "webhook"]

    /// The name of a placeholder in usage lines: `APP_VERSION` for `appVersion`.
    static func usage(of name: String) -> String {
        name.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
    }

    /// Returns the values of the placeholders if a path of an error message is one of this route.
    ///
    /// - Parameter path: The path with `/api/v1`, or only its end after `…`. A name in braces stands for any value.
    func values(in path: String) -> [String: String]? {
        var given = path.split(separator: "/").map(String.init)
        var own = parts[...]
        if given.first == "…" {
            given.removeFirst()
            own = own.suffix(given.count)
        } else if given.starts(with: ["api", "v1"]) {
            given.removeFirst(2)
        }
        guard given.count == own.count else { return nil }
        var values: [String: String] = [:]
        for (part, word) in zip(own, given) {
            switch part {
            case .word(let expected): guard expected == word else { return nil }
            case .option(let name), .operand(let name):
                values[name] = word.hasPrefix("{") ? Self.usage(of: String(word.dropFirst().dropLast())) : word
            }
        }
        return values
    }

    /// Returns the words after the verb that give the values: `RELEASE --package news`.
    func words(_ values: [String: String]) -> String {
        let operands = operandNames.compactMap { values[$0] }
        let options = optionNames.compactMap { name in
            values[name].flatMap { name == "app" && $0 == "default" ? nil : "--\(name) \($0)" }
        }
        return (operands + options).map { " " + $0 }.joined()
    }
}
