/// What a device says about itself; everything is optional (semantics.md §3).
package struct DeviceFacts: Sendable, Equatable {
    package var identity: DeviceIdentity?
    /// Sent instead of an id; the id wins.
    package var sentBucket: Bucket?
    /// Of ``Fact/builtIn``, in its order: thousands of rules look at them for one answer.
    private var own = [FactValue?](repeating: nil, count: Fact.builtIn.count)
    private var attributes: [Fact: FactValue] = [:]
    /// `nil` where it does not say what it has; it may also say that it has nothing.
    package var holdings: Holdings?

    /// Bytes of a fact at most; a longer one counts as not sent.
    package static let maximumLength = 128
    /// Attributes that are read at most.
    package static let maximumAttributes = 16

    /// A device that says nothing.
    package static let none = DeviceFacts()

    package init() {}

    package var bucket: Bucket? { identity?.bucket ?? sentBucket }

    /// `nil` for what was not sent; an empty value counts as not sent.
    package subscript(_ fact: Fact) -> String? {
        get { value(of: fact)?.text }
        set {
            let text = newValue.flatMap { $0.isEmpty || $0.utf8.count > Self.maximumLength ? nil : $0 }
            let value = text.map { FactValue($0) }
            if let place = fact.place { own[place] = value } else { attributes[fact] = value }
        }
    }

    func value(of fact: Fact) -> FactValue? {
        if let place = fact.place { own[place] } else { attributes[fact] }
    }

    /// Everything that was sent, but for who the device is and what it has.
    package var values: [Fact: FactValue] {
        var values = attributes
        for (fact, value) in zip(Fact.builtIn, own) { values[fact] = value }
        return values
    }

    /// Whether the device says nothing that an answer could depend on.
    package var isEmpty: Bool { bucket == nil && holdings == nil && attributes.isEmpty && own.allSatisfy { $0 == nil } }

    /// Bytes of memory that it takes, more or less, for whoever keeps many.
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

/// Something that a device may say about itself.
package enum Fact: Hashable, Sendable, CustomStringConvertible {
    case appVersion
    case platform
    case osVersion
    case model
    case region
    case network
    /// One that the app makes up.
    case attribute(String)

    /// Those that every app has.
    package static let builtIn: [Fact] = [.appVersion, .platform, .osVersion, .model, .region, .network]
    /// What the names of attributes begin with.
    package static let attributePrefix = "attr."
    /// Bytes of an attribute's name at most.
    package static let maximumNameLength = 32
    /// What facts there are, as a message says it.
    package static let shape =
        builtIn.map { "'\($0)'" }.joined(separator: ", ") + " or 'attr.' and a name of letters, digits, '-' and '_'"

    /// Reads what ``description`` wrote, which is also how queries name a fact.
    package init?(_ text: some StringProtocol) {
        if let known = Self.builtIn.first(where: { $0.description == text }) {
            self = known
            return
        }
        guard text.hasPrefix(Self.attributePrefix) else { return nil }
        let name = text.dropFirst(Self.attributePrefix.count)
        guard !name.isEmpty, name.utf8.count <= Self.maximumNameLength,
            name.utf8.allSatisfy({
                IdentifierGrammar.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            })
        else { return nil }
        self = .attribute(String(name))
    }

    /// Among ``builtIn``; `nil` for an attribute.
    var place: Int? {
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

    var isAttribute: Bool {
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

/// A fact's value in the forms in which rules compare it.
package final class FactValue: Sendable, Equatable {
    package let text: String
    /// Without regard to case.
    let folded: String
    /// `nil` where it cannot be put in order.
    let ordered: OrderedVersion?

    init(_ text: String) {
        self.text = text
        folded = text.lowercased()
        ordered = OrderedVersion(text)
    }

    package static func == (left: FactValue, right: FactValue) -> Bool { left.text == right.text }

    /// Each number of a version is kept by itself.
    fileprivate var estimatedBytes: Int {
        let parts = ordered.map { $0.numbers.count + $0.prerelease.count } ?? 0
        return 128 + 2 * text.utf8.count + 64 * parts
    }
}
