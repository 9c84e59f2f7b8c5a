import Domain
import Ground

/// A parser of the body of `/report`: one report or an array of them (semantics.md §10).
struct ReportParser {
    /// The limits on the reports of one request, the bytes of an id or name, and the bytes of a report's other members.
    static let maximumReports = 1000
    static let maximumNameLength = 128
    static let maximumDetailBytes = 4096

    let app: AppID

    /// Throws `invalidRequest`, naming the faulty report; no report of such a request is stored.
    func reports(in json: JSON) throws(PlatformError) -> [Report] {
        let values = json.elements ?? [json]
        guard values.count <= Self.maximumReports else {
            throw PlatformError(.invalidRequest, "Send at most \(Self.maximumReports) reports at a time.")
        }
        var reports: [Report] = []
        for (index, value) in values.enumerated() {
            do throws(PlatformError) {
                reports.append(try report(value))
            } catch {
                throw PlatformError(.invalidRequest, "Report \(index + 1) of \(values.count): \(error.message)")
            }
        }
        return reports
    }

    private func report(_ value: JSON) throws(PlatformError) -> Report {
        guard let members = value.members else { throw PlatformError(.invalidRequest, "it is not a JSON object.") }
        guard let package = PackageID(try name("package", value)) else {
            throw PlatformError(.invalidRequest, "'package' is not a package id: \(PackageID.shape).")
        }
        let own: Set<String> = ["eventId", "deviceId", "package", "version", "event", "time"]
        let details = members.filter { !own.contains($0.key) }
        guard JSON.object(details).bytes().count <= Self.maximumDetailBytes else {
            throw PlatformError(.invalidRequest, "its other members exceed \(Self.maximumDetailBytes) bytes.")
        }
        return Report(
            app: app, eventID: try name("eventId", value), deviceID: try name("deviceId", value), package: package,
            version: try name("version", value), event: try name("event", value), time: try time(value),
            details: details)
    }

    private func name(_ key: String, _ value: JSON) throws(PlatformError) -> String {
        guard let text = value[key]?.string, !text.isEmpty, text.utf8.count <= Self.maximumNameLength else {
            throw PlatformError(
                .invalidRequest, "'\(key)' must be a string of 1 to \(Self.maximumNameLength) bytes.")
        }
        return text
    }

    private func time(_ value: JSON) throws(PlatformError) -> Timestamp {
        if let milliseconds = value["time"]?.integer, milliseconds >= 0 { return Timestamp(milliseconds: milliseconds) }
        if let time = value["time"]?.string.flatMap(Timestamp.init(rfc3339:)) { return time }
        throw PlatformError(.invalidRequest, "'time' must be RFC 3339 or Unix milliseconds.")
    }
}
