import Domain
import Testing

struct ReferenceTests {
    /// Returns the paths of missing files that a page refers to.
    private func missing(_ html: String, prefix: String = "/", at path: String = "pages/one.html") throws -> [String] {
        var sample = LintSample([
            path: html, "img/a b.png": "", "img/x.png": "", "pages/x.js": "", "日本.png": "", "pages/two.html": "",
        ])
        sample.urlPrefix = prefix
        return try sample.messages(.referenceMissing).map { message in
            String(message.split(separator: "Add '")[1].split(separator: "', or")[0])
        }
    }

    @Test(arguments: [
        "<img src='../img/x.png'>", "<img src=../img/x.png>", "<img src = \"../img/x.png?v=1#top\">",
        "<img src=/img/x.png>", "<img src='../img/a%20b.png'>", "<img src='../img/a b.png'>", "<script src=x.js>",
        "<script src=./x.js></script>", "<a href=two.html#part>", "<img src='../../../img/x.png'>",
        "<img src='../%E6%97%A5%E6%9C%AC.png'>", "<img src='../日本.png'>", "<img srcset='../img/x.png 1x, x.js 2x'>",
        "<base href=/><img src=img/x.png>", "<base href='../img/'><img src=x.png>", "<img src=../files.json>",
    ])
    func `a reference to an existing file is not a finding`(_ html: String) throws {
        #expect(try missing(html) == [])
    }

    @Test(arguments: [
        "<img src=''>", "<a href='#top'>", "<a href='?q=1'>", "<img src='data:image/png;base64,AAAA'>",
        "<a href='mailto:me'>", "<a href='javascript:void(0)'>", "<a href='tel:1'>", "<img src=//host/x.png>",
        "<img src=https://host/x.png>", "<img src='{{ base }}/x.png'>", "<img src='${base}/x.png'>",
        "<img src='<%= base %>/x.png'>", "<img src='%PUBLIC_URL%/x.png'>", "<a href=folder/>", "<a href=/route>",
        "<a href=profile>", "<!-- <img src=no.png> -->", "<title><img src=no.png></title>",
        "<textarea><img src=no.png></textarea>", "<script>'<img src=no.png>'</script>",
        "<link rel=canonical href=/news><link rel=preconnect href=no.host>",
        "<base href='https://host/'><img src=no.png>",
        "<img data-src=no.png>", "<img srcset='data:a,b 1x'>", "<p>src=no.png</p>", "<img src=no.png",
        "<script type=text/template>import './no.js'</script>",
    ])
    func `a reference out of the package is ignored`(_ html: String) throws {
        // Browsers ignore an unfinished tag at the end, but the linter reads it.
        #expect(try missing(html) == (html.hasSuffix(">") ? [] : ["pages/no.png"]))
    }

    @Test(arguments: [
        ("<img src=no.png>", "pages/no.png"), ("<IMG SRC=no.png>", "pages/no.png"), ("<img src=/no.png>", "no.png"),
        ("<img alt='>' src='no.png'>", "pages/no.png"), ("<img\nsrc\n=\n'no.png'\n/>", "pages/no.png"),
        ("<a href=no.html>", "pages/no.html"), ("<link rel='shortcut icon' href=no>", "pages/no"),
        ("<video poster=no.png>", "pages/no.png"), ("<object data=no.pdf>", "pages/no.pdf"),
        ("<use xlink:href='no.svg#a'>", "pages/no.svg"), ("<img srcset='x.js 1x,\n no.png 2x'>", "pages/no.png"),
        ("<p style=\"background: url('no.png')\">", "pages/no.png"),
        ("<style>@import 'no.css'</style>", "pages/no.css"),
        ("<script type=module>import './no.js'</script>", "pages/no.js"),
        ("<script src=no.js></script>", "pages/no.js"),
        ("<base href='/img/'><img src=no.png>", "img/no.png"), ("<base href=/><img src=no.png>", "no.png"),
        ("<img src='no.png?a=1&amp;b'>", "pages/no.png"), ("<img src='a&amp;b.png'>", "pages/a&b.png"),
        ("<!--> <img src=x.js --> <img src=no.png>", "pages/no.png"), ("a < b <img src=no.png>", "pages/no.png"),
        ("<title>x</TITLE ><img src=no.png>", "pages/no.png"), ("<img src=../IMG/x.png>", "IMG/x.png"),
        ("<img src='.%2E/no.png'>", "no.png"),
    ])
    func `a reference to a missing file is a finding`(_ html: String, path: String) throws {
        #expect(try missing(html) == [path])
    }

    @Test func `the URL prefix is where the package begins`() throws {
        #expect(try missing("<img src=/news/img/x.png>", prefix: "/news/") == [])
        #expect(try missing("<img src=../../news/img/x.png>", prefix: "/news/") == [])
        #expect(try missing("<img src=/news/no.png>", prefix: "/news/") == ["no.png"])
        // The files of another package or of the network are not checked.
        #expect(try missing("<img src=/no.png><img src=../../no.png>", prefix: "/news/") == [])
    }

    @Test func `a reference that the uploaded files map resolves is not a finding`() throws {
        var sample = LintSample(["a.css": "a{b:url(/old.png)}", "img/x.png": ""])
        #expect(try sample.found() == ["reference-missing a.css"])
        sample.fileMap = [.init(key: "/old.png", target: "/img/x.png")]
        #expect(try sample.found() == [])
    }

    @Test(arguments: [
        ("a{b:url(no.png)}", "no.png"), ("a{b:URL( \"no.png\" )}", "no.png"), ("@import 'no.css';", "no.css"),
        ("@import url(no.css) screen;", "no.css"), ("@IMPORT\n\"no.css\"", "no.css"),
        ("a{b:url(ok.png),url('no.png')}", "no.png"), ("'it''s' a{b:url(no.png)}", "no.png"),
        ("/* ' */ a{b:url(no.png)}", "no.png"), ("a{b:url(no.png", "no.png"),
    ])
    func `style sheets refer by url and import`(_ css: String, path: String) throws {
        #expect(try missing(css, at: "a.css") == (css.contains("ok.png") ? ["ok.png", path] : [path]))
    }

    @Test(
        arguments: [
            "/* url(no.png) */", "a{content:'url(no.png)'}", "a{b:curl(no.png)}", "a{b:my-url(no.png)}",
            "@namespace svg url(http://www.w3.org/2000/svg);", "a{b:url(#id)}", "a{b:url(data:image/png,x)}",
            "a{b:url()}",
            "a{b:url(n\\6f.png)}", "a{b:url($image)}/*", "a{b:url(/img/x.png)}",
        ].filter { !$0.contains("$") })
    func `other text in a style sheet is not a reference`(_ css: String) throws {
        #expect(try LintSample(["a.css": css, "img/x.png": ""]).found() == [])
    }

    @Test(arguments: [
        "import './no.js'", "import a from \"./no.js\"", "import{a as b,c}from'./no.js';",
        "import * as a from './no.js'",
        "import a, { b } from './no.js'", "import('./no.js')", "import( /* webpackChunkName: 'a' */ './no.js' )",
        "export{a}from'./no.js'", "export * from './no.js'", "const a=()=>import(\"./no.js\").then(b)",
        "import from from './no.js'", "a=b/c;import('./no.js')//'", "a=/['\"`/]/g;import('./no.js')",
        "return/'/.test(a);import('./no.js')", "`${`${import('./no.js')}`}`", "`a${{b:1}}'`;import('./no.js')",
        "a='\\'';import('./no.js')", "/* ' */import('./no.js')", "import('./no.js',{with:{type:'json'}})",
        "if(a){}/'/.test(b);import('./no.js')",
    ])
    func `scripts import by literal names`(_ js: String) throws {
        let sample = LintSample(["js/a.js": js])
        #expect(try sample.found() == ["reference-missing js/a.js"])
        #expect(try sample.messages(.referenceMissing).first?.contains("Add 'js/no.js'") == true)
    }

    @Test(arguments: [
        "import a from 'react'", "import('/no.js')", "import(a)", "import('./'+a)", "import(`./${a}.js`)",
        "// import './no.js'", "/** @type {import('./no').A} */", "'import \"./no.js\"'", "`import './no.js'`",
        "a.import('./no.js')", "reimport('./no.js')", "import.meta.url", "a={import:'./no.js'}",
        "export const a='./no.js'",
        "a=/import('.\\/no.js')/", "import './b.js'", "import('../index.html')", "import a from './${x}.js'",
    ])
    func `other text in a script is not a reference`(_ js: String) throws {
        #expect(try LintSample(["js/a.js": js, "js/b.js": ""]).found() == [])
    }

    @Test func `absolute http URLs are reported, and the names of vocabularies are not`() throws {
        let html = """
            <html xmlns="http://www.w3.org/1999/xhtml"><img src=http://host/a.png><a href="HTTP://host/">
            <svg xmlns:xlink="http://www.w3.org/1999/xlink"><use href="http://www.w3.org/a"/></svg>
            """
        let sample = LintSample(["index.html": html, "a.css": "@import 'http://host/a.css'; a{b:url(https://host/)}"])
        #expect(
            try sample.found() == [
                "insecure-reference a.css", "insecure-reference index.html", "insecure-reference index.html",
            ])
    }

    @Test(arguments: ["http://user:pass@host/x.js?key=pass#pass", "http://host/x.js?a=://b@pass", "x.js?token=pass"])
    func `a reference is shown without what may be a secret`(_ reference: String) throws {
        let message = try #require(try LintSample(["index.html": "<img src='\(reference)'>"]).findings().first?.message)
        #expect(message.contains("x.js") && !message.contains("pass"))
    }

    @Test func `a reference is reported once a file, and shown without control characters`() throws {
        let sample = LintSample(["index.html": "<img src='n\u{202E}o.png'><img src='n\u{202E}o.png'>"])
        let messages = try sample.messages(.referenceMissing)
        #expect(messages.count == 1 && messages.first?.unicodeScalars.contains("\u{202E}") == false)
    }

    @Test(arguments: ["<a ", "<img src='", "<!--", "<script", "<style><", "{{", "&", "<a href=\"", "<img srcset=,,"])
    func `truncated input of any length is handled in bounded time`(_ text: String) throws {
        let long = String(repeating: text, count: 20_000)
        #expect(try LintSample(["index.html": long]).findings().count < 60)
    }

    @Test(arguments: ["`${", "/", "'", "import ", "import{", "/*", "{", "(", "\\", "a/", "import(", "`", "from"])
    func `scripts that are broken off, however long, end`(_ text: String) throws {
        let long = String(repeating: text, count: 50_000)
        #expect(try LintSample(["a.js": long, "a.css": long]).findings().count < 60)
    }
}
