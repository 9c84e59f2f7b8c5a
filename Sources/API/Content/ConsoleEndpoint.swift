import Domain
import HTTP

/// The endpoint `/console/`, which serves the operators' pages from memory.
///
/// A page names its scripts and stylesheets below `code/`, which is sent as `code/DIGEST/`: the digest of all files, since modules
/// import each other by relative paths. Browsers keep such a file without asking again; a new version has other addresses.
struct ConsoleEndpoint {
    /// Only the console's own files run, no string becomes code or markup, and no page frames the console.
    private static let contentSecurityPolicy = [
        "default-src 'self'", "img-src 'self' data:", "object-src 'none'", "base-uri 'none'", "form-action 'self'",
        "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    private static let code = "code/"

    /// All files by path, for which caches ask again.
    private let files: [String: DeferredResource]
    /// All files except pages, by the path below `immutablePrefix`; caches keep them.
    private let immutable: [String: DeferredResource]
    private let immutablePrefix: String

    /// - Parameter files: The files, each of which is compressed at the first request for it.
    init(files: [ConsoleFile], services: Services) {
        let (cryptography, compressor) = (services.cryptography, services.compressor)
        let names = files.map { "\($0.path) \(cryptography.etagName(of: $0.bytes))\n" }.sorted().joined()
        let prefix = "\(Self.code)\(cryptography.etagName(of: Array(names.utf8)))/"
        func resources(of files: [ConsoleFile], cacheControl: String) -> [String: DeferredResource] {
            let resources = files.map { file in
                let resource = DeferredResource(on: services.work) {
                    let bytes = file.isPage ? Self.page(file.bytes, withCodeAt: prefix) : file.bytes
                    let body = file.isText ? CodedBody(bytes, by: compressor, effort: .quick) : CodedBody(bytes)
                    return PreparedResource(
                        body, etagName: cryptography.etagName(of: bytes),
                        fields: Self.fields(mediaType: file.mediaType, cacheControl: cacheControl))
                }
                return (file.path, resource)
            }
            return Dictionary(resources) { first, _ in first }
        }
        self.files = resources(of: files, cacheControl: "no-cache")
        immutable = resources(of: files.filter { !$0.isPage }, cacheControl: "public, max-age=31536000, immutable")
        immutablePrefix = prefix
    }

    /// Returns a page in which the attributes that begin with `code/` begin with `prefix` instead.
    private static func page(_ bytes: [UInt8], withCodeAt prefix: String) -> [UInt8] {
        Array(String(decoding: bytes, as: UTF8.self).replacing("=\"\(code)", with: "=\"\(prefix)").utf8)
    }

    private static func fields(mediaType: String, cacheControl: String) -> Fields {
        [
            .contentType: mediaType, .cacheControl: cacheControl, .contentSecurityPolicy: contentSecurityPolicy,
            .contentTypeOptions: "nosniff", "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin", .crossOriginResourcePolicy: "same-origin",
        ]
    }

    func respond(_ head: RequestHead, path: String) throws(PlatformError) -> Disposition {
        guard let file = file(at: path) else { throw PlatformError(.notFound, "The console has no such file.") }
        return file.respond(to: head)
    }

    private func file(at path: String) -> DeferredResource? {
        if path.hasPrefix(immutablePrefix) { return immutable[String(path.dropFirst(immutablePrefix.count))] }
        // A page of another version asks for another digest, for instance while nodes are updated one by one.
        if path.hasPrefix(Self.code), let end = path.dropFirst(Self.code.count).firstIndex(of: "/") {
            return files[String(path[path.index(after: end)...])]
        }
        // A page has an address without the end of its file name.
        return files[path.isEmpty ? "index.html" : path] ?? files[path + ".html"]
    }
}
