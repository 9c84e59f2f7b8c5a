import Ground

/// The media type of a file, by the extension of its path.
package struct MediaType: Sendable, Equatable {
    /// The type without parameters, such as `text/html`.
    package let essence: String

    /// Fails if the extension is unknown or missing.
    package init?(of path: TreePath) {
        guard let fileExtension = Self.fileExtension(of: path), let essence = Self.essences[fileExtension] else {
            return nil
        }
        self.essence = essence
    }

    /// Returns the extension of the file's name in lower case; `nil` without a dot after the first character.
    package static func fileExtension(of path: TreePath) -> String? {
        let name = path.text.utf8.split(separator: UInt8(ascii: "/")).last ?? path.text.utf8[...]
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        let bytes = name[name.index(after: dot)...].map(ASCII.lowercased)
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the type is text.
    package var isText: Bool {
        essence.utf8.starts(with: "text/".utf8) || essence.utf8.reversed().starts(with: "nosj".utf8)
            || essence.utf8.reversed().starts(with: "lmx".utf8)
    }

    private static let essences: [String: String] = [
        "html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml", "css": "text/css",
        "js": "text/javascript", "mjs": "text/javascript", "cjs": "text/javascript", "json": "application/json",
        "map": "application/json", "webmanifest": "application/manifest+json", "jsonld": "application/ld+json",
        "geojson": "application/geo+json", "xml": "application/xml", "txt": "text/plain", "md": "text/markdown",
        "csv": "text/csv", "vtt": "text/vtt", "ics": "text/calendar", "rtf": "application/rtf",
        "svg": "image/svg+xml", "png": "image/png", "apng": "image/apng", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "webp": "image/webp", "avif": "image/avif", "bmp": "image/bmp",
        "ico": "image/vnd.microsoft.icon", "cur": "image/vnd.microsoft.icon", "tif": "image/tiff",
        "tiff": "image/tiff", "heic": "image/heic", "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf",
        "otf": "font/otf", "ttc": "font/collection", "eot": "application/vnd.ms-fontobject", "mp3": "audio/mpeg",
        "m4a": "audio/mp4", "aac": "audio/aac", "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg",
        "wav": "audio/wav", "flac": "audio/flac", "weba": "audio/webm", "mid": "audio/midi", "midi": "audio/midi",
        "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mov": "video/quicktime",
        "m3u8": "application/vnd.apple.mpegurl", "ts": "video/mp2t", "wasm": "application/wasm",
        "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip", "gltf": "model/gltf+json",
        "glb": "model/gltf-binary", "obj": "model/obj", "bin": "application/octet-stream",
        "dat": "application/octet-stream",
    ]
}
