import CLinux
import Glibc

/// What became of an attempt to move bytes through a socket.
enum Transfer {
    /// So many bytes went through; at the end of a stream or file, none.
    case moved(Int)
    /// None, until the kernel says that the socket is ready again.
    case wouldBlock
    /// None, and none ever will.
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

/// A connected socket that never blocks.
struct Socket: ~Copyable {
    private(set) var number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        if number >= 0 { _ = Glibc.close(number) }
    }

    /// Gives the descriptor away: whoever has the number closes it.
    consuming func release() -> Int32 {
        let number = number
        self.number = -1
        return number
    }

    /// Closes at once; epoll forgets the socket with it.
    mutating func close() {
        guard number >= 0 else { return }
        _ = Glibc.close(number)
        number = -1
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        Transfer(SystemCall.retrying { recv(number, buffer.baseAddress, buffer.count, 0) })
    }

    /// Whether there are bytes to be read.
    var hasInput: Bool {
        var byte: UInt8 = 0
        return SystemCall.retrying { recv(number, &byte, 1, Int32(MSG_PEEK)) }.result > 0
    }

    /// Sends what the kernel takes; `more` says that further bytes follow at once.
    func send(_ bytes: UnsafeRawBufferPointer, more: Bool) -> Transfer {
        let flags = Int32(MSG_NOSIGNAL) | (more ? Int32(MSG_MORE) : 0)
        return Transfer(SystemCall.retrying { Glibc.send(number, bytes.baseAddress, bytes.count, flags) })
    }

    /// Sends from a file by position; the file's own position is neither used nor moved.
    func sendFile(_ file: Int32, offset: Int, count: Int) -> Transfer {
        var position = off_t(offset)
        return Transfer(SystemCall.retrying { sendfile(number, file, &position, count) })
    }

    /// Bytes that were sent, and that the peer has not said to have.
    var unacknowledged: Int {
        var count: Int32 = 0
        return clinux_unacknowledged(number, &count) == 0 ? Int(count) : 0
    }

    /// Whether the peer may yet say to have some of what was sent.
    ///
    /// After a reset the kernel goes on to count what nobody will acknowledge any more.
    var isInFlight: Bool { unacknowledged > 0 && !isOver }

    /// Whether TCP has given the connection up.
    private var isOver: Bool {
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        guard getsockopt(number, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else { return false }
        return Int(info.tcpi_state) == Int(TCP_CLOSE)
    }

    /// Tells the peer that nothing more comes; reading goes on.
    func finishSending() {
        _ = shutdown(number, Int32(SHUT_WR))
    }
}
