import TLS

/// The buffers that a loop's TLS connections use in turn; empty between two connections.
final class TLSBuffers {
    let pipe = TLSPipe()
    /// Encrypted bytes from the socket.
    let incoming = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSSession.sealedBytes, alignment: 16)
    /// Plain bytes of a file on their way into the pipe.
    let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSPipe.sealableBytes, alignment: 16)

    deinit {
        incoming.deallocate()
        plain.deallocate()
    }
}
