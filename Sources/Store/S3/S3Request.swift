import Ground
import HTTP
import Transport

/// A request to a bucket, before it is signed.
struct S3Request {
    let method: Method
    /// The key of the object.
    let key: String
    var query: [(name: String, value: String)] = []
    /// The fields beside those of the signature; the names are in lower case.
    var fields: [(name: String, value: String)] = []
    var body = ClientRequest.Body.none
    /// The SHA-256 of the body in hex.
    var payload = S3Request.emptyPayload
    var size = 0
    /// The timeout of the response's head; `nil` for ``S3Client/timeouts``.
    var responseTimeout: Duration?

    /// The SHA-256 of no bytes.
    static let emptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    init(_ method: Method, _ key: String) {
        self.method = method
        self.key = key
    }
}

/// An object in a bucket, as the head of a response describes it.
struct S3Object: Equatable {
    let size: Int
    /// The time of `Last-Modified`; `nil` if the field is missing or malformed.
    let modified: Timestamp?
}

/// The few elements that are read of an XML document.
enum S3Document {
    /// The maximum length of a document in bytes.
    static let limit = 64 << 10
    /// The maximum length of a code in bytes.
    static let longestCode = 64

    /// Returns the error code of a document, without control characters and truncated; `nil` if there is none.
    static func code(in bytes: [UInt8]) -> String? {
        text(of: "Code", in: bytes).map { ShownText.of($0.utf8, upTo: longestCode) }
    }

    /// Returns the text of the first element with a name; `nil` if there is none.
    ///
    /// Decodes the five predefined entities. S3's documents have neither attributes on these elements nor CDATA.
    static func text(of element: String, in bytes: [UInt8]) -> String? {
        let (start, end) = (Array("<\(element)>".utf8), Array("</\(element)>".utf8))
        guard let first = position(of: start, in: bytes[...]) else { return nil }
        let rest = bytes[(first + start.count)...]
        guard let last = position(of: end, in: rest) else { return nil }
        var text = String(decoding: rest[..<last], as: UTF8.self)
        // The ampersand is last, so that nothing is decoded twice.
        for (entity, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
        ] {
            text = text.split(separator: entity, omittingEmptySubsequences: false).joined(separator: character)
        }
        return text
    }

    /// Returns the text with the characters of markup as entities.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    private static func position(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= pattern.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - pattern.count)).first { bytes[$0...].starts(with: pattern) }
    }
}
