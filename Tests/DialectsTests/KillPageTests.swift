import Dialects
import Domain
import Platform
import TestKit
import Testing

/// Tests the page that redirects to the network.
struct KillPageTests {
    private func text(_ target: String) throws -> String {
        let files = try KillPage(leadingTo: target).files(entry: .index, dialects: [])
        return String(decoding: try #require(files[.index]), as: UTF8.self)
    }

    @Test func `a kill page redirects to its target, with and without scripts`() throws {
        let page = try text("https://m.example.com/news/")
        #expect(page.contains(#"location.replace("https://m.example.com/news/" + location.search + location.hash)"#))
        #expect(page.contains(#"content="0;url=https://m.example.com/news/""#))
    }

    @Test func `a target with a query of its own keeps that alone, written as HTML wants it`() throws {
        let page = try text("https://m.example.com/?a=1&b=2#c")
        #expect(page.contains(#"location.replace("https://m.example.com/?a=1&b=2#c" + "")"#))
        #expect(page.contains(#"href="https://m.example.com/?a=1&amp;b=2#c""#))
    }

    @Test(arguments: [
        "", "m.example.com", "javascript:alert(1)", "//m.example.com/", "https://", "https://m.example.com/\"+x+\"",
        "https://m.example.com/</script>", "https://m.example.com/'", "https://m.example.com/ a",
        "https://a@b.example/",
        "https://m.example.com/\\x", "https://m.example.com/é", "ftp://m.example.com/",
        "https://m.example.com/" + String(repeating: "x", count: 2048),
    ])
    func `a target that is not a page URL, or would end a string or a tag, is refused`(target: String) {
        #expect(throws: PageFault.self) { try KillPage(leadingTo: target) }
    }

    @Test func `a kill page is at the package's entry, and at the root for clients that only read the root`() throws {
        let page = try KillPage(leadingTo: "https://m.example.com")
        let entry = try TreePath("pages/home.html")
        #expect(Set(page.files(entry: entry, dialects: []).keys) == [entry])
        #expect(Set(page.files(entry: entry, dialects: [NewestPackageDialect()]).keys) == [entry, .index])
        #expect(Set(page.files(entry: entry, dialects: [InfoJSONDialect()]).keys) == [entry, .index])
        #expect(Set(page.files(entry: entry, dialects: [ResourcesJSONDialect()]).keys) == [entry])
        #expect(Set(page.files(entry: nil, dialects: []).keys) == [.index])
    }

    @Test func `a kill page has no two names that a client or device folds together`() throws {
        let page = try KillPage(leadingTo: "https://m.example.com")
        let inFolder = try TreePath("pages/Index.html")
        #expect(Set(page.files(entry: inFolder, dialects: [InfoJSONDialect()]).keys) == [inFolder])
        #expect(Set(page.files(entry: inFolder, dialects: [NewestPackageDialect()]).keys) == [inFolder, .index])
        let all = allDialects()
        let inCapitals = try TreePath("INDEX.html")
        #expect(Set(page.files(entry: inCapitals, dialects: all).keys) == [inCapitals])
        let other = try TreePath("pages/my-index.html")
        #expect(Set(page.files(entry: other, dialects: [InfoJSONDialect()]).keys) == [other, .index])
    }

    @Test(arguments: [Withdrawal.disabled, .killed, .online])
    func `the effect of a withdrawal is stated for clients of config and of each dialect, in order`(
        withdrawal: Withdrawal
    ) {
        let effects = withdrawal.effects(on: Sample.dialects.rules(of: [.newestPackage, .infoJSON, .resourcesJSON]))
        #expect(effects.map(\.client) == ["config", "info-json", "newest-package", "resources-json"])
        #expect(withdrawal.effects(on: []).map(\.client) == ["config"])
    }
}
