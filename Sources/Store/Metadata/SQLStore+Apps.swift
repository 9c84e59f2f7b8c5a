package import Domain
package import Ground

extension SQLStore {
    package func apps() throws(PlatformError) -> [AppID] {
        try transaction { try $0.values("SELECT id FROM apps ORDER BY id") }
    }

    package func createApp(
        _ app: AppID, keys: [AppKey], audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            let made = try database.execute(
                """
                INSERT INTO apps (id, config_version) VALUES (\(app), \(max(1, audit.time.milliseconds)))
                ON CONFLICT DO NOTHING \(database.announcement)
                """)
            guard made == 1 else { return false }
            try database.execute("INSERT INTO channels (app, name) VALUES (\(app), \(ChannelName.production))")
            for key in keys { try database.insert(key, by: sealer) }
            try database.append(audit)
            return true
        }
    }

    package func channels(of app: AppID) throws(PlatformError) -> [ChannelName] {
        try transaction { try $0.values("SELECT name FROM channels WHERE app = \(app) ORDER BY name") }
    }

    package func declareChannel(
        _ channel: ChannelName, of app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            try database.requireApp(app)
            let made = try database.execute(
                "INSERT INTO channels (app, name) VALUES (\(app), \(channel)) ON CONFLICT DO NOTHING")
            guard made == 1 else { return false }
            try database.drawConfigVersion(of: app, at: audit.time)
            try database.append(audit)
            return true
        }
    }

    package func drawConfigVersion(of app: AppID, at now: Timestamp) throws(PlatformError) {
        try transaction { try $0.drawConfigVersion(of: app, at: now) }
    }
}

extension Database {
    /// Throws `appNotFound` if there is no such app.
    func requireApp(_ app: AppID) throws {
        let found: Int? = try value("SELECT 1 FROM apps WHERE id = \(app)")
        guard found != nil else { throw PlatformError(.appNotFound, "There is no app \(app).") }
    }

    /// Draws the app's next config version; throws `appNotFound` if there is no such app.
    func drawConfigVersion(of app: AppID, at now: Timestamp) throws {
        let next = dialect.greater("config_version + 1", "\(now)")
        let drawn = try execute("UPDATE apps SET config_version = \(next) WHERE id = \(app) \(announcement)")
        guard drawn == 1 else { throw PlatformError(.appNotFound, "There is no app \(app).") }
    }
}
