import CTLS

/// What lies between TLS and a socket: the sealed bytes that came and are not opened yet, and those that are to be sent.
///
/// One serves any number of sessions one after the other, as long as it is empty between them, on one thread. It has to
/// outlive its sessions.
package final class TLSPipe {
    /// Sealed bytes that wait to be sent, in order.
    private let storage: UnsafeMutableRawBufferPointer
    private var count = 0
    /// Sealed bytes that came; valid only within ``TLSSession/open(_:into:)``.
    private var incoming = UnsafeRawBufferPointer(start: nil, count: 0)

    /// So many plain bytes can be sealed into an empty pipe, beside what a handshake has to say.
    package static let sealableBytes = 128 << 10
    /// What TLS adds to a record of 16 KiB is far below this share; a chain of certificates is below the rest.
    private static let capacity = sealableBytes + sealableBytes / 16 + (56 << 10)

    package init() {
        storage = .allocate(byteCount: Self.capacity, alignment: 16)
    }

    deinit {
        storage.deallocate()
    }

    /// What is to be sent; valid until the next call of anything here or of a session.
    package var outgoing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    /// Forgets what was to be sent.
    package func clear() {
        count = 0
    }

    /// Lends sealed bytes for as long as the body runs; whether all were taken.
    func lend(_ sealed: UnsafeRawBufferPointer, _ body: () -> Void) -> Bool {
        incoming = sealed
        defer { incoming = UnsafeRawBufferPointer(start: nil, count: 0) }
        body()
        return incoming.isEmpty
    }

    /// Gives the next sealed bytes to OpenSSL; how many, none when there are no more.
    fileprivate func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let given = min(buffer.count, incoming.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: incoming[..<given]))
        incoming = UnsafeRawBufferPointer(rebasing: incoming[given...])
        return given
    }

    /// Takes sealed bytes from OpenSSL; false when there is no room for them.
    fileprivate func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= storage.count - count else { return false }
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: bytes)
        count += bytes.count
        return true
    }
}

extension TLSPipe {
    /// OpenSSL's view of a pipe: a BIO that reads from it and writes to it.
    func makeBIO() throws(TLSError) -> OpaquePointer {
        guard let method = Self.method else { throw .library(call: "BIO_meth_new", reason: "no memory") }
        let bio = try OpenSSLErrors.unwrap("BIO_new", BIO_new(method.pointer))
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    private struct Method: @unchecked Sendable {
        // Made once, and only read from then on.
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
