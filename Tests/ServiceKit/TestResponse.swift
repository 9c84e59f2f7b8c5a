import Domain
import Glibc
package import Ground
import HTTP
import Testing

/// A response as a client sees it.
package struct TestResponse: Sendable {
    package let status: Int
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]
    /// Whether the request's body was left unread.
    package var isBodyUntouched = true

    init(_ response: Response, isHead: Bool) throws {
        var head: [UInt8] = []
        response.writeHead(response.heading(minorVersion: 1), to: &head)
        var body: [UInt8] = []
        if !isHead, !response.status.isBodiless {
            switch response.body {
            case .empty: break
            case .bytes(let bytes): body = bytes
            case .file(let region): body = Self.read(region)
            case .pieces(let pieces): body = pieces.flatMap(Self.read)
            case .stream, .feed: throw Unexpected("a stream")
            }
        }
        self.init(head: head, body: body)
    }

    init(_ response: PreparedResponse, isHead: Bool) {
        self.init(head: response.head, body: isHead ? [] : Self.read(response.body))
    }

    private init(head: [UInt8], body: [UInt8]) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let statusLine = lines.first?.split(separator: " ") ?? []
        status = statusLine.count > 1 ? Int(statusLine[1]) ?? 0 : 0
        fields = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
        self.body = body
    }

    private static func read(_ piece: BodyPiece) -> [UInt8] {
        switch piece {
        case .bytes(let bytes): bytes
        case .file(let region): read(region)
        }
    }

    private static func read(_ region: FileRegion) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: region.count) { buffer, count in
            count = max(0, pread(region.descriptor, buffer.baseAddress, region.count, off_t(region.offset)))
        }
    }

    package subscript(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    package var json: JSON {
        get throws { try #require(JSON(parsing: body), "not JSON: \(text)") }
    }

    /// The code of a problem.
    package var code: String? { JSON(parsing: body)?["code"]?.string }

    /// The detail of a problem, for the user.
    package var detail: String { JSON(parsing: body)?["detail"]?.string ?? "" }
}

/// The error of an unexpected result.
package struct Unexpected: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
