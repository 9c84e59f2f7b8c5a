import Domain
import Ground

extension JSONReader {
    /// Takes a list of names of native APIs; returns `nil` if the member is missing.
    mutating func apiNames(_ key: String, upTo limit: Int) throws(PlatformError) -> [String]? {
        guard let value = take(key) else { return nil }
        let names = value.elements?.map(\.string)
        guard let names, names.count <= limit, names.allSatisfy({ $0.map(VersionRequirements.isAPIName) ?? false })
        else {
            throw Self.wrong(
                key, "an array of at most \(limit) names of native APIs, each of \(VersionRequirements.apiShape)")
        }
        return names.compactMap { $0 }
    }

    /// Takes the permissions of a package's pages; returns `nil` if the member is missing, and `.some(nil)` for `null`.
    mutating func permissions(_ key: String) throws(PlatformError) -> PagePermissions?? {
        guard let value = take(key) else { return nil }
        guard value != .null else { return .some(nil) }
        guard value.members != nil else {
            throw Self.wrong(key, "an object with 'apis' and 'origins', or null")
        }
        var body = try JSONReader(value.bytes())
        let apis = try body.apiNames("apis", upTo: PagePermissions.maximumAPIs) ?? []
        let origins = try body.origins("origins", upTo: PagePermissions.maximumOrigins)
        try body.finish()
        return .some(PagePermissions(apis: apis, origins: origins))
    }

    private mutating func origins(_ key: String, upTo limit: Int) throws(PlatformError) -> [PageOrigin] {
        guard let value = take(key) else { return [] }
        guard let list = value.elements, list.count <= limit else {
            throw Self.wrong(key, "an array of at most \(limit) origins, such as [\"https://shop.example\"]")
        }
        var origins: [PageOrigin] = []
        for element in list {
            let text = element.string ?? ""
            do throws(PageFault) { origins.append(try PageOrigin(text)) } catch {
                throw PlatformError(
                    .invalidRequest, "'\(ShownText.of(text.utf8))' in '\(key)' \(error.message)")
            }
        }
        return origins
    }
}
