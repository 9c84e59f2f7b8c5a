package import Ground

/// The part of an installation that a grant is for.
package enum Scope: Sendable, Hashable {
    case everything
    case app(AppID)
    case channel(ChannelName, of: AppID)

    /// Fails for a channel without its app.
    package init?(app: AppID?, channel: ChannelName?) {
        switch (app, channel) {
        case (nil, nil): self = .everything
        case (let app?, nil): self = .app(app)
        case (let app?, let channel?): self = .channel(channel, of: app)
        case (nil, _?): return nil
        }
    }

    package var app: AppID? {
        switch self {
        case .everything: nil
        case .app(let app), .channel(_, let app): app
        }
    }

    package var channel: ChannelName? {
        guard case .channel(let channel, _) = self else { return nil }
        return channel
    }

    /// Returns whether a grant for this scope is also one for another scope.
    package func contains(_ other: Scope) -> Bool {
        switch self {
        case .everything: true
        case .app(let app): other.app == app
        case .channel: self == other
        }
    }
}

extension Scope: CustomStringConvertible {
    package var description: String {
        switch self {
        case .everything: "everything"
        case .app(let app): "the app '\(app)'"
        case .channel(let channel, let app): "the channel '\(channel)' of the app '\(app)'"
        }
    }
}

/// The rights of a role in a scope (decision 0079).
package struct Grant: Sendable, Hashable {
    package let role: Role
    package let scope: Scope

    package init(_ role: Role, on scope: Scope) {
        self.role = role
        self.scope = scope
    }

    /// Returns whether the grant has what a request needs.
    package func meets(_ requirement: Requirement) -> Bool {
        guard role >= requirement.role else { return false }
        return switch requirement.place {
        case .anywhere: true
        case .within(let app): scope.contains(.app(app)) || scope.app == app
        case .on(let needed): scope.contains(needed)
        }
    }

    /// The role and, unless the grant is for everything, its scope.
    package var words: String { scope == .everything ? "'\(role.rawValue)'" : "'\(role.rawValue)' for \(scope)" }
}

/// The role that a request needs, and where.
package struct Requirement: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// A grant for anything suffices.
        case anywhere
        /// A grant for the app or for one of its channels suffices.
        case within(AppID)
        /// A grant for all of the scope is needed.
        case on(Scope)
    }

    package let role: Role
    package let place: Place

    package init(_ role: Role, _ place: Place) {
        self.role = role
        self.place = place
    }

    /// The app that the request is about.
    package var app: AppID? {
        switch place {
        case .anywhere: nil
        case .within(let app): app
        case .on(let scope): scope.app
        }
    }

    package var words: String {
        switch place {
        case .anywhere: "'\(role.rawValue)'"
        case .within(let app): "'\(role.rawValue)' for the app '\(app)' or one of its channels"
        case .on(let scope): "'\(role.rawValue)' for \(scope)"
        }
    }
}

extension PlatformError {
    /// Creates the error of an app that does not exist, or of which the caller must not know.
    package static func noApp(_ id: AppID) -> PlatformError { PlatformError(.appNotFound, "There is no app '\(id)'.") }
}

extension Grant {
    /// The grant as the members of an object.
    package var members: [JSON.Member] {
        let members: [(String, JSON?)] = [
            ("role", .string(role.rawValue)), ("app", scope.app.map { .string($0.text) }),
            ("channel", scope.channel.map { .string($0.text) }),
        ]
        return members.compactMap { key, value in value.map { .init(key, $0) } }
    }
}
