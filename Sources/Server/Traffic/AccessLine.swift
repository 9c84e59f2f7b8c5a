package import HTTP

/// A record of one request in the access log.
package struct AccessLine: Sendable {
    /// The wall clock at the start of the request, in nanoseconds since 1970.
    package let time: Int64
    package let method: String
    /// The percent-encoded path as received, without the query, which may contain identifiers of a device.
    ///
    /// If the path names a device, it is replaced: by the pattern of the route, or, if no route matches, by the path up to
    /// `/devices/` followed by `{device}`.
    package let path: String
    package let route: String
    package let status: UInt16
    package let bytes: Int
    package let nanoseconds: Int64
    package let id: String
    package let client: PeerAddress
    /// Whether the peer has taken the whole response, as far as the kernel knows.
    package let isWhole: Bool

    /// Returns the path of a request in the form for the log.
    ///
    /// - Parameter route: The method and the pattern of the route.
    package static func path(_ path: String, of route: String) -> String {
        if route.hasSuffix("/{device}"), let space = route.firstIndex(of: " ") {
            return String(route[route.index(after: space)...])
        }
        // A request that no route takes: with another method, or with an encoded slash in the id.
        guard route == "none", path.hasPrefix("/api/v1/apps/"), let devices = path.firstRange(of: "/devices/") else {
            return path
        }
        return path[..<devices.upperBound] + "{device}"
    }
}

/// The destination of access lines.
package protocol AccessLog: AnyObject, Sendable {
    /// Takes the lines of one iteration of a loop; runs on the loop's thread and must not block.
    ///
    /// Returns the number of lines that it drops because too many wait to be written.
    func take(_ lines: [AccessLine]) -> Int
}
