import Domain
import HTTP

/// What a device says about itself in the query of a client's route (semantics.md §3); what means nothing is passed over.
struct DeviceQuery {
    private(set) var facts = DeviceFacts()
    /// The packages that it asks for; `nil` for all.
    let only: Set<PackageID>?
    /// Whether an answer that is not signed as a whole is of no use.
    let demandsSignature: Bool

    /// Packages that can be asked for by name.
    static let maximumOnly = 400

    init(_ query: Query, of app: AppID, by cryptography: any Cryptography) {
        only = query["only"].flatMap { text in
            let names = text.split(separator: ",", maxSplits: Self.maximumOnly).prefix(Self.maximumOnly)
            return names.isEmpty ? nil : Set(names.compactMap { PackageID(String($0)) })
        }
        demandsSignature = query["signed"] == "1"
        facts.identity = query["deviceId"].flatMap { DeviceIdentity(of: $0, in: app, by: cryptography) }
        facts.sentBucket = query["bucket"].flatMap { Int($0) }.flatMap { Bucket($0) }
        facts.holdings = query["have"].map { Holdings($0) }
        for fact in Fact.builtIn { facts[fact] = query[fact.description] }
        let attributes = query.names.lazy.filter { $0.hasPrefix(Fact.attributePrefix) }
        for name in attributes.prefix(DeviceFacts.maximumAttributes) {
            guard let fact = Fact(name), facts[fact] == nil else { continue }
            facts[fact] = query[name]
        }
    }

    /// Whether a device that says this is told what one that says nothing is.
    var isEmpty: Bool { facts.isEmpty && only == nil }
}
