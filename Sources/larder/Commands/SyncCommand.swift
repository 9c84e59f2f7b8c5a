import Artifacts
import Client
import Domain
import Synchronization

/// The command `larder sync`, which keeps a folder of packages up to date like an app.
enum SyncCommand: Command {
    static let name = "sync"
    static let summary = "act as an app: fetch, verify and merge packages into a folder"
    static let about = """
        Reads /config below BASE_URL (a server, or …/apps/APP, or …/apps/APP/channels/CHANNEL), downloads what is new,
        incrementally where it can, verifies digests and signatures, also that of /config, and swaps each package's folder in DIR whole.
        A run asks for /config once and ends with the versions that were offered then; --watch also brings those that are
        released later. A version whose time has not come is got ready and applied by a later run, or by --watch.
        It goes through the proxies that HTTPS_PROXY, http_proxy and ALL_PROXY name, but for hosts in NO_PROXY
        and this machine itself.
        """
    static let ending =
        "Exit status: 0 all is as offered; 1 a package failed or the server could not be asked; 64 wrong use."

    private static let rootKey = Parameter<String?>.option(
        "--root-key", "HEX",
        "the fingerprint of the app's root key (\(SHA256Digest.shape)); without it the first key seen is trusted, and said so"
    ).map { text throws(CommandError) -> SHA256Digest? in
        guard let text else { return nil }
        guard let fingerprint = SHA256Digest(hex: text) else {
            throw .usage("--root-key must be \(SHA256Digest.shape)")
        }
        return fingerprint
    }

    private static let only = Parameter<String?>.option("--only", "ID,ID", "these packages alone")
        .map { text throws(CommandError) -> Set<PackageID>? in
            guard let text else { return nil }
            var only: Set<PackageID> = []
            for name in text.split(separator: ",") {
                guard let id = PackageID(String(name)) else {
                    throw .usage("'\(name)' is no package id: \(PackageID.shape)")
                }
                only.insert(id)
            }
            return only
        }

    private static let facts = Parameter<String?>.option(
        "--facts", "FACT=VALUE,…", "what the device says about itself: appVersion=8.3.0,platform=ios,attr.tier=gold"
    ).map { text throws(CommandError) in
        var facts: [(Fact, String)] = []
        for item in (text ?? "").split(separator: ",") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let fact = Fact(parts[0]) else {
                throw .usage("'\(item)' is not FACT=VALUE, where a fact is \(Fact.shape)")
            }
            facts.append((fact, String(parts[1])))
        }
        return facts
    }

    private static let options = Parameter<([String], SHA256Digest?, Set<PackageID>?, [(Fact, String)], Bool, Bool)>(
        .operands("BASE_URL DIR", upTo: 2), rootKey, only, facts,
        .flag(
            "--accept-unsigned",
            "accept a /config that is not signed as a whole, as older servers and servers without the app's signing keys "
                + "send it; an attacker on the network can then offer old versions"),
        .flag("--no-report", "do not tell the server what happened")
    ).map { words, rootKey, only, facts, acceptsUnsigned, isSilent throws(CommandError) in
        guard words.count == 2 else { throw .usage("name a base URL and a folder") }
        var options: SyncOptions
        do throws(TransportError) {
            options = SyncOptions(base: try HTTPURL(words[0]), directory: words[1])
        } catch {
            throw .usage(error.description)
        }
        options.rootKey = rootKey
        options.only = only
        options.facts = facts
        options.acceptsUnsigned = acceptsUnsigned
        options.sendsReports = !isSilent
        return options
    }

    static var verbs: [Verb] {
        [
            Verb(
                Parameter(
                    options, .authorities, .flag("--watch", "go on: follow the server's push until interrupted"),
                    .flag("--json", "print each pass as one line of JSON"))
            ) { options, authorities, isWatching, isJSON throws(CommandError) in
                try sync(options, authorities, isWatching: isWatching, asJSON: isJSON)
            }
        ]
    }

    private static func sync(
        _ options: SyncOptions, _ authorities: String?, isWatching: Bool, asJSON: Bool
    ) throws(CommandError) -> ExitCode {
        let printer = SyncPrinter(asJSON: asJSON)
        do throws(SyncError) {
            let engine = try SyncEngine(
                options,
                client: HTTPClient(
                    userAgent: "larder-sync/\(Larder.version)", authorities: authorities, environment: Environment.all),
                cryptography: OpenSSLCryptography(), progress: printer.progress)
            guard isWatching else {
                let result = try engine.run()
                printer.show(result)
                return result.isSuccess ? .success : .failure
            }
            // Ends with the process: an interrupted watch leaves every copy complete.
            engine.watch(until: { false }, tell: printer.show)
            return .success
        } catch {
            throw .failure(error.description)
        }
    }
}
