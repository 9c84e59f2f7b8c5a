import Glibc

/// The names of the servers on a database, for operators.
package enum ServerName {
    /// The name of this process: `HOST:PID`.
    package static let own = "\(hostName):\(getpid())"

    /// The first part of the names of sessions, which the name of the server follows.
    static let prefix = "larder "

    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "unknown" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
