import Artifacts
import Client
import Domain
import Synchronization
import Transport

/// The command `larder sync`, which keeps a folder of packages up to date like an app.
enum SyncCommand: Command {
    static let name = "sync"
    static let summary = "act as a device: download, verify and install packages into a folder"
    static let about = """
        Requests /config below BASE_URL (http://HOST, http://HOST/apps/APP or http://HOST/apps/APP/channels/CHANNEL),
        downloads new versions, as patches if possible, verifies digests and signatures, and replaces the folder of each
        package in DIR in one step.

        A run requests /config once and installs the versions that it offers; --watch keeps running and installs later
        releases as well. A version that is scheduled is downloaded ahead, and installed by a later run or by --watch.
        The proxies in HTTPS_PROXY, http_proxy and ALL_PROXY are used, except for the hosts in NO_PROXY and for this
        machine.
        """
    static let ending =
        "Exit status: 0 every package is as offered; 1 a package failed, or the server could not be reached or failed; "
        + "64 wrong usage."

    private static let rootKey = Parameter<String?>.option(
        "--root-key", "HEX",
        "the fingerprint of the app's root key (\(SHA256Digest.shape)); by default the first key seen is trusted, with a "
            + "warning"
    ).map { text throws(CommandError) -> SHA256Digest? in
        guard let text else { return nil }
        guard let fingerprint = SHA256Digest(hex: text) else {
            throw .usage("--root-key must be \(SHA256Digest.shape)")
        }
        return fingerprint
    }

    private static let only = Parameter<String?>.option("--only", "ID,…", "install only these packages (default: all)")
        .map { text throws(CommandError) -> Set<PackageID>? in
            guard let text else { return nil }
            var only: Set<PackageID> = []
            for name in text.split(separator: ",") {
                guard let id = PackageID(String(name)) else {
                    throw .usage("'\(name)' is not a package id: \(PackageID.shape)")
                }
                only.insert(id)
            }
            return only
        }

    private static let facts = Parameter<String?>.option(
        "--facts", "FACT=VALUE,…",
        "the facts that the device sends, such as appVersion=8.3.0,platform=ios,attr.tier=gold (default: none)"
    ).map { text throws(CommandError) in
        var facts: [(Fact, String)] = []
        for item in (text ?? "").split(separator: ",") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let fact = Fact(parts[0]) else {
                throw .usage("'\(item)' is not FACT=VALUE, where FACT is \(Fact.shape)")
            }
            facts.append((fact, String(parts[1])))
        }
        return facts
    }

    private static let options = Parameter<([String], SHA256Digest?, Set<PackageID>?, [(Fact, String)], Bool, Bool)>(
        .operands("BASE_URL DIR", upTo: 2), rootKey, only, facts,
        .flag(
            "--accept-unsigned",
            "accept a /config response without a signature over the whole, as sent by older servers and by servers "
                + "without a private signing key; an attacker on the network can then offer old versions"),
        .flag("--no-report", "send no reports to the server")
    ).map { words, rootKey, only, facts, acceptsUnsigned, isSilent throws(CommandError) in
        guard words.count == 2 else { throw .usage("give a base URL and a folder") }
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
                    options, .authorities, .flag("--watch", "keep running and wait for changes, until interrupted"),
                    .flag("--json", "print the result of each pass as one line of JSON"))
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
            engine.watch(until: { false }, notify: printer.show)
            return .success
        } catch {
            throw .failure(error.description)
        }
    }
}
