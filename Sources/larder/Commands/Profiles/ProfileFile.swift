import Client
import Ground

/// The profiles of `larder login`, in a file that only its owner can read.
struct ProfileFile {
    private(set) var profiles: [(name: String, profile: Profile)] = []
    /// The name of the profile that commands use by default.
    private(set) var current: String?

    /// The name of the first profile.
    static let firstName = "default"
    /// The limits on the bytes of the file and on the characters of a name.
    static let limit = 256 << 10
    static let longestName = 64

    /// The path below `XDG_CONFIG_HOME`, or else `~/.config`; `nil` without a home folder.
    static func path(_ environment: [String: String]) -> String? {
        folder("XDG_CONFIG_HOME", ".config", environment).map { "\($0)/profiles.json" }
    }

    /// Returns Larder's folder of one kind of files (XDG Base Directory Specification).
    static func folder(_ variable: String, _ byDefault: String, _ environment: [String: String]) -> String? {
        if let base = environment[variable], base.hasPrefix("/") { return "\(base)/larder" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/\(byDefault)/larder"
    }

    /// Reads the file; a missing one has no profiles.
    init() throws(CommandError) {
        guard let path = Self.path(Environment.all) else { return }
        let bytes: [UInt8]?
        do throws(FileFailure) { bytes = try LocalFile.read(path, upTo: Self.limit) } catch {
            throw .failure("\(error)")
        }
        guard let bytes else { return }
        guard !LocalFile.isShared(path) else {
            throw .failure(
                "\(path) can be read by other accounts: run `chmod 600` on it, and revoke its tokens if another account "
                    + "may have read them")
        }
        guard let json = JSON(parsing: bytes), let members = json["profiles"]?.members else {
            throw .failure("\(path) is damaged; delete it, and run 'larder login' again")
        }
        for member in members {
            guard let profile = Profile(member.value) else {
                throw .failure("the profile '\(member.key)' in \(path) is damaged; run 'larder login' again")
            }
            profiles.append((member.key, profile))
        }
        current = json["current"]?.string
    }

    /// Returns a profile; throws a usage error if none has the name.
    func profile(_ name: String) throws(CommandError) -> Profile {
        guard let found = profiles.first(where: { $0.name == name }) else {
            let names = profiles.map(\.name).joined(separator: ", ")
            throw .usage(
                "there is no profile '\(name)'; " + (names.isEmpty ? "'larder login' makes one" : "there is \(names)"))
        }
        return found.profile
    }

    /// Adds or replaces a profile, and makes it the current one.
    mutating func set(_ name: String, _ profile: Profile) {
        if let index = profiles.firstIndex(where: { $0.name == name }) {
            profiles[index].profile = profile
        } else {
            profiles.append((name, profile))
        }
        current = name
    }

    mutating func use(_ name: String) throws(CommandError) {
        _ = try profile(name)
        current = name
    }

    /// Removes a profile; if it was the current one, there is none until another is selected.
    mutating func remove(_ name: String) throws(CommandError) {
        _ = try profile(name)
        profiles.removeAll { $0.name == name }
        if current == name { current = nil }
    }

    func write() throws(CommandError) {
        guard let path = Self.path(Environment.all) else {
            throw .failure("the profiles need a folder: set HOME or XDG_CONFIG_HOME")
        }
        let json = JSON.object([
            "current": current.map { .string($0) },
            "profiles": .object(profiles.map { .init($0.name, $0.profile.json) }),
        ])
        do throws(FileFailure) { try LocalFile.replacePrivate(path, with: json.bytes() + [0x0A]) } catch {
            throw .failure("\(error)")
        }
    }
}

/// The profile that a command uses: the one of `--profile` or `LARDER_PROFILE`, or else the current one.
struct ProfileChoice: Sendable {
    /// The name that was given; `nil` for the current profile.
    let name: String?

    /// Returns the profile; `nil` if none was given and there is none.
    func load() throws(CommandError) -> Profile? {
        let file = try ProfileFile()
        guard let name = name ?? file.current else { return nil }
        return try file.profile(name)
    }
}

extension Parameter where Value == ProfileChoice {
    static var profile: Parameter<ProfileChoice> {
        Parameter<String?>.option(
            "--profile", "NAME", "the profile of 'larder login' to use (default: the current one)",
            or: "LARDER_PROFILE"
        ).map { name throws(CommandError) in
            let given = name ?? Environment.all["LARDER_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
            return ProfileChoice(name: given)
        }
    }
}
