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

          list           show all keys: their ids, the root key's fingerprint, and the base URLs of legacy keys
          make           generate a signing key, which signs every archive at once beside the keys in use; with
                         --purpose root, generate a root key that replaces the previous one. The previous root key
                         signs the replacement, so clients that pin it accept the new one.
          import         import a key from FILE, a PEM without a passphrase: the private half of a signing key, or
                         either half of a legacy key; with --public, only the public half of a signing key that
                         'larder serve --sign-command' signs with
          retire         stop using the key KEYID: a signing key for good, a legacy key until it is imported again.
                         The last key of a purpose cannot be retired.
          export-legacy  print the private half of the oldest legacy key, or of KEYID, for embedding in an app; the
                         audit log records it

        Each legacy key has its own base URL. The plain base URLs use the oldest legacy key in use.
        """

    /// The limit on the bytes of a PEM.
    private static let pemLimit = 32 * 1024

    private static let list = Parameter<Call>.keys(.server)
    private static let acting = Parameter<Call>.keys(.actingServer)
    private static let request = "the key id is missing or not 16 hex digits; 'larder key list' shows it"

    static var verbs: [Verb] {
        [
            Verb("list", list) { call throws(CommandError) in
                let response = try call.ask(.get, "")
                guard !call.isJSON else {
                    Terminal.out(response.text)
                    return .success
                }
                for key in (response["keys"]?.elements ?? []) + (response["retired"]?.elements ?? []) {
                    Terminal.out(line(key))
                }
                return .success
            },
            Verb(
                "make",
                Parameter(
                    .option("--purpose", "PURPOSE", "the purpose of the key: signing or root (default signing)"), acting
                )
            ) { purpose, call throws(CommandError) in
                let purpose = purpose ?? KeyPurpose.signing.rawValue
                guard ["signing", "root"].contains(purpose) else { throw .usage("--purpose must be signing or root") }
                let body = JSON.object(["purpose": .string(purpose)])
                call.show(try call.ask(.post, "", body: .bytes(body.bytes()), contentType: "application/json"))
                return .success
            },
            Verb(
                "import",
                Parameter(
                    .operand("FILE", "the file of the key is missing"),
                    .required("--purpose", "PURPOSE", "the purpose of the key: signing or legacy"),
                    .flag("--public", "import only the public half of a signing key; the private half stays outside"),
                    acting)
            ) { path, purpose, isPublic, call throws(CommandError) in
                try take(path, purpose, isPublic, call)
                return .success
            },
            Verb("retire", Parameter(.operand("KEYID", request), acting)) { id, call throws(CommandError) in
                call.show(try call.ask(.post, "/\(try keyID(id))/retire"))
                return .success
            },
            Verb("export-legacy", Parameter(.operands("[KEYID]", upTo: 1), list)) { words, call throws(CommandError) in
                try exportLegacy(words.first, call)
                return .success
            },
        ]
    }

    /// The client, the path and the output format of a verb's calls.
    fileprivate struct Call: Sendable {
        let client: OperatorsClient
        /// The path below `/api/v1`.
        let path: String
        let isJSON: Bool

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
            Terminal.out(isJSON ? key.text : begin + line(key))
        }
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
    fileprivate static func keys(_ server: Parameter<OperatorsClient>) -> Parameter<KeyCommand.Call> {
        Parameter<(AppID, OperatorsClient, Bool)>(.app, server, .json).map { app, client, isJSON throws(CommandError) in
            KeyCommand.Call(client: client, path: "/apps/\(app)/keys", isJSON: isJSON)
        }
    }
}
