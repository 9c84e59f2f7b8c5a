import Client
import Domain
import Ground
import HTTP
import Transport

/// The command `larder key`, which lists, makes, imports and retires the keys of an app.
enum KeyCommand: Command {
    static let name = "key"
    static let summary = "list, generate, import and retire an app's keys"
    static let about = """
        An app has one root key, which clients pin by its fingerprint; signing keys, which sign archives; and legacy
        keys for clients of the protocol 'seed 000' (docs/clients.md). All verbs require an admin's token.

        Each legacy key has its own base URL. The plain base URLs use the oldest legacy key in use.
        """

    /// The limit on the bytes of a PEM.
    private static let pemLimit = 32 * 1024

    private static let paging = Parameter<Call>.keys(.paging)
    private static let reading = Parameter<Call>.keys(.reading)
    private static let acting = Parameter<Call>.keys(.acting)
    private static let asking = Parameter<Call>.keys(.confirmed(.acting))
    private static let request = "the key id is missing or not 16 hex digits; 'larder key list' shows it"

    static var verbs: [Verb] {
        [
            Verb(
                "list", "show all keys: their ids, the root key's fingerprint, and the base URLs of legacy keys",
                paging,
                route: "GET /apps/{app}/keys"
            ) { call throws(CommandError) in
                try showKeys(call)
                return .success
            },
            Verb(
                "make",
                "generate a signing key, which signs every archive at once beside the keys in use, or with --purpose root "
                    + "a root key that replaces the previous one, which signs the replacement",
                Parameter(
                    .option("--purpose", "signing|root", "the purpose of the key (default signing)"), asking),
                route: "POST /apps/{app}/keys"
            ) { purpose, call throws(CommandError) in
                let purpose = purpose ?? KeyPurpose.signing.rawValue
                guard ["signing", "root"].contains(purpose) else { throw .usage("--purpose must be signing or root") }
                let body = JSON.object(["purpose": .string(purpose)])
                if purpose == "root" {
                    try call.confirm("replaces the root key, which cannot be undone; its private half is deleted")
                }
                call.show(try call.ask(.post, "", body: .bytes(body.bytes()), contentType: "application/json"))
                return .success
            },
            Verb(
                "import",
                "import a key from FILE, a PEM without a passphrase: the private half of a signing key, or either half of a "
                    + "legacy key; with --public only the public half of a signing key that 'larder serve --sign-command' "
                    + "signs with",
                Parameter(
                    .operand("FILE", "the file of the key is missing"),
                    .required("--purpose", "signing|legacy", "the purpose of the key"),
                    .flag("--public", "import only the public half of a signing key; the private half stays outside"),
                    acting)
            ) { path, purpose, isPublic, call throws(CommandError) in
                try take(path, purpose, isPublic, call)
                return .success
            },
            Verb(
                "retire",
                "stop using a key: a signing key for good, a legacy key until it is imported again; the last key of a "
                    + "purpose cannot be retired",
                Parameter(.operand("KEYID", request), asking), route: "POST /apps/{app}/keys/{keyId}/retire"
            ) { id, call throws(CommandError) in
                try call.confirm("stops the use of the key \(try keyID(id))")
                call.show(try call.ask(.post, "/\(try keyID(id))/retire"))
                return .success
            },
            Verb(
                "export-legacy",
                "print the private half of the oldest legacy key, or of KEYID, for embedding in an app; the audit log "
                    + "records it",
                Parameter(.operands("[KEYID]", upTo: 1), reading)
            ) { words, call throws(CommandError) in
                try exportLegacy(words.first, call)
                return .success
            },
        ]
    }

    /// The client, the path and the output format of a verb's calls.
    fileprivate struct Call: Sendable {
        let call: OperatorCall
        /// The path below `/api/v1`.
        let path: String

        var client: OperatorsClient { call.client }
        var isJSON: Bool { call.isJSON }

        /// Shows the effect of a change, and asks a person at a terminal whether to make it.
        func confirm(_ effect: String) throws(CommandError) {
            guard call.mayAsk else { return }
            Terminal.out(effect)
            try call.confirm()
        }

        func ask(
            _ method: Method, _ part: String, body: ClientRequest.Body = .none, contentType: String? = nil,
            responseTimeout: Duration? = nil
        ) throws(CommandError) -> JSON {
            try CommandError.asking { () throws(OperatorsError) in
                try client.call(
                    method, path + part, body: body, contentType: contentType, responseTimeout: responseTimeout
                ).body
            }
        }

        func show(_ key: JSON) {
            let begin = client.isDryRun ? "dry run, nothing was changed: " : ""
            switch call.form {
            case .json: Terminal.out(key.text)
            case .quiet: Terminal.out(OperatorCall.text(key["keyId"]))
            case .text: Terminal.out(begin + line(key))
            }
        }
    }

    /// Prints the keys in use and then the retired ones, which the server lists in two members.
    private static func showKeys(_ call: Call) throws(CommandError) {
        var members: [JSON.Member] = []
        var (remaining, hasMore) = (call.call.limit, false)
        for (list, state) in [("keys", "in-use"), ("retired", "retired")] {
            // At the limit, one key is requested to learn whether there are more.
            let limit = remaining.map { max($0, 1) }
            let pages = try CommandError.asking { () throws(OperatorsError) in
                try call.client.pages("\(call.path)?state=\(state)", of: list, upTo: limit)
            }
            let found = pages.body[list]?.elements ?? []
            let keys = remaining.map { Array(found.prefix($0)) } ?? found
            members.append(.init(list, .array(keys)))
            remaining = remaining.map { $0 - keys.count }
            hasMore = hasMore || pages.hasMore || keys.count < found.count
        }
        let keys = members.flatMap { $0.value.elements ?? [] }
        switch call.call.form {
        case .json: Terminal.out(JSON.object(members).text)
        case .quiet: for key in keys { Terminal.out(OperatorCall.text(key["keyId"])) }
        case .text: for key in keys { Terminal.out(line(key)) }
        }
        if hasMore { call.call.noteThatListIsCut() }
    }

    private static func take(
        _ path: String, _ purpose: String, _ isPublic: Bool, _ call: Call
    ) throws(CommandError) {
        guard ["signing", "legacy"].contains(purpose) else { throw .usage("--purpose must be signing or legacy") }
        guard !isPublic || purpose == "signing" else {
            throw .usage(
                "--public applies only to signing keys; for a legacy key, either half can be imported without it")
        }
        let pem: [UInt8]
        do throws(SmallFileError) {
            pem = try SmallFile.read(path, upTo: pemLimit)
        } catch {
            throw .failure(error.message(path, of: "key"))
        }
        // An external command may have to sign all archives, one after another.
        call.show(
            try call.ask(
                .put, "/\(purpose)\(isPublic ? "?half=public" : "")", body: .bytes(pem),
                contentType: "application/x-pem-file", responseTimeout: OperatorsClient.patience))
    }

    private static func exportLegacy(_ id: String?, _ call: Call) throws(CommandError) {
        let query = try id.map { (text) throws(CommandError) in "?keyId=\(try keyID(text))" }
        let pem = try CommandError.asking { () throws(OperatorsError) in
            try call.client.bytes(call.path + "/legacy" + (query ?? ""))
        }
        let text = String(decoding: pem, as: UTF8.self)
        let json = JSON.object(["privateKey": .string(text)])
        Terminal.out(call.isJSON ? json.text : text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }

    private static func keyID(_ text: String) throws(CommandError) -> KeyID {
        guard let id = KeyID(text) else { throw .usage(request) }
        return id
    }

    private static func line(_ key: JSON) -> String {
        func part(_ name: String) -> String { ShownText.of((key[name]?.string ?? "").utf8) }
        let isOutside = part("purpose") == KeyPurpose.signing.rawValue && key["privateHalf"]?.bool == false
        let state =
            key["retiredAt"] != nil
            ? "retired \(part("retiredAt"))" : isOutside ? "in use  private half outside" : "in use"
        let fingerprint = key["fingerprint"] == nil ? "" : "  fingerprint \(part("fingerprint"))"
        let urls = (key["baseUrls"]?.elements ?? []).compactMap(\.string).map { ShownText.of($0.utf8) }
        let base = urls.isEmpty ? "" : "  served at \(urls.joined(separator: ", "))"
        return "\(part("keyId"))  \(part("purpose"))  created \(part("createdAt"))  \(state)\(fingerprint)\(base)"
    }
}

extension Parameter where Value == KeyCommand.Call {
    fileprivate static func keys(_ call: Parameter<OperatorCall>) -> Parameter<KeyCommand.Call> {
        Parameter<(AppID, OperatorCall)>(.app, call).map { app, call throws(CommandError) in
            KeyCommand.Call(call: call, path: "/apps/\(app)/keys")
        }
    }
}
