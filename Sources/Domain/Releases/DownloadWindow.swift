package import Ground

/// Spreads the downloads of a coming version, so that all of them together stay within a budget (decision 0033).
///
/// Time goes in rounds. In each, every bucket has one slot, and the slots lie evenly: whoever misses the one of this round
/// gets that of the next. So however devices come, those that keep to their slots never ask for more than a round's share.
package struct DownloadWindow: Sendable, Hashable {
    /// The first slot.
    package let opensAt: Timestamp
    /// What the downloads may come to together.
    package let bytesPerSecond: Int64
    /// Whom the release is for.
    package let devices: Int64
    /// Milliseconds of a round.
    package let round: Int64

    package static let devicesRange: ClosedRange<Int64> = 1...1_000_000_000
    package static let bytesPerSecondRange: ClosedRange<Int64> = 1...1_000_000_000_000
    /// Milliseconds from now to the first slot: by then devices have asked and know theirs.
    package static let notice: Int64 = 300_000
    /// Milliseconds past its slot for which a device may still begin: it was on its way.
    package static let slack: Int64 = 10_000
    /// Standard deviations by which a minute may be over what is expected: devices fall into buckets by chance.
    private static let reserve = 3.0

    /// As it was stored.
    package init(opensAt: Timestamp, bytesPerSecond: Int64, devices: Int64, round: Int64) {
        self.opensAt = opensAt
        self.bytesPerSecond = bytesPerSecond
        self.devices = devices
        self.round = round
    }

    /// - Parameter archiveSize: Bytes of the full archive, since nobody knows for whom a patch applies.
    package init(opensAt: Timestamp, bytesPerSecond: Int64, devices: Int64, archiveSize: Int) {
        self.init(
            opensAt: opensAt, bytesPerSecond: bytesPerSecond, devices: devices,
            round: Self.round(devices: devices, bytesPerSecond: bytesPerSecond, archiveSize: archiveSize))
    }

    /// So long that a minute in which more devices than expected have their slot is within the budget as well: d devices
    /// a minute are sometimes d + 3√d.
    private static func round(devices: Int64, bytesPerSecond: Int64, archiveSize: Int) -> Int64 {
        let possible = Double(bytesPerSecond) * 60 / Double(max(1, archiveSize))
        let root = ((reserve * reserve + 4 * possible).squareRoot() - reserve) / 2
        let minutes = Double(devices) / (root * root)
        let milliseconds = (minutes * 60_000).rounded(.up)
        return milliseconds < Double(maximumRound) ? max(1, Int64(milliseconds)) : maximumRound
    }

    /// A century: longer than any window.
    private static let maximumRound: Int64 = 100 * 366 * 86_400_000

    /// Throws `invalidRequest`, with the arithmetic, where not every device has a slot before a moment.
    package func requireFit(before moment: Timestamp) throws(PlatformError) {
        let length = moment.milliseconds - opensAt.milliseconds
        guard round > length else { return }
        let seconds = (round + 999) / 1000
        throw PlatformError(
            .invalidRequest,
            "The full archive for \(devices) devices at \(bytesPerSecond) bytes a second takes \(seconds) s, some of it in reserve, "
                + "and from \(opensAt) to 'activeTime' \(moment) there are \(max(0, length) / 1000) s: give more bytes a second, or "
                + "more time.")
    }

    /// How much longer it lasts past a moment, for those that come late: as long as before it.
    package func end(after moment: Timestamp) -> Timestamp {
        moment.adding(milliseconds: max(round, moment.milliseconds - opensAt.milliseconds))
    }

    /// When a device is to download that asks at an instant.
    ///
    /// - Parameter salt: Of the release, so that not always the same devices come first.
    package func slot(of place: DownloadPlace, salt: Salt, at instant: Timestamp) -> Timestamp {
        let gap = UInt64.max / UInt64(max(1, place.count))
        let start = salt.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let share = UInt64(place.position % max(1, place.count)) * gap + gap.multipliedFullWidth(by: place.share).high
        let offset = Int64((share &+ start).multipliedFullWidth(by: UInt64(round)).high)
        let first = opensAt.adding(milliseconds: offset)
        let late = instant.milliseconds - Self.slack - first.milliseconds
        guard late > 0 else { return first }
        return first.adding(milliseconds: (late + round - 1) / round * round)
    }
}

/// The limits within which an operator wants the downloads of a coming version to be spread.
package struct DownloadBudget: Sendable {
    /// The moment of the first download; `nil` if downloads begin as soon as devices know of the version.
    package let opensAt: Timestamp?
    package let bytesPerSecond: Int64
    /// The number of devices that the release is for.
    package let devices: Int64

    package init(opensAt: Timestamp?, bytesPerSecond: Int64, devices: Int64) {
        self.opensAt = opensAt
        self.bytesPerSecond = bytesPerSecond
        self.devices = devices
    }
}

/// Where a device comes among those that download a release.
package struct DownloadPlace: Sendable, Hashable {
    /// Of its bucket, in the release's order.
    package let position: Int
    /// Positions that are in, in the end.
    package let count: Int
    /// The device's own, so that those of one bucket do not come at once; 0 where it says its bucket alone.
    package let share: UInt64

    package init(position: Int, count: Int, share: UInt64) {
        self.position = position
        self.count = count
        self.share = share
    }
}
