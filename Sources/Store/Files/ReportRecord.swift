import Domain
import Ground

/// The record of one request in a spool of reports (docs/formats/report-spool.md).
struct ReportRecord {
    /// The bytes before the content: its length, the number of reports, and the checksum.
    static let headCount = 16
    /// The limit on the bytes of the content.
    ///
    /// The body of a request has a megabyte at most, of which escaping makes seven.
    static let contentLimit = 16 << 20

    let reports: [Report]

    init(_ reports: [Report]) {
        self.reports = reports
    }

    /// The head of a record, which is read before the content.
    struct Head {
        let length: Int
        let reports: Int
        let checksum: UInt64

        /// Returns `nil` if the bytes are no head: a report takes more than one byte of the content.
        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count == ReportRecord.headCount else { return nil }
            length = Int(UInt32(littleEndianBytes: bytes.prefix(4)))
            reports = Int(UInt32(littleEndianBytes: bytes.dropFirst(4).prefix(4)))
            checksum = UInt64(littleEndianBytes: bytes.suffix(8))
            guard length > 0, length <= ReportRecord.contentLimit, reports > 0, reports <= length else { return nil }
        }
    }

    /// The head and the content.
    var bytes: [UInt8] {
        let content = JSON.array(reports.map(\.spooled)).bytes()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headCount + content.count)
        bytes.append(littleEndian: UInt32(content.count))
        bytes.append(littleEndian: UInt32(reports.count))
        bytes.append(littleEndian: Self.checksum(of: content, reports: reports.count))
        return bytes + content
    }

    /// Returns `nil` if the content is not the one that the head describes.
    init?(_ head: Head, content: [UInt8]) {
        guard content.count == head.length, Self.checksum(of: content, reports: head.reports) == head.checksum,
            let elements = JSON(parsing: content)?.elements, elements.count == head.reports
        else { return nil }
        let reports = elements.compactMap(Report.init(spooled:))
        guard reports.count == elements.count else { return nil }
        self.reports = reports
    }

    /// The upper half of the FNV-1a of the content and the number of reports.
    private static func checksum(of content: [UInt8], reports: Int) -> UInt64 {
        var counted = content
        counted.append(littleEndian: UInt32(reports))
        return UInt64(truncatingIfNeeded: FNV1a.hash(counted) >> 64)
    }
}

extension Report {
    /// The report as an element of a record; the details are a text, since the depth of JSON is limited.
    fileprivate var spooled: JSON {
        .array([
            .string(app.text), .string(deviceID), .string(eventID), .string(package.text), .string(version),
            .string(event), .integer(time.milliseconds), .string(details),
        ])
    }

    /// Returns `nil` if the element is no report.
    fileprivate init?(spooled: JSON) {
        guard let parts = spooled.elements, parts.count == 8, let app = parts[0].string.flatMap({ AppID($0) }),
            let device = parts[1].string, let event = parts[2].string,
            let package = parts[3].string.flatMap({ PackageID($0) }), let version = parts[4].string,
            let name = parts[5].string, let time = parts[6].integer,
            let details = parts[7].string.flatMap({ JSON(parsing: Array($0.utf8)) })?.members
        else { return nil }
        self.init(
            app: app, eventID: event, deviceID: device, package: package, version: version, event: name,
            time: Timestamp(milliseconds: time), details: details)
    }
}

extension [UInt8] {
    /// Appends the bytes of an integer, the least significant one first.
    mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

extension FixedWidthInteger {
    /// Creates an integer from its bytes, of which the least significant one is the first.
    init(littleEndianBytes bytes: ArraySlice<UInt8>) {
        self = bytes.reversed().reduce(0) { $0 << 8 | Self($1) }
    }
}
