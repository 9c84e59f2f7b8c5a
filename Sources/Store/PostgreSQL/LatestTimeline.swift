import Synchronization

/// The latest timeline of the servers that this program has used, which all of its sessions share.
///
/// Each promotion of a standby begins a later timeline. A server with an earlier one is a former primary: what it commits
/// is lost, and what it returns is outdated.
final class LatestTimeline: Sendable {
    private let latest = Atomic<Int64>(0)

    var number: Int64 { latest.load(ordering: .relaxed) }

    /// Notes the timeline of a server; returns `false` if a server with a later one was used.
    func note(_ timeline: Int64) -> Bool { latest.max(timeline, ordering: .relaxed).newValue == timeline }
}

/// A session with the server that accepts writes, and the timeline of that server.
struct PrimarySession {
    let session: PostgreSQLSession
    let timeline: Int64

    /// The limit for connecting to each of several hosts, to compare their timelines.
    private static let comparisonLimit: Duration = .seconds(2)

    /// Connects to the host that accepts writes; of several, to the one with the latest timeline.
    ///
    /// The others are former primaries, whose standby was promoted. Throws `unavailable` if this program has used a later
    /// timeline.
    init(of address: PostgreSQLAddress, _ latest: LatestTimeline) throws(DatabaseError) {
        var primary = try PostgreSQLSession(to: address)
        var timeline = try primary.timeline() ?? latest.number
        for host in address.single {
            guard let session = try? PostgreSQLSession(to: host, within: Self.comparisonLimit),
                let other = try? session.timeline(), other > timeline
            else { continue }
            (primary, timeline) = (session, other)
        }
        guard latest.note(timeline) else {
            throw .lost(
                "The only server of \(address) that accepts writes is a former primary: its timeline is \(timeline), and "
                    + "this server has already used \(latest.number). Stop that PostgreSQL, and start its successor.",
                statement: "connect")
        }
        (session, self.timeline) = (primary, timeline)
    }

    /// Throws `unavailable` if another session has found a server with a later timeline since.
    func requireLatest(_ latest: LatestTimeline) throws(DatabaseError) {
        guard timeline < latest.number else { return }
        throw .lost(
            "the server is a former primary: its timeline is \(timeline), and that of its successor \(latest.number)",
            statement: "timeline")
    }
}
