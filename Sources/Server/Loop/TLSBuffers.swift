import TLS

/// What a loop's connections with TLS use one after the other; empty between them.
final class TLSBuffers {
    let pipe = TLSPipe()
    /// Sealed bytes as they come from the socket.
    let incoming = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSSession.sealedBytes, alignment: 16)
    /// Plain bytes of a file on their way into the pipe.
    let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSPipe.sealableBytes, alignment: 16)

    deinit {
        incoming.deallocate()
        plain.deallocate()
    }
}
