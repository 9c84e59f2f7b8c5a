/// A file of the console, embedded in the binary.
package struct ConsoleFile: Sendable {
    /// The path below `/console/`.
    package let path: String
    package let bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    var mediaType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "json": "application/json"
        default: "application/octet-stream"
        }
    }

    /// Whether the file is a page, which names the others.
    var isPage: Bool { path.hasSuffix(".html") }

    /// Whether the file is text, which compresses well.
    var isText: Bool { mediaType.hasPrefix("text/") || ["image/svg+xml", "application/json"].contains(mediaType) }
}
