package import Domain
import Ground

/// An event of a simulated device.
package struct FleetEvent: Sendable, Equatable {
    package let device: FleetDevice
    /// The visit of the device to which the event belongs, and the number of the event in it.
    package let visit: Int
    package let number: Int
    package let event: NamedEvent
    package let reason: String?
    /// The milliseconds that the event took.
    package let duration: Int?

    /// The time by the device's clock, in Unix milliseconds.
    package func time(in plan: FleetPlan) -> Int64 {
        max(0, plan.start.milliseconds + device.offset + Int64(number) * Self.interval)
    }

    /// The milliseconds between two events of a visit.
    private static let interval: Int64 = 1000

    /// The event id, unique for the device.
    package var id: String { "\(visit)-\(number)" }

    /// Appends the report in the format of `/report`.
    func write(to bytes: inout [UInt8], in plan: FleetPlan) {
        func add(_ text: String) { bytes.append(contentsOf: text.utf8) }
        add(#"{"eventId":""#)
        add(id)
        add(#"","deviceId":""#)
        add(device.id)
        add(#"","package":""#)
        add(plan.package.text)
        add(#"","version":""#)
        add(plan.versions[device.version].text)
        add(#"","event":""#)
        add(event.rawValue)
        add(#"","time":"#)
        add(String(time(in: plan)))
        add(#","platform":""#)
        add(FleetDevice.platforms[device.platform])
        add(#"","osVersion":""#)
        add(FleetDevice.osVersions[device.platform])
        add(#"","appVersion":""#)
        add(FleetDevice.appVersions[device.appVersion])
        add(#"","network":""#)
        add(FleetDevice.networks[device.network])
        add("\"")
        if let reason {
            add(#","reason":""#)
            add(reason)
            add("\"")
        }
        if let duration {
            add(#","duration":"#)
            add(String(duration))
        }
        add("}")
    }
}
