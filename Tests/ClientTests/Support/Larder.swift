import Artifacts
import Client
import Domain
import Ground
import HTTP
import Synchronization
import TestKit
import Transport

/// A package server from the point of view of devices, whose responses a test can change.
struct Larder: Sendable {
    let publication: Publication
    let model: Model
    private let server: TinyServer

    init() throws {
        publication = try Publication()
        let model = Model(keys: try publication.keys(), signer: .init(publication))
        self.model = model
        server = TinyServer { model.reply(to: $0) }
    }

    var base: String { server.base }

    func stop() { server.stop() }

    func requests(to path: String) -> [TinyServer.Request] { server.requests(to: path) }

    /// The received reports in order.
    var reports: [JSON] { requests(to: "/report").flatMap { JSON(parsing: $0.body)?.elements ?? [] } }

    // MARK: What it offers

    /// Builds a version and stores its archive.
    func version(
        _ text: String, of id: String = "news", _ files: [String: String], saying inside: String? = nil
    ) throws -> Publication.Version {
        let version = try publication.version(text, of: id, files, in: ScratchDirectory.path, saying: inside)
        keep(version.full)
        return version
    }

    func keep(_ archive: Publication.Archive) { model.change { $0.blobs[archive.digest.hex] = archive.bytes } }

    /// Offers a version, with patches from earlier ones.
    @discardableResult
    func offer(_ version: Publication.Version, from bases: [Publication.Version] = []) throws -> JSON {
        let entry = try entry(version, from: bases)
        offer(version.package.text, entry)
        return entry
    }

    func entry(_ version: Publication.Version, from bases: [Publication.Version] = []) throws -> JSON {
        let patches = try bases.map { base in
            let archive = try publication.patch(from: base, to: version, in: ScratchDirectory.path)
            keep(archive)
            return (base: base, archive: archive)
        }
        return try publication.entry(version, at: base, patches: patches)
    }

    /// Adds an arbitrary entry to the config, which changes it.
    func offer(_ id: String, _ entry: JSON) {
        model.change { model in
            model.config.removeAll { $0.key == id }
            model.config.append(.init(id, entry))
            model.configVersion += 1
        }
    }

    // MARK: A device

    static var folder: String { ScratchDirectory.path + "/device" }

    func engine(
        rootKey: SHA256Digest? = nil, only: Set<PackageID>? = nil, sendsReports: Bool = true,
        acceptsUnsigned: Bool = false, facts: [(Fact, String)] = [], clock: ManualClientClock = ManualClientClock()
    ) throws -> SyncEngine {
        var options = SyncOptions(
            base: try HTTPURL(base), directory: Self.folder, rootKey: rootKey, only: only, sendsReports: sendsReports)
        options.acceptsUnsigned = acceptsUnsigned
        options.facts = facts
        return try SyncEngine(options, client: HTTPClient(), cryptography: publication.cryptography, clock: clock)
    }

    /// Runs one pass in a new process state.
    @discardableResult
    func sync() throws -> SyncResult { try engine().run() }
}

extension Larder {
    /// The state of the server, changed by tests and read by its threads.
    final class Model: Sendable {
        struct State: Sendable {
            var config: [JSON.Member] = []
            var keys: [UInt8]
            var blobs: [String: [UInt8]] = [:]
            var configVersion: Int64 = 1
            /// The value of `Date`; `nil` omits the field.
            var date: String?
            /// The signer of the config; `nil` leaves it unsigned.
            var signer: ConfigSigner?
            /// The change of the config after signing.
            var tampering: @Sendable (inout [String: String], inout [UInt8]) -> Void = { _, _ in }
            /// The statuses of paths that fail.
            var failures: [String: Int] = [:]
            /// The body of the response to `/report`.
            var reportReply: JSON = .object(["accepted": 0])
            /// The responses of `/push` in order; 204 afterwards.
            var pushes: [@Sendable () -> TinyServer.Reply] = []
        }

        private let state: Mutex<State>

        init(keys: [UInt8], signer: ConfigSigner) { state = Mutex(State(keys: keys, signer: signer)) }

        func change(_ body: (inout sending State) -> Void) { state.withLock { body(&$0) } }

        func reply(to request: TinyServer.Request) -> TinyServer.Reply {
            var push: (@Sendable () -> TinyServer.Reply)?
            let reply = state.withLock { state -> TinyServer.Reply in
                if let status = state.failures[request.path] { return .response(status) }
                if request.path == "/push", !state.pushes.isEmpty { push = state.pushes.removeFirst() }
                return Self.reply(to: request, state)
            }
            return push?() ?? reply
        }

        private static func reply(to request: TinyServer.Request, _ state: State) -> TinyServer.Reply {
            var fields: [String: String] = [:]
            fields["Date"] = state.date
            switch request.path {
            case "/keys.json": return .response(200, fields, state.keys)
            case "/config":
                fields["ETag"] = "\"\(state.configVersion)\""
                fields["Larder-Config-Version"] = String(state.configVersion)
                fields["Larder-Cursor"] = "aa.\(state.configVersion)"
                if request.fields["if-none-match"] == fields["ETag"] { return .response(304, fields) }
                var body = JSON.object(state.config).bytes()
                fields["Content-Type"] = "application/json"
                if request.fields["accept-signature"] != nil { state.signer?.sign(body, &fields) }
                state.tampering(&fields, &body)
                return .response(200, fields, body)
            case "/report": return .response(202, fields, state.reportReply.bytes())
            case "/push": return .response(204, fields)
            default:
                let digest = request.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
                guard let blob = state.blobs[digest] else { return .response(404, fields) }
                fields["ETag"] = "\"\(digest)\""
                return .response(200, fields, blob)
            }
        }
    }
}
