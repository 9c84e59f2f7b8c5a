package import Ground

/// A schedule that spreads the downloads of a scheduled version within a budget of bytes per second (decision 0033).
///
/// Time is divided into rounds. In each round every bucket has one slot, and the slots are evenly spaced; a device that
/// misses its slot gets the one of the next round. So devices that keep to their slots never exceed a round's share.
package struct DownloadWindow: Sendable, Hashable {
    /// The time of the first slot.
    package let opensAt: Timestamp
    /// The budget of all downloads together.
    package let bytesPerSecond: Int64
    /// The number of devices that the release is for.
    package let devices: Int64
    /// The length of a round in milliseconds.
    package let round: Int64

    package static let devicesRange: ClosedRange<Int64> = 1...1_000_000_000
    package static let bytesPerSecondRange: ClosedRange<Int64> = 1...1_000_000_000_000
    /// The milliseconds from now to the first slot, in which devices poll and learn their slots.
    package static let notice: Int64 = 300_000
    /// The milliseconds after its slot in which a device may still begin.
    package static let slack: Int64 = 10_000
    /// The standard deviations by which a minute may exceed its expectation, since devices are distributed at random.
    private static let reserve = 3.0

    /// Creates a stored window.
    package init(opensAt: Timestamp, bytesPerSecond: Int64, devices: Int64, round: Int64) {
        self.opensAt = opensAt
        self.bytesPerSecond = bytesPerSecond
        self.devices = devices
        self.round = round
    }

    /// - Parameter archiveSize: The bytes of the full archive, since it is unknown which devices can use a patch.
    package init(opensAt: Timestamp, bytesPerSecond: Int64, devices: Int64, archiveSize: Int) {
        self.init(
            opensAt: opensAt, bytesPerSecond: bytesPerSecond, devices: devices,
            round: Self.round(devices: devices, bytesPerSecond: bytesPerSecond, archiveSize: archiveSize))
    }

    /// Returns a length at which even a minute with more devices than expected is within the budget.
    ///
    /// A minute with d expected devices may have d + 3√d.
    private static func round(devices: Int64, bytesPerSecond: Int64, archiveSize: Int) -> Int64 {
        let possible = Double(bytesPerSecond) * 60 / Double(max(1, archiveSize))
        let root = ((reserve * reserve + 4 * possible).squareRoot() - reserve) / 2
        let minutes = Double(devices) / (root * root)
        let milliseconds = (minutes * 60_000).rounded(.up)
        return milliseconds < Double(maximumRound) ? max(1, Int64(milliseconds)) : maximumRound
    }

    /// The limit on a round, a century, which exceeds any window.
    private static let maximumRound: Int64 = 100 * 366 * 86_400_000

    /// Throws `invalidRequest`, with the calculation, unless every device has a slot before an instant.
    package func requireFit(before moment: Timestamp) throws(PlatformError) {
        let length = moment.milliseconds - opensAt.milliseconds
        guard round > length else { return }
        let seconds = (round + 999) / 1000
        throw PlatformError(
            .invalidRequest,
            "Downloading the full archive takes \(seconds) s for \(devices) devices at \(bytesPerSecond) bytes a second, "
                + "with a reserve, but there are only \(max(0, length) / 1000) s from \(opensAt) to 'activeTime' "
                + "\(moment). Give a later 'activeTime'; a new release may also have a higher "
                + "'bytesPerSecond' or an earlier 'from'.")
    }

    /// Returns the end of the window for late devices, as long after an instant as the window is before it.
    package func end(after moment: Timestamp) -> Timestamp {
        moment.adding(milliseconds: max(round, moment.milliseconds - opensAt.milliseconds))
    }

    /// Returns the download time of a device that sends a request at an instant.
    ///
    /// - Parameter salt: The release's salt, so that the order of devices differs between releases.
    package func slot(of position: DownloadPosition, salt: Salt, at instant: Timestamp) -> Timestamp {
        let gap = UInt64.max / UInt64(max(1, position.count))
        let start = salt.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let share =
            UInt64(position.index % max(1, position.count)) * gap + gap.multipliedFullWidth(by: position.share).high
        let offset = Int64((share &+ start).multipliedFullWidth(by: UInt64(round)).high)
        let first = opensAt.adding(milliseconds: offset)
        let late = instant.milliseconds - Self.slack - first.milliseconds
        guard late > 0 else { return first }
        return first.adding(milliseconds: (late + round - 1) / round * round)
    }
}

/// The limits within which downloads of a scheduled version are to be spread.
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

/// The position of a device among those that download a release.
package struct DownloadPosition: Sendable, Hashable {
    /// The index of its bucket in the release's order.
    package let index: Int
    /// The number of positions that the release finally includes.
    package let count: Int
    /// The device's own share, which separates the devices of a bucket; 0 if the device sends only its bucket.
    package let share: UInt64

    package init(index: Int, count: Int, share: UInt64) {
        self.index = index
        self.count = count
        self.share = share
    }
}
