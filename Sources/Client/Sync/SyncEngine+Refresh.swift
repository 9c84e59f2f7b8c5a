import Domain
import Files
import HTTP

extension SyncEngine {
    /// Reads keys and config anew, and remembers both.
    func refresh(cursor: String?) throws(SyncError) -> ConfigBody {
        try refreshKeys()
        let config = try refreshConfig(cursor: cursor)
        self.config = config
        try saveState()
        return config
    }

    // MARK: Keys

    private func refreshKeys() throws(SyncError) {
        let path = "/keys.json"
        let response = try get(path, fields: Fields())
        guard response.head.status == 200 else { throw refusal(path, response) }
        let trust: SyncResult.Trust =
            options.rootKey != nil ? .pinned : state.rootKey != nil ? .remembered : .firstUse
        let changed: Bool
        do throws(KeyRefusal) {
            let trusted = try TrustedKeys(
                response.body, expecting: expectation, at: max(serverClock.now, clock.wall()), by: cryptography)
            keys = (trusted, trust)
            let before = state
            state.take(trusted, pinning: options.rootKey?.hex)
            changed = state != before
        } catch {
            throw .keys(error)
        }
        // Now: the config may not come, and older keys must not be believed after that.
        if changed { try saveState() }
    }

    private var expectation: TrustedKeys.Expectation {
        let left = state.leftRoots
        // A pin that has led here is not what is expected any more.
        let pinned = options.rootKey.flatMap { left.contains($0.hex) ? nil : $0.hex }
        return TrustedKeys.Expectation(
            pinnedRoot: pinned, rememberedRoot: state.rootKey, formerRoots: left, app: state.app,
            seenNumber: state.keysNumber)
    }

    // MARK: Config

    private func refreshConfig(cursor: String?) throws(SyncError) -> ConfigBody {
        let held = heldConfig()
        let response = try getConfig(cursor: cursor, etag: held == nil ? nil : state.etag)
        if let held, isOlderThanHeld(response.head) {
            // Some cache or a node that lags behind: the newest cursor defeats both (semantics.md §4).
            let again = try getConfig(cursor: cursor ?? state.cursor, etag: state.etag)
            return isOlderThanHeld(again.head) ? held : try take(again, held: held)
        }
        return try take(response, held: held)
    }

    private func heldConfig() -> ConfigBody? {
        if let config { return config }
        guard state.etag != nil else { return nil }
        let bytes = try? Disk.read(folder.config, limit: HTTPClient.bodyLimit)
        return bytes.flatMap(ConfigBody.init)
    }

    private func getConfig(cursor: String?, etag: String?) throws(SyncError) -> ClientResponse {
        var path = "/config?deviceId=\(state.deviceID)"
        for (fact, value) in options.facts { path += "&\(fact)=\(PercentCoding.encode(value))" }
        path += have
        if let cursor { path += "&cursor=\(PercentCoding.encode(cursor))" }
        var fields = Fields()
        fields[.ifNoneMatch] = etag
        return try get(path, fields: fields)
    }

    /// What is in use, so that the answer names the patches from it alone, be it nothing; left out where there is too much
    /// of it.
    private var have: String {
        let items = folder.packages.sorted().compactMap { package in
            folder.localConfig(of: package).version.flatMap(VersionString.init).map { "\(package)@\($0)" }
        }
        let text = PercentCoding.encode(items.joined(separator: ","))
        return text.utf8.count > Self.maximumHave ? "" : "&have=\(text)"
    }

    /// Bytes; servers take request lines of 8 KB at least (RFC 9112 §3).
    private static let maximumHave = 6 << 10

    private func isOlderThanHeld(_ head: ResponseHead) -> Bool {
        guard let held = state.configVersion, let version = head.configVersion else { return false }
        return version < held
    }

    private func take(_ response: ClientResponse, held: ConfigBody?) throws(SyncError) -> ConfigBody {
        let head = response.head
        let config: ConfigBody
        switch head.status {
        case 304:
            guard let held else { throw .malformed(path: "/config", what: "it is 304 without having been held") }
            config = held
        case 200:
            guard let body = ConfigBody(response.body) else {
                throw .malformed(path: "/config", what: "it is not a JSON object")
            }
            do throws(SystemError) { try Disk.replace(folder.config, with: response.body) } catch {
                throw .storage(error)
            }
            config = body
        default: throw refusal("/config", response)
        }
        state.etag = head.fields[.etag] ?? state.etag
        state.configVersion = head.configVersion ?? state.configVersion
        state.cursor = head.fields[.larderCursor] ?? state.cursor
        if let seconds = head.fields[.larderPollAfter].flatMap({ Int64($0) }), seconds > 0 { pollAfter = seconds }
        return config
    }

    // MARK: Requests

    private func get(_ path: String, fields: Fields) throws(SyncError) -> ClientResponse {
        do throws(TransportError) {
            let response = try client.send(ClientRequest(.get, options.base.appending(path), fields: fields))
            serverClock.observe(response.head)
            return response
        } catch { throw .transport(error) }
    }

    private func refusal(_ path: String, _ response: ClientResponse) -> SyncError {
        .refused(path: path, status: response.head.status, detail: JSON(parsing: response.body)?["detail"]?.string)
    }
}

extension ResponseHead {
    fileprivate var configVersion: Int64? { fields[.larderConfigVersion].flatMap { Int64($0) } }
}
