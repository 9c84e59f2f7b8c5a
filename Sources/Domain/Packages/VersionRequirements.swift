import Ground

/// The requirements of a version on the host app and other packages; part of its immutable content.
package struct VersionRequirements: Sendable, Hashable {
    /// The lowest host-app version; `nil` for any.
    package var minAppVersion: String?
    /// The highest host-app version, including all versions that begin with it if it has fewer than three numbers.
    package var maxAppVersion: String?
    /// The names of the native APIs that the host build must have.
    package var apis: [String]
    /// The required packages, with ranges of their versions.
    package var dependencies: [Dependency]

    package struct Dependency: Sendable, Hashable {
        package let package: PackageID
        package let range: VersionRange

        package init(package: PackageID, range: VersionRange) {
            self.package = package
            self.range = range
        }
    }

    /// The limits on the numbers of APIs and dependencies.
    package static let maximumAPIs = 200
    package static let maximumDependencies = 20
    /// The limit on the bytes of a host-app version.
    package static let maximumVersionLength = 64
    /// The limit on the bytes of a list of APIs or dependencies.
    package static let maximumTextLength = 8_000
    /// The grammar of API names in words, for messages.
    package static let apiShape = "1 to 128 letters, digits, '.', '_', '-' and '/'"

    package static let none = VersionRequirements()

    /// Sorts the APIs and dependencies.
    package init(
        minAppVersion: String? = nil, maxAppVersion: String? = nil, apis: [String] = [],
        dependencies: [Dependency] = []
    ) {
        self.minAppVersion = minAppVersion
        self.maxAppVersion = maxAppVersion
        self.apis = Array(Set(apis)).sorted()
        self.dependencies = dependencies.sorted { $0.package < $1.package }
    }

    package static func isAPIName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "._-/".utf8.contains($0) }
    }

    /// The range of suitable host-app versions; `nil` for any.
    package var appVersions: VersionRange? {
        guard minAppVersion != nil || maxAppVersion != nil else { return nil }
        return VersionRange(from: minAppVersion, through: maxAppVersion)
    }
}

extension VersionRequirements {
    /// Parses the parameters of an upload; empty texts count as missing.
    ///
    /// - Parameters:
    ///   - apis: Names separated by commas.
    ///   - needs: Packages with version ranges, separated by semicolons: `common >=7; charts ^2`.
    package init(
        minAppVersion: String?, maxAppVersion: String?, apis: String?, needs: String?
    ) throws(Fault) {
        func given(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
        guard (apis ?? "").utf8.count <= Self.maximumTextLength else { throw .apis }
        guard (needs ?? "").utf8.count <= Self.maximumTextLength else { throw .needs }
        if let text = given(minAppVersion), OrderedVersion(text) == nil { throw .minAppVersion }
        if let text = given(maxAppVersion), OrderedVersion(text) == nil { throw .maxAppVersion }
        if let low = given(minAppVersion).flatMap({ OrderedVersion($0) }), let high = given(maxAppVersion) {
            guard let range = VersionRange(from: nil, through: high), range.contains(low) else { throw .maxAppVersion }
        }
        // Rejects a version that would parse as a wildcard range, or is too long.
        for (text, fault) in [(given(minAppVersion), Fault.minAppVersion), (given(maxAppVersion), .maxAppVersion)] {
            guard let text else { continue }
            guard text.utf8.count <= Self.maximumVersionLength,
                !text.split(separator: ".").contains(where: { $0 == "x" || $0 == "X" })
            else { throw fault }
        }
        let names = (given(apis) ?? "").split(separator: ",").map(Self.trimmed)
        guard names.count <= Self.maximumAPIs, names.allSatisfy(Self.isAPIName) else { throw .apis }
        var dependencies: [Dependency] = []
        for item in (given(needs) ?? "").split(separator: ";") {
            guard let dependency = Dependency(Self.trimmed(item)),
                !dependencies.contains(where: { $0.package == dependency.package })
            else { throw .needs }
            dependencies.append(dependency)
        }
        guard dependencies.count <= Self.maximumDependencies else { throw .needs }
        self.init(
            minAppVersion: given(minAppVersion), maxAppVersion: given(maxAppVersion), apis: names,
            dependencies: dependencies)
    }

    private static func trimmed(_ text: Substring) -> String {
        let end = text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? text.startIndex
        return String(text[..<end].drop { $0 == " " })
    }

    /// The faulty parameter; raw values are the names of parameters.
    package enum Fault: String, Error {
        case minAppVersion, maxAppVersion, apis, needs

        /// The requirement on the text, to follow "must be".
        package var expected: String {
            switch self {
            case .minAppVersion: OrderedVersion.shape
            case .maxAppVersion: "\(OrderedVersion.shape), and not below 'minAppVersion'"
            case .apis: "at most \(maximumAPIs) names separated by commas, each of \(apiShape)"
            case .needs:
                "at most \(maximumDependencies) packages, each once and with a range of versions, such as "
                    + "\"common >=7; charts ^2\""
            }
        }
    }

    /// The dependencies in the format of the `needs` parameter.
    package var needs: String { dependencies.map { "\($0.package) \($0.range)" }.joined(separator: "; ") }

    /// The lines that the requirements add to the version's identity.
    var identityLines: [String] {
        var lines: [String] = []
        if let minAppVersion { lines.append("min-app-version \(minAppVersion)") }
        if let maxAppVersion { lines.append("max-app-version \(maxAppVersion)") }
        lines += apis.map { "api \($0)" }
        lines += dependencies.map { "needs \($0.package) \($0.range)" }
        return lines
    }
}

extension VersionRequirements.Dependency {
    /// Parses a package id and a range.
    fileprivate init?(_ text: String) {
        let id = text.prefix { $0 != " " && !"<>=^~*".contains($0) }
        let rest = text.dropFirst(id.count).drop { $0 == " " }
        guard let package = PackageID(String(id)), let range = VersionRange(String(rest)) else {
            return nil
        }
        self.init(package: package, range: range)
    }
}
