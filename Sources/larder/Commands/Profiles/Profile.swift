import Ground

/// A server with the token of `larder login`, and defaults of its commands.
struct Profile: Sendable, Equatable {
    let server: String
    let token: String
    /// The app that commands act on; `nil` for `default`.
    var app: String?
    /// The file of trusted certificates; `nil` for the system's.
    var authorities: String?

    init(server: String, token: String, app: String? = nil, authorities: String? = nil) {
        self.server = server
        self.token = token
        self.app = app
        self.authorities = authorities
    }

    /// Fails if a member is missing or unknown.
    init?(_ json: JSON) {
        let known: Set = ["server", "token", "app", "authorities"]
        guard let members = json.members, members.allSatisfy({ known.contains($0.key) && $0.value.string != nil }),
            let server = json["server"]?.string, let token = json["token"]?.string
        else { return nil }
        self.init(server: server, token: token, app: json["app"]?.string, authorities: json["authorities"]?.string)
    }

    var json: JSON {
        .object([
            "server": .string(server), "token": .string(token), "app": app.map { .string($0) },
            "authorities": authorities.map { .string($0) },
        ])
    }
}
