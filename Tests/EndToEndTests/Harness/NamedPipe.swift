import Foundation
import TestKit

/// A named pipe that a test reads only when it wants to.
final class NamedPipe {
    let path: String
    /// The capacity in bytes: two pages, so that it is soon full.
    let capacity: Int
    private var reader: Int32

    init(_ name: String) throws {
        path = "\(ScratchDirectory.path)/\(name)"
        guard mkfifo(path, 0o600) == 0 else { throw Program.Failure(description: "no pipe at \(path)") }
        reader = Self.open(path, O_RDONLY)
        capacity = Int(fcntl(reader, Self.setCapacity, 2 * 4_096))
    }

    deinit { closeReader() }

    /// `F_SETPIPE_SZ`, a macro that Swift does not import.
    private static let setCapacity: Int32 = 1_031

    private static func open(_ path: String, _ mode: Int32) -> Int32 {
        Foundation.open(path, mode | O_NONBLOCK | O_CLOEXEC)
    }

    /// Fills the pipe from another writer until there is room for so many bytes, in whole pages.
    func fill(leaving room: Int = 0) {
        let writer = Self.open(path, O_WRONLY)
        defer { close(writer) }
        let filling = [UInt8](repeating: UInt8(ascii: "-"), count: capacity - room)
        _ = write(writer, filling, filling.count)
    }

    /// The number of unread bytes.
    var waiting: Int {
        var count: Int32 = 0
        return ioctl(reader, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    func openReader() { reader = Self.open(path, O_RDONLY) }

    func closeReader() {
        close(reader)
        reader = -1
    }

    /// Reads until a text has arrived and its line is complete.
    func read(to end: String) throws -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: capacity)
        return try Waiting.forValue("'\(end)' in a pipe") {
            while true {
                let count = Foundation.read(reader, &piece, piece.count)
                guard count > 0 else { break }
                bytes += piece[..<count]
            }
            let last = String(decoding: bytes.suffix(capacity), as: UTF8.self)
            return last.contains(end) && last.hasSuffix("\n") ? String(decoding: bytes, as: UTF8.self) : nil
        }
    }
}
