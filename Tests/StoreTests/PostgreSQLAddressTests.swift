import Store
import Testing

@Suite struct PostgreSQLAddressTests {
    @Test(arguments: [
        "postgresql://larder:Zm9v/YmFy+8=@db:5432/larder", "postgresql://larder:p@ss@db/larder",
        "postgresql://larder:12/secret@db/larder", "postgresql://larder:p@s:5432/larder@db",
        "postgresql://db/larder?user=larder:secret", "postgresql://db/larder?user=larder@secret",
        "postgresql://db/larder?port=secret", "postgresql://db/larder?host=a@secret",
        "postgresql://db/larder?host=sec:ret", "postgresql://db/larder%3Asecret", "postgresql://db/a%3Db",
        "mysql://db/larder", "postgresql://db/larder?nothing=1", "host=db",
    ])
    func `a URL whose parts may be those of a password is refused`(_ url: String) {
        #expect(PostgreSQLAddress(url) == nil)
    }

    @Test(arguments: [
        ("postgresql://larder:secret@db:5433/larder", "postgresql://larder@db:5433/larder"),
        ("postgresql://larder:p%40ss%2Fword@db/larder", "postgresql://larder@db/larder"),
        ("postgresql://larder@one:1,two:2/larder", "postgresql://larder@one:1,two:2/larder"),
        ("postgresql://larder@[::1]:5432/larder", "postgresql://larder@[::1]:5432/larder"),
        ("postgresql://larder@[fe80::1%25eth0]/larder", "postgresql://larder@[fe80::1%eth0]/larder"),
        ("postgresql://larder@/larder?host=/run/postgresql", "postgresql://larder@%2Frun%2Fpostgresql/larder"),
        ("postgresql:///larder?hostaddr=10.0.0.1,10.0.0.2", "postgresql://10.0.0.1,10.0.0.2/larder"),
        ("postgresql://db/larder?options=-csearch_path%3Dnews", "postgresql://db/larder (schema news)"),
        ("postgresql://db/larder?options=-c%20search_path%3Da,b%20-cjit%3Doff", "postgresql://db/larder (schema a,b)"),
    ])
    func `the description names hosts, ports, user, database and schema`(_ url: String, _ text: String) throws {
        #expect(try #require(PostgreSQLAddress(url)).description == text)
    }
}
