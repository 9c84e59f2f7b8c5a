import Glibc
import HTTP

/// The `Date` line with what follows it, in the three forms a response head can end in; made once a second.
struct HeadEndings {
    /// None of the forms is longer.
    static let longest = 64

    private var second = Int.min
    /// The wall clock when it was looked at last, in nanoseconds since 1970.
    private(set) var nanoseconds: Int64 = 0
    /// On a connection that goes on by default.
    private(set) var plain: [UInt8] = []
    /// On one that ends with the answer.
    private(set) var closing: [UInt8] = []
    /// On one of HTTP/1.0 that goes on.
    private(set) var keeping: [UInt8] = []

    /// Makes the lines anew if the wall clock shows another second.
    @inline(__always)
    mutating func refresh() {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        nanoseconds = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        if time.tv_sec != second { write(second: time.tv_sec) }
    }

    private mutating func write(second now: Int) {
        second = now
        let date = Array("Date: \(HTTPDate(secondsSinceEpoch: now))\r\n".utf8)
        plain = date + "\r\n".utf8
        closing = date + "Connection: close\r\n\r\n".utf8
        keeping = date + "Connection: keep-alive\r\n\r\n".utf8
    }
}
