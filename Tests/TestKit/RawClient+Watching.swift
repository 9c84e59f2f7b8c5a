import Glibc

extension RawClient {
    /// Sends zeros as long as the kernel takes them; returns their number.
    package func sendWhatIsTaken(_ most: Int) -> Int {
        sendWhatIsTaken(of: [UInt8](repeating: 0, count: 64 << 10), most)
    }

    /// Sends the bytes repeatedly, at most `most` of them, as long as the kernel takes them; returns their number.
    package func sendWhatIsTaken(of pattern: [UInt8], _ most: Int) -> Int {
        var sent = 0
        while sent < most {
            // The kernel of a peer that does not read continues to take bytes for a moment.
            var wait = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            guard poll(&wait, 1, 300) == 1 else { break }
            let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
            let piece = pattern[(sent % pattern.count)...].prefix(most - sent)
            let count = piece.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// Reads and discards what the kernel has; returns the number of bytes, zero if none arrive for a moment.
    package func takeWhatIsThere() -> Int {
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        var taken = 0
        while hasInput(within: 20) {
            let count = recv(number, &piece, piece.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { break }
            taken += count
        }
        return taken
    }

    /// Whether input arrives or the connection ends within so many milliseconds.
    package func hasInput(within milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return !buffer.isEmpty || poll(&wait, 1, milliseconds) == 1
    }

    /// Whether the connection breaks within so many milliseconds, regardless of unread input.
    package func hasEnded(within milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: number, events: 0x2000, revents: 0)
        return poll(&wait, 1, milliseconds) == 1
    }

    /// Whether the server closes the connection within ten seconds without sending anything more.
    package func isEnded() -> Bool {
        guard buffer.isEmpty else { return false }
        do {
            // TLS may still send messages without plain bytes.
            while buffer.isEmpty { try fill() }
            return false
        } catch Failure.ended, Failure.cut {
            return true
        } catch {
            return false
        }
    }
}
