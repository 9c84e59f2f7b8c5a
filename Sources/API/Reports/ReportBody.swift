import Domain
import Ground
import HTTP

/// The meaning of the body of a `/report` request, by its header fields and its bytes (decision 0054).
enum ReportBody: Equatable {
    /// One report or an array of reports, as JSON.
    case reports
    /// A bare report of seed 000's client: no bytes, or text that is not JSON.
    case bare

    /// The media types of a bare report, which browsers and URL loaders set by themselves.
    private static let textTypes: Set<String> = ["", "text/plain", "application/x-www-form-urlencoded"]

    /// Throws `unsupportedMediaType` for an unsupported media type or content coding, and `invalidRequest` for bytes
    /// that are not text.
    init(_ bytes: [UInt8], of head: RequestHead) throws(PlatformError) {
        let coding = (head[.contentEncoding] ?? "identity").lowercased()
        guard coding == "identity" else {
            throw PlatformError(
                .unsupportedMediaType,
                "The body has the Content-Encoding '\(ShownText.of(coding.utf8))'. Send it without one.")
        }
        let type = (head[.contentType] ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        if type == "application/json" {
            self = .reports
            return
        }
        guard let first = bytes.first(where: { !Self.blanks.contains($0) }) else {
            self = .bare
            return
        }
        guard Self.textTypes.contains(type) else {
            throw PlatformError(
                .unsupportedMediaType,
                "The body is '\(ShownText.of(type.utf8))'. Send a report, or an array of reports, as application/json.")
        }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            self = .reports
            return
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw PlatformError(
                .invalidRequest,
                "The body is neither JSON nor text. Send a report, or an array of reports, as application/json, not compressed."
            )
        }
        self = .bare
    }

    private static let blanks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]
}
