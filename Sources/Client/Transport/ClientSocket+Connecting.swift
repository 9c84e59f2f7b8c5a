import Glibc

extension ClientSocket {
    /// Connects to the host of a URL, with TLS if its scheme says so.
    static func open(_ url: HTTPURL, trust: LazyTrust, timeout: Duration) throws(TransportError) -> ClientSocket {
        var socket = try connect(to: url, timeout: timeout)
        if url.isSecure {
            try socket.secure(timeout: timeout) { descriptor throws(TransportError) in
                try trust.begin(with: url, over: descriptor)
            }
        }
        return socket
    }

    /// Connects to the first address of a host that takes the connection.
    ///
    /// Throws `unresolved`, or the failure of the last address.
    private static func connect(to url: HTTPURL, timeout: Duration) throws(TransportError) -> ClientSocket {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = Int32(AI_NUMERICSERV)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(url.host, String(url.port), &hints, &list)
        guard result == 0 else {
            throw .unresolved(host: url.host, reason: String(cString: gai_strerror(result)))
        }
        defer { freeaddrinfo(list) }
        var failure = TransportError.unresolved(host: url.host, reason: "it has no address")
        var next = list
        while let address = next {
            switch connect(to: address.pointee, timeout: timeout) {
            case .success(let descriptor): return ClientSocket(owning: descriptor, peer: url.authority)
            case .failure(let error) where error.code == ETIMEDOUT:
                failure = .timedOut(peer: url.authority, doing: "connecting")
            case .failure(let error):
                failure = .unreachable(peer: url.authority, reason: error.reason)
            }
            next = address.pointee.ai_next
        }
        throw failure
    }

    /// The number that a system call failed with.
    private struct Failure: Error {
        let code: Int32
        var reason: String { String(cString: strerror(code)) }
    }

    private static func connect(to address: addrinfo, timeout: Duration) -> Result<Int32, Failure> {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.ai_family, type, address.ai_protocol)
        guard descriptor >= 0 else { return .failure(Failure(code: errno)) }
        let result = Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen)
        let code = result == 0 ? 0 : errno == EINPROGRESS ? finish(descriptor, timeout: timeout) : errno
        guard code == 0 else {
            close(descriptor)
            return .failure(Failure(code: code))
        }
        return .success(descriptor)
    }

    /// Waits for a connection in progress; 0, or what it failed with.
    private static func finish(_ descriptor: Int32, timeout: Duration) -> Int32 {
        guard !wait(descriptor, .writable, until: .now.advanced(by: timeout)).isEmpty else { return ETIMEDOUT }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }
}
