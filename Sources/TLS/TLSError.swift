/// Why a certificate or a key cannot be used, or a session cannot begin.
package enum TLSError: Error, Hashable, CustomStringConvertible {
    /// A file cannot be read, or does not hold what it should; `reason` is what OpenSSL says.
    case file(path: String, expected: String, reason: String)
    /// The private key is not that of the certificate.
    case mismatch(certificate: String, key: String)
    /// OpenSSL refuses for another reason, such as want of memory.
    case library(call: String, reason: String)

    package var description: String {
        switch self {
        case .file(let path, let expected, let reason): "\(path) is no \(expected): \(reason)"
        case .mismatch(let certificate, let key):
            "the private key in \(key) is not that of the certificate in \(certificate)"
        case .library(let call, let reason): "\(call): \(reason)"
        }
    }
}
