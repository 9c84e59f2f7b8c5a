/// A way to keep devices from using a package as they have it.
package enum Withdrawal: Sendable {
    /// `enable` off: no update is told of any more.
    case disabled
    /// A version whose pages lead to the network takes the place of the package.
    case killed
    /// Until a moment the pages come from the network; then the package is used again.
    case online

    /// What the clients of a way to ask do about it.
    package struct Effect: Sendable, Equatable {
        /// `config` for `/config`, or a dialect.
        package let client: String
        package let does: String
    }

    /// What each of a package's clients does, for whoever is about to do it.
    package func effects(on dialects: Set<Dialect>) -> [Effect] {
        let config = Effect(client: "config", does: onConfig)
        return [config] + dialects.sorted().map { Effect(client: $0.rawValue, does: does(on: $0)) }
    }

    private var onConfig: String {
        switch self {
        case .disabled: "gets no update, and goes on using the copy that it has."
        case .killed:
            "installs the version when it next checks, and its pages then lead to the network; a client that knows 'mandatory' "
                + "does so before it opens the package, one of seed 000 shows the old pages until then."
        case .online:
            "opens the pages from the network until then if it knows 'onlineUntil'; one of seed 000 does not, and goes on "
                + "using its copy."
        }
    }

    private func does(on dialect: Dialect) -> String {
        switch (self, dialect) {
        case (.disabled, .newestPackage): "is told 404, and goes on using the copy that it has."
        case (.disabled, .infoJSON): "is told 404 at 'info.json', and goes on using the copy that it has."
        case (.disabled, .resourcesJSON), (.online, .resourcesJSON):
            "is told 'cached': false with the list, and takes its files from the network."
        case (.killed, .newestPackage), (.killed, .infoJSON):
            "installs the version when it next asks, and its pages then lead to the network."
        case (.killed, .resourcesJSON):
            "deletes its files when it next asks, since the list has none that a page asks for, and takes them from the network."
        case (.online, .newestPackage), (.online, .infoJSON): "does not know of it, and goes on using its copy."
        }
    }
}
