import Ground

/// A version that can be ordered: dotted numbers of any length, or a version of Semantic Versioning 2.0.0.
///
/// Missing numbers count as zeros, a pre-release precedes its release, and build metadata after `+` is ignored.
package struct OrderedVersion: Sendable, Hashable, Comparable {
    /// The numbers without trailing zeros, each without leading zeros.
    let numbers: [Number]
    /// The number of numbers in the text.
    let writtenNumbers: Int
    let prerelease: [Identifier]

    /// The limit on the bytes of the text.
    package static let maximumLength = 128
    /// The accepted formats in words, for messages.
    package static let shape = "numbers with dots, such as 8.3 or 8.3.0.1, or a semantic version, such as 8.3.0-beta.1"

    /// Fails if the text cannot be ordered.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let plain = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        if plain.count == 2 {
            guard Self.identifiers(plain[1]) != nil else { return nil }
        }
        let parts = plain[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false).map { Number($0) }
        let known = numbers.compactMap { $0 }
        guard known.count == numbers.count else { return nil }
        var prerelease: [Identifier] = []
        if parts.count == 2 {
            guard let identifiers = Self.identifiers(parts[1]) else { return nil }
            prerelease = identifiers
        }
        self.init(known, prerelease: prerelease)
    }

    init(_ numbers: [Number], prerelease: [Identifier] = []) {
        writtenNumbers = numbers.count
        let significant = numbers.lastIndex { $0 != .zero }.map { $0 + 1 } ?? 0
        self.numbers = Array(numbers.prefix(significant))
        self.prerelease = prerelease
    }

    /// Returns the number at an index; zero past the last one.
    func number(at index: Int) -> Number { index < numbers.count ? numbers[index] : .zero }

    /// Returns the version with the number at an index incremented and the rest removed.
    func bumped(at index: Int) -> OrderedVersion {
        OrderedVersion((0..<index).map(number(at:)) + [number(at: index).successor])
    }

    var isPrerelease: Bool { !prerelease.isEmpty }

    /// Returns whether this is a pre-release of the other version, or both are pre-releases of one version.
    func isPrerelease(of other: OrderedVersion) -> Bool { isPrerelease && numbers == other.numbers }

    package static func == (left: OrderedVersion, right: OrderedVersion) -> Bool {
        left.numbers == right.numbers && left.prerelease == right.prerelease
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(numbers)
        hasher.combine(prerelease)
    }

    package static func < (left: OrderedVersion, right: OrderedVersion) -> Bool {
        guard left.numbers == right.numbers else { return left.numbers.lexicographicallyPrecedes(right.numbers) }
        guard left.isPrerelease, right.isPrerelease else { return left.isPrerelease && !right.isPrerelease }
        return left.prerelease.lexicographicallyPrecedes(right.prerelease)
    }

    private static func identifiers(_ text: some StringProtocol) -> [Identifier]? {
        let identifiers = text.split(separator: ".", omittingEmptySubsequences: false).map { Identifier($0) }
        let known = identifiers.compactMap { $0 }
        return known.count == identifiers.count ? known : nil
    }
}

extension OrderedVersion {
    /// A non-negative integer of any size.
    struct Number: Sendable, Hashable, Comparable {
        /// The digits without leading zeros; empty for zero.
        let digits: [UInt8]

        static let zero = Number(digits: [])

        init(digits: [UInt8]) { self.digits = digits }

        init?(_ text: some StringProtocol) {
            guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
            digits = Array(text.utf8.drop { $0 == UInt8(ascii: "0") })
        }

        var successor: Number {
            var digits = digits
            for index in digits.indices.reversed() {
                guard digits[index] == UInt8(ascii: "9") else {
                    digits[index] += 1
                    return Number(digits: digits)
                }
                digits[index] = UInt8(ascii: "0")
            }
            return Number(digits: [UInt8(ascii: "1")] + digits)
        }

        static func < (left: Number, right: Number) -> Bool {
            guard left.digits.count == right.digits.count else { return left.digits.count < right.digits.count }
            return left.digits.lexicographicallyPrecedes(right.digits)
        }
    }

    /// A part of a pre-release; numbers precede words.
    enum Identifier: Sendable, Hashable, Comparable {
        case number(Number)
        case word([UInt8])

        init?(_ text: some StringProtocol) {
            guard !text.isEmpty,
                text.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") })
            else { return nil }
            self = Number(text).map { .number($0) } ?? .word(Array(text.utf8))
        }

        static func < (left: Identifier, right: Identifier) -> Bool {
            switch (left, right) {
            case (.number(let left), .number(let right)): left < right
            case (.word(let left), .word(let right)): left.lexicographicallyPrecedes(right)
            case (.number, .word): true
            case (.word, .number): false
            }
        }
    }
}
