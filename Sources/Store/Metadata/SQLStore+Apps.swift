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

    package func channels(of app: AppID) throws(PlatformError) -> [Channel] {
        try transaction { try $0.channels(where: "app = \(app)") }
    }

    package func channel(_ name: ChannelName, of app: AppID) throws(PlatformError) -> Channel? {
        try transaction { try $0.channels(where: "app = \(app) AND name = \(name)").first }
    }

    package func putChannel(
        _ channel: Channel, of app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            try database.requireApp(app)
            let name = channel.name
            let former = try database.channels(where: "app = \(app) AND name = \(name)").first
            guard former != channel else { return false }
            try database.execute(
                """
                INSERT INTO channels (app, name, approvals) VALUES (\(app), \(name), \(channel.approvals))
                ON CONFLICT (app, name) DO UPDATE SET approvals = excluded.approvals
                """)
            try database.drawConfigVersion(of: app, at: audit.time)
            try database.append(audit)
            return former == nil
        }
    }

    package func removeChannel(
        _ channel: ChannelName, of app: AppID, audit: AuditEntry
    ) throws(PlatformError) -> Bool {
        try transaction { database in
            let isOn: SQL = "app = \(app) AND channel = \(channel)"
            let known: Int? = try database.value("SELECT 1 FROM channels WHERE app = \(app) AND name = \(channel)")
            guard known != nil else { return false }
            let releases: Int = try database.value("SELECT count(*) FROM releases WHERE \(isOn)") ?? 0
            guard releases == 0 else {
                throw PlatformError(
                    .conflict,
                    "The channel '\(channel)' has releases or had some, \(releases) in all, which the server keeps. Only a "
                        + "channel without releases can be deleted.")
            }
            let devices: Int =
                try database.value(
                    """
                    SELECT count(*) FROM seen_devices WHERE place IN (SELECT number FROM seen_places WHERE \(isOn))
                    """) ?? 0
            guard devices == 0 else {
                throw PlatformError(
                    .conflict,
                    "The channel '\(channel)' is in use: \(devices) devices are recorded as seen on it. Let them use another channel; "
                        + "their records end within 30 days, then the channel can be deleted.")
            }
            let pending: ApprovalID? = try database.value(
                "SELECT id FROM approvals WHERE \(isOn) AND state = 'pending' ORDER BY id LIMIT 1")
            if let pending {
                throw PlatformError(
                    .conflict,
                    "Approval \(pending) on the channel '\(channel)' is pending. Reject or withdraw it first.")
            }
            try database.releaseChannel(channel, of: app, at: audit.time)
            for table: SQL in ["seen_places", "events", "approvals"] {
                try database.execute("DELETE FROM \(table) WHERE \(isOn)")
            }
            try database.execute("DELETE FROM channels WHERE app = \(app) AND name = \(channel)")
            try database.change(app, at: audit.time, audit: audit)
            return true
        }
    }

    package func drawConfigVersion(of app: AppID, at now: Timestamp) throws(PlatformError) {
        try transaction { try $0.drawConfigVersion(of: app, at: now) }
    }
}

extension Database {
    /// Throws `conflict` if valid tokens, users, sign-in providers or CI trusts are for a channel; other tokens of the channel are revoked, and
    /// forget it.
    fileprivate func releaseChannel(_ channel: ChannelName, of app: AppID, at now: Timestamp) throws {
        let isOn: SQL = "app = \(app) AND channel = \(channel)"
        let token: Int64? = try value(
            """
            SELECT id FROM tokens
            WHERE \(isOn) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > \(now)) ORDER BY id LIMIT 1
            """)
        if let token {
            throw PlatformError(
                .conflict, "Token #\(token) is for the channel '\(channel)'. Revoke the tokens of the channel first.")
        }
        let trust: String? = try value("SELECT name FROM ci_trusts WHERE \(isOn) ORDER BY name LIMIT 1")
        if let trust {
            throw PlatformError(
                .conflict,
                "The CI trust '\(trust)' is for the channel '\(channel)'. Delete the trusts of the channel first.")
        }
        let provider: String? = try value("SELECT provider FROM sign_in_grants WHERE \(isOn) ORDER BY provider LIMIT 1")
        if let provider {
            throw PlatformError(
                .conflict,
                "The sign-in provider '\(provider)' has a grant for the channel '\(channel)'. Change its groups first.")
        }
        let user: String? = try value(
            "SELECT name FROM users WHERE id IN (SELECT user_id FROM user_grants WHERE \(isOn)) ORDER BY name LIMIT 1")
        if let user {
            throw PlatformError(
                .conflict,
                "The user '\(user)' has a grant for the channel '\(channel)'. Change the grants of its users first.")
        }
        // Without the revocation, a later expiry would make them valid for the whole app.
        try execute(
            """
            UPDATE tokens SET channel = NULL, revoked_at = coalesce(revoked_at, \(now)), revision = revision + 1
            WHERE \(isOn)
            """)
    }

    fileprivate func channels(where condition: SQL) throws -> [Channel] {
        try rows("SELECT name, approvals FROM channels WHERE \(condition) ORDER BY name") { row in
            Channel(name: try row[0], approvals: try row[1])
        }
    }

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
