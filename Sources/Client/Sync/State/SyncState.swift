import Domain

/// What a folder remembers from one sync to the next.
struct SyncState: Sendable, Equatable {
    /// Random, made at the first sync; what reports and `/config` are told.
    var deviceID: String
    /// Where the last sync read from.
    var base: String?
    /// The fingerprint of the root key that is trusted.
    var rootKey: String?
    /// What the command line demanded when it was; the root key may have been changed since.
    var pinnedRoot: String?
    /// Root keys that have led to the one that is trusted, the last ones; see ``leftRoots``.
    private(set) var formerRoots: [String] = []
    var app: String?
    var keysNumber: Int64?
    /// Of the last `/config` that was taken.
    var etag: String?
    var configVersion: Int64?
    var cursor: String?
    /// What vouches for it; `nil` for one that was taken without.
    var seal: ConfigSeal?
    /// Of one that was taken without; `nil` for others.
    var configDigest: SHA256Digest?
    /// What was signed, of whatever server; the base that was taken last at the end.
    private(set) var seen: [SeenConfig] = []
    /// The rank of each copy's release, by package.
    var ranks: [String: Int64] = [:]
    /// How often a copy was replaced; part of reports' event ids.
    var generation: Int64 = 0
    /// Reports that the server has not acknowledged.
    var reports: [JSON] = []

    /// A document names so many, less one.
    static let maximumFormerRoots = RootChange.historyLength + 1
    /// Bases of which the newest config is remembered; past that the one goes that was taken longest ago.
    static let maximumSeen = 32
    /// Bytes of the file, at most.
    static let maximumSize = 16 << 20

    init(deviceID: String) {
        self.deviceID = deviceID
    }

    /// Root keys that must not come back, whatever the command line demands.
    var leftRoots: [String] {
        // What was demanded may have led on longer ago than documents, and folders of before, say.
        let pinned = [pinnedRoot].compactMap { $0 }.filter { $0 != rootKey && !formerRoots.contains($0) }
        return pinned + formerRoots
    }

    /// Remembers the keys that are trusted, and what the command line demanded.
    mutating func take(_ keys: TrustedKeys, pinning pin: String?) {
        formerRoots = (leftRoots + keys.formerRoots).filter { $0 != keys.rootFingerprint }
            .suffix(Self.maximumFormerRoots)
        rootKey = keys.rootFingerprint
        pinnedRoot = pin ?? pinnedRoot
        app = keys.app.text
        keysNumber = keys.number
    }

    /// The newest config that was taken of a base.
    func newest(of base: String) -> SeenConfig? { seen.first { $0.base == base } }

    /// Remembers a signed config that was taken.
    mutating func see(_ config: SeenConfig) {
        seen = (seen.filter { $0.base != config.base } + [config]).suffix(Self.maximumSeen)
    }

    /// Forgets what another server said; whom to trust stays, and what was signed, for no mirror is to lead back.
    mutating func move(to base: String) {
        guard self.base != base else { return }
        self.base = base
        etag = nil
        configVersion = nil
        cursor = nil
        seal = nil
        configDigest = nil
    }
}

extension SyncState {
    /// Reads what ``bytes`` wrote; `nil` for anything else.
    init?(_ bytes: [UInt8]) {
        guard let json = JSON(parsing: bytes), let deviceID = json["deviceId"]?.string, !deviceID.isEmpty else {
            return nil
        }
        self.init(deviceID: deviceID)
        base = json["base"]?.string
        rootKey = json["rootKey"]?.string
        pinnedRoot = json["pinnedRoot"]?.string
        formerRoots = (json["formerRoots"]?.elements ?? []).compactMap(\.string).suffix(Self.maximumFormerRoots)
        app = json["app"]?.string
        keysNumber = json["keysNumber"]?.integer
        etag = json["etag"]?.string
        configVersion = json["configVersion"]?.integer
        cursor = json["cursor"]?.string
        seal = json["configSignature"].flatMap { ConfigSeal($0) }
        configDigest = json["configDigest"]?.string.flatMap { SHA256Digest(hex: $0) }
        seen = (json["seen"]?.elements ?? []).compactMap { SeenConfig($0) }.suffix(Self.maximumSeen)
        for member in json["ranks"]?.members ?? [] { ranks[member.key] = member.value.integer }
        generation = json["generation"]?.integer ?? 0
        reports = json["reports"]?.elements ?? []
    }

    var bytes: [UInt8] {
        JSON.object([
            "deviceId": .string(deviceID),
            "base": base.map { .string($0) },
            "rootKey": rootKey.map { .string($0) },
            "pinnedRoot": pinnedRoot.map { .string($0) },
            "formerRoots": formerRoots.isEmpty ? nil : .array(formerRoots.map { .string($0) }),
            "app": app.map { .string($0) },
            "keysNumber": keysNumber.map { .integer($0) },
            "etag": etag.map { .string($0) },
            "configVersion": configVersion.map { .integer($0) },
            "cursor": cursor.map { .string($0) },
            "configSignature": seal?.json,
            "configDigest": configDigest.map { .string($0.hex) },
            "seen": .array(seen.map(\.json)),
            "ranks": .object(ranks.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .integer($0.value)) }),
            "generation": .integer(generation),
            "reports": .array(reports),
        ]).bytes()
    }
}
