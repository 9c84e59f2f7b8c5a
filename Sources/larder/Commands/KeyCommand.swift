import Client
import Domain
import HTTP

/// `larder key`: lists, makes, imports and retires the keys of an app.
enum KeyCommand: Command {
    static let name = "key"
    static let summary = "list, make, import and retire an app's keys"
    static let help = """
        usage: larder key list [OPTION …]
               larder key make [--purpose signing|root] [OPTION …]
               larder key import FILE --purpose signing|legacy [--public] [OPTION …]
               larder key retire KEYID [OPTION …]
               larder key export-legacy [KEYID] [OPTION …]

        'list' shows the fingerprint that clients pin as the one of the root key. 'make' makes a signing key: every archive
        is signed with it at once, beside the keys that sign already, until those are retired; or, with --purpose root, a
        root key in the place of the one before, which signs that it may, so that clients that pin that one follow.
        'import' takes a signing key's private half, or either half of a legacy key, from a PEM without a passphrase; with
        --public a signing key's public half alone, for what 'larder serve --sign-command' signs with. Each legacy key has
        a base URL of its own, which 'list' shows; at the plain ones the signatures of the one that came first are told.
        'retire' ends a signing key for good, or a legacy key until it is imported again; one of each always stays. 'export-legacy' prints the private key that an app
        for the legacy signature embeds, the first one or that of KEYID, and is in the audit log. Needs the token of an
        admin.

          --app ID           the app (default 'default')
          --purpose PURPOSE  what a key is for: signing (by default) or root for one that is made, signing or legacy
                             for one that is imported
          --public           the private half of the signing key stays outside
        \(ServerOptions.help)
          --json             print JSON

        Exit status: 0 done; 1 the server could not be asked; 2 refused; 64 wrong use.
        """

    /// Bytes of a PEM, at most.
    private static let pemLimit = 32 * 1024

    static func run(_ arguments: [String]) async throws(CommandError) -> ExitCode {
        guard let verb = arguments.first else { throw .usage("say list, make, import, retire or export-legacy") }
        let parsed = try Arguments(
            Array(arguments.dropFirst()), valued: ServerOptions.valued.union(["--app", "--purpose"]),
            flags: ["--json", "--public"])
        guard verb == "import" || !parsed.has("--public") else { throw .usage("--public is for 'import' alone") }
        guard ["make", "import"].contains(verb) || parsed["--purpose"] == nil else {
            throw .usage("--purpose is for 'make' and 'import' alone")
        }
        switch verb {
        case "list": try list(parsed)
        case "make": try make(parsed)
        case "import": try take(parsed)
        case "retire": try retire(parsed)
        case "export-legacy": try exportLegacy(parsed)
        default: throw .usage("'\(verb)' is none of list, make, import, retire, export-legacy")
        }
        return .success
    }

    private static func list(_ parsed: Arguments) throws(CommandError) {
        try parsed.refusePositional(past: 0)
        let answer = try call(.get, "", parsed)
        if parsed.has("--json") {
            Terminal.out(answer.text)
            return
        }
        for key in (answer["keys"]?.elements ?? []) + (answer["retired"]?.elements ?? []) { Terminal.out(line(key)) }
    }

    private static func make(_ parsed: Arguments) throws(CommandError) {
        try parsed.refusePositional(past: 0)
        let purpose = parsed["--purpose"] ?? KeyPurpose.signing.rawValue
        guard ["signing", "root"].contains(purpose) else { throw .usage("--purpose must be signing or root") }
        let body = JSON.object(["purpose": .string(purpose)])
        show(try call(.post, "", parsed, body: .bytes(body.bytes()), contentType: "application/json"), parsed)
    }

    private static func take(_ parsed: Arguments) throws(CommandError) {
        guard let path = parsed.positional.first else { throw .usage("name the file that holds the key") }
        try parsed.refusePositional(past: 1)
        guard let purpose = parsed["--purpose"], ["signing", "legacy"].contains(purpose) else {
            throw .usage("--purpose must be signing or legacy")
        }
        guard !parsed.has("--public") || purpose == "signing" else {
            throw .usage("--public is for signing keys: of a legacy key the server takes either half")
        }
        let pem: [UInt8]
        do throws(SmallFileError) {
            pem = try SmallFile.read(path, upTo: pemLimit)
        } catch {
            throw .failure(error.message(path, of: "key"))
        }
        // A command may sign all that there is, one archive after another.
        show(
            try call(
                .put, "/\(purpose)\(parsed.has("--public") ? "?half=public" : "")", parsed, body: .bytes(pem),
                contentType: "application/x-pem-file", answerTimeout: OperatorsClient.patience), parsed)
    }

    private static func retire(_ parsed: Arguments) throws(CommandError) {
        let id = try keyID(parsed.positional.first ?? "")
        try parsed.refusePositional(past: 1)
        show(try call(.post, "/\(id)/retire", parsed), parsed)
    }

    private static func exportLegacy(_ parsed: Arguments) throws(CommandError) {
        try parsed.refusePositional(past: 1)
        let query = try parsed.positional.first.map { (text) throws(CommandError) in "?keyId=\(try keyID(text))" }
        let path = try path(parsed) + "/legacy" + (query ?? "")
        let client = try ServerOptions(parsed).client()
        let pem = try CommandError.asking { () throws(OperatorsError) in try client.bytes(path) }
        let text = String(decoding: pem, as: UTF8.self)
        let json = JSON.object(["privateKey": .string(text)])
        Terminal.out(parsed.has("--json") ? json.text : text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }

    private static func keyID(_ text: String) throws(CommandError) -> KeyID {
        guard let id = KeyID(text) else {
            throw .usage("name the key by its 16 hex digits; 'larder key list' shows them")
        }
        return id
    }

    // MARK: Asking and showing

    /// Below `/api/v1`.
    private static func path(_ parsed: Arguments) throws(CommandError) -> String {
        let text = parsed["--app"] ?? AppID.default.text
        guard let app = AppID(text) else { throw .usage("'\(text)' is no app id: \(AppID.shape)") }
        return "/apps/\(app)/keys"
    }

    private static func call(
        _ method: Method, _ part: String, _ parsed: Arguments, body: ClientRequest.Body = .none,
        contentType: String? = nil, answerTimeout: Duration? = nil
    ) throws(CommandError) -> JSON {
        let path = try path(parsed) + part
        let client = try ServerOptions(parsed).client()
        return try CommandError.asking { () throws(OperatorsError) in
            try client.call(
                method, path, body: body, contentType: contentType, answerTimeout: answerTimeout
            ).body
        }
    }

    private static func show(_ key: JSON, _ parsed: Arguments) {
        Terminal.out(parsed.has("--json") ? key.text : line(key))
    }

    private static func line(_ key: JSON) -> String {
        func part(_ name: String) -> String { ShownText.of((key[name]?.string ?? "").utf8) }
        let isOutside = part("purpose") == KeyPurpose.signing.rawValue && key["privateHalf"]?.bool == false
        let state =
            key["retiredAt"] != nil
            ? "retired \(part("retiredAt"))" : isOutside ? "in use  private half outside" : "in use"
        let fingerprint = key["fingerprint"] == nil ? "" : "  fingerprint \(part("fingerprint"))"
        let urls = (key["baseUrls"]?.elements ?? []).compactMap(\.string).map { ShownText.of($0.utf8) }
        let base = urls.isEmpty ? "" : "  told at \(urls.joined(separator: ", "))"
        return "\(part("keyId"))  \(part("purpose"))  made \(part("createdAt"))  \(state)\(fingerprint)\(base)"
    }
}
