package import Domain
import Execution

/// The facts that a sample of a channel's devices sent, for people who write the rules of a release (decision 0091).
package struct FactSample: Sendable, Equatable {
    /// The limit on the devices that are read.
    package static let maximumDevices = 5_000
    /// The least number of devices that must have sent a value for it to be shown; a value of one device could name a person.
    package static let minimumDevices = 2
    /// The limit on the values of a fact; the most frequent ones are kept.
    package static let maximumValues = 20
    /// The limit on the attributes; those that the most devices sent are kept.
    package static let maximumAttributes = 50
    /// The limit on requests that wait for the sample of another one.
    package static let maximumWaiting = 8

    /// A fact with its values, the most frequent first.
    package struct Entry: Sendable, Equatable {
        package let fact: Fact
        package let values: [Value]
    }

    /// A value of a fact, and the number of devices of the sample that sent it.
    package struct Value: Sendable, Equatable {
        package let text: String
        package let devices: Int
    }

    /// The devices of the sample that were seen in the last ``SeenWindow/days`` days.
    package let devices: Int
    /// The built-in facts, then the attributes by name.
    ///
    /// A fact without a value of ``minimumDevices`` devices is left out.
    package let entries: [Entry]

    init(of sample: [SeenDevice], within window: SeenWindow) {
        var reader = SeenFactsReader()
        var counts: [Fact: [String: Int]] = [:]
        var devices = 0
        for device in sample where window.contains(device.seenAt) {
            devices += 1
            for (fact, value) in reader.facts(in: device.facts).values {
                counts[fact, default: [:]][value.text, default: 0] += 1
            }
        }
        self.devices = devices
        let frequent = counts.mapValues { counts in
            counts.filter { $0.value >= Self.minimumDevices }.map { Value(text: $0.key, devices: $0.value) }
                .sorted { ($0.devices, $1.text) > ($1.devices, $0.text) }
        }
        let attributes = frequent.filter { $0.key.isAttribute && !$0.value.isEmpty }.map { fact, values in
            (fact, devices: values.reduce(0) { $0 + $1.devices })
        }.sorted { ($0.devices, $1.0.description) > ($1.devices, $0.0.description) }
            .prefix(Self.maximumAttributes).map(\.0).sorted { $0.description < $1.description }
        entries = (Fact.builtIn + attributes).compactMap { fact in
            guard let values = frequent[fact], !values.isEmpty else { return nil }
            return Entry(fact: fact, values: Array(values.prefix(Self.maximumValues)))
        }
    }
}

extension DevicesSeen {
    /// Returns the facts that devices of a channel sent.
    ///
    /// The first devices of the store are a fair sample, since they are ordered by their digests. Throws `conflict` if the
    /// server records no devices, `busy` if ``FactSample/maximumWaiting`` requests wait, `appNotFound`, `channelNotFound`.
    package func facts(on channel: ChannelName, of app: AppID) async throws(PlatformError) -> FactSample {
        let app = try live.requireApp(app)
        _ = try app.requireView(of: channel)
        try requireOn()
        let window = SeenWindow(endingAt: app.decisionInstant(clock.now()))
        let facts = try await sampling.pass(as: app.id) { () throws(PlatformError) in
            let sample = try await store.seenDevices(
                in: SeenChannel(app: app.id, channel: channel), after: nil, upTo: FactSample.maximumDevices)
            return await work.run { FactSample(of: sample, within: window) }
        }
        guard let facts else {
            throw PlatformError(.busy, "The facts of devices are being read for others. Try again in a moment.")
        }
        return facts
    }
}
