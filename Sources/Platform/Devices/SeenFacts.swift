package import Domain
import Execution

/// The facts that a sample of a channel's devices sent, for people who write the rules of a release.
package struct SeenFacts: Sendable, Equatable {
    /// The limit on the devices of the sample.
    package static let sampleSize = DevicesSeen.pageSize
    /// The number of devices of the sample that must have sent a value: a rarer one could name a person.
    package static let minimumDevices = 2
    /// The limit on the values of a fact, the most frequent ones.
    package static let maximumValues = 20
    /// The limit on the attributes, those of the most devices.
    package static let maximumAttributes = 50

    /// A fact with the values that devices sent, most devices first.
    package struct Entry: Sendable, Equatable {
        package let fact: Fact
        package let values: [Value]
    }

    package struct Value: Sendable, Equatable {
        package let text: String
        package let devices: Int
    }

    /// The devices of the sample that were seen in the last ``SeenWindow/days`` days.
    package let devices: Int
    /// The facts of every app, then the attributes by name; without those of which no value is frequent enough.
    package let entries: [Entry]

    init(of sample: [SeenDevice], within window: SeenWindow) {
        var reader = SeenFactsReader()
        var counts: [Fact: [String: Int]] = [:]
        var devices = 0
        for device in sample where window.contains(device.seenAt) {
            devices += 1
            for (fact, value) in reader.facts(of: device).values {
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
    /// The sample is fair, because the first devices of the store are those with the lowest digests. Throws `conflict` if
    /// the server records no devices, `appNotFound`, `channelNotFound`.
    package func facts(on channel: ChannelName, of app: AppID) async throws(PlatformError) -> SeenFacts {
        let app = try live.requireApp(app)
        _ = try app.requireView(of: channel)
        try requireOn()
        let window = SeenWindow(endingAt: app.decisionInstant(clock.now()))
        let sample = try await store.seenDevices(
            in: SeenChannel(app: app.id, channel: channel), after: nil, upTo: SeenFacts.sampleSize)
        return await work.run { SeenFacts(of: sample, within: window) }
    }
}
