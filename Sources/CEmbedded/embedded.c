// Written by scripts/embed.
#include "embedded.h"

#define FILES(array, count) *count = sizeof(array) / sizeof(array[0]); return array
#define FILE_OF(label, data) { label, data, sizeof(data) }

static const unsigned char migration_0001[] = {
#embed "../../migrations/sqlite/0001_foundation.sql"
};

static const unsigned char migration_0002[] = {
#embed "../../migrations/sqlite/0002_delta_patches.sql"
};

static const unsigned char migration_0003[] = {
#embed "../../migrations/sqlite/0003_patch_demand.sql"
};

static const unsigned char migration_0004[] = {
#embed "../../migrations/sqlite/0004_retention.sql"
};

static const unsigned char migration_0005[] = {
#embed "../../migrations/sqlite/0005_version_details.sql"
};

static const unsigned char migration_0006[] = {
#embed "../../migrations/sqlite/0006_presets.sql"
};

static const unsigned char migration_0007[] = {
#embed "../../migrations/sqlite/0007_keys.sql"
};

static const unsigned char migration_0008[] = {
#embed "../../migrations/sqlite/0008_sealed_keys.sql"
};

static const unsigned char migration_0009[] = {
#embed "../../migrations/sqlite/0009_audiences.sql"
};

static const unsigned char migration_0010[] = {
#embed "../../migrations/sqlite/0010_dialects.sql"
};

static const unsigned char migration_0011[] = {
#embed "../../migrations/sqlite/0011_resources.sql"
};

static const unsigned char migration_0012[] = {
#embed "../../migrations/sqlite/0012_page_permissions.sql"
};

static const unsigned char migration_0013[] = {
#embed "../../migrations/sqlite/0013_online_until.sql"
};

static const unsigned char migration_0014[] = {
#embed "../../migrations/sqlite/0014_devices_seen.sql"
};

static const unsigned char migration_0015[] = {
#embed "../../migrations/sqlite/0015_release_sets.sql"
};

static const unsigned char migration_0016[] = {
#embed "../../migrations/sqlite/0016_download_windows.sql"
};

static const unsigned char migration_0017[] = {
#embed "../../migrations/sqlite/0017_resource_lists.sql"
};

static const unsigned char migration_0018[] = {
#embed "../../migrations/sqlite/0018_seen_texts.sql"
};

static const unsigned char migration_0019[] = {
#embed "../../migrations/sqlite/0019_event_names.sql"
};

static const unsigned char migration_0020[] = {
#embed "../../migrations/sqlite/0020_file_names.sql"
};

static const unsigned char migration_0021[] = {
#embed "../../migrations/sqlite/0021_release_terms.sql"
};

static const unsigned char migration_0022[] = {
#embed "../../migrations/sqlite/0022_report_totals.sql"
};

static const unsigned char migration_0023[] = {
#embed "../../migrations/sqlite/0023_webhooks.sql"
};

static const unsigned char migration_0024[] = {
#embed "../../migrations/sqlite/0024_adoption.sql"
};

static const unsigned char migration_0025[] = {
#embed "../../migrations/sqlite/0025_health.sql"
};

static const unsigned char migration_0026[] = {
#embed "../../migrations/sqlite/0026_report_segments.sql"
};

static const unsigned char migration_0027[] = {
#embed "../../migrations/sqlite/0027_audit_times.sql"
};

static const unsigned char migration_0028[] = {
#embed "../../migrations/sqlite/0028_device_secret.sql"
};

static const unsigned char migration_0029[] = {
#embed "../../migrations/sqlite/0029_idempotency_keys.sql"
};

static const unsigned char migration_0030[] = {
#embed "../../migrations/sqlite/0030_health_steps.sql"
};

static const unsigned char migration_0031[] = {
#embed "../../migrations/sqlite/0031_report_ids.sql"
};

static const unsigned char migration_0032[] = {
#embed "../../migrations/sqlite/0032_audit_filters.sql"
};

static const unsigned char migration_0033[] = {
#embed "../../migrations/sqlite/0033_audit_chain.sql"
};

static const unsigned char migration_0034[] = {
#embed "../../migrations/sqlite/0034_grants.sql"
};

static const unsigned char migration_0035[] = {
#embed "../../migrations/sqlite/0035_ci_trusts.sql"
};

static const unsigned char migration_0036[] = {
#embed "../../migrations/sqlite/0036_users.sql"
};

static const unsigned char migration_0037[] = {
#embed "../../migrations/sqlite/0037_approvals.sql"
};

static const embedded_file migrations[] = {
    FILE_OF("0001_foundation.sql", migration_0001),
    FILE_OF("0002_delta_patches.sql", migration_0002),
    FILE_OF("0003_patch_demand.sql", migration_0003),
    FILE_OF("0004_retention.sql", migration_0004),
    FILE_OF("0005_version_details.sql", migration_0005),
    FILE_OF("0006_presets.sql", migration_0006),
    FILE_OF("0007_keys.sql", migration_0007),
    FILE_OF("0008_sealed_keys.sql", migration_0008),
    FILE_OF("0009_audiences.sql", migration_0009),
    FILE_OF("0010_dialects.sql", migration_0010),
    FILE_OF("0011_resources.sql", migration_0011),
    FILE_OF("0012_page_permissions.sql", migration_0012),
    FILE_OF("0013_online_until.sql", migration_0013),
    FILE_OF("0014_devices_seen.sql", migration_0014),
    FILE_OF("0015_release_sets.sql", migration_0015),
    FILE_OF("0016_download_windows.sql", migration_0016),
    FILE_OF("0017_resource_lists.sql", migration_0017),
    FILE_OF("0018_seen_texts.sql", migration_0018),
    FILE_OF("0019_event_names.sql", migration_0019),
    FILE_OF("0020_file_names.sql", migration_0020),
    FILE_OF("0021_release_terms.sql", migration_0021),
    FILE_OF("0022_report_totals.sql", migration_0022),
    FILE_OF("0023_webhooks.sql", migration_0023),
    FILE_OF("0024_adoption.sql", migration_0024),
    FILE_OF("0025_health.sql", migration_0025),
    FILE_OF("0026_report_segments.sql", migration_0026),
    FILE_OF("0027_audit_times.sql", migration_0027),
    FILE_OF("0028_device_secret.sql", migration_0028),
    FILE_OF("0029_idempotency_keys.sql", migration_0029),
    FILE_OF("0030_health_steps.sql", migration_0030),
    FILE_OF("0031_report_ids.sql", migration_0031),
    FILE_OF("0032_audit_filters.sql", migration_0032),
    FILE_OF("0033_audit_chain.sql", migration_0033),
    FILE_OF("0034_grants.sql", migration_0034),
    FILE_OF("0035_ci_trusts.sql", migration_0035),
    FILE_OF("0036_users.sql", migration_0036),
    FILE_OF("0037_approvals.sql", migration_0037),
};

static const unsigned char postgresql_migration_0001[] = {
#embed "../../migrations/postgresql/0001_foundation.sql"
};

static const unsigned char postgresql_migration_0002[] = {
#embed "../../migrations/postgresql/0002_nodes.sql"
};

static const unsigned char postgresql_migration_0003[] = {
#embed "../../migrations/postgresql/0003_report_counts.sql"
};

static const unsigned char postgresql_migration_0004[] = {
#embed "../../migrations/postgresql/0004_report_totals.sql"
};

static const unsigned char postgresql_migration_0005[] = {
#embed "../../migrations/postgresql/0005_webhooks.sql"
};

static const unsigned char postgresql_migration_0006[] = {
#embed "../../migrations/postgresql/0006_adoption.sql"
};

static const unsigned char postgresql_migration_0007[] = {
#embed "../../migrations/postgresql/0007_health.sql"
};

static const unsigned char postgresql_migration_0008[] = {
#embed "../../migrations/postgresql/0008_audit_times.sql"
};

static const unsigned char postgresql_migration_0009[] = {
#embed "../../migrations/postgresql/0009_device_secret.sql"
};

static const unsigned char postgresql_migration_0010[] = {
#embed "../../migrations/postgresql/0010_idempotency_keys.sql"
};

static const unsigned char postgresql_migration_0011[] = {
#embed "../../migrations/postgresql/0011_health_steps.sql"
};

static const unsigned char postgresql_migration_0012[] = {
#embed "../../migrations/postgresql/0012_report_ids.sql"
};

static const unsigned char postgresql_migration_0013[] = {
#embed "../../migrations/postgresql/0013_audit_filters.sql"
};

static const unsigned char postgresql_migration_0014[] = {
#embed "../../migrations/postgresql/0014_audit_chain.sql"
};

static const unsigned char postgresql_migration_0015[] = {
#embed "../../migrations/postgresql/0015_grants.sql"
};

static const unsigned char postgresql_migration_0016[] = {
#embed "../../migrations/postgresql/0016_ci_trusts.sql"
};

static const unsigned char postgresql_migration_0017[] = {
#embed "../../migrations/postgresql/0017_users.sql"
};

static const unsigned char postgresql_migration_0018[] = {
#embed "../../migrations/postgresql/0018_approvals.sql"
};

static const embedded_file postgresql_migrations[] = {
    FILE_OF("0001_foundation.sql", postgresql_migration_0001),
    FILE_OF("0002_nodes.sql", postgresql_migration_0002),
    FILE_OF("0003_report_counts.sql", postgresql_migration_0003),
    FILE_OF("0004_report_totals.sql", postgresql_migration_0004),
    FILE_OF("0005_webhooks.sql", postgresql_migration_0005),
    FILE_OF("0006_adoption.sql", postgresql_migration_0006),
    FILE_OF("0007_health.sql", postgresql_migration_0007),
    FILE_OF("0008_audit_times.sql", postgresql_migration_0008),
    FILE_OF("0009_device_secret.sql", postgresql_migration_0009),
    FILE_OF("0010_idempotency_keys.sql", postgresql_migration_0010),
    FILE_OF("0011_health_steps.sql", postgresql_migration_0011),
    FILE_OF("0012_report_ids.sql", postgresql_migration_0012),
    FILE_OF("0013_audit_filters.sql", postgresql_migration_0013),
    FILE_OF("0014_audit_chain.sql", postgresql_migration_0014),
    FILE_OF("0015_grants.sql", postgresql_migration_0015),
    FILE_OF("0016_ci_trusts.sql", postgresql_migration_0016),
    FILE_OF("0017_users.sql", postgresql_migration_0017),
    FILE_OF("0018_approvals.sql", postgresql_migration_0018),
};

static const unsigned char console_api_html[] = {
#embed "../../Public/api.html"
};

static const unsigned char console_api_js[] = {
#embed "../../Public/api.js"
};

static const unsigned char console_dialog_js[] = {
#embed "../../Public/dialog.js"
};

static const unsigned char console_dom_js[] = {
#embed "../../Public/dom.js"
};

static const unsigned char console_form_js[] = {
#embed "../../Public/form.js"
};

static const unsigned char console_format_js[] = {
#embed "../../Public/format.js"
};

static const unsigned char console_icon_svg[] = {
#embed "../../Public/icon.svg"
};

static const unsigned char console_index_html[] = {
#embed "../../Public/index.html"
};

static const unsigned char console_main_js[] = {
#embed "../../Public/main.js"
};

static const unsigned char console_package_js[] = {
#embed "../../Public/package.js"
};

static const unsigned char console_packages_js[] = {
#embed "../../Public/packages.js"
};

static const unsigned char console_pager_js[] = {
#embed "../../Public/pager.js"
};

static const unsigned char console_reference_js[] = {
#embed "../../Public/reference.js"
};

static const unsigned char console_release_actions_js[] = {
#embed "../../Public/release-actions.js"
};

static const unsigned char console_release_form_js[] = {
#embed "../../Public/release-form.js"
};

static const unsigned char console_releases_js[] = {
#embed "../../Public/releases.js"
};

static const unsigned char console_rollout_js[] = {
#embed "../../Public/rollout.js"
};

static const unsigned char console_session_js[] = {
#embed "../../Public/session.js"
};

static const unsigned char console_settings_js[] = {
#embed "../../Public/settings.js"
};

static const unsigned char console_signin_js[] = {
#embed "../../Public/signin.js"
};

static const unsigned char console_stats_js[] = {
#embed "../../Public/stats.js"
};

static const unsigned char console_style_css[] = {
#embed "../../Public/style.css"
};

static const unsigned char console_versions_js[] = {
#embed "../../Public/versions.js"
};

static const embedded_file console[] = {
    FILE_OF("api.html", console_api_html),
    FILE_OF("api.js", console_api_js),
    FILE_OF("dialog.js", console_dialog_js),
    FILE_OF("dom.js", console_dom_js),
    FILE_OF("form.js", console_form_js),
    FILE_OF("format.js", console_format_js),
    FILE_OF("icon.svg", console_icon_svg),
    FILE_OF("index.html", console_index_html),
    FILE_OF("main.js", console_main_js),
    FILE_OF("package.js", console_package_js),
    FILE_OF("packages.js", console_packages_js),
    FILE_OF("pager.js", console_pager_js),
    FILE_OF("reference.js", console_reference_js),
    FILE_OF("release-actions.js", console_release_actions_js),
    FILE_OF("release-form.js", console_release_form_js),
    FILE_OF("releases.js", console_releases_js),
    FILE_OF("rollout.js", console_rollout_js),
    FILE_OF("session.js", console_session_js),
    FILE_OF("settings.js", console_settings_js),
    FILE_OF("signin.js", console_signin_js),
    FILE_OF("stats.js", console_stats_js),
    FILE_OF("style.css", console_style_css),
    FILE_OF("versions.js", console_versions_js),
};

const embedded_file *embedded_migrations(size_t *count) { FILES(migrations, count); }
const embedded_file *embedded_postgresql_migrations(size_t *count) { FILES(postgresql_migrations, count); }
const embedded_file *embedded_console(size_t *count) { FILES(console, count); }
