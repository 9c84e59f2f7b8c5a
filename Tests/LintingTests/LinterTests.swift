import Domain
import Linting
import Testing

struct LinterTests {
    @Test func `a plain package has no findings`() throws {
        let sample = LintSample([
            "index.html": "<!doctype html><link rel=stylesheet href=css/a.css><script src='js/a.js'></script>",
            "css/a.css": "body { background: url(../img/b.png) }", "img/b.png": "\u{1}", "js/a.js": "alert(1)",
        ])
        #expect(try sample.found() == [])
    }

    @Test func `a missing entry page is the one error`() throws {
        var sample = LintSample([:])
        sample.entry = "home.html"
        let finding = try #require(try sample.findings().first)
        #expect(finding.code == .entryMissing && finding.severity == .error && finding.path?.text == "home.html")
        sample.entry = nil
        #expect(try sample.found() == [])
        #expect(LintFinding.Code.allCases.filter { $0.severity == .error } == [.entryMissing])
    }

    @Test(arguments: ["日本.txt", "a b.txt", "100%.txt", "a#b.txt", "a?b.txt", "dir x/a.txt"])
    func `a name that differs in a URL is reported`(_ path: String) throws {
        #expect(try LintSample([path: ""]).found() == ["name-unsafe \(path)"])
    }

    @Test(arguments: [
        ("a.xyz", true), ("a.js.xyz", true), ("a.HTML", false), ("a.woff2", false), ("LICENSE", false),
        (".htaccess", false), ("dir.xyz/a.txt", false), ("a.", false),
    ])
    func `an extension without a media type is reported`(_ path: String, isReported: Bool) throws {
        #expect(try LintSample([path: ""]).found() == (isReported ? ["type-unknown \(path)"] : []))
    }

    @Test func `a file over the budget is reported, and one at the budget is not`() throws {
        var sample = LintSample(["a.bin": "123456789", "b.bin": "12345678"])
        sample.rules.fileBytes = 8
        #expect(try sample.found() == ["file-too-large a.bin"])
    }

    @Test func `source maps are reported, by name, by comment, and within a file`() throws {
        #expect(try LintSample(["js/a.js.map": "{}"]).found() == ["source-map js/a.js.map"])
        let js = "let a = 1\n//# sourceMappingURL=a.js.json?v=1\n"
        #expect(try LintSample(["js/a.js": js, "js/a.js.json": "{}"]).found() == ["source-map js/a.js.json"])
        #expect(try LintSample(["js/a.js": js]).found() == [])
        let css = "a { }\n/*# sourceMappingURL=data:application/json;base64,e30= */"
        #expect(try LintSample(["a.css": css]).found() == ["source-map a.css"])
        #expect(try LintSample(["a.js": "x = '//# sourceMappingURL=data:'"]).found() == [])
    }

    @Test(arguments: ["sw.js", "js/service-worker.js", "Service-Worker.js"])
    func `a service worker is recognised by its name`(_ path: String) throws {
        #expect(try LintSample([path: ""]).found() == ["service-worker \(path)"])
    }

    @Test func `a service worker is recognised by its registration, in code alone`() throws {
        #expect(
            try LintSample(["a.js": "if (x) navigator.serviceWorker.register('/w.js')"]).found()
                == ["service-worker a.js"])
        #expect(
            try LintSample(["index.html": "<script>navigator.serviceWorker.register('/w.js')</script>"]).found()
                == ["service-worker index.html"])
        #expect(try LintSample(["a.js": "// navigator.serviceWorker.register('/w.js')"]).found() == [])
    }

    @Test func `duplicate content is reported once, if removing it saves enough`() throws {
        let large = String(repeating: "x", count: 1024)
        let sample = LintSample(["b/1.txt": large, "a/1.txt": large, "c.txt": large, "d.txt": "x", "e.txt": "x"])
        #expect(try sample.found() == ["duplicate-content a/1.txt"])
        let message = try #require(try sample.messages(.duplicateContent).first)
        #expect(message.contains("'b/1.txt' and 1 more") && message.contains("2 KB"))
        #expect(try LintSample(["a.txt": large, "b.txt": large]).found() == ["duplicate-content a.txt"])
        let small = String(repeating: "x", count: 1023)
        #expect(try LintSample(["a.txt": small, "b.txt": small]).found() == [])
    }

    @Test func `a package that grew names the files that did it`() throws {
        var sample = LintSample([
            "index.html": "12345", "js/app.1a2b3c4d.js": String(repeating: "x", count: 60), "new.txt": "1234567890",
            "same.txt": String(repeating: "y", count: 45),
        ])
        let old = ["index.html": 5, "js/app.9f8e7d6c.js": 50, "same.txt": 45]
        sample.before = old
        #expect(try sample.found() == [])
        sample.files[2].text += "1"
        let message = try #require(try sample.messages(.packageGrew).first)
        #expect(message.contains("21 % more"))
        #expect(message.contains("'new.txt' (+11 B), 'js/app.1a2b3c4d.js' (+10 B)"))
        #expect(!message.contains("same.txt"))
        sample.rules.growthFiles = 1
        #expect(try sample.messages(.packageGrew).first?.contains("app.") == false)
        sample.before = [:]
        #expect(try sample.found() == [])
    }

    @Test func `findings of a code are listed up to a limit, then counted`() throws {
        var sample = LintSample(["a b.txt": "", "c d.txt": "", "e f.txt": ""])
        sample.rules.findingsPerCode = 3
        #expect(try sample.found() == ["name-unsafe a b.txt", "name-unsafe c d.txt", "name-unsafe e f.txt"])
        sample.rules.findingsPerCode = 2
        #expect(try sample.found() == ["name-unsafe a b.txt", "name-unsafe c d.txt", "name-unsafe"])
        #expect(try sample.messages(.nameUnsafe).last?.contains("1 more") == true)
    }

    @Test func `only the beginning of a file, and a limited number of its references, are checked`() throws {
        var sample = LintSample(["a.css": "a{b:url(1.png)} a{b:url(2.png)}"])
        sample.rules.readBytes = 15
        #expect(try sample.messages(.referenceMissing).count == 1)
        sample.rules.readBytes = 31
        #expect(try sample.messages(.referenceMissing).count == 2)
        sample.rules.referencesPerFile = 1
        #expect(try sample.messages(.referenceMissing).count == 1)
    }

    @Test func `a limited number of a package's references are checked`() throws {
        var sample = LintSample(["a.css": "a{b:url(1.png)} a{b:url(2.png)}", "b.css": "a{b:url(3.png)}"])
        sample.rules.references = 3
        #expect(try sample.messages(.referenceMissing).count == 3)
        sample.rules.references = 2
        #expect(try sample.messages(.referenceMissing).count == 2)
    }

    @Test func `findings are sorted by code, then by path`() throws {
        let sample = LintSample(["b c.map": "", "a b.map": "{ }", "z.css": "a{b:url(no.png)}"])
        var turned = sample
        turned.files.reverse()
        #expect(
            try sample.found() == [
                "reference-missing z.css", "name-unsafe a b.map", "name-unsafe b c.map", "source-map a b.map",
                "source-map b c.map",
            ])
        #expect(try turned.findings() == sample.findings())
    }
}
