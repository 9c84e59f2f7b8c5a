import Glibc

/// The listening sockets that the process was started with, as systemd passes them on (sd_listen_fds(3)).
///
/// They also stay open in the parent process, so that connections are queued while no process accepts.
package struct HandedSockets: Sendable {
    /// One socket, closed by the caller that takes it.
    package struct Entry: Sendable, Hashable {
        package let number: Int32
        /// The `FileDescriptorName=` of its unit, by default the unit's own name.
        package let name: String

        package init(number: Int32, name: String) {
            self.number = number
            self.name = name
        }
    }

    private var entries: [Entry]

    package static let none = HandedSockets([])

    /// The maximum number of sockets.
    package static let maximum = 1_000
    /// The first descriptor, after the standard streams.
    private static let firstNumber: Int32 = 3
    private static let unnamed = "unknown"

    package init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// Reads `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`; the result is empty if they are missing or meant for
    /// another process.
    ///
    /// From then on the sockets are closed in programs that this process starts.
    package init(environment: [String: String], process: Int32 = getpid()) throws(ServerError) {
        guard environment["LISTEN_PID"] == String(process), let text = environment["LISTEN_FDS"] else {
            self = .none
            return
        }
        guard let count = Int(text), (0...Self.maximum).contains(count) else {
            throw .handedOver("LISTEN_FDS is '\(text)', which is not a number of sockets")
        }
        let names = environment["LISTEN_FDNAMES"].map {
            $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        }
        guard names.map({ $0.count == count }) ?? true else {
            throw .handedOver("LISTEN_FDS is \(count), but LISTEN_FDNAMES has another number of names")
        }
        self.init(
            (0..<count).map { index in
                Entry(number: Self.firstNumber + Int32(index), name: names?[index] ?? Self.unnamed)
            })
        for entry in entries {
            try SystemCall.check("fcntl", "socket \(entry.name)") { fcntl(entry.number, F_SETFD, FD_CLOEXEC) }
        }
    }

    /// Removes and returns the sockets with a name, or all without a name; the caller closes them.
    ///
    /// Throws if there are none.
    mutating func take(_ name: String?) throws(ServerError) -> [Entry] {
        let taken = entries.filter { name == nil || $0.name == name }
        guard !taken.isEmpty else {
            throw .handedOver("there is no unused socket\(name.map { " named '\($0)'" } ?? "")")
        }
        entries.removeAll { taken.contains($0) }
        return taken
    }

    /// Throws if a socket is left: clients that connect to it would wait forever.
    func requireNone() throws(ServerError) {
        guard let entry = entries.first else { return }
        throw .handedOver("--listen does not name '\(entry.name)'")
    }
}
