import Artifacts
import Client
import Domain
import Synchronization

/// `larder sync`: keeps a folder as an app would keep its packages.
enum SyncCommand: Command {
    static let name = "sync"
    static let summary = "act as an app: fetch, verify and merge packages into a folder"
    static let help = """
        usage: larder sync BASE_URL DIR [OPTION …]

        Reads /config below BASE_URL (a server, or …/apps/APP, or …/apps/APP/channels/CHANNEL), downloads what is new,
        incrementally where it can, verifies digests and signatures, also that of /config, and swaps each package's folder in DIR whole.
        A run asks for /config once and ends with the versions that were offered then; --watch also brings those that are
        released later. A version whose time has not come is got ready and applied by a later run, or by --watch.

          --only ID,ID         these packages alone
          --facts FACT=VALUE,… what the device says about itself: appVersion=8.3.0,platform=ios,attr.tier=gold
          --root-key HEX       the fingerprint of the app's root key (\(SHA256Digest.shape)); without it
                               the first key seen is trusted, and said so
          --accept-unsigned    take /config also where it is not signed as a whole: from a server of before, or one that
                               has none of the app's signing keys; who is in between can then offer old versions
          --ca-file PATH       trust the certificates in PATH for https://, instead of the system's; LARDER_CA_FILE
          --no-report          do not tell the server what happened
          --watch              go on: follow the server's push until interrupted
          --json               print each pass as one line of JSON

        Exit status: 0 all is as offered; 1 a package failed or the server could not be asked; 64 wrong use.
        """

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        let parsed = try Arguments(
            arguments, valued: ["--only", "--facts", "--root-key", "--ca-file"],
            flags: ["--no-report", "--accept-unsigned", "--watch", "--json"])
        let options = try options(parsed)
        let printer = SyncPrinter(asJSON: parsed.has("--json"))
        do throws(SyncError) {
            let engine = try SyncEngine(
                options,
                client: HTTPClient(
                    userAgent: "larder-sync/\(Larder.version)",
                    authorities: parsed["--ca-file"] ?? Environment.all["LARDER_CA_FILE"]),
                cryptography: OpenSSLCryptography(), progress: printer.progress)
            guard parsed.has("--watch") else {
                let result = try engine.run()
                printer.show(result)
                return result.isSuccess ? .success : .failure
            }
            // Ends with the process: an interrupted watch leaves every copy whole.
            engine.watch(until: { false }, tell: printer.show)
            return .success
        } catch {
            throw .failure(error.description)
        }
    }

    private static func options(_ parsed: Arguments) throws(CommandError) -> SyncOptions {
        guard parsed.positional.count == 2 else { throw .usage("name a base URL and a folder") }
        var options: SyncOptions
        do throws(TransportError) {
            options = SyncOptions(base: try HTTPURL(parsed.positional[0]), directory: parsed.positional[1])
        } catch {
            throw .usage(error.description)
        }
        if let text = parsed["--root-key"] {
            guard let fingerprint = SHA256Digest(hex: text) else {
                throw .usage("--root-key must be \(SHA256Digest.shape)")
            }
            options.rootKey = fingerprint
        }
        if let text = parsed["--only"] {
            var only: Set<PackageID> = []
            for name in text.split(separator: ",") {
                guard let id = PackageID(String(name)) else {
                    throw .usage("'\(name)' is no package id: \(PackageID.shape)")
                }
                only.insert(id)
            }
            options.only = only
        }
        for item in (parsed["--facts"] ?? "").split(separator: ",") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let fact = Fact(parts[0]) else {
                throw .usage("'\(item)' is not FACT=VALUE, where a fact is \(Fact.shape)")
            }
            options.facts.append((fact, String(parts[1])))
        }
        options.acceptsUnsigned = parsed.has("--accept-unsigned")
        options.sendsReports = !parsed.has("--no-report")
        return options
    }
}
