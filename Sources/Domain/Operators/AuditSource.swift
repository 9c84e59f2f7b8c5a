package import Ground

/// The way by which a change came to the server.
package enum AuditSource: Sendable, Equatable {
    /// A request with a token, from the client's address as the rules for proxies resolve it.
    case token(Int64, address: String)
    /// A request by a user who is signed in, from the client's address.
    case session(UserID, address: String)
    /// The server itself, without a request.
    case server
}

extension AuditSource {
    /// The source as the audit log stores and shows it.
    package var json: JSON {
        switch self {
        case .token(let id, let address):
            .object(["by": "token", "token": .integer(id), "address": .string(address)])
        case .session(let user, let address):
            .object(["by": "session", "user": .integer(user.value), "address": .string(address)])
        case .server: .object(["by": "server"])
        }
    }

    /// Fails unless the value is a source.
    package init?(_ json: JSON) {
        switch json["by"]?.string {
        case "token":
            guard let id = json["token"]?.integer, let address = json["address"]?.string else { return nil }
            self = .token(id, address: address)
        case "session":
            guard let user = json["user"]?.integer, let address = json["address"]?.string else { return nil }
            self = .session(UserID(user), address: address)
        case "server": self = .server
        default: return nil
        }
    }
}
