import Domain
import HTTP

/// The endpoint `/console/`, which serves the operators' pages from memory.
struct ConsoleEndpoint {
    /// Only the console's own files run, no string becomes code or markup, and no page frames the console.
    private static let contentSecurityPolicy = [
        "default-src 'self'", "img-src 'self' data:", "object-src 'none'", "base-uri 'none'", "form-action 'self'",
        "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    private let files: [String: DeferredResource]

    /// - Parameter files: The files, each of which is compressed at the first request for it.
    init(files: [ConsoleFile], services: Services) {
        let (cryptography, compressor) = (services.cryptography, services.compressor)
        let resources = files.map { file in
            let resource = DeferredResource(on: services.work) {
                let body = file.isText ? CodedBody(file.bytes, by: compressor, effort: .quick) : CodedBody(file.bytes)
                return PreparedResource(
                    body, etagName: cryptography.etagName(of: file.bytes), fields: Self.fields(of: file))
            }
            return (file.path, resource)
        }
        self.files = Dictionary(resources) { first, _ in first }
    }

    private static func fields(of file: ConsoleFile) -> Fields {
        [
            .contentType: file.mediaType, .cacheControl: "no-cache", .contentSecurityPolicy: contentSecurityPolicy,
            .contentTypeOptions: "nosniff", "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin", .crossOriginResourcePolicy: "same-origin",
        ]
    }

    func respond(_ head: RequestHead, path: String) throws(PlatformError) -> Disposition {
        // A page has an address without the end of its file name.
        guard let file = files[path.isEmpty ? "index.html" : path] ?? files[path + ".html"] else {
            throw PlatformError(.notFound, "The console has no such file.")
        }
        return file.respond(to: head)
    }
}
