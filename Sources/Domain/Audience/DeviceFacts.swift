import Ground

/// The facts that a device sends about itself; all are optional (semantics.md §3).
package struct DeviceFacts: Sendable, Equatable {
    package var identity: DeviceIdentity?
    /// The bucket that the device sent instead of an id; an id takes precedence.
    package var sentBucket: Bucket?
    /// The values of ``Fact/builtIn``, in order; an array, because one response evaluates thousands of rules.
    private var own = [FactValue?](repeating: nil, count: Fact.builtIn.count)
    private var attributes: [Fact: FactValue] = [:]
    /// The versions that the device has; `nil` if it does not send them, and possibly empty if it does.
    package var holdings: Holdings?

    /// The limit on the bytes of a value; a longer value is ignored.
    package static let maximumLength = 128
    /// The limit on the number of attributes.
    package static let maximumAttributes = 16

    /// The facts of a device that sends none.
    package static let none = DeviceFacts()

    package init() {}

    package var bucket: Bucket? { identity?.bucket ?? sentBucket }

    /// The value of a fact; `nil` if it was not sent or was empty.
    package subscript(_ fact: Fact) -> String? {
        get { value(of: fact)?.text }
        set {
            let text = newValue.flatMap { $0.isEmpty || $0.utf8.count > Self.maximumLength ? nil : $0 }
            let value = text.map { FactValue($0) }
            if let position = fact.position { own[position] = value } else { attributes[fact] = value }
        }
    }

    func value(of fact: Fact) -> FactValue? {
        if let position = fact.position { own[position] } else { attributes[fact] }
    }

    /// All values except the identity and the holdings.
    package var values: [Fact: FactValue] {
        var values = attributes
        for (fact, value) in zip(Fact.builtIn, own) { values[fact] = value }
        return values
    }

    /// Whether the device sent nothing that a response could depend on.
    package var isEmpty: Bool { bucket == nil && holdings == nil && attributes.isEmpty && own.allSatisfy { $0 == nil } }

    /// The approximate bytes of memory, for limits on stored facts.
    package var estimatedBytes: Int {
        var bytes = 256
        for value in values.values { bytes += value.estimatedBytes }
        for (package, versions) in holdings?.versions ?? [:] {
            bytes += 128 + package.text.utf8.count
            for version in versions { bytes += 32 + version.text.utf8.count }
        }
        return bytes
    }
}

/// A fact that a device may send about itself.
package enum Fact: Hashable, Sendable, CustomStringConvertible {
    case appVersion
    case platform
    case osVersion
    case model
    case region
    case network
    /// A fact that the app defines.
    case attribute(String)

    /// The facts that every app has.
    package static let builtIn: [Fact] = [.appVersion, .platform, .osVersion, .model, .region, .network]
    /// The prefix of attributes' names.
    package static let attributePrefix = "attr."
    /// The limit on the bytes of an attribute's name.
    package static let maximumNameLength = 32
    /// The valid facts in words, for messages.
    package static let shape =
        builtIn.map { "'\($0)'" }.joined(separator: ", ") + " or 'attr.' and a name of letters, digits, '-' and '_'"

    /// Parses the output of ``description``, which is also the name in queries.
    package init?(_ text: some StringProtocol) {
        if let known = Self.builtIn.first(where: { $0.description == text }) {
            self = known
            return
        }
        guard text.hasPrefix(Self.attributePrefix) else { return nil }
        let name = text.dropFirst(Self.attributePrefix.count)
        guard !name.isEmpty, name.utf8.count <= Self.maximumNameLength,
            name.utf8.allSatisfy({
                ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            })
        else { return nil }
        self = .attribute(String(name))
    }

    /// The index in ``builtIn``; `nil` for an attribute.
    var position: Int? {
        switch self {
        case .appVersion: 0
        case .platform: 1
        case .osVersion: 2
        case .model: 3
        case .region: 4
        case .network: 5
        case .attribute: nil
        }
    }

    package var isAttribute: Bool {
        if case .attribute = self { true } else { false }
    }

    package var description: String {
        switch self {
        case .appVersion: "appVersion"
        case .platform: "platform"
        case .osVersion: "osVersion"
        case .model: "model"
        case .region: "region"
        case .network: "network"
        case .attribute(let name): Self.attributePrefix + name
        }
    }
}

/// A fact's value in the forms that rules compare.
package final class FactValue: Sendable, Equatable {
    package let text: String
    /// The value in lower case.
    let folded: String
    /// The value as an orderable version; `nil` if it is none.
    let ordered: OrderedVersion?

    init(_ text: String) {
        self.text = text
        folded = text.lowercased()
        ordered = OrderedVersion(text)
    }

    package static func == (left: FactValue, right: FactValue) -> Bool { left.text == right.text }

    /// The approximate bytes of memory; each number of a version takes memory of its own.
    fileprivate var estimatedBytes: Int {
        let parts = ordered.map { $0.numbers.count + $0.prerelease.count } ?? 0
        return 128 + 2 * text.utf8.count + 64 * parts
    }
}
