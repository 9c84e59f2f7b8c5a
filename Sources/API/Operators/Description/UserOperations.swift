import Domain
import Ground
import HTTP

extension OperationGroup {
    static let users = OperationGroup(
        name: "Users", text: "People sign in with a password, and hold grants.",
        operations: people + own + sessions + commandLine,
        schemas: [
            ("Grant", .object(["role": .choice(Role.self)], optional: ["app": .name, "channel": .name])),
            (
                "User",
                .shown(
                    [
                        "id": .id, "name": .text, "grants": .array(.named("Grant")), "disabled": .boolean,
                        "kind": .choice(["password", "oidc"]), "totp": .boolean, "createdAt": .time,
                    ], optional: ["provider": .name, "signedInAt": .time])
            ),
            (
                "Session",
                .object(
                    [
                        "id": .id, "createdAt": .time, "lastUsedAt": .time, "address": .text, "current": .boolean,
                    ], optional: ["machine": .text])
            ),
            (
                "CommandLineRequest",
                .object(["code": .text, "machine": .text, "address": .text, "createdAt": .time, "expiresAt": .time])
            ),
            ("OwnName", .shown(["user": .text])), ("EndedSession", .shown(["id": .id])),
            ("RecoveryCodes", .shown(["recoveryCodes": .array(.text)])),
        ])

    private static let people = [
        Operation(
            route: "GET /users", id: "listUsers", summary: "Lists users",
            responses: [.list("users", of: "User", #"{"users": [\#(user)]}"#)]),
        Operation(
            route: "POST /users", id: "createUser", summary: "Creates a user",
            body: .json(
                .object(["name": .text, "password": .text, "grants": .array(.anyObject, upTo: User.maximumGrants)]),
                #"{"name": "ann", "password": "correct horse battery", "grants": [{"role": "releaser"}]}"#),
            responses: Operation.put("User", user), errors: [.userExists, .busy, .appNotFound, .channelNotFound]),
        Operation(
            route: "GET /users/{user}", id: "getUser", summary: "Returns one user",
            responses: [.ok(.named("User"), user)]),
        Operation(
            route: "PATCH /users/{user}", id: "changeUser",
            summary: "Changes the grants or the password of a user, disables the user, or removes the second factor",
            details: "All sessions of the user end.",
            body: .json(
                .object(
                    [:],
                    optional: [
                        "grants": Schema.array(.anyObject, upTo: User.maximumGrants).orNull,
                        "disabled": Schema.boolean.orNull, "password": Schema.text.orNull,
                        "totp": Schema.boolean.orNull,
                    ]), #"{"disabled": true}"#),
            responses: [.ok(.named("User"), user)], errors: [.busy, .appNotFound, .channelNotFound]),
        Operation(
            route: "DELETE /users/{user}", id: "deleteUser", summary: "Deletes a user",
            responses: [.ok(.named("User"), user)]),
    ]

    private static let password = Operation.Body.json(
        .object(["password": .text]), #"{"password": "correct horse battery"}"#)

    private static let own = [
        Operation(
            route: "PUT /user/password", id: "replacePassword", summary: "Replaces the user's own password",
            details: "All other sessions of the user end.",
            body: .json(
                .object(["current": .text, "new": .text]),
                #"{"current": "correct horse battery", "new": "staple battery horse"}"#),
            responses: [.ok(.named("OwnName"), #"{"user": "ann"}"#)], errors: [.busy]),
        Operation(
            route: "POST /user/totp", id: "beginSecondFactor", summary: "Begins a second factor of the user",
            details: "Only this response has the secret. The factor is in force once it is confirmed.",
            body: password,
            responses: [
                .created(
                    .object(["user": .text, "secret": .text, "uri": .text]),
                    #"{"user": "ann", "secret": "JBSWY3DPEHPK3PXP", "uri": "otpauth://totp/ann"}"#),
                .ok(.named("OwnName"), #"{"user": "ann", "dryRun": true}"#),
            ], errors: [.busy]),
        Operation(
            route: "POST /user/totp/confirm", id: "confirmSecondFactor",
            summary: "Puts the second factor in force, and returns its recovery codes",
            body: .json(.object(["code": .text]), #"{"code": "123456"}"#),
            responses: [.ok(.named("RecoveryCodes"), codes)]),
        Operation(
            route: "DELETE /user/totp", id: "removeSecondFactor", summary: "Removes the user's second factor",
            responses: [.ok(.named("OwnName"), #"{"user": "ann"}"#)]),
        Operation(
            route: "POST /user/recovery-codes", id: "replaceRecoveryCodes",
            summary: "Replaces the user's recovery codes", body: password,
            responses: [.ok(.named("RecoveryCodes"), codes)], errors: [.busy]),
    ]

    private static let sessions = [
        Operation(
            route: "POST /session", id: "signIn", summary: "Signs a user in",
            details: "The response sets the cookie of the session.",
            body: .json(
                .object(["user": .text, "password": .text], optional: ["code": Schema.text.orNull]),
                #"{"user": "ann", "password": "correct horse battery", "code": "123456"}"#),
            responses: [
                .created(
                    .object([
                        "user": .text, "grants": .array(.named("Grant")), "id": .id, "createdAt": .time,
                        "lastUsedAt": .time, "address": .text, "current": .boolean, "idleUntil": .time,
                        "expiresAt": .time,
                    ]),
                    #"{"user": "ann", "grants": [{"role": "releaser"}], "id": 7, "createdAt": "2026-11-24T08:00:00Z", "#
                        + #""lastUsedAt": "2026-11-24T08:00:00Z", "address": "203.0.113.9", "current": true, "#
                        + #""idleUntil": "2026-11-24T20:00:00Z", "expiresAt": "2026-12-01T08:00:00Z"}"#)
            ], errors: [.codeRequired, .busy]),
        Operation(
            route: "GET /session", id: "getSession", summary: "Describes the user who is signed in, and the session",
            responses: [
                .ok(
                    .object(
                        [
                            "id": .id, "user": .text, "actor": .text, "grants": .array(.named("Grant")),
                            "kind": .choice(["password", "oidc"]), "totp": .boolean, "idleUntil": .time,
                            "expiresAt": .time,
                        ], optional: ["provider": .text]),
                    #"{"id": 7, "user": "ann", "actor": "ann (user #1)", "grants": [{"role": "releaser"}], "#
                        + #""kind": "password", "totp": true, "idleUntil": "2026-11-24T20:00:00Z", "#
                        + #""expiresAt": "2026-12-01T08:00:00Z"}"#)
            ]),
        Operation(
            route: "DELETE /session", id: "signOut", summary: "Signs the user out",
            responses: [.ok(.named("EndedSession"), #"{"id": 7}"#)]),
        Operation(
            route: "GET /sessions", id: "listSessions",
            summary: "Lists the user's own sessions; with user those of a user, for admins",
            responses: [
                .ok(
                    .object(["sessions": .array(.named("Session"), upTo: Session.maximumPerUser)]),
                    #"{"sessions": []}"#)
            ], errors: [.userNotFound]),
        Operation(
            route: "DELETE /sessions/{session}", id: "endSession",
            summary: "Ends a session of the user; admins end any",
            responses: [.ok(.named("EndedSession"), #"{"id": 7}"#)]),
    ]

    private static let commandLine = [
        Operation(
            route: "POST /command-line", id: "requestCommandLine",
            summary: "Asks that a user agrees in the console to sign in a command line",
            details:
                "The command line draws a secret that begins with larder_cli_, and sends it as a bearer token once "
                + "a user has agreed.",
            body: .json(
                .object(["machine": .text(1...MachineName.maximumLength), "secretHash": .hash]),
                #"{"machine": "ann-laptop", "#
                    + #""secretHash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}"#),
            responses: [
                .created(
                    .object(
                        [
                            "code": .text, "machine": .text, "address": .text, "createdAt": .time, "expiresAt": .time,
                            "pollSeconds": .count,
                        ], optional: ["url": .text]),
                    #"{"code": "BDFG-HJKL", "machine": "ann-laptop", "address": "203.0.113.9", "#
                        + #""createdAt": "2026-11-24T08:00:00Z", "expiresAt": "2026-11-24T08:10:00Z", "#
                        + #""url": "https://larder.example/console/#/command-line/BDFG-HJKL", "pollSeconds": 2}"#)
            ], errors: [.conflict]),
        Operation(
            route: "POST /command-line/answer", id: "answerCommandLine",
            summary: "Returns what became of the request of a command line",
            body: .json(.object(["secret": .text]), #"{"secret": "larder_cli_…"}"#),
            responses: [
                .ok(
                    .object(
                        ["state": .choice(["waiting", "refused", "agreed"])],
                        optional: ["user": .text, "grants": .array(.named("Grant")), "expiresAt": .time]),
                    #"{"state": "waiting"}"#)
            ], errors: [.signInExpired]),
        Operation(
            route: "GET /command-line/{request}", id: "getCommandLine",
            summary: "Returns the request of a command line",
            responses: [
                .ok(
                    .named("CommandLineRequest"),
                    #"{"code": "BDFG-HJKL", "machine": "ann-laptop", "address": "203.0.113.9", "#
                        + #""createdAt": "2026-11-24T08:00:00Z", "expiresAt": "2026-11-24T08:10:00Z"}"#)
            ]),
        Operation(
            route: "POST /command-line/{request}/agree", id: "agreeToCommandLine",
            summary: "Signs in the command line as the user",
            responses: [
                .ok(
                    .named("Session"),
                    #"{"id": 8, "createdAt": "2026-11-24T08:00:00Z", "lastUsedAt": "2026-11-24T08:00:00Z", "#
                        + #""address": "203.0.113.9", "current": false, "machine": "ann-laptop"}"#)
            ]),
        Operation(
            route: "POST /command-line/{request}/refuse", id: "refuseCommandLine",
            summary: "Refuses the request of a command line",
            responses: [.ok(.object(["code": .text]), #"{"code": "BDFG-HJKL"}"#)]),
    ]

    private static let user =
        #"{"id": 1, "name": "ann", "grants": [{"role": "releaser"}], "disabled": false, "kind": "password", "#
        + #""totp": false, "#
        + #""createdAt": "2026-11-24T08:00:00Z"}"#
    private static let codes = #"{"recoveryCodes": ["k3v9-2m7q-x8rt-5hzd"]}"#
}
