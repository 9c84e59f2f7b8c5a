import Domain
import Testing

struct SecretTests {
    private static let body = String(repeating: "MIIEowIBAAKCAQEA", count: 4)
    /// Written in parts, so that other scanners do not report this file.
    private static let secrets = [
        "-----BEGIN " + "PRIVATE KEY-----\n\(body)\n", "-----BEGIN " + "RSA PRIVATE KEY-----\r\n\(body)",
        "\"-----BEGIN " + "EC PRIVATE KEY-----\\n\(body)\"", "-----BEGIN " + "OPENSSH PRIVATE KEY-----\n\(body)",
        "-----BEGIN " + "RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n", "key='AKIA" + "ABCDEFGHIJKLMNOP'",
        "ghp_" + String(repeating: "aB3", count: 12), "x:gho_" + String(repeating: "aB3", count: 12),
        "github_pat_" + String(repeating: "aB3_", count: 20), "xoxb-" + "123456789012-abc",
        "AIza" + String(repeating: "aB3-_", count: 7),
    ]

    @Test(arguments: secrets)
    func `text in the form of a key is reported, and not shown`(_ secret: String) throws {
        for path in ["js/a.js", "a.json", "deploy.key", "LICENSE"] {
            let findings = try LintSample([path: "x = 1\n\(secret)"]).findings().filter { $0.code == .secret }
            #expect(findings.map(\.path?.text) == [path])
            #expect(findings.allSatisfy { !$0.message.contains(secret.suffix(12)) && !$0.message.contains("aB3") })
        }
    }

    @Test(arguments: [
        "'-----BEGIN " + "RSA PRIVATE KEY-----\\n'+b", "-----BEGIN " + "PUBLIC KEY-----\n\(body)",
        "-----BEGIN " + "CERTIFICATE-----\n\(body)", "-----BEGIN " + "PGP PUBLIC KEY BLOCK-----\n\(body)",
        "AKIA" + "IOSFODNN7EXAMPLE", "XAKIA" + "ABCDEFGHIJKLMNOP", "AKIA" + "ABCDEFGHIJKLMNOPQ",
        "AKIA" + "abcdefghijklmnop",
        "ghp_short", "ghp_" + String(repeating: "aB3", count: 13), "github_pat_x", "xoxb-my-class-name",
        "xoxz-" + "123456789012",
        "AIza" + "short", "AIza" + String(repeating: "aB3-_", count: 8),
    ])
    func `text that only begins like a key is not reported`(_ text: String) throws {
        #expect(try LintSample(["a.js": text]).findings().filter { $0.code == .secret } == [])
    }

    @Test func `each kind of key is reported once a file, and images are not searched`() throws {
        let all = Self.secrets.joined(separator: "\n") + "\n"
        let sample = LintSample(["a.txt": all + all, "a.png": all])
        #expect(try sample.found() == Array(repeating: "secret a.txt", count: 5))
    }
}
