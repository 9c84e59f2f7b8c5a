import Glibc
import HTTP

/// The fields that the server adds to a response head, with the empty line after them; renewed once a second.
struct HeadEndings {
    /// The three forms that a response head can end in.
    struct Forms {
        /// The form for a connection that goes on by default.
        let plain: [UInt8]
        /// The form for a connection that ends with the response.
        let closing: [UInt8]
        /// The form for a connection of HTTP/1.0 that goes on.
        let keeping: [UInt8]

        fileprivate init(_ fields: String) {
            plain = Array("\(fields)\r\n".utf8)
            closing = Array("\(fields)Connection: close\r\n\r\n".utf8)
            keeping = Array("\(fields)Connection: keep-alive\r\n\r\n".utf8)
        }
    }

    /// The forms for connections without TLS.
    private(set) var bare = Forms("")
    /// The forms for connections with TLS, which carry `Strict-Transport-Security` (RFC 6797 §7.1).
    private(set) var secure = Forms("")
    /// The wall clock at the last refresh, in nanoseconds since 1970.
    private(set) var nanoseconds: Int64 = 0
    private var second = Int.min
    private let strictTransport: String

    /// - Parameter hstsSeconds: The time for which browsers are to use only TLS for the host.
    init(hstsSeconds: Int) {
        strictTransport = "Strict-Transport-Security: max-age=\(hstsSeconds)\r\n"
    }

    /// Renews the forms if the wall clock shows another second.
    @inline(__always)
    mutating func refresh() {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        nanoseconds = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        if time.tv_sec != second { write(second: time.tv_sec) }
    }

    private mutating func write(second now: Int) {
        second = now
        let date = "Date: \(HTTPDate(secondsSinceEpoch: now))\r\n"
        bare = Forms(date)
        secure = Forms(date + strictTransport)
    }
}
