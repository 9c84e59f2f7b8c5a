import Domain
import Ground

/// One entry of `/config`, as received.
struct ConfigEntry: Sendable, Equatable {
    let package: PackageID
    let json: JSON

    /// The priority; a missing one counts as 0.
    var priority: Double {
        switch json["priority"] {
        case .integer(let value): Double(value)
        case .number(let text): Double(text) ?? 0
        default: 0
        }
    }

    /// The scheduled version, and the server time from which it is active.
    var next: (json: JSON, activeTime: Timestamp)? {
        guard let next = json["next"], let time = next["activeTime"]?.string.flatMap(Timestamp.init(rfc3339:)) else {
            return nil
        }
        return (next, time)
    }

    /// The instants at which the entry requires an action without a new config.
    var moments: [Timestamp] {
        [next?.activeTime, Self.downloadAfter(in: json), next.flatMap { Self.downloadAfter(in: $0.json) }].compactMap(
            \.self)
    }

    /// Returns the time from which the device may download an offer; `nil` if it need not wait.
    static func downloadAfter(in offer: JSON) -> Timestamp? {
        offer["downloadAfter"]?.string.flatMap(Timestamp.init(rfc3339:))
    }

    /// Returns the download time if it is not now: it lies ahead, or it was missed and a new config is needed.
    static func wait(in offer: JSON, at now: Timestamp) -> Timestamp? {
        guard let time = downloadAfter(in: offer) else { return nil }
        return (time...time.adding(milliseconds: DownloadWindow.slack)).contains(now) ? nil : time
    }

    /// Returns the end of online use of the pages; `nil` if the copy is in use.
    func onlineUntil(at now: Timestamp) -> Timestamp? {
        json["onlineUntil"]?.string.flatMap(Timestamp.init(rfc3339:)).flatMap { $0 > now ? $0 : nil }
    }

    /// Returns the offer at an instant: `next` once it is active, without a newer config.
    func offer(at now: Timestamp) -> JSON {
        guard let next, next.activeTime <= now else { return json }
        return next.json
    }

    /// Returns the version that becomes active after an instant; `nil` if there is none.
    func upcoming(at now: Timestamp) -> (json: JSON, activeTime: Timestamp)? {
        guard let next, next.activeTime > now else { return nil }
        return next
    }
}
