import Domain
import Ground
import HTTP

/// The meaning of the body of a `/report` request, by its header fields and its bytes (decision 0054).
enum ReportBody: Equatable {
    /// One report or an array of reports, as JSON.
    case reports
    /// Reports as NDJSON: one on each line.
    case lines
    /// A bare report of seed 000's client: no bytes, or text that is not JSON.
    case bare

    private static let lineTypes: Set<String> = ["application/x-ndjson", "application/ndjson", "application/jsonl"]
    /// The media types of a bare report, which browsers and URL loaders set by themselves.
    private static let textTypes: Set<String> = ["", "text/plain", "application/x-www-form-urlencoded"]

    /// The content coding of a body.
    enum Coding {
        case identity
        case gzip

        /// Throws `unsupportedMediaType` for another content coding.
        init(of head: RequestHead) throws(PlatformError) {
            let coding = (head[.contentEncoding] ?? "identity").lowercased()
            switch coding {
            case "identity": self = .identity
            case "gzip", "x-gzip": self = .gzip
            default:
                throw PlatformError(
                    .unsupportedMediaType,
                    "The body has the Content-Encoding '\(ShownText.of(coding.utf8))'. Send it with gzip or without one."
                )
            }
        }
    }

    /// Throws `unsupportedMediaType` for an unsupported media type, and `invalidRequest` for bytes that are not text.
    ///
    /// - Parameter bytes: The body without its content coding.
    init(_ bytes: [UInt8], of head: RequestHead) throws(PlatformError) {
        let type = (head[.contentType] ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        if type == "application/json" {
            self = .reports
            return
        }
        guard let first = bytes.first(where: { !ReportParser.blanks.contains($0) }) else {
            self = .bare
            return
        }
        if Self.lineTypes.contains(type) {
            self = .lines
            return
        }
        guard Self.textTypes.contains(type) else {
            throw PlatformError(
                .unsupportedMediaType,
                """
                The body is '\(ShownText.of(type.utf8))'. Send a report, or an array of reports, as application/json, or \
                one on each line as application/x-ndjson.
                """)
        }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            self = .reports
            return
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw PlatformError(
                .invalidRequest,
                """
                The body is neither JSON nor text. Send a report, or an array of reports, as application/json, and a \
                compressed one with Content-Encoding: gzip.
                """)
        }
        self = .bare
    }
}
