import Domain
import HTTP

/// The device facts in the query of a client's route (semantics.md §3); unknown parameters are ignored.
struct DeviceQuery {
    private(set) var facts = DeviceFacts()
    /// The packages that the device requests; `nil` for all.
    let only: Set<PackageID>?
    /// Whether the device requires a response that is signed as a whole.
    let requiresSignature: Bool

    /// The number of packages that a request may name.
    static let maximumOnly = 400

    /// Returns the parameters that describe a device, beside those of a route.
    static func parameters(_ others: [String]) -> QueryParameters {
        QueryParameters(
            others + ["deviceId", "bucket", "have", "only", "signed", "cursor"] + Fact.builtIn.map(\.description),
            prefix: Fact.attributePrefix)
    }

    init(_ query: Query, of app: AppID, by deviceIDs: DeviceIDs) {
        only = query["only"].flatMap { text in
            let names = text.split(separator: ",", maxSplits: Self.maximumOnly).prefix(Self.maximumOnly)
            return names.isEmpty ? nil : Set(names.compactMap { PackageID(String($0)) })
        }
        requiresSignature = query["signed"] == "1"
        facts.identity = query["deviceId"].flatMap { deviceIDs.identity(of: $0, in: app) }
        facts.sentBucket = query["bucket"].flatMap { Int($0) }.flatMap { Bucket($0) }
        facts.holdings = query["have"].map { Holdings($0) }
        for fact in Fact.builtIn { facts[fact] = query[fact.description] }
        let attributes = query.names.lazy.filter { $0.hasPrefix(Fact.attributePrefix) }
        for name in attributes.prefix(DeviceFacts.maximumAttributes) {
            guard let fact = Fact(name), facts[fact] == nil else { continue }
            facts[fact] = query[name]
        }
    }

    /// Whether the device gets the same document as a device that sends no facts.
    var isEmpty: Bool { facts.isEmpty && only == nil }
}
