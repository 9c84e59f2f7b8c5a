import Domain

/// A reader of seen devices' facts that caches parsed texts, since most devices send the same ones.
struct SeenFactsReader {
    /// The number of distinct texts of facts and of holdings that are cached.
    private static let memory = 4_096

    private var known: [String: DeviceFacts] = [:]
    private var holdings: [String: Holdings] = [:]

    mutating func facts(of device: SeenDevice) -> DeviceFacts {
        var facts = facts(in: device.facts)
        facts.identity = DeviceIdentity(device.key)
        facts.holdings = device.have.map { holdings(in: $0) }
        return facts
    }

    /// Returns the facts in a stored text, without an identity and holdings.
    mutating func facts(in text: String) -> DeviceFacts {
        if let known = known[text] { return known }
        if known.count == Self.memory { known = [:] }
        let read = SeenDevice.read(text)
        known[text] = read
        return read
    }

    private mutating func holdings(in text: String) -> Holdings {
        if let known = holdings[text] { return known }
        if holdings.count == Self.memory { holdings = [:] }
        let read = Holdings(text)
        holdings[text] = read
        return read
    }
}
