import Client
import Domain
import Ground
import HTTP

/// The command `larder key`, which lists, makes, imports and retires the keys of an app.
enum KeyCommand: Command {
    static let name = "key"
    static let summary = "list, make, import and retire an app's keys"
    static let about = """
        'list' shows the fingerprint that clients pin as the one of the root key. 'make' makes a signing key: every archive
        is signed with it at once, beside the keys that sign already, until those are retired; or, with --purpose root, a
        root key in the place of the one before, which signs that it may, so that clients that pin that one follow.
        'import' takes a signing key's private half, or either half of a legacy key, from a PEM without a passphrase; with
        --public a signing key's public half alone, for what 'larder serve --sign-command' signs with. Each legacy key has
        a base URL of its own, which 'list' shows; at the plain ones the signatures of the one that came first are told.
        'retire' ends a signing key for good, or a legacy key until it is imported again; one of each always stays. 'export-legacy' prints the private key that an app
        for the legacy signature embeds, the first one or that of KEYID, and is in the audit log. Needs the token of an
        admin.
        """

    /// The limit on the bytes of a PEM.
    private static let pemLimit = 32 * 1024

    private static let list = Parameter<Call>.keys(.server)
    private static let acting = Parameter<Call>.keys(.actingServer)
    private static let request = "name the key by its 16 hex digits; 'larder key list' shows them"

    static var verbs: [Verb] {
        [
            Verb("list", list) { call throws(CommandError) in
                let answer = try call.ask(.get, "")
                guard !call.isJSON else {
                    Terminal.out(answer.text)
                    return .success
                }
                for key in (answer["keys"]?.elements ?? []) + (answer["retired"]?.elements ?? []) {
                    Terminal.out(line(key))
                }
                return .success
            },
            Verb(
                "make",
                Parameter(
                    .option("--purpose", "PURPOSE", "what the key is for: signing (the default) or root"), acting)
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
                    .operand("FILE", "name the file that holds the key"),
                    .required("--purpose", "PURPOSE", "what the key is for: signing or legacy"),
                    .flag("--public", "the private half of the signing key stays outside"), acting)
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
            answerTimeout: Duration? = nil
        ) throws(CommandError) -> JSON {
            try CommandError.asking { () throws(OperatorsError) in
                try client.call(
                    method, path + part, body: body, contentType: contentType, answerTimeout: answerTimeout
                ).body
            }
        }

        func show(_ key: JSON) {
            let begin = client.isDryRun ? "dry run, nothing is changed: " : ""
            Terminal.out(isJSON ? key.text : begin + line(key))
        }
    }

    private static func take(
        _ path: String, _ purpose: String, _ isPublic: Bool, _ call: Call
    ) throws(CommandError) {
        guard ["signing", "legacy"].contains(purpose) else { throw .usage("--purpose must be signing or legacy") }
        guard !isPublic || purpose == "signing" else {
            throw .usage("--public is for signing keys: of a legacy key the server takes either half")
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
                contentType: "application/x-pem-file", answerTimeout: OperatorsClient.patience))
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
        let base = urls.isEmpty ? "" : "  told at \(urls.joined(separator: ", "))"
        return "\(part("keyId"))  \(part("purpose"))  made \(part("createdAt"))  \(state)\(fingerprint)\(base)"
    }
}

extension Parameter where Value == KeyCommand.Call {
    fileprivate static func keys(_ server: Parameter<OperatorsClient>) -> Parameter<KeyCommand.Call> {
        Parameter<(AppID, OperatorsClient, Bool)>(.app, server, .json).map { app, client, isJSON throws(CommandError) in
            KeyCommand.Call(client: client, path: "/apps/\(app)/keys", isJSON: isJSON)
        }
    }
}
