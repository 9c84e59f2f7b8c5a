package import Ground

/// The members of a report that have a meaning for statistics; members of another type count as absent.
package struct ReportFacts: Sendable, Equatable {
    /// The longest text in bytes; longer ones are cut.
    package static let maximumTextLength = 64

    /// The id of the release by which the device got the version.
    package var release: Int64?
    package var reason: String?
    /// The milliseconds of what the event is about, at most ``DurationSketch/longest``.
    package var duration: Int?
    /// The bytes that were transferred.
    package var bytes: Int64?
    /// The type of the network, such as `wifi`.
    package var network: String?
    /// The operating system, such as `android`.
    package var platform: String?
    package var osVersion: String?
    /// The version of the host app.
    package var appVersion: String?

    package init() {}

    /// Reads the further members of a report.
    package init(_ details: [JSON.Member]) {
        for member in details {
            switch member.key {
            case "release": release = member.value.integer.flatMap { $0 > 0 ? $0 : nil }
            case "reason": reason = member.value.string.flatMap(Self.text)
            case "duration": duration = Self.duration(member.value)
            case "bytes": bytes = member.value.integer.flatMap { $0 >= 0 ? $0 : nil }
            case "network": network = member.value.string.flatMap(Self.text)
            case "platform": platform = member.value.string.flatMap(Self.text)
            case "osVersion": osVersion = member.value.string.flatMap(Self.text)
            case "appVersion": appVersion = member.value.string.flatMap(Self.text)
            default: break
            }
        }
    }

    /// Returns a text in NFC without control characters and surrounding blanks, cut to ``maximumTextLength``.
    package static func text(_ given: String) -> String? {
        // A control character may separate a letter from its accent.
        var visible = String.UnicodeScalarView()
        visible.append(contentsOf: given.unicodeScalars.lazy.filter { $0.properties.generalCategory != .control })
        var scalars = String.UnicodeScalarView()
        var length = 0
        for scalar in Normalization.nfc(String(visible)).unicodeScalars {
            if scalars.isEmpty, scalar == " " { continue }
            length += UTF8.width(scalar)
            guard length <= maximumTextLength else { break }
            scalars.append(scalar)
        }
        while scalars.last == " " { scalars.removeLast() }
        return scalars.isEmpty ? nil : String(scalars)
    }

    /// Returns whole milliseconds; pages measure fractions of them.
    private static func duration(_ value: JSON) -> Int? {
        let milliseconds: Double? =
            switch value {
            case .integer(let number): Double(number)
            case .number(let text): Double(text)
            default: nil
            }
        guard let milliseconds, milliseconds >= 0 else { return nil }
        return Int(min(milliseconds, Double(DurationSketch.longest)).rounded())
    }
}
