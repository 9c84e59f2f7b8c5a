import Domain
import Ground
import Testing

struct GrantTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_999)

    private func grant(
        _ name: String, _ path: String, _ apis: [String], until seconds: Int64 = 1_800_100_000,
        at origin: String = "https://shop.example"
    ) throws -> PageGrant {
        PageGrant(
            name: try #require(GrantName(name)), origin: try PageOrigin(origin), path: try PagePath(path).prefix(),
            apis: apis, expiresAt: Timestamp(milliseconds: seconds * 1000))
    }

    private func issued(_ page: String, by grants: [PageGrant]) throws -> IssuedGrant? {
        IssuedGrant(
            of: .default, to: try PageURL(page), nonce: try #require(GrantNonce("n+/=1")), by: grants, at: now)
    }

    @Test func `the bytes of a grant are these`() throws {
        let grants = [try grant("a", "/cart", ["share", "camera", "share"])]
        let issued = try #require(try issued("HTTPS://Shop.example:443/cart/pay?id=1#top", by: grants))
        #expect(
            String(decoding: issued.signedBytes, as: UTF8.self) == """
                larder-grant-1
                default
                https://shop.example/cart/pay
                n+/=1
                1800000000
                1800000600
                api camera
                api share

                """)
    }

    @Test func `a page has the APIs of all grants that cover it, until the first of them ends`() throws {
        let grants = [
            try grant("a", "/", ["a"]), try grant("b", "/cart", ["b", "a"], until: 1_800_000_060),
            try grant("c", "/cart/pay", ["c"]), try grant("d", "/", ["d"], at: "https://shop.example:8443"),
            try grant("e", "/", ["e"], at: "http://shop.example"), try grant("f", "/ca", ["f"]),
        ]
        let cart = try #require(try issued("https://shop.example/cart", by: grants))
        #expect(cart.apis == ["a", "b"] && cart.expires == 1_800_000_060)
        let other = try #require(try issued("https://shop.example/carts", by: grants))
        #expect(other.apis == ["a"] && other.expires == other.issued + IssuedGrant.lifetimeSeconds)
    }

    @Test(arguments: [(1_800_000_000, false), (1_800_000_001, true)] as [(Int64, Bool)])
    func `an expired grant covers no page`(end: Int64, covers: Bool) throws {
        #expect((try issued("https://shop.example/", by: [grant("a", "/", ["a"], until: end)]) != nil) == covers)
    }

    @Test func `a page without a grant gets no permissions`() throws {
        #expect(try issued("https://evil.example/cart", by: [grant("a", "/", ["a"])]) == nil)
        #expect(try issued("https://shop.example/cart", by: []) == nil)
    }

    @Test(arguments: [
        ("", false), ("a", true), (String(repeating: "a", count: 128), true),
        (String(repeating: "a", count: 129), false), ("a b", false), ("a\nb", false), ("\u{E4}", false),
        ("aZ0._~+/=-", true), ("a%", false),
    ])
    func `a nonce is short and has no line ends`(text: String, isFit: Bool) {
        #expect((GrantNonce(text) != nil) == isFit)
    }

    @Test func `the bytes of a package's permissions are these`() throws {
        let permissions = try #require(
            PagePermissions(
                apis: ["share/wechat", "camera"],
                origins: [try PageOrigin("https://b.example"), try PageOrigin("https://A.example:443")]))
        let statement = PagePermissions.Statement(
            app: .default, package: try #require(PackageID("news")), version: try #require(VersionString("1.0")),
            tree: try #require(SHA256Digest(bytes: [UInt8](repeating: 0xAB, count: 32))), permissions: permissions)
        #expect(
            String(decoding: statement.signedBytes, as: UTF8.self) == """
                larder-permissions-1
                default
                news
                1.0
                \(String(repeating: "ab", count: 32))
                api camera
                api share/wechat
                origin https://a.example
                origin https://b.example

                """)
    }

    @Test func `permissions have so many names and no more`() throws {
        let apis = (0..<PagePermissions.maximumAPIs).map { "a\($0)" }
        #expect(PagePermissions(apis: apis, origins: []) != nil)
        #expect(PagePermissions(apis: apis + ["b"], origins: []) == nil)
        #expect(PagePermissions(apis: ["a b"], origins: []) == nil)
        let origins = try (0..<PagePermissions.maximumOrigins).map { try PageOrigin("https://a\($0).example") }
        #expect(PagePermissions(apis: [], origins: origins) != nil)
        #expect(PagePermissions(apis: [], origins: origins + [try PageOrigin("https://b.example")]) == nil)
    }
}
