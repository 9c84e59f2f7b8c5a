import Domain
import Ground

/// The state that a folder keeps between syncs.
struct SyncState: Sendable, Equatable {
    /// The random device id, generated at the first sync; reports and `/config` requests carry it.
    var deviceID: String
    /// The server's base URL at the last sync.
    var base: String?
    /// The fingerprint of the trusted root key.
    var rootKey: String?
    /// The root key that the command line pinned; the root key may have been replaced since.
    var pinnedRoot: String?
    /// The most recent replaced root keys that led to the trusted one; see ``leftRoots``.
    private(set) var formerRoots: [String] = []
    var app: String?
    var keysNumber: Int64?
    /// The entity tag of the last accepted `/config`.
    var etag: String?
    var configVersion: Int64?
    var cursor: String?
    /// The signature over the last accepted `/config`; `nil` if it was unsigned.
    var seal: ConfigSeal?
    /// The digest of the last accepted `/config` if it was unsigned.
    var configDigest: SHA256Digest?
    /// The newest signed configs of all servers; the most recently accepted base is last.
    private(set) var seen: [SeenConfig] = []
    /// The rank of each copy's release, by package.
    var ranks: [String: Int64] = [:]
    /// The number of replaced copies, which is part of reports' event ids.
    var generation: Int64 = 0
    /// The reports that the server has not acknowledged.
    var reports: [JSON] = []

    /// The number of remembered root keys: those that one document names, plus one.
    static let maximumFormerRoots = RootChange.historyLength + 1
    /// The number of bases whose newest config is remembered; the one accepted longest ago is dropped first.
    static let maximumSeen = 32
    /// The limit on the bytes of the state file.
    static let maximumSize = 16 << 20

    init(deviceID: String) {
        self.deviceID = deviceID
    }

    /// The replaced root keys, which are never trusted again, even if pinned.
    var leftRoots: [String] {
        // The pinned key may have been replaced longer ago than documents and older state files record.
        let pinned = [pinnedRoot].compactMap { $0 }.filter { $0 != rootKey && !formerRoots.contains($0) }
        return pinned + formerRoots
    }

    /// Stores the trusted keys, and the root key that the command line pinned.
    mutating func take(_ keys: TrustedKeys, pinning pin: String?) {
        formerRoots = (leftRoots + keys.formerRoots).filter { $0 != keys.rootFingerprint }
            .suffix(Self.maximumFormerRoots)
        rootKey = keys.rootFingerprint
        pinnedRoot = pin ?? pinnedRoot
        app = keys.app.text
        keysNumber = keys.number
    }

    /// Returns the newest accepted config of a base.
    func newest(of base: String) -> SeenConfig? { seen.first { $0.base == base } }

    /// Stores an accepted signed config.
    mutating func see(_ config: SeenConfig) {
        seen = (seen.filter { $0.base != config.base } + [config]).suffix(Self.maximumSeen)
    }

    /// Clears what belongs to another server.
    ///
    /// The trusted keys and the signed configs stay, so that no mirror can roll back.
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
    /// Parses the output of ``bytes``; fails for anything else.
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
