import Domain
import Files
import Ground
import HTTP
import Transport

extension SyncEngine {
    /// Requests the config, and accepts it if it is signed and not older than the newest accepted one.
    func refreshConfig(cursor: String?) throws(SyncError) -> ConfigBody {
        let held = heldConfig()
        let etag = held == nil ? nil : state.etag
        let response = try getConfig(cursor: cursor, etag: etag)
        let seal = try seal(of: response)
        guard staleness(of: response, seal) != nil else { return try take(response, seal, held: held) }
        // A cache or a lagging node served an old config: the newest cursor in the URL defeats both (semantics.md §4).
        let again = try getConfig(cursor: cursor ?? state.cursor, etag: etag)
        let newSeal = try self.seal(of: again)
        guard let stale = staleness(of: again, newSeal) else { return try take(again, newSeal, held: held) }
        guard let held else { throw .config(.olderThanSeen(version: stale.version, seen: stale.seen)) }
        return held
    }

    /// Returns the stored config if its signature is still valid.
    private func heldConfig() -> ConfigBody? {
        guard state.etag != nil else { return nil }
        if let seal = state.seal {
            guard seal.expires > latestTime, keys?.trusted.names(seal.keyID) ?? false else { return nil }
        } else if !options.acceptsUnsigned {
            return nil
        }
        if let config { return config }
        guard let bytes = try? Disk.read(folder.config, limit: HTTPClient.bodyLimit) else { return nil }
        // A crash may have left the body of one response and the state of another.
        guard let digest = state.seal?.digest ?? state.configDigest, digest == cryptography.sha256(bytes) else {
            return nil
        }
        return ConfigBody(bytes)
    }

    /// The later of the server's time and this machine's: an attacker that replays a response can also forge its date.
    ///
    /// The bounds of earlier signatures do not apply: a server whose clock was once ahead must not lock devices out.
    var latestTime: Timestamp { max(serverClock.estimate, clock.wall()) }

    /// Returns the signature over a new config; `nil` for other statuses, and for an accepted unsigned config.
    private func seal(of response: ClientResponse) throws(SyncError) -> ConfigSeal? {
        guard response.head.status == 200 else { return nil }
        guard let keys = keys?.trusted else { preconditionFailure("a config before keys") }
        do throws(ConfigRefusal) {
            return try ConfigSeal(
                verifying: response, expecting: .init(keys: keys, base: base(for: keys), now: latestTime),
                by: cryptography)
        } catch {
            guard error == .unsigned, options.acceptsUnsigned else { throw .config(error) }
            return nil
        }
    }

    /// Returns the `Larder-Base` that this server's responses must have.
    private func base(for keys: TrustedKeys) -> String {
        ConfigSignature.base(app: keys.app, channel: options.base.channel)
    }

    /// Returns the version of an outdated config and the newest accepted version; `nil` for a current response.
    private func staleness(of response: ClientResponse, _ seal: ConfigSeal?) -> (version: Int64, seen: Int64)? {
        guard response.head.status == 200, let version = seal?.configVersion ?? response.head.configVersion,
            let seen = versionSeen(isSigned: seal != nil), version < seen
        else { return nil }
        return (version, seen)
    }

    /// Returns the newest accepted version that a response is compared with: signed or unsigned ones separately.
    ///
    /// Nothing proves the version of an unsigned config, so it never blocks a signed one.
    private func versionSeen(isSigned: Bool) -> Int64? {
        guard isSigned else { return state.seal == nil ? state.configVersion : nil }
        guard let keys = keys?.trusted, let seen = state.newest(of: base(for: keys)), keys.names(seen.keyID) else {
            return nil
        }
        return seen.version
    }

    private func getConfig(cursor: String?, etag: String?) throws(SyncError) -> ClientResponse {
        var path = "/config?deviceId=\(state.deviceID)"
        for (fact, value) in options.facts { path += "&\(fact)=\(PercentEncoding.encode(value.utf8))" }
        path += have
        if let cursor { path += "&cursor=\(PercentEncoding.encode(cursor.utf8))" }
        var fields: Fields = [.acceptSignature: ConfigSeal.accepted]
        fields[.ifNoneMatch] = etag
        return try get(path, fields: fields)
    }

    /// The query parameter with the versions in use, which limits the response to patches from them.
    ///
    /// An empty list is sent as well; a list that is too long is omitted.
    private var have: String {
        let items = folder.packages.sorted().compactMap { package in
            folder.localConfig(of: package).version.flatMap(VersionString.init).map { "\(package)@\($0)" }
        }
        let text = PercentEncoding.encode(items.joined(separator: ",").utf8)
        return text.utf8.count > Self.maximumHave ? "" : "&have=\(text)"
    }

    /// The limit on the bytes of `have`; servers accept request lines of at least 8 KB (RFC 9112 §3).
    private static let maximumHave = 6 << 10

    /// The limit on `Larder-Poll-After` in seconds: the field is unsigned and must not stop a device from polling.
    private static let maximumPollAfter: Int64 = 3600

    private func take(
        _ response: ClientResponse, _ seal: ConfigSeal?, held: ConfigBody?
    ) throws(SyncError) -> ConfigBody {
        let head = response.head
        switch head.status {
        case 304:
            guard let held else {
                throw .malformed(path: "/config", what: "it has status 304, but this client has no copy")
            }
            // The response is unsigned, so it does not update the state of a signed config.
            if state.seal == nil { note(head) }
            return held
        case 200:
            guard let body = ConfigBody(response.body) else {
                throw .malformed(path: "/config", what: "it is not a JSON object")
            }
            do throws(SystemError) { try Disk.replace(folder.config, with: response.body) } catch {
                throw .storage(error)
            }
            state.seal = seal
            state.configDigest = seal == nil ? cryptography.sha256(response.body) : nil
            note(head)
            state.configVersion = head.configVersion ?? state.configVersion
            if let seconds = head.fields[.larderPollAfter].flatMap({ Int64($0) }), seconds > 0 {
                pollAfter = min(seconds, Self.maximumPollAfter)
            }
            if let seal, let keys = keys?.trusted {
                serverClock.vouch(from: seal.created, until: seal.expires)
                state.see(SeenConfig(base: base(for: keys), version: seal.configVersion, keyID: seal.keyID))
            }
            return body
        default: throw refusal("/config", response)
        }
    }

    private func note(_ head: ResponseHead) {
        state.etag = head.fields[.etag] ?? state.etag
        state.cursor = head.fields[.larderCursor] ?? state.cursor
    }
}

extension ResponseHead {
    fileprivate var configVersion: Int64? { fields[.larderConfigVersion].flatMap { Int64($0) } }
}

extension HTTPURL {
    /// The channel that a client's base URL names.
    fileprivate var channel: ChannelName {
        let parts = target.prefix { $0 != "?" }.split(separator: "/")
        guard parts.count >= 2, parts[parts.count - 2] == "channels" else { return .production }
        return ChannelName(String(parts[parts.count - 1])) ?? .production
    }
}
