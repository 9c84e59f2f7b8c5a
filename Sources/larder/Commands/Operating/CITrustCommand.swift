import Client
import Domain
import Ground
import HTTP
import Transport

/// The command `larder ci-trust`, which manages the rules by which CI jobs get tokens, and gets such a token.
enum CITrustCommand: Command {
    static let name = "ci-trust"
    static let summary = "let CI jobs get short-lived tokens, so that no secret lies in the CI"
    static let about = """
        A CI trust gives jobs of a CI platform a token for some minutes. The platform signs an identity token for each job;
        the trust names the issuer, the audience, and the claims that the job must have (docs/ci.md). 'exchange' runs in
        the job and prints the token; it needs no other token. The other verbs require an admin's token.
        """

    private static let columns = [
        Column("name", "name", .whole), Column("issuer", "issuer"), Column("role", "role", .whole),
        Column("app", "app"), Column("channel", "channel"), Column("seconds", "lifetimeSeconds", .number),
    ]

    private static let fields = [
        Field(
            "--issuer", "URL", "the issuer of the platform, such as https://token.actions.githubusercontent.com",
            isRequired: true),
        Field("--audience", "TEXT", "the audience that jobs ask for, such as the URL of the server", isRequired: true),
        Field(
            "--claims", "JSON",
            #"the claims of the jobs, such as {"repository": "acme/shop", "ref": "refs/tags/*"}"#, .json,
            isRequired: true),
        Field("--role", "viewer|publisher|releaser", "what the jobs may do", isRequired: true),
        Field("--app", "ID", "the app on which they may do it, or 'none' for all apps", .textOrNone, isRequired: true),
        Field("--channel", "NAME", "the only channel of the app (default: all)"),
        Field(
            "--lifetime", "SECONDS", "how long a token is valid, 60 to 3600 (default 900)", .number,
            as: "lifetimeSeconds"),
    ]

    static var verbs: [Verb] {
        [
            .request(
                "list", "show all CI trusts", "GET /ci-trusts",
                [.filter("--text", "TEXT", "only those with this text in the name or the issuer")],
                .table("ciTrusts", columns)),
            .request("show", "show one CI trust", "GET /ci-trusts/{trust}", [], .details),
            .request(
                "create", "create a CI trust", "PUT /ci-trusts/{trust}", fields, .details, condition: .isNew),
            .request(
                "replace", "replace a CI trust, which ends the tokens of its jobs", "PUT /ci-trusts/{trust}", fields,
                .details, isRisky: true, condition: .exists),
            .request(
                "delete", "delete a CI trust, which ends the tokens of its jobs", "DELETE /ci-trusts/{trust}", [],
                .line("deleted the CI trust {name}", dryRun: "would delete the CI trust {name}"), isRisky: true),
            exchange,
        ]
    }

    private static var exchange: Verb {
        Verb(
            "exchange", "in a CI job: print a token for the job's identity token",
            Parameter(
                .operand("TRUST", "TRUST is missing; give the name of the CI trust"),
                .option(
                    "--identity-token-file", "PATH",
                    "a file with the identity token; by default it is the value of LARDER_IDENTITY_TOKEN, or GitHub Actions "
                        + "is asked for one"),
                .option(
                    "--audience", "TEXT", "the audience for which GitHub Actions is asked (default: the server's URL)"),
                .serverURL, .authorities, .json)
        ) { trust, file, audience, server, authorities, isJSON throws(CommandError) in
            let environment = Environment.all
            let text =
                server ?? variable("LARDER_SERVER", environment) ?? ServerOptions.defaultServer
            let url = try ServerOptions.url(text)
            let client = HTTPClient(authorities: authorities, environment: environment)
            let token = try identityToken(file, audience ?? text, client, environment)
            let body = JSON.object(["trust": .string(trust), "identityToken": .string(token)])
            let response = try CommandError.asking { () throws(OperatorsError) in
                // The identity token alone proves who calls.
                try OperatorsClient(server: url, token: nil, client: client).call(
                    .post, "/ci-tokens", body: .bytes(body.bytes()), contentType: "application/json", isRepeated: false
                ).body
            }
            Terminal.out(isJSON ? response.text : OperatorCall.text(response["token"]))
            return .success
        }
    }

    private static func variable(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the identity token of the job: from a file, from the environment, or from GitHub Actions.
    private static func identityToken(
        _ file: String?, _ audience: String, _ client: HTTPClient, _ environment: [String: String]
    ) throws(CommandError) -> String {
        if let file {
            do throws(SmallFileError) {
                let bytes = try SmallFile.read(file, upTo: IdentityToken.maximumLength + 1)
                return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
            } catch {
                throw .failure(error.message(file, of: "identity token"))
            }
        }
        if let token = variable("LARDER_IDENTITY_TOKEN", environment) { return token }
        guard let place = variable("ACTIONS_ID_TOKEN_REQUEST_URL", environment),
            let secret = variable("ACTIONS_ID_TOKEN_REQUEST_TOKEN", environment)
        else {
            throw .usage(
                "the identity token is missing: set LARDER_IDENTITY_TOKEN (GitLab: 'id_tokens'), give "
                    + "--identity-token-file, or let the job of GitHub Actions have the permission 'id-token: write'")
        }
        let separator = place.contains("?") ? "&" : "?"
        let url = try ServerOptions.url("\(place)\(separator)audience=\(PercentEncoding.encode(audience.utf8))")
        let response: ClientResponse
        do throws(TransportError) {
            response = try client.send(ClientRequest(.get, url, fields: [.authorization: "Bearer \(secret)"]))
        } catch {
            throw .failure("GitHub Actions gave no identity token: \(error.description)")
        }
        guard response.head.status == 200, let token = JSON(parsing: response.body)?["value"]?.string else {
            throw .failure("GitHub Actions gave no identity token: status \(response.head.status)")
        }
        return token
    }
}
