import Files

/// The failure of a request to a bucket; the description says what to do.
enum S3Error: Error, Sendable, Equatable, CustomStringConvertible {
    /// No response: the connection failed or a deadline passed.
    case unreachable(reason: String)
    /// The server is overloaded or has failed.
    case unavailable(status: Int, code: String)
    /// The circuit breaker is open: no request was sent.
    case suspended
    /// The server does not accept the credentials, or they lack a right.
    case denied(code: String, message: String)
    /// The clocks differ too much for signatures; the seconds by which the server's is ahead of this machine's.
    case clockSkewed(seconds: Int64)
    case noBucket(String)
    /// The bucket is in another region, whose name the server may have sent.
    case wrongRegion(String?)
    /// The object does not exist.
    case noObject
    /// A deletion of the object may still be carried out.
    case deletionPending(key: String)
    /// A deletion was not sent, because its time was over.
    case tooLate(key: String)
    /// The condition of a request was not met.
    case conditionFailed
    /// The multipart upload is unknown: it was completed or aborted.
    case noUpload
    /// Any other response.
    case refused(status: Int, code: String, message: String)
    /// The response does not follow the protocol.
    case malformed(String)
    /// The bytes of an object differ from its name.
    case damaged(key: String)
    /// The fills in progress need the whole capacity of the cache.
    case cacheBusy
    /// A local file cannot be read or written.
    case localFile(SystemError)

    var description: String {
        switch self {
        case .unreachable(let reason):
            "The server of the bucket cannot be reached: \(reason) Check --s3-endpoint and the network. If the host "
                + "name begins with the bucket and does not exist, set --s3-path-style on."
        case .unavailable(let status, let code):
            "The server of the bucket fails with status \(status)\(Self.suffix(code)). Try again later."
        case .suspended: "The server of the bucket has failed repeatedly. Requests are suspended for some seconds."
        case .denied(let code, let message):
            "The bucket refuses the credentials\(Self.suffix(code))\(message.isEmpty ? "" : ": \(message)") "
                + "Check the access key and its secret, and that the key may read, write and delete objects of the "
                + "bucket (s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload, s3:ListBucket)."
        case .clockSkewed(let seconds):
            "The clock of this machine is \(abs(seconds)) seconds \(seconds > 0 ? "behind" : "ahead of") the clock of "
                + "the bucket's server, which refuses its signatures. Set the clock, for example by NTP."
        case .noBucket(let name):
            "The bucket '\(name)' does not exist. Create it, or give the right name with --blobs and the right server "
                + "with --s3-endpoint."
        case .wrongRegion(let region):
            region.map { "The bucket is in the region '\($0)'. Set --s3-region \($0)." }
                ?? "The bucket is in another region. Set its region with --s3-region."
        case .noObject: "The object does not exist."
        case .deletionPending(let key):
            "A deletion of the object '\(key)' had no response and may still be carried out. Try again later."
        case .tooLate(let key):
            "The object '\(key)' was not deleted, because its removal had begun too long ago."
        case .conditionFailed: "The object has changed meanwhile."
        case .noUpload: "The multipart upload does not exist."
        case .refused(let status, let code, let message):
            "The bucket refuses a request with status \(status)\(Self.suffix(code))\(message.isEmpty ? "." : ": \(message)")"
        case .malformed(let what): "The response of the bucket's server is not valid: \(what)."
        case .damaged(let key):
            "The bytes of the object '\(key)' differ from its name. Restore the object from an earlier version or a "
                + "replica."
        case .cacheBusy: "The files that are being fetched fill the cache. Increase --cache-bytes."
        case .localFile(let error): error.description
        }
    }

    /// Whether a repetition of the request may succeed.
    var isPassing: Bool {
        switch self {
        case .unreachable, .unavailable: true
        default: false
        }
    }

    /// Whether the bucket refuses this server, and probably its signed URLs as well.
    var isRefusal: Bool {
        switch self {
        case .denied, .noBucket, .wrongRegion, .refused: true
        default: false
        }
    }

    /// Whether the error is a fault of the bucket that an operator has to know, and that nothing else logs.
    var isFault: Bool {
        switch self {
        case .noObject, .deletionPending, .tooLate, .conditionFailed, .noUpload, .damaged, .cacheBusy, .localFile,
            .suspended:
            false
        default: true
        }
    }

    private static func suffix(_ code: String) -> String { code.isEmpty ? "" : " (\(code))" }
}
