import Domain

/// The scope that a grant must have for a route (decision 0079).
enum RouteScope: String, Sendable {
    /// A grant for anything suffices.
    case any
    /// A grant for the app of the path or for one of its channels suffices; a change also requires that the channel of the
    /// changed releases is in the scope.
    case channel
    /// A grant for the app of the path is needed.
    case app
    /// A grant for everything is needed.
    case everything

    /// Returns the scope of a route that states none: reading an app needs a grant for a part of it, changing it one for all
    /// of it.
    init(of path: String, for role: Role) {
        self = !path.contains("{\(NameKind.app.placeholder)}") ? .everything : role == .viewer ? .channel : .app
    }

    /// Returns what a request to the route needs.
    ///
    /// If the name of the app is malformed, a grant for anything suffices, since the handler refuses the name.
    func requirement(_ role: Role, _ parameters: PathParameters) -> Requirement {
        switch self {
        case .any: return Requirement(role, .anywhere)
        case .everything: return Requirement(role, .on(.everything))
        case .channel, .app:
            guard let app = parameters.valid(.app) else { return Requirement(role, .anywhere) }
            return Requirement(role, self == .channel ? .within(app) : .on(.app(app)))
        }
    }
}
