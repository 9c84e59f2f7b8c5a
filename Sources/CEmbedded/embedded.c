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

static const unsigned char migration_0038[] = {
#embed "../../migrations/sqlite/0038_sign_in_providers.sql"
};

static const unsigned char migration_0039[] = {
#embed "../../migrations/sqlite/0039_command_line.sql"
};

static const unsigned char migration_0040[] = {
#embed "../../migrations/sqlite/0040_versions_by_name.sql"
};

static const unsigned char migration_0041[] = {
#embed "../../migrations/sqlite/0041_history_of_terms.sql"
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
    FILE_OF("0038_sign_in_providers.sql", migration_0038),
    FILE_OF("0039_command_line.sql", migration_0039),
    FILE_OF("0040_versions_by_name.sql", migration_0040),
    FILE_OF("0041_history_of_terms.sql", migration_0041),
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

static const unsigned char postgresql_migration_0019[] = {
#embed "../../migrations/postgresql/0019_sign_in_providers.sql"
};

static const unsigned char postgresql_migration_0020[] = {
#embed "../../migrations/postgresql/0020_command_line.sql"
};

static const unsigned char postgresql_migration_0021[] = {
#embed "../../migrations/postgresql/0021_versions_by_name.sql"
};

static const unsigned char postgresql_migration_0022[] = {
#embed "../../migrations/postgresql/0022_history_of_terms.sql"
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
    FILE_OF("0019_sign_in_providers.sql", postgresql_migration_0019),
    FILE_OF("0020_command_line.sql", postgresql_migration_0020),
    FILE_OF("0021_versions_by_name.sql", postgresql_migration_0021),
    FILE_OF("0022_history_of_terms.sql", postgresql_migration_0022),
};

static const unsigned char console_api_html[] = {
#embed "../../Public/api.html"
};

static const unsigned char console_api_client_js[] = {
#embed "../../Public/api/client.js"
};

static const unsigned char console_api_flight_js[] = {
#embed "../../Public/api/flight.js"
};

static const unsigned char console_api_session_js[] = {
#embed "../../Public/api/session.js"
};

static const unsigned char console_api_stream_js[] = {
#embed "../../Public/api/stream.js"
};

static const unsigned char console_charts_css[] = {
#embed "../../Public/charts.css"
};

static const unsigned char console_charts_bands_js[] = {
#embed "../../Public/charts/bands.js"
};

static const unsigned char console_charts_chart_js[] = {
#embed "../../Public/charts/chart.js"
};

static const unsigned char console_charts_cursor_js[] = {
#embed "../../Public/charts/cursor.js"
};

static const unsigned char console_charts_index_js[] = {
#embed "../../Public/charts/index.js"
};

static const unsigned char console_charts_lines_js[] = {
#embed "../../Public/charts/lines.js"
};

static const unsigned char console_charts_marks_js[] = {
#embed "../../Public/charts/marks.js"
};

static const unsigned char console_charts_model_js[] = {
#embed "../../Public/charts/model.js"
};

static const unsigned char console_charts_notes_js[] = {
#embed "../../Public/charts/notes.js"
};

static const unsigned char console_charts_place_js[] = {
#embed "../../Public/charts/place.js"
};

static const unsigned char console_charts_plot_js[] = {
#embed "../../Public/charts/plot.js"
};

static const unsigned char console_charts_scale_js[] = {
#embed "../../Public/charts/scale.js"
};

static const unsigned char console_charts_shape_js[] = {
#embed "../../Public/charts/shape.js"
};

static const unsigned char console_charts_stacks_js[] = {
#embed "../../Public/charts/stacks.js"
};

static const unsigned char console_charts_table_js[] = {
#embed "../../Public/charts/table.js"
};

static const unsigned char console_charts_time_js[] = {
#embed "../../Public/charts/time.js"
};

static const unsigned char console_charts_types_js[] = {
#embed "../../Public/charts/types.js"
};

static const unsigned char console_elements_alias_js[] = {
#embed "../../Public/elements/alias.js"
};

static const unsigned char console_elements_basics_js[] = {
#embed "../../Public/elements/basics.js"
};

static const unsigned char console_elements_chips_js[] = {
#embed "../../Public/elements/chips.js"
};

static const unsigned char console_elements_choose_preferences_js[] = {
#embed "../../Public/elements/choose-preferences.js"
};

static const unsigned char console_elements_copy_js[] = {
#embed "../../Public/elements/copy.js"
};

static const unsigned char console_elements_dialog_js[] = {
#embed "../../Public/elements/dialog.js"
};

static const unsigned char console_elements_dom_js[] = {
#embed "../../Public/elements/dom.js"
};

static const unsigned char console_elements_durations_js[] = {
#embed "../../Public/elements/durations.js"
};

static const unsigned char console_elements_facts_js[] = {
#embed "../../Public/elements/facts.js"
};

static const unsigned char console_elements_fields_js[] = {
#embed "../../Public/elements/fields.js"
};

static const unsigned char console_elements_flight_list_js[] = {
#embed "../../Public/elements/flight-list.js"
};

static const unsigned char console_elements_form_js[] = {
#embed "../../Public/elements/form.js"
};

static const unsigned char console_elements_frame_menus_js[] = {
#embed "../../Public/elements/frame-menus.js"
};

static const unsigned char console_elements_frame_js[] = {
#embed "../../Public/elements/frame.js"
};

static const unsigned char console_elements_icons_js[] = {
#embed "../../Public/elements/icons.js"
};

static const unsigned char console_elements_index_js[] = {
#embed "../../Public/elements/index.js"
};

static const unsigned char console_elements_inputs_js[] = {
#embed "../../Public/elements/inputs.js"
};

static const unsigned char console_elements_keys_js[] = {
#embed "../../Public/elements/keys.js"
};

static const unsigned char console_elements_later_js[] = {
#embed "../../Public/elements/later.js"
};

static const unsigned char console_elements_live_js[] = {
#embed "../../Public/elements/live.js"
};

static const unsigned char console_elements_menu_popup_js[] = {
#embed "../../Public/elements/menu-popup.js"
};

static const unsigned char console_elements_menu_js[] = {
#embed "../../Public/elements/menu.js"
};

static const unsigned char console_elements_moments_js[] = {
#embed "../../Public/elements/moments.js"
};

static const unsigned char console_elements_palette_js[] = {
#embed "../../Public/elements/palette.js"
};

static const unsigned char console_elements_palette_items_js[] = {
#embed "../../Public/elements/palette/items.js"
};

static const unsigned char console_elements_panel_js[] = {
#embed "../../Public/elements/panel.js"
};

static const unsigned char console_elements_preferences_js[] = {
#embed "../../Public/elements/preferences.js"
};

static const unsigned char console_elements_progress_js[] = {
#embed "../../Public/elements/progress.js"
};

static const unsigned char console_elements_role_wall_js[] = {
#embed "../../Public/elements/role-wall.js"
};

static const unsigned char console_elements_segmented_js[] = {
#embed "../../Public/elements/segmented.js"
};

static const unsigned char console_elements_shortcuts_js[] = {
#embed "../../Public/elements/shortcuts.js"
};

static const unsigned char console_elements_slider_js[] = {
#embed "../../Public/elements/slider.js"
};

static const unsigned char console_elements_state_badge_js[] = {
#embed "../../Public/elements/state-badge.js"
};

static const unsigned char console_elements_stylesheet_js[] = {
#embed "../../Public/elements/stylesheet.js"
};

static const unsigned char console_elements_table_js[] = {
#embed "../../Public/elements/table.js"
};

static const unsigned char console_elements_tabs_js[] = {
#embed "../../Public/elements/tabs.js"
};

static const unsigned char console_elements_time_js[] = {
#embed "../../Public/elements/time.js"
};

static const unsigned char console_elements_timeline_js[] = {
#embed "../../Public/elements/timeline.js"
};

static const unsigned char console_elements_toast_area_js[] = {
#embed "../../Public/elements/toast-area.js"
};

static const unsigned char console_elements_toast_js[] = {
#embed "../../Public/elements/toast.js"
};

static const unsigned char console_elements_tree_js[] = {
#embed "../../Public/elements/tree.js"
};

static const unsigned char console_elements_visible_js[] = {
#embed "../../Public/elements/visible.js"
};

static const unsigned char console_i18n_en_json[] = {
#embed "../../Public/i18n/en.json"
};

static const unsigned char console_i18n_index_js[] = {
#embed "../../Public/i18n/index.js"
};

static const unsigned char console_i18n_sizes_js[] = {
#embed "../../Public/i18n/sizes.js"
};

static const unsigned char console_i18n_times_js[] = {
#embed "../../Public/i18n/times.js"
};

static const unsigned char console_i18n_zh_Hans_json[] = {
#embed "../../Public/i18n/zh-Hans.json"
};

static const unsigned char console_icon_svg[] = {
#embed "../../Public/icon.svg"
};

static const unsigned char console_icons_svg[] = {
#embed "../../Public/icons.svg"
};

static const unsigned char console_index_html[] = {
#embed "../../Public/index.html"
};

static const unsigned char console_main_js[] = {
#embed "../../Public/main.js"
};

static const unsigned char console_overlays_css[] = {
#embed "../../Public/overlays.css"
};

static const unsigned char console_pages_approval_js[] = {
#embed "../../Public/pages/approval.js"
};

static const unsigned char console_pages_approval_text_js[] = {
#embed "../../Public/pages/approval/text.js"
};

static const unsigned char console_pages_approvals_js[] = {
#embed "../../Public/pages/approvals.js"
};

static const unsigned char console_pages_audit_js[] = {
#embed "../../Public/pages/audit.js"
};

static const unsigned char console_pages_audit_changes_js[] = {
#embed "../../Public/pages/audit/changes.js"
};

static const unsigned char console_pages_command_line_js[] = {
#embed "../../Public/pages/command-line.js"
};

static const unsigned char console_pages_device_js[] = {
#embed "../../Public/pages/device.js"
};

static const unsigned char console_pages_devices_js[] = {
#embed "../../Public/pages/devices.js"
};

static const unsigned char console_pages_devices_erase_js[] = {
#embed "../../Public/pages/devices/erase.js"
};

static const unsigned char console_pages_devices_explanation_js[] = {
#embed "../../Public/pages/devices/explanation.js"
};

static const unsigned char console_pages_devices_recent_js[] = {
#embed "../../Public/pages/devices/recent.js"
};

static const unsigned char console_pages_first_run_js[] = {
#embed "../../Public/pages/first-run.js"
};

static const unsigned char console_pages_first_run_sample_js[] = {
#embed "../../Public/pages/first-run/sample.js"
};

static const unsigned char console_pages_gate_js[] = {
#embed "../../Public/pages/gate.js"
};

static const unsigned char console_pages_index_js[] = {
#embed "../../Public/pages/index.js"
};

static const unsigned char console_pages_leave_js[] = {
#embed "../../Public/pages/leave.js"
};

static const unsigned char console_pages_not_found_js[] = {
#embed "../../Public/pages/not-found.js"
};

static const unsigned char console_pages_overview_js[] = {
#embed "../../Public/pages/overview.js"
};

static const unsigned char console_pages_overview_approval_js[] = {
#embed "../../Public/pages/overview/approval.js"
};

static const unsigned char console_pages_overview_history_js[] = {
#embed "../../Public/pages/overview/history.js"
};

static const unsigned char console_pages_overview_needs_js[] = {
#embed "../../Public/pages/overview/needs.js"
};

static const unsigned char console_pages_overview_numbers_js[] = {
#embed "../../Public/pages/overview/numbers.js"
};

static const unsigned char console_pages_package_js[] = {
#embed "../../Public/pages/package.js"
};

static const unsigned char console_pages_package_emergency_dialogs_js[] = {
#embed "../../Public/pages/package/emergency-dialogs.js"
};

static const unsigned char console_pages_package_emergency_js[] = {
#embed "../../Public/pages/package/emergency.js"
};

static const unsigned char console_pages_package_lanes_js[] = {
#embed "../../Public/pages/package/lanes.js"
};

static const unsigned char console_pages_package_members_js[] = {
#embed "../../Public/pages/package/members.js"
};

static const unsigned char console_pages_package_overview_js[] = {
#embed "../../Public/pages/package/overview.js"
};

static const unsigned char console_pages_package_releases_js[] = {
#embed "../../Public/pages/package/releases.js"
};

static const unsigned char console_pages_package_reports_js[] = {
#embed "../../Public/pages/package/reports.js"
};

static const unsigned char console_pages_package_settings_js[] = {
#embed "../../Public/pages/package/settings.js"
};

static const unsigned char console_pages_package_shares_chart_js[] = {
#embed "../../Public/pages/package/shares-chart.js"
};

static const unsigned char console_pages_package_version_table_js[] = {
#embed "../../Public/pages/package/version-table.js"
};

static const unsigned char console_pages_package_versions_js[] = {
#embed "../../Public/pages/package/versions.js"
};

static const unsigned char console_pages_package_waivers_js[] = {
#embed "../../Public/pages/package/waivers.js"
};

static const unsigned char console_pages_packages_js[] = {
#embed "../../Public/pages/packages.js"
};

static const unsigned char console_pages_packages_new_package_js[] = {
#embed "../../Public/pages/packages/new-package.js"
};

static const unsigned char console_pages_parts_actor_js[] = {
#embed "../../Public/pages/parts/actor.js"
};

static const unsigned char console_pages_parts_certificate_js[] = {
#embed "../../Public/pages/parts/certificate.js"
};

static const unsigned char console_pages_parts_events_js[] = {
#embed "../../Public/pages/parts/events.js"
};

static const unsigned char console_pages_parts_failures_js[] = {
#embed "../../Public/pages/parts/failures.js"
};

static const unsigned char console_pages_parts_fetched_js[] = {
#embed "../../Public/pages/parts/fetched.js"
};

static const unsigned char console_pages_parts_findings_js[] = {
#embed "../../Public/pages/parts/findings.js"
};

static const unsigned char console_pages_parts_flight_tables_js[] = {
#embed "../../Public/pages/parts/flight-tables.js"
};

static const unsigned char console_pages_parts_history_js[] = {
#embed "../../Public/pages/parts/history.js"
};

static const unsigned char console_pages_parts_lazy_js[] = {
#embed "../../Public/pages/parts/lazy.js"
};

static const unsigned char console_pages_parts_package_badges_js[] = {
#embed "../../Public/pages/parts/package-badges.js"
};

static const unsigned char console_pages_parts_paged_js[] = {
#embed "../../Public/pages/parts/paged.js"
};

static const unsigned char console_pages_parts_refusal_js[] = {
#embed "../../Public/pages/parts/refusal.js"
};

static const unsigned char console_pages_parts_release_basics_js[] = {
#embed "../../Public/pages/parts/release-basics.js"
};

static const unsigned char console_pages_parts_release_cells_js[] = {
#embed "../../Public/pages/parts/release-cells.js"
};

static const unsigned char console_pages_parts_release_names_js[] = {
#embed "../../Public/pages/parts/release-names.js"
};

static const unsigned char console_pages_parts_release_table_js[] = {
#embed "../../Public/pages/parts/release-table.js"
};

static const unsigned char console_pages_parts_shared_js[] = {
#embed "../../Public/pages/parts/shared.js"
};

static const unsigned char console_pages_parts_waive_js[] = {
#embed "../../Public/pages/parts/waive.js"
};

static const unsigned char console_pages_parts_when_js[] = {
#embed "../../Public/pages/parts/when.js"
};

static const unsigned char console_pages_preset_js[] = {
#embed "../../Public/pages/preset.js"
};

static const unsigned char console_pages_presets_js[] = {
#embed "../../Public/pages/presets.js"
};

static const unsigned char console_pages_reference_js[] = {
#embed "../../Public/pages/reference.js"
};

static const unsigned char console_pages_reference_shape_js[] = {
#embed "../../Public/pages/reference/shape.js"
};

static const unsigned char console_pages_release_actions_js[] = {
#embed "../../Public/pages/release-actions.js"
};

static const unsigned char console_pages_release_set_js[] = {
#embed "../../Public/pages/release-set.js"
};

static const unsigned char console_pages_release_js[] = {
#embed "../../Public/pages/release.js"
};

static const unsigned char console_pages_release_approval_part_js[] = {
#embed "../../Public/pages/release/approval-part.js"
};

static const unsigned char console_pages_release_audience_text_js[] = {
#embed "../../Public/pages/release/audience-text.js"
};

static const unsigned char console_pages_release_charts_js[] = {
#embed "../../Public/pages/release/charts.js"
};

static const unsigned char console_pages_release_common_js[] = {
#embed "../../Public/pages/release/common.js"
};

static const unsigned char console_pages_release_consequences_js[] = {
#embed "../../Public/pages/release/consequences.js"
};

static const unsigned char console_pages_release_devices_js[] = {
#embed "../../Public/pages/release/devices.js"
};

static const unsigned char console_pages_release_downloads_js[] = {
#embed "../../Public/pages/release/downloads.js"
};

static const unsigned char console_pages_release_drawings_js[] = {
#embed "../../Public/pages/release/drawings.js"
};

static const unsigned char console_pages_release_durations_js[] = {
#embed "../../Public/pages/release/durations.js"
};

static const unsigned char console_pages_release_edit_health_js[] = {
#embed "../../Public/pages/release/edit-health.js"
};

static const unsigned char console_pages_release_failures_js[] = {
#embed "../../Public/pages/release/failures.js"
};

static const unsigned char console_pages_release_funnel_js[] = {
#embed "../../Public/pages/release/funnel.js"
};

static const unsigned char console_pages_release_health_editor_js[] = {
#embed "../../Public/pages/release/health-editor.js"
};

static const unsigned char console_pages_release_health_js[] = {
#embed "../../Public/pages/release/health.js"
};

static const unsigned char console_pages_release_history_panel_js[] = {
#embed "../../Public/pages/release/history-panel.js"
};

static const unsigned char console_pages_release_history_js[] = {
#embed "../../Public/pages/release/history.js"
};

static const unsigned char console_pages_release_limit_text_js[] = {
#embed "../../Public/pages/release/limit-text.js"
};

static const unsigned char console_pages_release_losses_js[] = {
#embed "../../Public/pages/release/losses.js"
};

static const unsigned char console_pages_release_outdated_js[] = {
#embed "../../Public/pages/release/outdated.js"
};

static const unsigned char console_pages_release_perform_js[] = {
#embed "../../Public/pages/release/perform.js"
};

static const unsigned char console_pages_release_plan_text_js[] = {
#embed "../../Public/pages/release/plan-text.js"
};

static const unsigned char console_pages_release_plan_js[] = {
#embed "../../Public/pages/release/plan.js"
};

static const unsigned char console_pages_release_readiness_js[] = {
#embed "../../Public/pages/release/readiness.js"
};

static const unsigned char console_pages_release_rollback_text_js[] = {
#embed "../../Public/pages/release/rollback-text.js"
};

static const unsigned char console_pages_release_series_js[] = {
#embed "../../Public/pages/release/series.js"
};

static const unsigned char console_pages_release_set_terms_js[] = {
#embed "../../Public/pages/release/set-terms.js"
};

static const unsigned char console_pages_release_signals_js[] = {
#embed "../../Public/pages/release/signals.js"
};

static const unsigned char console_pages_release_statistics_js[] = {
#embed "../../Public/pages/release/statistics.js"
};

static const unsigned char console_pages_release_store_js[] = {
#embed "../../Public/pages/release/store.js"
};

static const unsigned char console_pages_release_subject_js[] = {
#embed "../../Public/pages/release/subject.js"
};

static const unsigned char console_pages_release_terms_js[] = {
#embed "../../Public/pages/release/terms.js"
};

static const unsigned char console_pages_release_text_js[] = {
#embed "../../Public/pages/release/text.js"
};

static const unsigned char console_pages_release_verdict_js[] = {
#embed "../../Public/pages/release/verdict.js"
};

static const unsigned char console_pages_release_ways_js[] = {
#embed "../../Public/pages/release/ways.js"
};

static const unsigned char console_pages_releases_js[] = {
#embed "../../Public/pages/releases.js"
};

static const unsigned char console_pages_reports_js[] = {
#embed "../../Public/pages/reports.js"
};

static const unsigned char console_pages_reports_adoption_js[] = {
#embed "../../Public/pages/reports/adoption.js"
};

static const unsigned char console_pages_reports_charts_js[] = {
#embed "../../Public/pages/reports/charts.js"
};

static const unsigned char console_pages_reports_data_js[] = {
#embed "../../Public/pages/reports/data.js"
};

static const unsigned char console_pages_reports_export_js[] = {
#embed "../../Public/pages/reports/export.js"
};

static const unsigned char console_pages_reports_reading_js[] = {
#embed "../../Public/pages/reports/reading.js"
};

static const unsigned char console_pages_reports_tables_js[] = {
#embed "../../Public/pages/reports/tables.js"
};

static const unsigned char console_pages_settings_js[] = {
#embed "../../Public/pages/settings.js"
};

static const unsigned char console_pages_settings_account_js[] = {
#embed "../../Public/pages/settings/account.js"
};

static const unsigned char console_pages_settings_channels_js[] = {
#embed "../../Public/pages/settings/channels.js"
};

static const unsigned char console_pages_settings_device_lists_js[] = {
#embed "../../Public/pages/settings/device-lists.js"
};

static const unsigned char console_pages_settings_dialects_js[] = {
#embed "../../Public/pages/settings/dialects.js"
};

static const unsigned char console_pages_settings_health_js[] = {
#embed "../../Public/pages/settings/health.js"
};

static const unsigned char console_pages_settings_keys_js[] = {
#embed "../../Public/pages/settings/keys.js"
};

static const unsigned char console_pages_settings_member_actions_js[] = {
#embed "../../Public/pages/settings/member-actions.js"
};

static const unsigned char console_pages_settings_members_js[] = {
#embed "../../Public/pages/settings/members.js"
};

static const unsigned char console_pages_settings_page_grants_js[] = {
#embed "../../Public/pages/settings/page-grants.js"
};

static const unsigned char console_pages_settings_parts_js[] = {
#embed "../../Public/pages/settings/parts.js"
};

static const unsigned char console_pages_settings_providers_js[] = {
#embed "../../Public/pages/settings/providers.js"
};

static const unsigned char console_pages_settings_qr_code_js[] = {
#embed "../../Public/pages/settings/qr-code.js"
};

static const unsigned char console_pages_settings_second_factor_js[] = {
#embed "../../Public/pages/settings/second-factor.js"
};

static const unsigned char console_pages_settings_sessions_js[] = {
#embed "../../Public/pages/settings/sessions.js"
};

static const unsigned char console_pages_settings_system_js[] = {
#embed "../../Public/pages/settings/system.js"
};

static const unsigned char console_pages_settings_tokens_js[] = {
#embed "../../Public/pages/settings/tokens.js"
};

static const unsigned char console_pages_settings_trusts_js[] = {
#embed "../../Public/pages/settings/trusts.js"
};

static const unsigned char console_pages_settings_webhook_js[] = {
#embed "../../Public/pages/settings/webhook.js"
};

static const unsigned char console_pages_settings_webhooks_js[] = {
#embed "../../Public/pages/settings/webhooks.js"
};

static const unsigned char console_pages_sign_in_js[] = {
#embed "../../Public/pages/sign-in.js"
};

static const unsigned char console_pages_upload_js[] = {
#embed "../../Public/pages/upload.js"
};

static const unsigned char console_pages_upload_details_js[] = {
#embed "../../Public/pages/upload/details.js"
};

static const unsigned char console_pages_upload_findings_js[] = {
#embed "../../Public/pages/upload/findings.js"
};

static const unsigned char console_pages_upload_manager_js[] = {
#embed "../../Public/pages/upload/manager.js"
};

static const unsigned char console_pages_upload_page_js[] = {
#embed "../../Public/pages/upload/page.js"
};

static const unsigned char console_pages_upload_row_js[] = {
#embed "../../Public/pages/upload/row.js"
};

static const unsigned char console_pages_upload_sources_js[] = {
#embed "../../Public/pages/upload/sources.js"
};

static const unsigned char console_pages_upload_store_js[] = {
#embed "../../Public/pages/upload/store.js"
};

static const unsigned char console_pages_upload_transfer_js[] = {
#embed "../../Public/pages/upload/transfer.js"
};

static const unsigned char console_pages_upload_zip_js[] = {
#embed "../../Public/pages/upload/zip.js"
};

static const unsigned char console_pages_version_js[] = {
#embed "../../Public/pages/version.js"
};

static const unsigned char console_pages_version_actions_js[] = {
#embed "../../Public/pages/version/actions.js"
};

static const unsigned char console_pages_version_archives_js[] = {
#embed "../../Public/pages/version/archives.js"
};

static const unsigned char console_pages_version_changes_js[] = {
#embed "../../Public/pages/version/changes.js"
};

static const unsigned char console_pages_version_files_js[] = {
#embed "../../Public/pages/version/files.js"
};

static const unsigned char console_pages_version_lint_js[] = {
#embed "../../Public/pages/version/lint.js"
};

static const unsigned char console_pages_version_waived_js[] = {
#embed "../../Public/pages/version/waived.js"
};

static const unsigned char console_pages_wizard_js[] = {
#embed "../../Public/pages/wizard.js"
};

static const unsigned char console_pages_wizard_add_step_js[] = {
#embed "../../Public/pages/wizard/add-step.js"
};

static const unsigned char console_pages_wizard_audience_js[] = {
#embed "../../Public/pages/wizard/audience.js"
};

static const unsigned char console_pages_wizard_checks_js[] = {
#embed "../../Public/pages/wizard/checks.js"
};

static const unsigned char console_pages_wizard_draft_review_js[] = {
#embed "../../Public/pages/wizard/draft-review.js"
};

static const unsigned char console_pages_wizard_draft_js[] = {
#embed "../../Public/pages/wizard/draft.js"
};

static const unsigned char console_pages_wizard_estimate_js[] = {
#embed "../../Public/pages/wizard/estimate.js"
};

static const unsigned char console_pages_wizard_health_js[] = {
#embed "../../Public/pages/wizard/health.js"
};

static const unsigned char console_pages_wizard_left_out_js[] = {
#embed "../../Public/pages/wizard/left-out.js"
};

static const unsigned char console_pages_wizard_limits_js[] = {
#embed "../../Public/pages/wizard/limits.js"
};

static const unsigned char console_pages_wizard_package_picker_js[] = {
#embed "../../Public/pages/wizard/package-picker.js"
};

static const unsigned char console_pages_wizard_plan_editor_js[] = {
#embed "../../Public/pages/wizard/plan-editor.js"
};

static const unsigned char console_pages_wizard_review_js[] = {
#embed "../../Public/pages/wizard/review.js"
};

static const unsigned char console_pages_wizard_rules_editor_js[] = {
#embed "../../Public/pages/wizard/rules-editor.js"
};

static const unsigned char console_pages_wizard_same_audience_js[] = {
#embed "../../Public/pages/wizard/same-audience.js"
};

static const unsigned char console_pages_wizard_start_js[] = {
#embed "../../Public/pages/wizard/start.js"
};

static const unsigned char console_pages_wizard_state_js[] = {
#embed "../../Public/pages/wizard/state.js"
};

static const unsigned char console_pages_wizard_words_js[] = {
#embed "../../Public/pages/wizard/words.js"
};

static const unsigned char console_reference_css[] = {
#embed "../../Public/reference.css"
};

static const unsigned char console_releases_css[] = {
#embed "../../Public/releases.css"
};

static const unsigned char console_style_css[] = {
#embed "../../Public/style.css"
};

static const unsigned char console_types_js[] = {
#embed "../../Public/types.js"
};

static const embedded_file console[] = {
    FILE_OF("api.html", console_api_html),
    FILE_OF("api/client.js", console_api_client_js),
    FILE_OF("api/flight.js", console_api_flight_js),
    FILE_OF("api/session.js", console_api_session_js),
    FILE_OF("api/stream.js", console_api_stream_js),
    FILE_OF("charts.css", console_charts_css),
    FILE_OF("charts/bands.js", console_charts_bands_js),
    FILE_OF("charts/chart.js", console_charts_chart_js),
    FILE_OF("charts/cursor.js", console_charts_cursor_js),
    FILE_OF("charts/index.js", console_charts_index_js),
    FILE_OF("charts/lines.js", console_charts_lines_js),
    FILE_OF("charts/marks.js", console_charts_marks_js),
    FILE_OF("charts/model.js", console_charts_model_js),
    FILE_OF("charts/notes.js", console_charts_notes_js),
    FILE_OF("charts/place.js", console_charts_place_js),
    FILE_OF("charts/plot.js", console_charts_plot_js),
    FILE_OF("charts/scale.js", console_charts_scale_js),
    FILE_OF("charts/shape.js", console_charts_shape_js),
    FILE_OF("charts/stacks.js", console_charts_stacks_js),
    FILE_OF("charts/table.js", console_charts_table_js),
    FILE_OF("charts/time.js", console_charts_time_js),
    FILE_OF("charts/types.js", console_charts_types_js),
    FILE_OF("elements/alias.js", console_elements_alias_js),
    FILE_OF("elements/basics.js", console_elements_basics_js),
    FILE_OF("elements/chips.js", console_elements_chips_js),
    FILE_OF("elements/choose-preferences.js", console_elements_choose_preferences_js),
    FILE_OF("elements/copy.js", console_elements_copy_js),
    FILE_OF("elements/dialog.js", console_elements_dialog_js),
    FILE_OF("elements/dom.js", console_elements_dom_js),
    FILE_OF("elements/durations.js", console_elements_durations_js),
    FILE_OF("elements/facts.js", console_elements_facts_js),
    FILE_OF("elements/fields.js", console_elements_fields_js),
    FILE_OF("elements/flight-list.js", console_elements_flight_list_js),
    FILE_OF("elements/form.js", console_elements_form_js),
    FILE_OF("elements/frame-menus.js", console_elements_frame_menus_js),
    FILE_OF("elements/frame.js", console_elements_frame_js),
    FILE_OF("elements/icons.js", console_elements_icons_js),
    FILE_OF("elements/index.js", console_elements_index_js),
    FILE_OF("elements/inputs.js", console_elements_inputs_js),
    FILE_OF("elements/keys.js", console_elements_keys_js),
    FILE_OF("elements/later.js", console_elements_later_js),
    FILE_OF("elements/live.js", console_elements_live_js),
    FILE_OF("elements/menu-popup.js", console_elements_menu_popup_js),
    FILE_OF("elements/menu.js", console_elements_menu_js),
    FILE_OF("elements/moments.js", console_elements_moments_js),
    FILE_OF("elements/palette.js", console_elements_palette_js),
    FILE_OF("elements/palette/items.js", console_elements_palette_items_js),
    FILE_OF("elements/panel.js", console_elements_panel_js),
    FILE_OF("elements/preferences.js", console_elements_preferences_js),
    FILE_OF("elements/progress.js", console_elements_progress_js),
    FILE_OF("elements/role-wall.js", console_elements_role_wall_js),
    FILE_OF("elements/segmented.js", console_elements_segmented_js),
    FILE_OF("elements/shortcuts.js", console_elements_shortcuts_js),
    FILE_OF("elements/slider.js", console_elements_slider_js),
    FILE_OF("elements/state-badge.js", console_elements_state_badge_js),
    FILE_OF("elements/stylesheet.js", console_elements_stylesheet_js),
    FILE_OF("elements/table.js", console_elements_table_js),
    FILE_OF("elements/tabs.js", console_elements_tabs_js),
    FILE_OF("elements/time.js", console_elements_time_js),
    FILE_OF("elements/timeline.js", console_elements_timeline_js),
    FILE_OF("elements/toast-area.js", console_elements_toast_area_js),
    FILE_OF("elements/toast.js", console_elements_toast_js),
    FILE_OF("elements/tree.js", console_elements_tree_js),
    FILE_OF("elements/visible.js", console_elements_visible_js),
    FILE_OF("i18n/en.json", console_i18n_en_json),
    FILE_OF("i18n/index.js", console_i18n_index_js),
    FILE_OF("i18n/sizes.js", console_i18n_sizes_js),
    FILE_OF("i18n/times.js", console_i18n_times_js),
    FILE_OF("i18n/zh-Hans.json", console_i18n_zh_Hans_json),
    FILE_OF("icon.svg", console_icon_svg),
    FILE_OF("icons.svg", console_icons_svg),
    FILE_OF("index.html", console_index_html),
    FILE_OF("main.js", console_main_js),
    FILE_OF("overlays.css", console_overlays_css),
    FILE_OF("pages/approval.js", console_pages_approval_js),
    FILE_OF("pages/approval/text.js", console_pages_approval_text_js),
    FILE_OF("pages/approvals.js", console_pages_approvals_js),
    FILE_OF("pages/audit.js", console_pages_audit_js),
    FILE_OF("pages/audit/changes.js", console_pages_audit_changes_js),
    FILE_OF("pages/command-line.js", console_pages_command_line_js),
    FILE_OF("pages/device.js", console_pages_device_js),
    FILE_OF("pages/devices.js", console_pages_devices_js),
    FILE_OF("pages/devices/erase.js", console_pages_devices_erase_js),
    FILE_OF("pages/devices/explanation.js", console_pages_devices_explanation_js),
    FILE_OF("pages/devices/recent.js", console_pages_devices_recent_js),
    FILE_OF("pages/first-run.js", console_pages_first_run_js),
    FILE_OF("pages/first-run/sample.js", console_pages_first_run_sample_js),
    FILE_OF("pages/gate.js", console_pages_gate_js),
    FILE_OF("pages/index.js", console_pages_index_js),
    FILE_OF("pages/leave.js", console_pages_leave_js),
    FILE_OF("pages/not-found.js", console_pages_not_found_js),
    FILE_OF("pages/overview.js", console_pages_overview_js),
    FILE_OF("pages/overview/approval.js", console_pages_overview_approval_js),
    FILE_OF("pages/overview/history.js", console_pages_overview_history_js),
    FILE_OF("pages/overview/needs.js", console_pages_overview_needs_js),
    FILE_OF("pages/overview/numbers.js", console_pages_overview_numbers_js),
    FILE_OF("pages/package.js", console_pages_package_js),
    FILE_OF("pages/package/emergency-dialogs.js", console_pages_package_emergency_dialogs_js),
    FILE_OF("pages/package/emergency.js", console_pages_package_emergency_js),
    FILE_OF("pages/package/lanes.js", console_pages_package_lanes_js),
    FILE_OF("pages/package/members.js", console_pages_package_members_js),
    FILE_OF("pages/package/overview.js", console_pages_package_overview_js),
    FILE_OF("pages/package/releases.js", console_pages_package_releases_js),
    FILE_OF("pages/package/reports.js", console_pages_package_reports_js),
    FILE_OF("pages/package/settings.js", console_pages_package_settings_js),
    FILE_OF("pages/package/shares-chart.js", console_pages_package_shares_chart_js),
    FILE_OF("pages/package/version-table.js", console_pages_package_version_table_js),
    FILE_OF("pages/package/versions.js", console_pages_package_versions_js),
    FILE_OF("pages/package/waivers.js", console_pages_package_waivers_js),
    FILE_OF("pages/packages.js", console_pages_packages_js),
    FILE_OF("pages/packages/new-package.js", console_pages_packages_new_package_js),
    FILE_OF("pages/parts/actor.js", console_pages_parts_actor_js),
    FILE_OF("pages/parts/certificate.js", console_pages_parts_certificate_js),
    FILE_OF("pages/parts/events.js", console_pages_parts_events_js),
    FILE_OF("pages/parts/failures.js", console_pages_parts_failures_js),
    FILE_OF("pages/parts/fetched.js", console_pages_parts_fetched_js),
    FILE_OF("pages/parts/findings.js", console_pages_parts_findings_js),
    FILE_OF("pages/parts/flight-tables.js", console_pages_parts_flight_tables_js),
    FILE_OF("pages/parts/history.js", console_pages_parts_history_js),
    FILE_OF("pages/parts/lazy.js", console_pages_parts_lazy_js),
    FILE_OF("pages/parts/package-badges.js", console_pages_parts_package_badges_js),
    FILE_OF("pages/parts/paged.js", console_pages_parts_paged_js),
    FILE_OF("pages/parts/refusal.js", console_pages_parts_refusal_js),
    FILE_OF("pages/parts/release-basics.js", console_pages_parts_release_basics_js),
    FILE_OF("pages/parts/release-cells.js", console_pages_parts_release_cells_js),
    FILE_OF("pages/parts/release-names.js", console_pages_parts_release_names_js),
    FILE_OF("pages/parts/release-table.js", console_pages_parts_release_table_js),
    FILE_OF("pages/parts/shared.js", console_pages_parts_shared_js),
    FILE_OF("pages/parts/waive.js", console_pages_parts_waive_js),
    FILE_OF("pages/parts/when.js", console_pages_parts_when_js),
    FILE_OF("pages/preset.js", console_pages_preset_js),
    FILE_OF("pages/presets.js", console_pages_presets_js),
    FILE_OF("pages/reference.js", console_pages_reference_js),
    FILE_OF("pages/reference/shape.js", console_pages_reference_shape_js),
    FILE_OF("pages/release-actions.js", console_pages_release_actions_js),
    FILE_OF("pages/release-set.js", console_pages_release_set_js),
    FILE_OF("pages/release.js", console_pages_release_js),
    FILE_OF("pages/release/approval-part.js", console_pages_release_approval_part_js),
    FILE_OF("pages/release/audience-text.js", console_pages_release_audience_text_js),
    FILE_OF("pages/release/charts.js", console_pages_release_charts_js),
    FILE_OF("pages/release/common.js", console_pages_release_common_js),
    FILE_OF("pages/release/consequences.js", console_pages_release_consequences_js),
    FILE_OF("pages/release/devices.js", console_pages_release_devices_js),
    FILE_OF("pages/release/downloads.js", console_pages_release_downloads_js),
    FILE_OF("pages/release/drawings.js", console_pages_release_drawings_js),
    FILE_OF("pages/release/durations.js", console_pages_release_durations_js),
    FILE_OF("pages/release/edit-health.js", console_pages_release_edit_health_js),
    FILE_OF("pages/release/failures.js", console_pages_release_failures_js),
    FILE_OF("pages/release/funnel.js", console_pages_release_funnel_js),
    FILE_OF("pages/release/health-editor.js", console_pages_release_health_editor_js),
    FILE_OF("pages/release/health.js", console_pages_release_health_js),
    FILE_OF("pages/release/history-panel.js", console_pages_release_history_panel_js),
    FILE_OF("pages/release/history.js", console_pages_release_history_js),
    FILE_OF("pages/release/limit-text.js", console_pages_release_limit_text_js),
    FILE_OF("pages/release/losses.js", console_pages_release_losses_js),
    FILE_OF("pages/release/outdated.js", console_pages_release_outdated_js),
    FILE_OF("pages/release/perform.js", console_pages_release_perform_js),
    FILE_OF("pages/release/plan-text.js", console_pages_release_plan_text_js),
    FILE_OF("pages/release/plan.js", console_pages_release_plan_js),
    FILE_OF("pages/release/readiness.js", console_pages_release_readiness_js),
    FILE_OF("pages/release/rollback-text.js", console_pages_release_rollback_text_js),
    FILE_OF("pages/release/series.js", console_pages_release_series_js),
    FILE_OF("pages/release/set-terms.js", console_pages_release_set_terms_js),
    FILE_OF("pages/release/signals.js", console_pages_release_signals_js),
    FILE_OF("pages/release/statistics.js", console_pages_release_statistics_js),
    FILE_OF("pages/release/store.js", console_pages_release_store_js),
    FILE_OF("pages/release/subject.js", console_pages_release_subject_js),
    FILE_OF("pages/release/terms.js", console_pages_release_terms_js),
    FILE_OF("pages/release/text.js", console_pages_release_text_js),
    FILE_OF("pages/release/verdict.js", console_pages_release_verdict_js),
    FILE_OF("pages/release/ways.js", console_pages_release_ways_js),
    FILE_OF("pages/releases.js", console_pages_releases_js),
    FILE_OF("pages/reports.js", console_pages_reports_js),
    FILE_OF("pages/reports/adoption.js", console_pages_reports_adoption_js),
    FILE_OF("pages/reports/charts.js", console_pages_reports_charts_js),
    FILE_OF("pages/reports/data.js", console_pages_reports_data_js),
    FILE_OF("pages/reports/export.js", console_pages_reports_export_js),
    FILE_OF("pages/reports/reading.js", console_pages_reports_reading_js),
    FILE_OF("pages/reports/tables.js", console_pages_reports_tables_js),
    FILE_OF("pages/settings.js", console_pages_settings_js),
    FILE_OF("pages/settings/account.js", console_pages_settings_account_js),
    FILE_OF("pages/settings/channels.js", console_pages_settings_channels_js),
    FILE_OF("pages/settings/device-lists.js", console_pages_settings_device_lists_js),
    FILE_OF("pages/settings/dialects.js", console_pages_settings_dialects_js),
    FILE_OF("pages/settings/health.js", console_pages_settings_health_js),
    FILE_OF("pages/settings/keys.js", console_pages_settings_keys_js),
    FILE_OF("pages/settings/member-actions.js", console_pages_settings_member_actions_js),
    FILE_OF("pages/settings/members.js", console_pages_settings_members_js),
    FILE_OF("pages/settings/page-grants.js", console_pages_settings_page_grants_js),
    FILE_OF("pages/settings/parts.js", console_pages_settings_parts_js),
    FILE_OF("pages/settings/providers.js", console_pages_settings_providers_js),
    FILE_OF("pages/settings/qr-code.js", console_pages_settings_qr_code_js),
    FILE_OF("pages/settings/second-factor.js", console_pages_settings_second_factor_js),
    FILE_OF("pages/settings/sessions.js", console_pages_settings_sessions_js),
    FILE_OF("pages/settings/system.js", console_pages_settings_system_js),
    FILE_OF("pages/settings/tokens.js", console_pages_settings_tokens_js),
    FILE_OF("pages/settings/trusts.js", console_pages_settings_trusts_js),
    FILE_OF("pages/settings/webhook.js", console_pages_settings_webhook_js),
    FILE_OF("pages/settings/webhooks.js", console_pages_settings_webhooks_js),
    FILE_OF("pages/sign-in.js", console_pages_sign_in_js),
    FILE_OF("pages/upload.js", console_pages_upload_js),
    FILE_OF("pages/upload/details.js", console_pages_upload_details_js),
    FILE_OF("pages/upload/findings.js", console_pages_upload_findings_js),
    FILE_OF("pages/upload/manager.js", console_pages_upload_manager_js),
    FILE_OF("pages/upload/page.js", console_pages_upload_page_js),
    FILE_OF("pages/upload/row.js", console_pages_upload_row_js),
    FILE_OF("pages/upload/sources.js", console_pages_upload_sources_js),
    FILE_OF("pages/upload/store.js", console_pages_upload_store_js),
    FILE_OF("pages/upload/transfer.js", console_pages_upload_transfer_js),
    FILE_OF("pages/upload/zip.js", console_pages_upload_zip_js),
    FILE_OF("pages/version.js", console_pages_version_js),
    FILE_OF("pages/version/actions.js", console_pages_version_actions_js),
    FILE_OF("pages/version/archives.js", console_pages_version_archives_js),
    FILE_OF("pages/version/changes.js", console_pages_version_changes_js),
    FILE_OF("pages/version/files.js", console_pages_version_files_js),
    FILE_OF("pages/version/lint.js", console_pages_version_lint_js),
    FILE_OF("pages/version/waived.js", console_pages_version_waived_js),
    FILE_OF("pages/wizard.js", console_pages_wizard_js),
    FILE_OF("pages/wizard/add-step.js", console_pages_wizard_add_step_js),
    FILE_OF("pages/wizard/audience.js", console_pages_wizard_audience_js),
    FILE_OF("pages/wizard/checks.js", console_pages_wizard_checks_js),
    FILE_OF("pages/wizard/draft-review.js", console_pages_wizard_draft_review_js),
    FILE_OF("pages/wizard/draft.js", console_pages_wizard_draft_js),
    FILE_OF("pages/wizard/estimate.js", console_pages_wizard_estimate_js),
    FILE_OF("pages/wizard/health.js", console_pages_wizard_health_js),
    FILE_OF("pages/wizard/left-out.js", console_pages_wizard_left_out_js),
    FILE_OF("pages/wizard/limits.js", console_pages_wizard_limits_js),
    FILE_OF("pages/wizard/package-picker.js", console_pages_wizard_package_picker_js),
    FILE_OF("pages/wizard/plan-editor.js", console_pages_wizard_plan_editor_js),
    FILE_OF("pages/wizard/review.js", console_pages_wizard_review_js),
    FILE_OF("pages/wizard/rules-editor.js", console_pages_wizard_rules_editor_js),
    FILE_OF("pages/wizard/same-audience.js", console_pages_wizard_same_audience_js),
    FILE_OF("pages/wizard/start.js", console_pages_wizard_start_js),
    FILE_OF("pages/wizard/state.js", console_pages_wizard_state_js),
    FILE_OF("pages/wizard/words.js", console_pages_wizard_words_js),
    FILE_OF("reference.css", console_reference_css),
    FILE_OF("releases.css", console_releases_css),
    FILE_OF("style.css", console_style_css),
    FILE_OF("types.js", console_types_js),
};

const embedded_file *embedded_migrations(size_t *count) { FILES(migrations, count); }
const embedded_file *embedded_postgresql_migrations(size_t *count) { FILES(postgresql_migrations, count); }
const embedded_file *embedded_console(size_t *count) { FILES(console, count); }
