/// Who seals what is sent to a connection.
package enum Sealing: String, Sendable {
    /// Nobody: it goes as it is.
    case none
    /// OpenSSL, in this process.
    case openssl
    /// The kernel, where it takes the keys of the connection; else OpenSSL.
    case kernel
}
