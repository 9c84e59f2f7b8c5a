/// The devices that had reported about the version of a release when the latest step of its plan began.
package struct HealthStep: Sendable, Equatable {
    /// The number of devices.
    package let count: Int
    /// The devices; `nil` if only their number is known, which is so for steps taken by earlier servers.
    package let devices: DeviceSketch?

    package init(_ devices: DeviceSketch) {
        count = devices.count
        self.devices = devices
    }

    package init(count: Int, devices: DeviceSketch?) {
        self.count = count
        self.devices = devices
    }

    /// Returns the number of devices that are not among those of the step.
    ///
    /// If only the number is known, returns the fewest that it may be, so that a plan rather waits.
    package func added(_ present: DeviceSketch) -> Int {
        devices.map { $0.added(by: present) } ?? max(0, present.count - count)
    }
}
