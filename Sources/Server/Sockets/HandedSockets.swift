import Glibc

/// The listening sockets that the process was started with, as systemd hands them over (sd_listen_fds(3)).
///
/// They stay open in whoever handed them over: what connects while nobody accepts waits.
package struct HandedSockets: Sendable {
    /// One of them; who takes it closes it.
    package struct Entry: Sendable, Hashable {
        package let number: Int32
        /// `FileDescriptorName=` of its unit, which is the unit's own name by default.
        package let name: String

        package init(number: Int32, name: String) {
            self.number = number
            self.name = name
        }
    }

    private var entries: [Entry]

    package static let none = HandedSockets([])

    /// How many there may be.
    package static let maximum = 1_000
    /// They follow the standard streams.
    private static let firstNumber: Int32 = 3
    private static let unnamed = "unknown"

    package init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// Reads `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`; none where they are not there or meant for another process.
    ///
    /// From here on the sockets are closed in programs that this one would start.
    package init(environment: [String: String], process: Int32 = getpid()) throws(ServerError) {
        guard environment["LISTEN_PID"] == String(process), let text = environment["LISTEN_FDS"] else {
            self = .none
            return
        }
        guard let count = Int(text), (0...Self.maximum).contains(count) else {
            throw .handedOver("LISTEN_FDS is '\(text)'")
        }
        let names = environment["LISTEN_FDNAMES"].map {
            $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        }
        guard names.map({ $0.count == count }) ?? true else {
            throw .handedOver("LISTEN_FDS is \(count), and LISTEN_FDNAMES has another number of names")
        }
        self.init(
            (0..<count).map { index in
                Entry(number: Self.firstNumber + Int32(index), name: names?[index] ?? Self.unnamed)
            })
        for entry in entries {
            try SystemCall.check("fcntl", "socket \(entry.name)") { fcntl(entry.number, F_SETFD, FD_CLOEXEC) }
        }
    }

    /// The sockets of a name, or all without one; whoever has them closes them.
    ///
    /// Throws where there are none.
    mutating func take(_ name: String?) throws(ServerError) -> [Entry] {
        let taken = entries.filter { name == nil || $0.name == name }
        guard !taken.isEmpty else {
            throw .handedOver("there is none\(name.map { " named '\($0)'" } ?? "") that is not in use already")
        }
        entries.removeAll { taken.contains($0) }
        return taken
    }

    /// Throws where one was not taken: who connects to it would wait for ever.
    func requireNone() throws(ServerError) {
        guard let entry = entries.first else { return }
        throw .handedOver("nothing is to be done with '\(entry.name)'")
    }
}
