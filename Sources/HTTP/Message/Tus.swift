/// Constants of the tus protocol for resumable uploads (tus.io/protocols/resumable-upload 1.0.0).
package enum Tus {
    package static let version = "1.0.0"
    /// The media type of a part.
    package static let mediaType = "application/offset+octet-stream"
}

extension FieldName {
    package static let tusChecksumAlgorithm: FieldName = "Tus-Checksum-Algorithm"
    package static let tusExtension: FieldName = "Tus-Extension"
    package static let tusMaxSize: FieldName = "Tus-Max-Size"
    package static let tusResumable: FieldName = "Tus-Resumable"
    package static let tusVersion: FieldName = "Tus-Version"
    package static let uploadChecksum: FieldName = "Upload-Checksum"
    package static let uploadExpires: FieldName = "Upload-Expires"
    package static let uploadLength: FieldName = "Upload-Length"
    package static let uploadMetadata: FieldName = "Upload-Metadata"
    package static let uploadOffset: FieldName = "Upload-Offset"
    /// The intended method, sent by clients that cannot use it.
    package static let xHTTPMethodOverride: FieldName = "X-HTTP-Method-Override"
}
