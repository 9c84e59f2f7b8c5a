import CTLS

/// The buffer between TLS and a socket: encrypted bytes that were received, and those to be sent.
///
/// Sessions on one thread can share a pipe if it is empty whenever they switch. It has to outlive its sessions.
package final class TLSPipe {
    /// Encrypted bytes to be sent, in order.
    private let storage: UnsafeMutableRawBufferPointer
    private var count = 0
    /// Received encrypted bytes; valid only within ``TLSSession/open(_:into:)``.
    private var incoming = UnsafeRawBufferPointer(start: nil, count: 0)

    /// The number of plain bytes that fit into an empty pipe after encryption, beside the messages of a handshake.
    package static let sealableBytes = 128 << 10
    /// The overhead of a 16 KiB record is far below one sixteenth; a chain of certificates is below 56 KiB.
    private static let capacity = sealableBytes + sealableBytes / 16 + (56 << 10)

    package init() {
        storage = .allocate(byteCount: Self.capacity, alignment: 16)
    }

    deinit {
        storage.deallocate()
    }

    /// The bytes to be sent, valid until the next call of the pipe or a session.
    package var outgoing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    /// Discards the bytes to be sent.
    package func clear() {
        count = 0
    }

    /// Lends received bytes to OpenSSL while `body` runs; returns whether it took all of them.
    func lend(_ sealed: UnsafeRawBufferPointer, _ body: () -> Void) -> Bool {
        incoming = sealed
        defer { incoming = UnsafeRawBufferPointer(start: nil, count: 0) }
        body()
        return incoming.isEmpty
    }

    /// Copies the next received bytes to OpenSSL and returns their number, zero if there are none.
    fileprivate func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let given = min(buffer.count, incoming.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: incoming[..<given]))
        incoming = UnsafeRawBufferPointer(rebasing: incoming[given...])
        return given
    }

    /// Appends encrypted bytes of OpenSSL; returns `false` if there is no room for them.
    fileprivate func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= storage.count - count else { return false }
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: bytes)
        count += bytes.count
        return true
    }
}

extension TLSPipe {
    /// Creates a BIO that reads from the pipe and writes to it.
    func makeBIO() throws(TLSError) -> OpaquePointer {
        guard let method = Self.method else { throw .library(call: "BIO_meth_new", reason: "no memory") }
        let bio = try OpenSSLErrors.unwrap("BIO_new", BIO_new(method.pointer))
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    private struct Method: @unchecked Sendable {
        // Created once and read-only from then on.
        let pointer: OpaquePointer
    }

    private static let method: Method? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "larder pipe") else { return nil }
        BIO_meth_set_read(method) { bio, buffer, count in
            guard let bio, let buffer, let data = BIO_get_data(bio) else { return -1 }
            ctls_want_no_more(bio)
            let pipe = Unmanaged<TLSPipe>.fromOpaque(data).takeUnretainedValue()
            let given = pipe.give(UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
            guard given > 0 else {
                ctls_want_more_input(bio)
                return -1
            }
            return Int32(given)
        }
        BIO_meth_set_write(method) { bio, bytes, count in
            guard let bio, let bytes, let data = BIO_get_data(bio) else { return -1 }
            ctls_want_no_more(bio)
            let pipe = Unmanaged<TLSPipe>.fromOpaque(data).takeUnretainedValue()
            return pipe.take(UnsafeRawBufferPointer(start: bytes, count: Int(count))) ? count : -1
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return Method(pointer: method)
    }()
}
