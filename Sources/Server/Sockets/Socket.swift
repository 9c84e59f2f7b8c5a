import CLinux
import Glibc

/// The result of moving bytes through a socket.
enum Transfer {
    /// The number of bytes moved; zero at the end of a stream or file.
    case moved(Int)
    /// No bytes moved; the kernel reports when the socket is ready.
    case wouldBlock
    /// The socket has failed with this `errno`.
    case failed(Int32)

    @inline(__always)
    init(_ outcome: (result: Int, code: Int32)) {
        self =
            switch outcome.code {
            case 0: .moved(outcome.result)
            case EAGAIN: .wouldBlock
            default: .failed(outcome.code)
            }
    }
}

/// A connected, non-blocking socket.
struct Socket: ~Copyable {
    private(set) var number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        if number >= 0 { _ = Glibc.close(number) }
    }

    /// Returns the descriptor's number to a caller that closes it.
    consuming func release() -> Int32 {
        let number = number
        self.number = -1
        return number
    }

    /// Closes at once, which also removes the socket from epoll.
    mutating func close() {
        guard number >= 0 else { return }
        _ = Glibc.close(number)
        number = -1
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        Transfer(SystemCall.retrying { recv(number, buffer.baseAddress, buffer.count, 0) })
    }

    /// Whether there is unread input.
    var hasInput: Bool {
        var byte: UInt8 = 0
        return SystemCall.retrying { recv(number, &byte, 1, Int32(MSG_PEEK)) }.result > 0
    }

    /// Sends as many bytes as the kernel takes; `more` announces that further bytes follow at once.
    func send(_ bytes: UnsafeRawBufferPointer, more: Bool) -> Transfer {
        let flags = Int32(MSG_NOSIGNAL) | (more ? Int32(MSG_MORE) : 0)
        return Transfer(SystemCall.retrying { Glibc.send(number, bytes.baseAddress, bytes.count, flags) })
    }

    /// Sends from a file by offset; neither uses nor moves the file's own position.
    func sendFile(_ file: Int32, offset: Int, count: Int) -> Transfer {
        var position = off_t(offset)
        return Transfer(SystemCall.retrying { sendfile(number, file, &position, count) })
    }

    /// The number of sent bytes that the peer has not acknowledged.
    var unacknowledged: Int {
        var count: Int32 = 0
        return clinux_unacknowledged(number, &count) == 0 ? Int(count) : 0
    }

    /// Whether the peer may still acknowledge sent bytes.
    ///
    /// After a reset the kernel keeps counting bytes that will never be acknowledged.
    var isInFlight: Bool { unacknowledged > 0 && !isOver }

    /// Whether TCP has closed the connection.
    private var isOver: Bool {
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        guard getsockopt(number, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else { return false }
        return Int(info.tcpi_state) == Int(TCP_CLOSE)
    }

    /// Ends the outgoing stream; reading continues.
    func finishSending() {
        _ = shutdown(number, Int32(SHUT_WR))
    }
}
