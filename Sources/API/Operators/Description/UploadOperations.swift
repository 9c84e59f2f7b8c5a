import Domain
import Ground
import HTTP

extension OperationGroup {
    static let uploads = OperationGroup(
        name: "Uploads in parts", text: "Resumable uploads by tus 1.0.0.",
        operations: [
            Operation(
                route: "POST /uploads", id: "createUpload", summary: "Begins an upload in parts",
                responses: [
                    .init(
                        status: .created, text: "Created",
                        fields: ["Location", "Upload-Offset", "Upload-Expires", "Tus-Resumable"])
                ], errors: errors + [.tooManyUploads],
                fields: [
                    version, .init(name: "Upload-Length", schema: .count, text: "The bytes of the zip."),
                    .init(
                        name: "Upload-Metadata", schema: .text, text: "Stored and returned.", isRequired: false),
                ]),
            Operation(
                route: "HEAD /uploads/{upload}", id: "getUpload", summary: "Returns the number of bytes received",
                responses: [
                    .init(
                        status: .ok, text: "OK",
                        fields: ["Upload-Offset", "Upload-Length", "Upload-Expires", "Tus-Resumable"])
                ], errors: errors, fields: [version]),
            Operation(
                route: "PATCH /uploads/{upload}", id: "appendToUpload", summary: "Appends bytes",
                body: .bytes(Tus.mediaType), responses: [appended], errors: errors + part,
                fields: [version, offset, checksum]),
            Operation(
                route: "DELETE /uploads/{upload}", id: "deleteUpload", summary: "Deletes the upload",
                responses: [.init(status: .noContent, text: "Deleted", fields: ["Tus-Resumable"])], errors: errors,
                fields: [version]),
            Operation(
                route: "POST /uploads/{upload}", id: "overrideUpload",
                summary: "Acts as PATCH or DELETE if X-HTTP-Method-Override names it",
                body: .bytes(Tus.mediaType, isRequired: false), responses: [appended], errors: errors + part,
                fields: [
                    version,
                    .init(
                        name: "X-HTTP-Method-Override", schema: .choice(["PATCH", "DELETE"]), text: "The method."),
                    offset, checksum,
                ]),
        ])

    private static let version = Operation.Field(
        name: "Tus-Resumable", schema: .choice([Tus.version]), text: "The version of the protocol.")
    private static let offset = Operation.Field(
        name: "Upload-Offset", schema: .count, text: "The offset of the first byte.")
    private static let checksum = Operation.Field(
        name: "Upload-Checksum", schema: .text, text: "An algorithm, a space, and the digest in Base64.",
        isRequired: false)
    private static let appended = Operation.Outcome(
        status: .noContent, text: "Appended", fields: ["Upload-Offset", "Upload-Expires", "Tus-Resumable"])
    private static let errors: [PlatformError.Code] = [
        .unsupportedProtocol, .uploadNotFound, .uploadGone, .uploadLocked,
    ]
    private static let part: [PlatformError.Code] = [
        .wrongOffset, .checksumMismatch, .unsupportedMediaType, .bodyIncomplete, .bodyTooLarge,
    ]
}
