import Domain
import HTTP

/// The endpoint `/console/`, which serves the operators' pages from memory.
final class ConsoleEndpoint: Sendable {
    /// Only the console's own files run, no string becomes code or markup, and no page frames the console.
    private static let contentSecurityPolicy = [
        "default-src 'self'", "img-src 'self' data:", "object-src 'none'", "base-uri 'none'", "form-action 'self'",
        "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    private let files: [String: PreparedResource]

    /// Compresses every text file once; quickly, since there are over a hundred and the server starts only afterwards.
    init(files: [ConsoleFile], cryptography: any Cryptography, compressor: any TextCompressor) {
        var resources: [String: PreparedResource] = [:]
        for file in files {
            let fields: Fields = [
                .contentType: file.mediaType,
                .cacheControl: "no-cache",
                .contentSecurityPolicy: Self.contentSecurityPolicy,
                .contentTypeOptions: "nosniff",
                "Referrer-Policy": "no-referrer",
                "Cross-Origin-Opener-Policy": "same-origin",
                .crossOriginResourcePolicy: "same-origin",
            ]
            let body = file.isText ? CodedBody(file.bytes, by: compressor, effort: .quick) : CodedBody(file.bytes)
            resources[file.path] = PreparedResource(
                body, etagName: cryptography.etagName(of: file.bytes), fields: fields)
        }
        self.files = resources
    }

    func respond(_ head: RequestHead, path: String) throws(PlatformError) -> PreparedResponse {
        // A page has an address without the end of its file name.
        guard let file = files[path.isEmpty ? "index.html" : path] ?? files[path + ".html"] else {
            throw PlatformError(.notFound, "The console has no such file.")
        }
        return file.respond(to: head)
    }
}
