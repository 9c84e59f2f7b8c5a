import HTTP

extension PreparedResponse {
    /// The body, unless it is a file.
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = body { bytes } else { nil }
    }
}
