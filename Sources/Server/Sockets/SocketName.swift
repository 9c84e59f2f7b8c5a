import Glibc

/// The address that a socket is bound to, read from the kernel.
struct SocketName {
    private var storage = sockaddr_storage()
    private var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    private let subject: String

    init(of number: Int32, _ subject: String) throws(ServerError) {
        self.subject = subject
        let code = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(number, $0, &size) == 0 ? 0 : errno
            }
        }
        guard code == 0 else { throw .system(call: "getsockname", subject: subject, code: code) }
    }

    /// The port, which has the same offset in the addresses of both families.
    var port: UInt16 {
        withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    }

    /// The endpoint; throws for anything except an IP address or a unix socket.
    var location: Endpoint.Location {
        get throws(ServerError) {
            switch Int32(storage.ss_family) {
            case AF_INET: .address(try ListenAddress(host: try host(AF_INET, at: 4), port: port))
            case AF_INET6: .address(try ListenAddress(host: try host(AF_INET6, at: 8), port: port))
            case AF_UNIX: .unix(path: path)
            case let family: throw .handedOver("\(subject) has the address family \(family)")
            }
        }
    }

    /// The path; the name of an abstract socket begins with `@`, by convention.
    private var path: String {
        withUnsafeBytes(of: storage) { bytes in
            let name = bytes[..<min(Int(size), bytes.count)].dropFirst(MemoryLayout<sa_family_t>.size)
            guard name.first == 0 else { return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) }
            return "@" + String(decoding: name.dropFirst(), as: UTF8.self)
        }
    }

    private func host(_ family: Int32, at offset: Int) throws(ServerError) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isWritten = withUnsafeBytes(of: storage) {
            inet_ntop(family, $0.baseAddress?.advanced(by: offset), &text, socklen_t(text.count)) != nil
        }
        guard isWritten else { throw .system(call: "inet_ntop", subject: subject, code: errno) }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
