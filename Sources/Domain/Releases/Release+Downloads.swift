package import Ground

extension Release {
    /// Returns the download time of a device that sends a request at an instant; `nil` if it need not wait.
    package func downloadAfter(_ position: DownloadPosition, at instant: Timestamp) -> Timestamp? {
        // A round within the slack delays no device.
        guard let window = terms.downloads, window.round > DownloadWindow.slack, let end = spreadingEnd else {
            return nil
        }
        let slot = window.slot(of: position, salt: terms.salt, at: instant)
        // No device waits beyond the end, since all waiting devices would download then.
        return slot < end ? slot : nil
    }

    /// Returns the position of a device; `nil` if it sends neither id nor bucket.
    func downloadPosition(of facts: DeviceFacts, in positions: PositionTable?) -> DownloadPosition? {
        guard let bucket = facts.bucket else { return nil }
        return DownloadPosition(
            index: positions?.position(of: bucket) ?? bucket.value, count: max(1, terms.rollout.final.value),
            share: facts.identity?.key.low ?? 0)
    }

    /// Returns whether devices get download times.
    func isSpreading(at instant: Timestamp) -> Bool { spreadingEnd.map { instant < $0 } ?? false }

    /// The time from which all devices download at once; `nil` if no device ever has to wait.
    var spreadingEnd: Timestamp? {
        guard let window = terms.downloads, course == .running || course.isPaused else { return nil }
        // The devices that a plan step admits also arrive together.
        let last = moment(ofStep: terms.rollout.steps.count)?.adding(milliseconds: window.round)
        let end = window.end(after: activeTime)
        return last.map { max($0, end) } ?? end
    }
}

extension ReleaseCourse {
    fileprivate var isPaused: Bool {
        if case .paused = self { true } else { false }
    }
}
