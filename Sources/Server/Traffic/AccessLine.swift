package import HTTP

/// One answered request, as the access log tells of it.
package struct AccessLine: Sendable {
    /// When the request was read, in nanoseconds of the wall clock since 1970.
    package let time: Int64
    package let method: String
    /// As received, still percent-encoded; without the query, which may hold what identifies a device.
    package let path: String
    package let route: String
    package let status: UInt16
    package let bytes: Int
    package let nanoseconds: Int64
    package let id: String
    package let client: PeerAddress
    /// Whether the peer has taken the whole answer, as far as the kernel tells.
    package let isWhole: Bool
}

/// Where access lines go.
package protocol AccessLog: AnyObject, Sendable {
    /// Takes the lines of one turn of one loop, on the loop's thread: it must not block.
    ///
    /// Returns how many of them it drops, because more wait to be written than it may hold.
    func take(_ lines: [AccessLine]) -> Int
}
