/// The reason why a certificate or key is unusable, or a session cannot begin.
package enum TLSError: Error, Hashable, CustomStringConvertible {
    /// A file is unreadable or has other contents than expected; `reason` is OpenSSL's text.
    case file(path: String, expected: String, reason: String)
    /// The private key does not belong to the certificate.
    case mismatch(certificate: String, key: String)
    /// A call of OpenSSL failed for another reason, such as a lack of memory.
    case library(call: String, reason: String)

    package var description: String {
        switch self {
        case .file(let path, let expected, let reason): "\(path) is not a \(expected): \(reason)"
        case .mismatch(let certificate, let key):
            "the private key in \(key) does not belong to the certificate in \(certificate)"
        case .library(let call, let reason): "\(call): \(reason)"
        }
    }
}
