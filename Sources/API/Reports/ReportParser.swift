import Domain
import Ground

/// A parser of the body of `/report`: one report, an array of them, or one on each line (semantics.md §10).
struct ReportParser {
    /// The limits on the reports of one request, the bytes of an id or name, and the bytes of a report's other members.
    static let maximumReports = 1000
    static let maximumNameLength = 128
    static let maximumDetailBytes = 4096
    /// The members that every report has.
    static let requiredMembers = ["eventId", "deviceId", "package", "version", "event", "time"]
    static let blanks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]

    let app: AppID

    /// The reports of one request.
    struct Parsed: Sendable {
        var reports: [Report] = []
        var refused: [Refusal] = []

        var count: Int { reports.count + refused.count }
    }

    /// A report that is invalid.
    struct Refusal: Error {
        /// The number of reports before it in the request.
        var index = 0
        let reason: String
        /// The package that the report names.
        var package: PackageID?
    }

    /// Parses one report or an array of them; throws `invalidRequest` for too many.
    func reports(in json: JSON) throws(PlatformError) -> Parsed {
        let values = json.elements ?? [json]
        var parsed = Parsed()
        for value in values { try add(value, to: &parsed) }
        return parsed
    }

    /// Parses one report on each line that is not blank; throws `invalidRequest` for too many.
    func reports(inLines bytes: [UInt8]) throws(PlatformError) -> Parsed {
        var parsed = Parsed()
        // An array of all lines could be many times as large as the body.
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0a) ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[end...].dropFirst()
            if !line.allSatisfy(Self.blanks.contains) { try add(JSON(parsing: Array(line)), to: &parsed) }
        }
        return parsed
    }

    /// - Parameter value: `nil` for bytes that are not JSON.
    private func add(_ value: JSON?, to parsed: inout Parsed) throws(PlatformError) {
        guard parsed.count < Self.maximumReports else {
            throw PlatformError(.invalidRequest, "Send at most \(Self.maximumReports) reports at a time.")
        }
        do throws(Refusal) {
            guard let value else { throw Refusal(reason: "The line is not JSON.") }
            parsed.reports.append(try report(value))
        } catch {
            var refusal = error
            refusal.index = parsed.count
            refusal.package = value?["package"]?.string.flatMap { PackageID($0) }
            parsed.refused.append(refusal)
        }
    }

    private func report(_ value: JSON) throws(Refusal) -> Report {
        guard let members = value.members else { throw Refusal(reason: "The report is not a JSON object.") }
        guard let package = PackageID(try name("package", value)) else {
            throw Refusal(reason: "'package' is not a package id: \(PackageID.shape).")
        }
        let report = Report(
            app: app, eventID: try name("eventId", value), deviceID: try name("deviceId", value), package: package,
            version: try name("version", value), event: try name("event", value), time: try time(value),
            details: members.filter { !Self.requiredMembers.contains($0.key) })
        guard report.details.utf8.count <= Self.maximumDetailBytes else {
            throw Refusal(reason: "The other members exceed \(Self.maximumDetailBytes) bytes.")
        }
        return report
    }

    private func name(_ key: String, _ value: JSON) throws(Refusal) -> String {
        guard let text = value[key]?.string, !text.isEmpty, text.utf8.count <= Self.maximumNameLength else {
            throw Refusal(reason: "'\(key)' must be a string of 1 to \(Self.maximumNameLength) bytes.")
        }
        return text
    }

    private func time(_ value: JSON) throws(Refusal) -> Timestamp {
        if let milliseconds = value["time"]?.integer, milliseconds >= 0 { return Timestamp(milliseconds: milliseconds) }
        if let time = value["time"]?.string.flatMap(Timestamp.init(rfc3339:)) { return time }
        throw Refusal(reason: "'time' must be RFC 3339 or Unix milliseconds.")
    }
}
