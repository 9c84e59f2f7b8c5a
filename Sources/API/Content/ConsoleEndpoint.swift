import Domain
import HTTP

/// `/console/`: the operators' page, answered from memory.
final class ConsoleEndpoint: Sendable {
    private struct Answers {
        let etag: [UInt8]
        let full: PreparedResponse
        let notModified: PreparedResponse
    }

    private let answers: [String: Answers]

    init(files: [ConsoleFile], cryptography: any Cryptography) {
        var answers: [String: Answers] = [:]
        for file in files {
            let etag = "\"\(cryptography.sha256(file.bytes).hex.prefix(32))\""
            var fields: Fields = [
                .etag: etag,
                .cacheControl: "no-cache",
                .contentSecurityPolicy:
                    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
                .contentTypeOptions: "nosniff",
                "Referrer-Policy": "no-referrer",
            ]
            let notModified = PreparedResponse(.notModified, fields: fields)
            fields[.contentType] = file.mediaType
            answers[file.path] = Answers(
                etag: Array(etag.utf8), full: PreparedResponse(.ok, fields: fields, body: file.bytes),
                notModified: notModified)
        }
        self.answers = answers
    }

    func answer(_ head: RequestHead, path: String) throws(PlatformError) -> PreparedResponse {
        guard let answers = answers[path.isEmpty ? "index.html" : path] else {
            throw PlatformError(.notFound, "The console has no such file.")
        }
        return head.matchesETag(answers.etag) ? answers.notModified : answers.full
    }
}
