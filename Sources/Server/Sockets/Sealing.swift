/// The component that encrypts a connection's output.
package enum Sealing: String, Sendable {
    /// None: the connection is plain.
    case none
    /// OpenSSL in this process.
    case openssl
    /// The kernel if it accepts the connection's keys, else OpenSSL.
    case kernel
}
