import Domain

/// One entry of `/config`, as it came.
struct ConfigEntry: Sendable, Equatable {
    let package: PackageID
    let json: JSON

    /// What has no priority comes after what has one above 0.
    var priority: Double {
        switch json["priority"] {
        case .integer(let value): Double(value)
        case .number(let text): Double(text) ?? 0
        default: 0
        }
    }

    /// The version that takes effect later, and from when by the server's time.
    var next: (json: JSON, activeTime: Timestamp)? {
        guard let next = json["next"], let time = next["activeTime"]?.string.flatMap(Timestamp.init(rfc3339:)) else {
            return nil
        }
        return (next, time)
    }

    /// The instants at which something is to be done about it by itself.
    var moments: [Timestamp] {
        [next?.activeTime, Self.downloadAfter(in: json), next.flatMap { Self.downloadAfter(in: $0.json) }].compactMap(
            \.self)
    }

    /// When the device is to download what an offer names; `nil` where it need not wait.
    static func downloadAfter(in offer: JSON) -> Timestamp? {
        offer["downloadAfter"]?.string.flatMap(Timestamp.init(rfc3339:))
    }

    /// The same where that is not now: it lies ahead, or was missed, and the server has to be asked for another.
    static func wait(in offer: JSON, at now: Timestamp) -> Timestamp? {
        guard let time = downloadAfter(in: offer) else { return nil }
        return (time...time.adding(milliseconds: DownloadWindow.slack)).contains(now) ? nil : time
    }

    /// Until when pages are to come from the network; `nil` where the copy is to be used.
    func onlineUntil(at now: Timestamp) -> Timestamp? {
        json["onlineUntil"]?.string.flatMap(Timestamp.init(rfc3339:)).flatMap { $0 > now ? $0 : nil }
    }

    /// What the entry offers at an instant: `next` once its time has come, which no later answer is needed for.
    func offer(at now: Timestamp) -> JSON {
        guard let next, next.activeTime <= now else { return json }
        return next.json
    }

    /// What comes after that instant, if anything does.
    func upcoming(at now: Timestamp) -> (json: JSON, activeTime: Timestamp)? {
        guard let next, next.activeTime > now else { return nil }
        return next
    }
}
