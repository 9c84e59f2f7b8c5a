/// The case folding of names by Unicode's NFKC_Casefold (decision 0039).
///
/// The table holds mappings of single characters; ``Normalization/folded(_:)`` decomposes and composes around it.
package struct CaseFolding: Sendable {
    package static let shared = CaseFolding(tokens: tokens)

    /// The characters that fold to another one at the same distance, ordered and disjoint.
    private struct Run {
        let first: UInt32
        let last: UInt32
        /// 1 if every character from the first to the last folds, 2 if every second one does.
        let step: UInt32
        let offset: Int32
    }

    private var runs: [Run] = []
    /// The characters that fold to several ones.
    private var sequences: [UInt32: [Unicode.Scalar]] = [:]

    private init(tokens: String) {
        for token in tokens.split(separator: " ") {
            if let (code, text) = Self.sequence(token) {
                sequences[code] = text
            } else if let run = Self.run(token) {
                runs.append(run)
            }
        }
    }

    /// Appends the folding of a canonically decomposed character.
    package func append(_ scalar: Unicode.Scalar, to folded: inout String.UnicodeScalarView) {
        if let sequence = sequences[scalar.value] {
            folded.append(contentsOf: sequence)
        } else {
            folded.append(single(scalar.value) ?? scalar)
        }
    }

    private func single(_ value: UInt32) -> Unicode.Scalar? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].last < value { low = middle + 1 } else { high = middle }
        }
        guard low < runs.count, case let run = runs[low], run.first <= value, (value - run.first) % run.step == 0 else {
            return nil
        }
        return Unicode.Scalar(UInt32(truncatingIfNeeded: Int64(value) + Int64(run.offset)))
    }

    private static func sequence(_ token: Substring) -> (UInt32, [Unicode.Scalar])? {
        let sides = token.split(separator: "=")
        guard sides.count == 2, let code = UInt32(sides[0], radix: 16) else { return nil }
        return (code, sides[1].split(separator: ",").compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) })
    }

    private static func run(_ token: Substring) -> Run? {
        guard let sign = token.lastIndex(where: { $0 == "+" || $0 == "-" }),
            let offset = Int32(token[sign...], radix: 16)
        else { return nil }
        let codes = token[..<sign].split(whereSeparator: { $0 == "-" || $0 == "/" })
        guard let first = codes.first.flatMap({ UInt32($0, radix: 16) }),
            let last = codes.last.flatMap({ UInt32($0, radix: 16) })
        else { return nil }
        return Run(first: first, last: last, step: token[..<sign].contains("/") ? 2 : 1, offset: offset)
    }
}
