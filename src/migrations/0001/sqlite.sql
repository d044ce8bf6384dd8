create table rate_windows (
  key text primary key,
  window_start bigint not null,
  requests integer not null
);

create index rate_windows_start on rate_windows (window_start);

create table jobs (
  id integer primary key autoincrement,
  queue text not null,
  kind text not null,
  payload text not null,
  unique_key text,
  order_key text,
  state text not null default 'pending',
  run_at timestamptz not null,
  attempts integer not null default 0,
  max_attempts integer not null,
  lease_owner text,
  lease_until timestamptz,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index jobs_key_unique on jobs (kind, unique_key) where state in ('pending', 'running');

create index jobs_due on jobs (queue, state, run_at, id);

create index jobs_running on jobs (order_key) where state = 'running';

create index jobs_order on jobs (order_key, id) where order_key is not null;

create index jobs_failed on jobs (id) where state = 'failed';

create table recurring_jobs (
  name text primary key,
  every_seconds integer not null,
  next_run_at timestamptz not null,
  last_run_at timestamptz
);

create table backups (
  id integer primary key autoincrement,
  path text not null,
  size_bytes bigint not null,
  is_incremental boolean not null,
  started_at timestamptz not null,
  finished_at timestamptz not null
);

create table instance_facts (
  name text primary key,
  value text not null
);

create table users (
  id integer primary key autoincrement,
  username text not null,
  name text not null,
  email text not null,
  public_email text,
  state text not null default 'active',
  is_admin boolean not null default false,
  external boolean not null default false,
  private_profile boolean not null default false,
  bot_kind text,
  password_hash text,
  password_expired boolean not null default false,
  confirmed_at timestamptz,
  failed_attempts integer not null default 0,
  locked_until timestamptz,
  projects_limit integer not null,
  can_create_group boolean not null default true,
  profile jsonb not null default '{}',
  note text,
  avatar text,
  created_by_id bigint references users (id) on delete set null,
  sign_in_count integer not null default 0,
  current_sign_in_at timestamptz,
  current_sign_in_ip text,
  last_sign_in_at timestamptz,
  last_sign_in_ip text,
  last_activity_on date,
  removed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  provisioned_by_group_id bigint references namespaces (id) on delete set null,
  enterprise_group_id bigint references namespaces (id) on delete set null,
  enterprise_group_associated_at timestamptz,
  two_factor_enabled boolean not null default false
);

create unique index users_username_unique on users (lower(username));

create unique index users_email_unique on users (lower(email));

create index users_public_email on users (public_email);

create index users_created_by on users (created_by_id);

create index users_bots on users (bot_kind) where bot_kind is not null;

create index users_admins on users (id) where is_admin;

create index users_external on users (id) where external;

create index users_state on users (state, id);

create index users_name on users (name, id);

create index users_lower_name on users (lower(name));

create index users_lower_public_email on users (lower(public_email));

create index users_created_at on users (created_at, id);

create index users_updated_at on users (updated_at, id);

create index users_last_activity on users (last_activity_on, id);

create index users_sign_in on users (current_sign_in_at) where current_sign_in_at is not null;

create index users_provisioned_by on users (provisioned_by_group_id, id, removed_at, bot_kind) where provisioned_by_group_id is not null;

create index users_leaving on users (id) where removed_at is not null;

create index users_two_factor on users (id) where two_factor_enabled;

create index users_username on users (username, id);

create index users_bots_named on users (bot_kind, username, id) where bot_kind is not null;

create index users_enterprise on users (enterprise_group_id, id, removed_at, state, created_at, two_factor_enabled) where enterprise_group_id is not null;

create virtual table users_text using fts5 (username, name, public_email, content = '', contentless_delete = 1, tokenize = 'trigram');

insert into users_text (rowid, username, name, public_email) select id, username, name, public_email from users;

create trigger users_text_insert after insert on users begin insert into users_text (rowid, username, name, public_email) values (new.id, new.username, new.name, new.public_email); end;

create trigger users_text_delete after delete on users begin delete from users_text where rowid = old.id; end;

create trigger users_text_update after update of username, name, public_email on users when new.username is not old.username or new.name is not old.name or new.public_email is not old.public_email
      begin delete from users_text where rowid = old.id; insert into users_text (rowid, username, name, public_email) values (new.id, new.username, new.name, new.public_email); end;

create table namespaces (
  id integer primary key autoincrement,
  kind text not null,
  name text not null,
  path text not null,
  full_path text not null,
  full_name text not null,
  parent_id bigint references namespaces (id) on delete cascade,
  owner_id bigint references users (id) on delete cascade,
  visibility text not null,
  description text not null default '',
  avatar text,
  settings jsonb not null default '{}',
  marked_for_deletion_on date,
  original_path text,
  pending_delete boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index namespaces_full_path_unique on namespaces (lower(full_path));

create unique index namespaces_owner_unique on namespaces (owner_id) where owner_id is not null;

create unique index namespaces_name_unique on namespaces (parent_id, lower(name)) where parent_id is not null;

create index namespaces_order on namespaces ((case when kind = 'user' then 0 else 1 end), id);

create index namespaces_marked on namespaces (marked_for_deletion_on) where original_path is not null;

create index namespaces_leaving on namespaces (id) where pending_delete = true;

create index namespaces_top_order on namespaces ((case when kind = 'user' then 0 else 1 end), id) where parent_id is null;

create index namespaces_list on namespaces (kind, pending_delete, name, id, visibility, path, marked_for_deletion_on);

create index namespaces_path on namespaces (kind, pending_delete, path, id, visibility);

create index namespaces_top on namespaces (kind, pending_delete, name, id, visibility) where parent_id is null;

create index namespaces_parent on namespaces (parent_id, kind, pending_delete, name, id, visibility, path) where parent_id is not null;

create index namespaces_stored on namespaces ((settings ->> 'repository_storage')) where kind = 'group' and settings ->> 'repository_storage' is not null;

create index namespaces_awaiting on namespaces (marked_for_deletion_on) where marked_for_deletion_on is not null;

create virtual table namespaces_text using fts5 (name, path, full_path, content = '', contentless_delete = 1, tokenize = 'trigram');

insert into namespaces_text (rowid, name, path, full_path) select id, name, path, full_path from namespaces;

create trigger namespaces_text_insert after insert on namespaces begin insert into namespaces_text (rowid, name, path, full_path) values (new.id, new.name, new.path, new.full_path); end;

create trigger namespaces_text_delete after delete on namespaces begin delete from namespaces_text where rowid = old.id; end;

create trigger namespaces_text_update after update of name, path, full_path on namespaces when new.name is not old.name or new.path is not old.path or new.full_path is not old.full_path
      begin delete from namespaces_text where rowid = old.id; insert into namespaces_text (rowid, name, path, full_path) values (new.id, new.name, new.path, new.full_path); end;

create table projects (
  id integer primary key autoincrement,
  namespace_id bigint not null references namespaces (id) on delete cascade,
  name text not null,
  path text not null,
  full_path text not null,
  description text,
  visibility text not null,
  creator_id bigint references users (id) on delete set null,
  archived boolean not null default false,
  default_branch text,
  readme_path text,
  star_count integer not null default 0,
  forked_from_id bigint references projects (id) on delete set null,
  import_status text not null default 'none',
  import_url text,
  import_error text,
  avatar text,
  settings jsonb not null default '{}',
  marked_for_deletion_on date,
  original_path text,
  pending_delete boolean not null default false,
  created_by_push boolean not null default false,
  last_activity_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index projects_full_path_unique on projects (lower(full_path));

create unique index projects_name_unique on projects (namespace_id, lower(name));

create index projects_namespace on projects (namespace_id, id);

create index projects_creator on projects (creator_id);

create index projects_created_at on projects (created_at, id);

create index projects_updated_at on projects (updated_at, id);

create index projects_last_activity_at on projects (last_activity_at, id);

create index projects_name on projects (name, id);

create index projects_path on projects (path, id);

create index projects_star_count on projects (star_count, id);

create index projects_visibility on projects (visibility, created_at, id, pending_delete);

create index projects_archived on projects (created_at, id, pending_delete) where archived = true;

create index projects_imported on projects (created_at, id, pending_delete) where import_url is not null;

create index projects_lower_name on projects (lower(name));

create index projects_lower_path on projects (lower(path));

create index projects_short_description on projects (lower(description)) where length(description) < 3;

create index projects_marked on projects (marked_for_deletion_on) where original_path is not null;

create index projects_leaving on projects (id) where pending_delete = true;

create index projects_cleanup_due on projects ((settings -> 'container_expiration_policy' ->> 'next_run_at')) where (settings -> 'container_expiration_policy' -> 'enabled') = 'true';

create index projects_in_namespace on projects (namespace_id, pending_delete, created_at, id, visibility);

create index projects_awaiting on projects (marked_for_deletion_on) where marked_for_deletion_on is not null;

create index projects_forked_from on projects (forked_from_id, pending_delete, created_at, id, visibility, namespace_id, archived, updated_at, last_activity_at) where forked_from_id is not null;

create virtual table projects_text using fts5 (name, path, full_path, description, content = '', contentless_delete = 1, tokenize = 'trigram');

insert into projects_text (rowid, name, path, full_path, description) select id, name, path, full_path, description from projects;

create trigger projects_text_insert after insert on projects begin insert into projects_text (rowid, name, path, full_path, description) values (new.id, new.name, new.path, new.full_path, new.description); end;

create trigger projects_text_delete after delete on projects begin delete from projects_text where rowid = old.id; end;

create trigger projects_text_update after update of name, path, full_path, description on projects when new.name is not old.name or new.path is not old.path or new.full_path is not old.full_path or new.description is not old.description
      begin delete from projects_text where rowid = old.id; insert into projects_text (rowid, name, path, full_path, description) values (new.id, new.name, new.path, new.full_path, new.description); end;

create table internal_ids (
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  kind text not null,
  last_value integer not null,
  check ((project_id is null) <> (namespace_id is null))
);

create unique index internal_ids_project_unique on internal_ids (project_id, kind) where project_id is not null;

create unique index internal_ids_namespace_unique on internal_ids (namespace_id, kind) where namespace_id is not null;

create index internal_ids_largest on internal_ids (kind, last_value, project_id) where last_value >= 10001 and project_id is not null;

create table snippets (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  author_id bigint not null references users (id),
  title text not null,
  description text,
  visibility text not null,
  file_name text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index snippets_project on snippets (project_id, id);

create index snippets_author on snippets (author_id, id);

create index snippets_unfinished on snippets (created_at) where file_name is null;

create index snippets_visibility on snippets (visibility, id, created_at) where file_name is not null and project_id is null;

create index snippets_listed on snippets (project_id, id) where file_name is not null;

create index snippets_created on snippets (created_at, id, visibility, project_id, file_name) where file_name is not null;

create table repositories (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  kind text not null,
  storage text not null,
  disk_path text not null,
  generation bigint not null default 1,
  measured_generation bigint not null default 0,
  packed_generation bigint not null default 0,
  object_format text not null default 'sha1',
  read_only boolean not null default false,
  size_bytes bigint not null default 0,
  commit_count bigint not null default 0,
  created_at timestamptz not null,
  snippet_id bigint references snippets (id) on delete cascade
);

create unique index repositories_project_unique on repositories (project_id, kind);

create unique index repositories_namespace_unique on repositories (namespace_id, kind);

create unique index repositories_location_unique on repositories (storage, disk_path);

create unique index repositories_snippet_unique on repositories (snippet_id);

create index repositories_storage on repositories (storage, kind, id);

create index repositories_to_pack on repositories (id) where packed_generation < generation;

create index repositories_snippets on repositories (storage, snippet_id) where snippet_id is not null;

create table ref_intents (
  id integer primary key autoincrement,
  repository_id bigint not null references repositories (id) on delete cascade,
  user_id bigint,
  updates jsonb not null,
  created_at timestamptz not null,
  process text,
  settled boolean not null default false
);

create index ref_intents_repository on ref_intents (repository_id);

create table removed_repositories (
  id integer primary key autoincrement,
  storage text not null,
  disk_path text not null,
  removed_at timestamptz not null
);

create table application_settings (
  id integer primary key,
  changed jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table access_requests (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz not null,
  check ((project_id is null) <> (namespace_id is null))
);

create unique index access_requests_project_unique on access_requests (project_id, user_id) where project_id is not null;

create unique index access_requests_namespace_unique on access_requests (namespace_id, user_id) where namespace_id is not null;

create index access_requests_project_order on access_requests (project_id, created_at, id) where project_id is not null;

create index access_requests_namespace_order on access_requests (namespace_id, created_at, id) where namespace_id is not null;

create index access_requests_user on access_requests (user_id);

create table group_links (
  id integer primary key autoincrement,
  group_id bigint not null references namespaces (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  access_level integer not null,
  expires_at date,
  created_at timestamptz not null,
  check ((namespace_id is null) <> (project_id is null))
);

create unique index group_links_namespace_unique on group_links (namespace_id, group_id) where namespace_id is not null;

create unique index group_links_project_unique on group_links (project_id, group_id) where project_id is not null;

create index group_links_group on group_links (group_id);

create index group_links_expiry on group_links (expires_at, id) where expires_at is not null;

create table members (
  id integer primary key autoincrement,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  access_level integer not null,
  expires_at date,
  created_by_id bigint references users (id) on delete set null,
  created_at timestamptz not null,
  check ((namespace_id is null) <> (project_id is null))
);

create unique index members_namespace_unique on members (namespace_id, user_id) where namespace_id is not null;

create unique index members_project_unique on members (project_id, user_id) where project_id is not null;

create index members_user on members (user_id, access_level, namespace_id, project_id, expires_at);

create index members_created_by on members (created_by_id);

create index members_expiry on members (expires_at, id) where expires_at is not null;

create table alert_integrations (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  name text not null,
  type text not null,
  active boolean not null,
  endpoint_identifier text,
  sealed_token text,
  token_digest text,
  external_url text,
  payload_example text,
  payload_attribute_mappings jsonb not null,
  last_received_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index alert_integrations_endpoint_unique on alert_integrations (project_id, endpoint_identifier) where endpoint_identifier is not null;

create unique index alert_integrations_token_unique on alert_integrations (project_id, token_digest) where token_digest is not null;

create index alert_integrations_order on alert_integrations (project_id, id);

create table alerts (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  iid bigint not null,
  title text not null,
  description text,
  severity text not null,
  status text not null,
  service text,
  monitoring_tool text,
  hosts jsonb not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  event_count integer not null,
  fingerprint text,
  loose_fingerprint text,
  environment_name text,
  runbook text,
  full_query text,
  y_label text,
  format text not null,
  payload text not null,
  integration_id bigint references alert_integrations (id) on delete set null,
  assignee_id bigint references users (id) on delete set null,
  issue_id bigint,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index alerts_iid_unique on alerts (project_id, iid);

create unique index alerts_open_fingerprint_unique on alerts (project_id, fingerprint) where status <> 'resolved' and fingerprint is not null;

create index alerts_order on alerts (project_id, started_at, iid);

create index alerts_open_loose_fingerprint on alerts (project_id, loose_fingerprint) where status <> 'resolved' and loose_fingerprint is not null;

create index alerts_integration on alerts (integration_id);

create index alerts_assignee on alerts (assignee_id);

create index alerts_issue on alerts (issue_id) where issue_id is not null;

create index alerts_listed on alerts (project_id, status, iid, id, severity, created_at, updated_at, ended_at, event_count, monitoring_tool, environment_name);

create virtual table alerts_text using fts5 (title, description, monitoring_tool, service, content = '', contentless_delete = 1, tokenize = 'trigram');

insert into alerts_text (rowid, title, description, monitoring_tool, service) select id, title, description, monitoring_tool, service from alerts;

create trigger alerts_text_insert after insert on alerts begin insert into alerts_text (rowid, title, description, monitoring_tool, service) values (new.id, new.title, new.description, new.monitoring_tool, new.service); end;

create trigger alerts_text_delete after delete on alerts begin delete from alerts_text where rowid = old.id; end;

create trigger alerts_text_update after update of title, description, monitoring_tool, service on alerts when new.title is not old.title or new.description is not old.description or new.monitoring_tool is not old.monitoring_tool or new.service is not old.service
      begin delete from alerts_text where rowid = old.id; insert into alerts_text (rowid, title, description, monitoring_tool, service) values (new.id, new.title, new.description, new.monitoring_tool, new.service); end;

create table alert_metric_images (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  alert_id bigint not null references alerts (id) on delete cascade,
  secret text not null,
  filename text not null,
  size_bytes bigint not null,
  sha256 text not null,
  url text,
  url_text text,
  created_at timestamptz not null
);

create unique index alert_metric_images_secret_unique on alert_metric_images (secret);

create index alert_metric_images_order on alert_metric_images (alert_id, created_at, id);

create index alert_metric_images_project on alert_metric_images (project_id);

create table alert_notes (
  id integer primary key autoincrement,
  alert_id bigint not null references alerts (id) on delete cascade,
  author_id bigint not null references users (id),
  body text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index alert_notes_order on alert_notes (alert_id, created_at, id);

create index alert_notes_author on alert_notes (author_id);

create table alert_settings (
  project_id bigint primary key references projects (id) on delete cascade,
  create_issue boolean not null,
  issue_template_key text,
  send_email boolean not null,
  auto_close_incident boolean not null,
  updated_at timestamptz not null
);

create table audit_events (
  id integer primary key autoincrement,
  act text not null,
  actor_id bigint references users (id) on delete set null,
  actor_name text not null,
  credential text not null,
  target_kind text not null,
  target_id bigint,
  changed jsonb not null,
  created_at timestamptz not null,
  detail text
);

create index audit_events_actor on audit_events (actor_id, id);

create index audit_events_target on audit_events (target_kind, target_id, id);

create table broadcast_messages (
  id integer primary key autoincrement,
  message text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  font text not null,
  target_access_levels jsonb not null,
  target_path text,
  broadcast_type text not null,
  theme text not null,
  dismissable boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index broadcast_messages_end on broadcast_messages (ends_at, id);

create table registry_repositories (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete set null,
  name text not null,
  path text not null,
  status text,
  failures integer not null default 0,
  retry_at timestamptz,
  claimed_at timestamptz,
  cleanup_policy_started_at timestamptz,
  bulk_deletion_at timestamptz,
  created_at timestamptz not null,
  claimed_by text
);

create unique index registry_repositories_name_unique on registry_repositories (project_id, name);

create index registry_repositories_order on registry_repositories (project_id, id);

create index registry_repositories_deletion on registry_repositories (id) where status is not null;

create table registry_blobs (
  id integer primary key autoincrement,
  digest text not null,
  size_bytes bigint not null,
  used_at timestamptz not null,
  is_referenced boolean not null default false,
  created_at timestamptz not null
);

create unique index registry_blobs_digest_unique on registry_blobs (digest);

create index registry_blobs_unreferenced on registry_blobs (used_at, id) where is_referenced = false;

create table registry_blob_links (
  repository_id bigint not null references registry_repositories (id),
  blob_id bigint not null references registry_blobs (id),
  used_at timestamptz not null,
  released_at timestamptz,
  is_referenced boolean not null default false,
  primary key (repository_id, blob_id)
);

create index registry_blob_links_blob on registry_blob_links (blob_id);

create index registry_blob_links_unreferenced on registry_blob_links (used_at, repository_id, blob_id) where is_referenced = false;

create table registry_manifests (
  id integer primary key autoincrement,
  repository_id bigint not null references registry_repositories (id),
  digest text not null,
  media_type text not null,
  size_bytes bigint not null,
  config_digest text,
  artifact_type text,
  subject_digest text,
  annotations text,
  layers_size_bytes bigint not null,
  image_created_at timestamptz,
  used_at timestamptz not null,
  released_at timestamptz,
  is_referenced boolean not null default false,
  created_at timestamptz not null
);

create unique index registry_manifests_digest_unique on registry_manifests (repository_id, digest);

create index registry_manifests_subject on registry_manifests (repository_id, subject_digest, created_at, digest) where subject_digest is not null;

create index registry_manifests_unreferenced on registry_manifests (used_at, id) where is_referenced = false;

create table registry_manifest_blobs (
  manifest_id bigint not null references registry_manifests (id) on delete cascade,
  repository_id bigint not null,
  blob_id bigint not null,
  is_layer boolean not null,
  foreign key (repository_id, blob_id) references registry_blob_links (repository_id, blob_id),
  primary key (manifest_id, blob_id)
);

create index registry_manifest_blobs_link on registry_manifest_blobs (repository_id, blob_id);

create table registry_manifest_children (
  manifest_id bigint not null references registry_manifests (id) on delete cascade,
  child_id bigint not null references registry_manifests (id),
  primary key (manifest_id, child_id)
);

create index registry_manifest_children_child on registry_manifest_children (child_id);

create table registry_manifest_payloads (
  manifest_id bigint primary key references registry_manifests (id) on delete cascade,
  payload text not null
);

create table registry_protection_rules (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  pattern text not null,
  push_level integer,
  delete_level integer,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index registry_protection_rules_pattern_unique on registry_protection_rules (project_id, pattern);

create index registry_protection_rules_order on registry_protection_rules (project_id, id);

create table registry_signing_keys (
  kid text primary key,
  sealed_key text not null,
  created_at timestamptz not null
);

create table registry_tags (
  repository_id bigint not null references registry_repositories (id),
  name text not null,
  manifest_id bigint not null references registry_manifests (id),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (repository_id, name)
);

create index registry_tags_manifest on registry_tags (manifest_id);

create table registry_uploads (
  id text primary key,
  project_id bigint not null references projects (id) on delete cascade,
  name text not null,
  writer_id text,
  digest text,
  used_at timestamptz not null,
  created_at timestamptz not null
);

create index registry_uploads_used on registry_uploads (used_at, id);

create index registry_uploads_project on registry_uploads (project_id, name);

create index registry_uploads_digest on registry_uploads (digest) where digest is not null;

create table custom_attributes (
  id integer primary key autoincrement,
  user_id bigint references users (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  key text not null,
  value text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index custom_attributes_user_unique on custom_attributes (user_id, key) where user_id is not null;

create unique index custom_attributes_namespace_unique on custom_attributes (namespace_id, key) where namespace_id is not null;

create unique index custom_attributes_project_unique on custom_attributes (project_id, key) where project_id is not null;

create index custom_attributes_users on custom_attributes (key, value, user_id) where user_id is not null;

create index custom_attributes_namespaces on custom_attributes (key, value, namespace_id) where namespace_id is not null;

create index custom_attributes_projects on custom_attributes (key, value, project_id) where project_id is not null;

create table keys (
  id integer primary key autoincrement,
  kind text not null,
  user_id bigint references users (id) on delete cascade,
  owner_id bigint references users (id) on delete set null,
  title text not null,
  key text not null,
  type text not null,
  fingerprint_md5 text not null,
  fingerprint_sha256 text not null,
  usage_type text not null,
  public boolean not null default false,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null,
  check ((kind = 'user') = (user_id is not null))
);

create unique index keys_fingerprint_sha256_unique on keys (fingerprint_sha256);

create index keys_fingerprint_md5 on keys (fingerprint_md5);

create index keys_user on keys (user_id, id);

create index keys_owner on keys (owner_id);

create index keys_deploy on keys (id) where kind = 'deploy';

create index keys_public on keys (id) where public = true;

create table deploy_key_projects (
  id integer primary key autoincrement,
  key_id bigint not null references keys (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  can_push boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index deploy_key_projects_unique on deploy_key_projects (project_id, key_id);

create index deploy_key_projects_order on deploy_key_projects (project_id, id);

create index deploy_key_projects_key on deploy_key_projects (key_id, project_id);

create table group_domains (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  domain text not null,
  auto_ssl_enabled boolean not null default false,
  verification_code text not null,
  verified boolean not null default false,
  enabled_until timestamptz,
  remove_at timestamptz,
  created_at timestamptz not null
);

create unique index group_domains_domain_unique on group_domains (domain);

create index group_domains_project on group_domains (project_id, id);

create table epics (
  id integer primary key autoincrement,
  group_id bigint not null references namespaces (id) on delete cascade,
  iid bigint not null,
  parent_id bigint references epics (id) on delete set null,
  author_id bigint not null references users (id) on delete cascade,
  state text not null default 'opened' check (state in ('opened', 'closed')),
  confidential boolean not null default false,
  color text not null,
  start_date_fixed date,
  start_date_is_fixed boolean not null default false,
  due_date_fixed date,
  due_date_is_fixed boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  closed_at timestamptz,
  closed_by_id bigint references users (id) on delete set null,
  title text not null,
  description text
);

create unique index epics_iid_unique on epics (group_id, iid);

create index epics_created on epics (group_id, created_at, id);

create index epics_parent on epics (parent_id) where parent_id is not null;

create index epics_author on epics (author_id);

create index epics_closed_by on epics (closed_by_id) where closed_by_id is not null;

create virtual table "epics_search" using fts5 (
        title, description, long_description unindexed, tokenize = 'trigram case_sensitive 1');

create virtual table "epics_search_trigrams" using fts5vocab ('epics_search', 'instance');

create trigger "epics_search_delete" after delete on "epics" begin
        delete from "epics_search" where rowid = old.id; end;

create index "epics_long_description" on "epics" (id)
    where length(description) > 16384;

create table issues (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  iid bigint not null,
  state text not null default 'opened' check (state in ('opened', 'closed')),
  confidential boolean not null default false,
  issue_type text not null default 'issue' check (issue_type in ('issue', 'incident', 'test_case', 'task')),
  severity text not null default 'unknown',
  author_id bigint not null references users (id) on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  closed_at timestamptz,
  closed_by_id bigint references users (id) on delete set null,
  due_date date,
  weight bigint check (weight >= 0),
  health_status text,
  milestone_id bigint,
  iteration_id bigint,
  relative_position double precision,
  discussion_locked boolean not null default false,
  moved_to_id bigint references issues (id) on delete set null,
  duplicated_to_id bigint references issues (id) on delete set null,
  title text not null,
  description text
);

create unique index issues_iid_unique on issues (project_id, iid);

create index issues_project_created on issues (project_id, created_at, id);

create index issues_project_updated on issues (project_id, updated_at, id);

create index issues_project_title on issues (project_id, lower(title), id);

create index issues_title on issues (lower(title), id);

create index issues_created on issues (created_at, id);

create index issues_updated on issues (updated_at, id);

create index issues_project_position on issues (project_id, (coalesce(relative_position, id * 1024.0)), id);

create index issues_position on issues ((coalesce(relative_position, id * 1024.0)), id);

create index issues_state on issues (project_id, state, confidential);

create index issues_author on issues (author_id, project_id);

create index issues_closed_by on issues (closed_by_id) where closed_by_id is not null;

create index issues_moved_to on issues (moved_to_id) where moved_to_id is not null;

create index issues_duplicated_to on issues (duplicated_to_id) where duplicated_to_id is not null;

create index issues_milestone on issues (milestone_id, id) where milestone_id is not null;

create index issues_iteration on issues (iteration_id) where iteration_id is not null;

create index issues_confidential on issues (project_id, confidential) where confidential = true;

create index issues_type on issues (project_id, issue_type) where issue_type <> 'issue';

create index issues_due_date on issues (project_id, due_date, id) where due_date is not null;

create index issues_weight on issues (project_id, weight, id) where weight is not null;

create index issues_health_status on issues (project_id, health_status, id) where health_status is not null;

create index issues_all_due_date on issues (due_date, id) where due_date is not null;

create index issues_all_weight on issues (weight, id) where weight is not null;

create index issues_all_weight_ascending on issues (weight, id desc) where weight is not null;

create index issues_project_id on issues (project_id, id, author_id, confidential, iteration_id, weight, due_date, health_status);

create index issues_project_milestone on issues (project_id, milestone_id, id);

create index issues_project_iteration on issues (project_id, iteration_id, id) where iteration_id is not null;

create virtual table "issues_search" using fts5 (
        title, description, long_description unindexed, tokenize = 'trigram case_sensitive 1');

create virtual table "issues_search_trigrams" using fts5vocab ('issues_search', 'instance');

create trigger "issues_search_delete" after delete on "issues" begin
        delete from "issues_search" where rowid = old.id; end;

create index "issues_long_description" on "issues" (id)
    where length(description) > 16384;

create table epic_issues (
  id integer primary key autoincrement,
  epic_id bigint not null references epics (id) on delete cascade,
  issue_id bigint not null references issues (id) on delete cascade,
  relative_position bigint not null
);

create unique index epic_issues_issue_unique on epic_issues (issue_id);

create index epic_issues_order on epic_issues (epic_id, relative_position, id);

create table contributions (
  user_id bigint not null references users (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  primary key (user_id, project_id)
);

create index contributions_project on contributions (project_id);

create table events (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  author_id bigint references users (id) on delete cascade,
  action text not null,
  target_type text,
  target_id bigint,
  target_iid bigint,
  target_title text,
  push_data jsonb,
  created_at timestamptz not null
);

create index events_project on events (project_id, id);

create index events_author on events (author_id, id);

create index events_author_project on events (author_id, project_id);

create index events_target on events (target_type, target_id, id) where target_id is not null;

create index events_project_created on events (project_id, created_at, id, target_type, target_id);

create index events_author_created on events (author_id, created_at, id, project_id);

create index events_project_action on events (project_id, action, id, target_type, target_id);

create index events_project_target on events (project_id, target_type, id, target_id);

create index events_author_action on events (author_id, action, id, project_id);

create index events_author_target on events (author_id, target_type, id, project_id);

create table pushes (
  id integer primary key autoincrement,
  repository_id bigint not null references repositories (id) on delete cascade,
  user_id bigint,
  deploy_key_id bigint,
  push_options jsonb not null,
  changes jsonb not null,
  created_at timestamptz not null
);

create index pushes_repository on pushes (repository_id);

create index pushes_created on pushes (created_at);

create table features (
  name text primary key,
  enabled boolean not null,
  percentage_of_actors double precision not null,
  percentage_of_time double precision not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table feature_targets (
  id integer primary key autoincrement,
  feature_name text not null references features (name) on delete cascade,
  kind text not null,
  value text not null
);

create unique index feature_targets_value_unique on feature_targets (feature_name, kind, value);

create table project_fetches (
  project_id bigint not null references projects (id) on delete cascade,
  day date not null,
  number bigint not null,
  primary key (project_id, day)
);

create index project_fetches_day on project_fetches (day);

create table gpg_keys (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  key text not null,
  fingerprint text not null,
  key_id text not null,
  identities jsonb not null,
  state text not null default 'active',
  ended_at timestamptz,
  created_at timestamptz not null
);

create unique index gpg_keys_fingerprint_unique on gpg_keys (fingerprint) where state = 'active';

create index gpg_keys_user on gpg_keys (user_id, id);

create index gpg_keys_key_id on gpg_keys (key_id, id);

create table gpg_subkeys (
  id integer primary key autoincrement,
  gpg_key_id bigint not null references gpg_keys (id) on delete cascade,
  fingerprint text not null,
  key_id text not null
);

create index gpg_subkeys_key on gpg_subkeys (gpg_key_id);

create index gpg_subkeys_key_id on gpg_subkeys (key_id, id);

create table web_hooks (
  id integer primary key autoincrement,
  uuid text not null,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  url text not null,
  name text,
  description text,
  push_events boolean not null default false,
  tag_push_events boolean not null default false,
  merge_requests_events boolean not null default false,
  repository_update_events boolean not null default false,
  issues_events boolean not null default false,
  confidential_issues_events boolean not null default false,
  note_events boolean not null default false,
  confidential_note_events boolean not null default false,
  pipeline_events boolean not null default false,
  wiki_page_events boolean not null default false,
  deployment_events boolean not null default false,
  feature_flag_events boolean not null default false,
  job_events boolean not null default false,
  releases_events boolean not null default false,
  milestone_events boolean not null default false,
  emoji_events boolean not null default false,
  resource_access_token_events boolean not null default false,
  vulnerability_events boolean not null default false,
  member_events boolean not null default false,
  subgroup_events boolean not null default false,
  project_events boolean not null default false,
  push_events_branch_filter text,
  branch_filter_strategy text not null default 'wildcard' check (branch_filter_strategy in ('wildcard', 'regex', 'all_branches')),
  enable_ssl_verification boolean not null default true,
  custom_webhook_template text,
  recent_failures integer not null default 0,
  disabled_until timestamptz,
  lease_job_id bigint,
  lease_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index web_hooks_project on web_hooks (project_id, id) where project_id is not null;

create index web_hooks_namespace on web_hooks (namespace_id, id) where namespace_id is not null;

create index web_hooks_system on web_hooks (id) where project_id is null and namespace_id is null;

create table web_hook_events (
  id integer primary key autoincrement,
  uuid text not null,
  trigger_name text not null,
  header text not null,
  payload text not null,
  completions jsonb,
  created_at timestamptz not null
);

create index web_hook_events_created on web_hook_events (created_at);

create table web_hook_deliveries (
  id integer primary key autoincrement,
  web_hook_id bigint not null references web_hooks (id) on delete cascade,
  event_id bigint not null references web_hook_events (id) on delete cascade,
  idempotency_key text not null,
  is_pending boolean not null,
  url text,
  request_headers jsonb,
  response_headers jsonb,
  response_body text,
  response_code integer,
  response_status text,
  execution_duration double precision,
  created_at timestamptz not null
);

create index web_hook_deliveries_event on web_hook_deliveries (event_id);

create index web_hook_deliveries_order on web_hook_deliveries (web_hook_id, is_pending, id, response_code);

create table web_hook_secrets (
  id integer primary key autoincrement,
  web_hook_id bigint not null references web_hooks (id) on delete cascade,
  kind text not null check (kind in ('token', 'url_variable', 'custom_header')),
  key text not null,
  sealed_value text not null
);

create unique index web_hook_secrets_unique on web_hook_secrets (web_hook_id, kind, key);

create table invitations (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  email text not null,
  folded_email text not null,
  access_level integer not null,
  expires_at date,
  token text not null,
  created_by_id bigint references users (id) on delete set null,
  created_at timestamptz not null,
  check ((project_id is null) <> (namespace_id is null))
);

create unique index invitations_project_unique on invitations (project_id, folded_email) where project_id is not null;

create unique index invitations_namespace_unique on invitations (namespace_id, folded_email) where namespace_id is not null;

create index invitations_project_order on invitations (project_id, id) where project_id is not null;

create index invitations_namespace_order on invitations (namespace_id, id) where namespace_id is not null;

create index invitations_email on invitations (folded_email);

create index invitations_created_by on invitations (created_by_id);

create index invitations_expiry on invitations (expires_at, id) where expires_at is not null;

create table discussions (
  id integer primary key autoincrement,
  public_id text not null,
  individual_note boolean not null,
  position jsonb,
  resolved_at timestamptz,
  resolved_by_id bigint references users (id) on delete set null,
  created_at timestamptz not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  noteable_type text not null,
  noteable_id bigint,
  commit_id text,
  check (case when noteable_type = 'Commit' then commit_id is not null and noteable_id is null else noteable_id is not null end)
);

create unique index discussions_public_id_unique on discussions (public_id);

create index discussions_resolved_by on discussions (resolved_by_id) where resolved_by_id is not null;

create index discussions_commit on discussions (project_id, commit_id, created_at, id);

create index discussions_noteable on discussions (noteable_type, noteable_id, created_at, id);

create index discussions_group on discussions (group_id) where group_id is not null;

create table notes (
  id integer primary key autoincrement,
  discussion_id bigint not null references discussions (id) on delete cascade,
  author_id bigint not null references users (id) on delete cascade,
  body text not null,
  system boolean not null default false,
  internal boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  noteable_type text not null,
  noteable_id bigint,
  commit_id text,
  check (case when noteable_type = 'Commit' then commit_id is not null and noteable_id is null else noteable_id is not null end)
);

create index notes_discussion on notes (discussion_id, created_at, id);

create index notes_commit on notes (project_id, commit_id, created_at, id);

create index notes_noteable on notes (noteable_type, noteable_id, created_at, id);

create index notes_author on notes (author_id);

create index notes_group on notes (group_id) where group_id is not null;

create table cross_references (
  id integer primary key autoincrement,
  source_type text not null,
  source_id bigint,
  source_project_id bigint references projects (id) on delete cascade,
  source_commit text,
  note_id bigint references notes (id) on delete set null,
  created_at timestamptz not null,
  issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
  issuable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  check ((project_id is null) <> (group_id is null)),
  check ((source_id is null) = (source_type = 'Commit') and (source_commit is null) = (source_type <> 'Commit'))
);

create unique index cross_references_issuable_unique on cross_references (issuable_type, issuable_id, source_type, source_id) where source_id is not null;

create unique index cross_references_commit_unique on cross_references (issuable_type, issuable_id, source_project_id, source_commit) where source_commit is not null;

create index cross_references_source on cross_references (source_type, source_id, issuable_type, issuable_id) where source_id is not null;

create index cross_references_source_project on cross_references (source_project_id);

create index cross_references_note on cross_references (note_id);

create index cross_references_project on cross_references (project_id);

create index cross_references_group on cross_references (group_id) where group_id is not null;

create table issuable_assignees (
  user_id bigint not null references users (id) on delete cascade,
  position integer not null,
  issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
  issuable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  check ((project_id is null) <> (group_id is null))
);

create unique index issuable_assignees_unique on issuable_assignees (issuable_type, issuable_id, user_id);

create index issuable_assignees_project on issuable_assignees (project_id);

create index issuable_assignees_group on issuable_assignees (group_id) where group_id is not null;

create index issuable_assignees_user on issuable_assignees (user_id, project_id, issuable_type, issuable_id);

create table labels (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  title text not null,
  description text,
  color text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((project_id is null) <> (namespace_id is null))
);

create unique index labels_project_unique on labels (project_id, title) where project_id is not null;

create unique index labels_namespace_unique on labels (namespace_id, title) where namespace_id is not null;

create index labels_title on labels (title, id);

create virtual table labels_text using fts5 (title, description, content = '', contentless_delete = 1, tokenize = 'trigram');

insert into labels_text (rowid, title, description) select id, title, description from labels;

create trigger labels_text_insert after insert on labels begin insert into labels_text (rowid, title, description) values (new.id, new.title, new.description); end;

create trigger labels_text_delete after delete on labels begin delete from labels_text where rowid = old.id; end;

create trigger labels_text_update after update of title, description on labels when new.title is not old.title or new.description is not old.description
      begin delete from labels_text where rowid = old.id; insert into labels_text (rowid, title, description) values (new.id, new.title, new.description); end;

create table issuable_labels (
  label_id bigint not null references labels (id) on delete cascade,
  issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
  issuable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  check ((project_id is null) <> (group_id is null))
);

create unique index issuable_labels_unique on issuable_labels (issuable_type, issuable_id, label_id);

create index issuable_labels_label on issuable_labels (label_id, project_id, issuable_type, issuable_id);

create index issuable_labels_project on issuable_labels (project_id);

create index issuable_labels_group on issuable_labels (group_id) where group_id is not null;

create table issuable_times (
  time_estimate bigint not null default 0 check (time_estimate >= 0),
  total_time_spent bigint not null default 0 check (total_time_spent >= 0),
  issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
  issuable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  check ((project_id is null) <> (group_id is null))
);

create unique index issuable_times_unique on issuable_times (issuable_type, issuable_id);

create index issuable_times_project on issuable_times (project_id);

create index issuable_times_group on issuable_times (group_id) where group_id is not null;

create table note_references (
  note_id bigint primary key references notes (id) on delete cascade,
  target_type text not null check (target_type in ('Issue', 'MergeRequest', 'Epic', 'Commit')),
  target_id bigint,
  target_project_id bigint,
  check (case when target_type = 'Commit' then target_id is null and target_project_id is not null else target_id is not null end)
);

create table iteration_cadences (
  id integer primary key autoincrement,
  namespace_id bigint not null references namespaces (id) on delete cascade,
  title text not null,
  description text,
  automatic boolean not null,
  start_date date,
  duration_in_weeks integer,
  iterations_in_advance integer,
  roll_over boolean not null,
  active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index iteration_cadences_order on iteration_cadences (namespace_id, id);

create index iteration_cadences_automatic on iteration_cadences (id) where automatic = true and active = true;

create table iterations (
  id integer primary key autoincrement,
  iid bigint not null,
  namespace_id bigint not null references namespaces (id) on delete cascade,
  cadence_id bigint not null references iteration_cadences (id) on delete cascade,
  sequence integer not null,
  title text,
  description text,
  start_date date not null,
  due_date date not null,
  closed boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index iterations_iid_unique on iterations (namespace_id, iid);

create index iterations_cadence on iterations (cadence_id, start_date);

create index iterations_open on iterations (due_date, id) where closed = false;

create index iterations_title on iterations (title);

create index iterations_order on iterations (namespace_id, start_date, id, due_date, updated_at, title);

create virtual table iterations_text using fts5 (title, content = '', contentless_delete = 1, tokenize = 'trigram');

insert into iterations_text (rowid, title) select id, title from iterations;

create trigger iterations_text_insert after insert on iterations begin insert into iterations_text (rowid, title) values (new.id, new.title); end;

create trigger iterations_text_delete after delete on iterations begin delete from iterations_text where rowid = old.id; end;

create trigger iterations_text_update after update of title on iterations when new.title is not old.title
      begin delete from iterations_text where rowid = old.id; insert into iterations_text (rowid, title) values (new.id, new.title); end;

create table resource_iteration_events (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz not null,
  issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
  issuable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  iteration_id bigint not null references iterations (id) on delete cascade,
  action text not null check (action in ('add', 'remove')),
  check ((project_id is null) <> (group_id is null))
);

create index resource_iteration_events_iteration on resource_iteration_events (iteration_id);

create index resource_iteration_events_order on resource_iteration_events (issuable_type, issuable_id, id);

create index resource_iteration_events_user on resource_iteration_events (user_id);

create index resource_iteration_events_project on resource_iteration_events (project_id);

create index resource_iteration_events_group on resource_iteration_events (group_id) where group_id is not null;

create table resource_label_events (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz not null,
  issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
  issuable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  label_id bigint references labels (id) on delete set null,
  action text not null check (action in ('add', 'remove')),
  check ((project_id is null) <> (group_id is null))
);

create index resource_label_events_label on resource_label_events (label_id);

create index resource_label_events_order on resource_label_events (issuable_type, issuable_id, id);

create index resource_label_events_user on resource_label_events (user_id);

create index resource_label_events_project on resource_label_events (project_id);

create index resource_label_events_group on resource_label_events (group_id) where group_id is not null;

create table milestones (
  id integer primary key autoincrement,
  iid bigint not null,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  title text not null,
  description text,
  state text not null default 'active' check (state in ('active', 'closed')),
  start_date date,
  due_date date,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((project_id is null) <> (namespace_id is null))
);

create unique index milestones_project_iid_unique on milestones (project_id, iid) where project_id is not null;

create unique index milestones_namespace_iid_unique on milestones (namespace_id, iid) where namespace_id is not null;

create unique index milestones_project_title_unique on milestones (project_id, title) where project_id is not null;

create unique index milestones_namespace_title_unique on milestones (namespace_id, title) where namespace_id is not null;

create index milestones_title on milestones (title, id);

create index milestones_due on milestones (due_date, id) where due_date is not null;

create index milestones_project_order on milestones (project_id, coalesce(due_date, '0001-01-01'), id, state, updated_at) where project_id is not null;

create index milestones_namespace_order on milestones (namespace_id, coalesce(due_date, '0001-01-01'), id, state, updated_at) where namespace_id is not null;

create index milestones_active on milestones (start_date, due_date, id) where state = 'active';

create virtual table milestones_text using fts5 (title, description, content = '', contentless_delete = 1, tokenize = 'trigram');

insert into milestones_text (rowid, title, description) select id, title, description from milestones;

create trigger milestones_text_insert after insert on milestones begin insert into milestones_text (rowid, title, description) values (new.id, new.title, new.description); end;

create trigger milestones_text_delete after delete on milestones begin delete from milestones_text where rowid = old.id; end;

create trigger milestones_text_update after update of title, description on milestones when new.title is not old.title or new.description is not old.description
      begin delete from milestones_text where rowid = old.id; insert into milestones_text (rowid, title, description) values (new.id, new.title, new.description); end;

create table resource_milestone_events (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz not null,
  issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
  issuable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  milestone_id bigint not null references milestones (id) on delete cascade,
  action text not null check (action in ('add', 'remove')),
  check ((project_id is null) <> (group_id is null))
);

create index resource_milestone_events_milestone on resource_milestone_events (milestone_id);

create index resource_milestone_events_order on resource_milestone_events (issuable_type, issuable_id, id);

create index resource_milestone_events_user on resource_milestone_events (user_id);

create index resource_milestone_events_project on resource_milestone_events (project_id);

create index resource_milestone_events_group on resource_milestone_events (group_id) where group_id is not null;

create table resource_state_events (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz not null,
  issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
  issuable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  state text not null check (state in ('closed', 'reopened', 'merged')),
  source_commit text,
  source_merge_request_id bigint,
  check ((project_id is null) <> (group_id is null))
);

create index resource_state_events_source on resource_state_events (source_merge_request_id) where source_merge_request_id is not null;

create index resource_state_events_order on resource_state_events (issuable_type, issuable_id, id);

create index resource_state_events_user on resource_state_events (user_id);

create index resource_state_events_project on resource_state_events (project_id);

create index resource_state_events_group on resource_state_events (group_id) where group_id is not null;

create table resource_weight_events (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz not null,
  issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
  issuable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  weight integer,
  check ((project_id is null) <> (group_id is null))
);

create index resource_weight_events_order on resource_weight_events (issuable_type, issuable_id, id);

create index resource_weight_events_user on resource_weight_events (user_id);

create index resource_weight_events_project on resource_weight_events (project_id);

create index resource_weight_events_group on resource_weight_events (group_id) where group_id is not null;

create table time_logs (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz not null,
  issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
  issuable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  time_spent bigint not null,
  summary text,
  check ((project_id is null) <> (group_id is null))
);

create index time_logs_order on time_logs (issuable_type, issuable_id, id);

create index time_logs_user on time_logs (user_id);

create index time_logs_project on time_logs (project_id);

create index time_logs_group on time_logs (group_id) where group_id is not null;

create table user_mentions (
  user_id bigint not null references users (id) on delete cascade,
  note_id bigint references notes (id) on delete cascade,
  issuable_type text not null check (issuable_type in ('Issue', 'MergeRequest', 'Epic')),
  issuable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  check ((project_id is null) <> (group_id is null))
);

create unique index user_mentions_note_unique on user_mentions (note_id, user_id) where note_id is not null;

create unique index user_mentions_description_unique on user_mentions (issuable_type, issuable_id, user_id) where note_id is null;

create index user_mentions_order on user_mentions (issuable_type, issuable_id, user_id);

create index user_mentions_user on user_mentions (user_id);

create index user_mentions_project on user_mentions (project_id);

create index user_mentions_group on user_mentions (group_id) where group_id is not null;

create table issue_links (
  id integer primary key autoincrement,
  source_id bigint not null references issues (id) on delete cascade,
  target_id bigint not null references issues (id) on delete cascade,
  link_type text not null check (link_type in ('relates_to', 'blocks')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (source_id <> target_id)
);

create unique index issue_links_pair_unique on issue_links ((case when source_id < target_id then source_id else target_id end), (case when source_id < target_id then target_id else source_id end));

create index issue_links_source on issue_links (source_id, id);

create index issue_links_target on issue_links (target_id, id);

create table label_priorities (
  project_id bigint not null references projects (id) on delete cascade,
  label_id bigint not null references labels (id) on delete cascade,
  priority bigint not null check (priority >= 0),
  primary key (project_id, label_id)
);

create index label_priorities_order on label_priorities (priority, project_id, label_id);

create index label_priorities_label on label_priorities (label_id, project_id, priority);

create table label_subscriptions (
  label_id bigint not null references labels (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz not null,
  primary key (label_id, user_id)
);

create index label_subscriptions_user on label_subscriptions (user_id);

create table lfs_file_locks (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  path text not null,
  path_digest text not null,
  created_at timestamptz not null
);

create unique index lfs_file_locks_path_unique on lfs_file_locks (project_id, path_digest);

create index lfs_file_locks_order on lfs_file_locks (project_id, id);

create index lfs_file_locks_user on lfs_file_locks (user_id);

create table lfs_objects (
  id integer primary key autoincrement,
  oid text not null,
  size_bytes bigint not null,
  storage_key text not null,
  orphaned_at timestamptz,
  created_at timestamptz not null
);

create unique index lfs_objects_oid_unique on lfs_objects (oid);

create unique index lfs_objects_storage_key_unique on lfs_objects (storage_key);

create index lfs_objects_orphaned on lfs_objects (orphaned_at, id) where orphaned_at is not null;

create table lfs_objects_projects (
  project_id bigint not null references projects (id) on delete cascade,
  object_id bigint not null references lfs_objects (id),
  primary key (project_id, object_id)
);

create index lfs_objects_projects_object on lfs_objects_projects (object_id);

create table approval_rules (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  name text not null,
  rule_type text not null check (rule_type in ('regular', 'any_approver')),
  approvals_required integer not null,
  created_at timestamptz not null,
  report_type text,
  applies_to_all_protected_branches boolean not null default false
);

create unique index approval_rules_name_unique on approval_rules (project_id, name);

create unique index approval_rules_any_approver_unique on approval_rules (project_id) where rule_type = 'any_approver';

create unique index approval_rules_report_type_unique on approval_rules (project_id, report_type) where report_type is not null;

create table approval_rule_branches (
  rule_id bigint not null references approval_rules (id) on delete cascade,
  name text not null,
  primary key (rule_id, name)
);

create table approval_rule_groups (
  rule_id bigint not null references approval_rules (id) on delete cascade,
  namespace_id bigint not null references namespaces (id) on delete cascade,
  primary key (rule_id, namespace_id)
);

create index approval_rule_groups_namespace on approval_rule_groups (namespace_id);

create table approval_rule_users (
  rule_id bigint not null references approval_rules (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  primary key (rule_id, user_id)
);

create index approval_rule_users_user on approval_rule_users (user_id);

create table merge_requests (
  id integer primary key autoincrement,
  iid bigint not null,
  project_id bigint not null references projects (id) on delete cascade,
  author_id bigint not null references users (id) on delete cascade,
  title text not null,
  description text,
  state text not null default 'opened' check (state in ('opened', 'closed', 'locked', 'merged')),
  draft boolean not null,
  source_branch text not null,
  target_branch text not null,
  sha text not null,
  source_exists boolean not null default true,
  target_sha text,
  milestone_id bigint references milestones (id) on delete set null,
  discussion_locked boolean,
  squash boolean not null,
  should_remove_source_branch boolean,
  merge_after timestamptz,
  auto_merge jsonb,
  merging jsonb,
  merge_error text,
  merge_commit_sha text,
  squash_commit_sha text,
  merge_user_id bigint references users (id) on delete set null,
  merged_at timestamptz,
  closed_by_id bigint references users (id) on delete set null,
  closed_at timestamptz,
  rebase_started_at timestamptz,
  checked_sha text,
  checked_target_sha text,
  has_conflicts boolean not null default false,
  is_ahead boolean not null default false,
  is_behind boolean not null default false,
  prepared_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  force_remove_source_branch boolean
);

create unique index merge_requests_iid_unique on merge_requests (project_id, iid);

create unique index merge_requests_branches_unique on merge_requests (project_id, source_branch, target_branch) where state in ('opened', 'locked');

create index merge_requests_target on merge_requests (project_id, target_branch) where state in ('opened', 'locked');

create index merge_requests_order on merge_requests (project_id, created_at, id);

create index merge_requests_project_updated on merge_requests (project_id, updated_at, id);

create index merge_requests_created on merge_requests (created_at, id);

create index merge_requests_updated on merge_requests (updated_at, id);

create index merge_requests_state on merge_requests (project_id, state);

create index merge_requests_source on merge_requests (project_id, source_branch);

create index merge_requests_author on merge_requests (author_id, created_at, id);

create index merge_requests_merge_user on merge_requests (merge_user_id);

create index merge_requests_closed_by on merge_requests (closed_by_id);

create index merge_requests_milestone on merge_requests (milestone_id);

create index merge_requests_merging on merge_requests (id) where merging is not null;

create index merge_requests_merge_commit on merge_requests (project_id, merge_commit_sha) where merge_commit_sha is not null;

create index merge_requests_squash_commit on merge_requests (project_id, squash_commit_sha) where squash_commit_sha is not null;

create index merge_requests_title on merge_requests (lower(title), id);

create index merge_requests_project_title on merge_requests (project_id, lower(title), id);

create index merge_requests_merged on merge_requests (merged_at, id) where merged_at is not null;

create index merge_requests_project_merged on merge_requests (project_id, merged_at, id) where merged_at is not null;

create index merge_requests_project_author on merge_requests (project_id, author_id, id);

create index merge_requests_project_milestone on merge_requests (project_id, milestone_id, id);

create index merge_requests_project_id on merge_requests (project_id, id, author_id, draft);

create index merge_requests_project_merge_user on merge_requests (project_id, merge_user_id, id) where merge_user_id is not null;

create index merge_requests_draft on merge_requests (project_id, id) where draft = true;

create virtual table "merge_requests_search" using fts5 (
        title, description, long_description unindexed, tokenize = 'trigram case_sensitive 1');

create virtual table "merge_requests_search_trigrams" using fts5vocab ('merge_requests_search', 'instance');

create trigger "merge_requests_search_delete" after delete on "merge_requests" begin
        delete from "merge_requests_search" where rowid = old.id; end;

create index "merge_requests_long_description" on "merge_requests" (id)
    where length(description) > 16384;

create table approvals (
  id integer primary key autoincrement,
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz not null
);

create unique index approvals_unique on approvals (merge_request_id, user_id);

create index approvals_user on approvals (user_id);

create table merge_request_closings (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  issue_id bigint not null references issues (id) on delete cascade,
  primary key (merge_request_id, issue_id)
);

create index merge_request_closings_issue on merge_request_closings (issue_id, merge_request_id);

create table merge_request_commits (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  sha text not null,
  position integer not null,
  primary key (merge_request_id, position)
);

create index merge_request_commits_sha on merge_request_commits (project_id, sha, merge_request_id);

create table merge_request_reviewers (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  position integer not null,
  state text not null,
  created_at timestamptz not null,
  primary key (merge_request_id, user_id)
);

create index merge_request_reviewers_user on merge_request_reviewers (user_id, merge_request_id);

create table merge_request_versions (
  id integer primary key autoincrement,
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  head_sha text not null,
  base_sha text,
  start_sha text not null,
  commit_count integer not null,
  file_count integer not null,
  created_at timestamptz not null
);

create index merge_request_versions_order on merge_request_versions (merge_request_id, id);

create table pull_mirrors (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  user_id bigint references users (id) on delete set null,
  url text not null,
  sealed_url text not null,
  mirror_branch_regex text,
  update_status text not null default 'none' check (update_status in ('none', 'scheduled', 'started', 'finished', 'failed')),
  last_update_at timestamptz,
  last_update_started_at timestamptz,
  last_successful_update_at timestamptz,
  last_error text,
  failures integer not null default 0,
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index pull_mirrors_project_unique on pull_mirrors (project_id);

create index pull_mirrors_user on pull_mirrors (user_id);

create index pull_mirrors_due on pull_mirrors (due_at, id);

create table remote_mirrors (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  url text not null,
  sealed_url text not null,
  enabled boolean not null default false,
  only_protected_branches boolean not null default false,
  keep_divergent_refs boolean not null default false,
  mirror_branch_regex text,
  auth_method text not null default 'password',
  update_status text not null default 'none' check (update_status in ('none', 'scheduled', 'started', 'finished', 'failed')),
  last_update_at timestamptz,
  last_update_started_at timestamptz,
  last_successful_update_at timestamptz,
  last_error text,
  failures integer not null default 0,
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index remote_mirrors_project on remote_mirrors (project_id, id);

create index remote_mirrors_due on remote_mirrors (due_at, id);

create table namespace_ancestors (
  namespace_id bigint not null references namespaces (id) on delete cascade,
  ancestor_id bigint not null references namespaces (id) on delete cascade,
  depth integer not null,
  primary key (namespace_id, ancestor_id)
);

create index namespace_ancestors_below on namespace_ancestors (ancestor_id, namespace_id);

create table namespace_marks (
  id integer primary key autoincrement,
  source text not null,
  source_id bigint not null
);

create table namespace_parts (
  source text not null,
  source_id bigint not null,
  namespace_id bigint not null,
  user_id bigint,
  in_groups integer,
  in_places integer,
  projects integer,
  repository_bytes bigint,
  wiki_bytes bigint,
  lfs_bytes bigint,
  snippet_bytes bigint,
  upload_bytes bigint,
  primary key (source, source_id)
);

create table namespace_totals (
  namespace_id bigint not null references namespaces (id) on delete cascade,
  is_own boolean not null,
  projects bigint not null default 0,
  repository_bytes bigint not null default 0,
  wiki_bytes bigint not null default 0,
  lfs_bytes bigint not null default 0,
  snippet_bytes bigint not null default 0,
  upload_bytes bigint not null default 0,
  members bigint not null default 0,
  seats bigint not null default 0,
  primary key (namespace_id, is_own)
);

create table namespace_users (
  namespace_id bigint not null references namespaces (id) on delete cascade,
  user_id bigint not null,
  in_groups bigint not null,
  in_places bigint not null,
  is_billable boolean not null,
  primary key (namespace_id, user_id)
);

create index namespace_users_user on namespace_users (user_id);

create index namespace_users_gone on namespace_users (namespace_id) where in_places = 0;

create table routes (
  path_key text primary key,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  redirect boolean not null default false
);

create index routes_namespace on routes (namespace_id);

create index routes_project on routes (project_id);

create table award_emoji (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  noteable_type text not null,
  noteable_id bigint,
  commit_id text,
  check (case when noteable_type = 'Commit' then commit_id is not null and noteable_id is null else noteable_id is not null end)
);

create unique index award_emoji_noteable_unique on award_emoji (noteable_type, noteable_id, user_id, name) where noteable_id is not null;

create unique index award_emoji_commit_unique on award_emoji (project_id, commit_id, user_id, name) where commit_id is not null;

create index award_emoji_project on award_emoji (project_id);

create index award_emoji_group on award_emoji (group_id) where group_id is not null;

create index award_emoji_user on award_emoji (user_id, project_id, noteable_type, name, noteable_id);

create index award_emoji_order on award_emoji (noteable_type, noteable_id, id);

create table award_votes (
  noteable_type text not null,
  noteable_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  upvotes integer not null,
  primary key (noteable_type, noteable_id)
);

create index award_votes_project on award_votes (project_id, noteable_type, upvotes, noteable_id);

create index award_votes_order on award_votes (noteable_type, upvotes, noteable_id);

create table subscriptions (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  subscribed boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  noteable_type text not null,
  noteable_id bigint,
  commit_id text,
  check (case when noteable_type = 'Commit' then commit_id is not null and noteable_id is null else noteable_id is not null end)
);

create unique index subscriptions_noteable_unique on subscriptions (noteable_type, noteable_id, user_id) where noteable_id is not null;

create unique index subscriptions_commit_unique on subscriptions (project_id, commit_id, user_id) where commit_id is not null;

create index subscriptions_project on subscriptions (project_id);

create index subscriptions_user on subscriptions (user_id);

create index subscriptions_group on subscriptions (group_id) where group_id is not null;

create table todos (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  author_id bigint not null references users (id) on delete cascade,
  action text not null,
  note_id bigint references notes (id) on delete set null,
  state text not null default 'pending' check (state in ('pending', 'done')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  project_id bigint references projects (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  noteable_type text not null,
  noteable_id bigint,
  commit_id text,
  check (case when noteable_type = 'Commit' then commit_id is not null and noteable_id is null else noteable_id is not null end)
);

create unique index todos_noteable_pending_unique on todos (noteable_type, noteable_id, user_id) where noteable_id is not null and state = 'pending';

create unique index todos_commit_pending_unique on todos (project_id, commit_id, user_id) where commit_id is not null and state = 'pending';

create index todos_project on todos (project_id);

create index todos_user on todos (user_id, state, id);

create index todos_author on todos (author_id);

create index todos_note on todos (note_id);

create index todos_noteable on todos (noteable_type, noteable_id);

create index todos_group on todos (group_id) where group_id is not null;

create table oauth_applications (
  id integer primary key autoincrement,
  uid text not null,
  secret_digest text not null,
  name text not null,
  redirect_uri text not null,
  scopes jsonb not null,
  confidential boolean not null default true,
  created_at timestamptz not null
);

create unique index oauth_applications_uid_unique on oauth_applications (uid);

create table oauth_grants (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  application_id bigint not null references oauth_applications (id) on delete cascade,
  scopes jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index oauth_grants_application_unique on oauth_grants (application_id, user_id);

create index oauth_grants_user on oauth_grants (user_id, id);

create table oauth_codes (
  id integer primary key autoincrement,
  grant_id bigint not null references oauth_grants (id) on delete cascade,
  digest text not null,
  redirect_uri text not null,
  scopes jsonb not null,
  challenge text,
  nonce text,
  authenticated_at timestamptz not null,
  family text not null,
  is_used boolean not null default false,
  expires_at timestamptz not null
);

create unique index oauth_codes_digest_unique on oauth_codes (digest);

create index oauth_codes_grant on oauth_codes (grant_id);

create index oauth_codes_expiry on oauth_codes (expires_at);

create table oauth_device_codes (
  id integer primary key autoincrement,
  application_id bigint not null references oauth_applications (id) on delete cascade,
  digest text not null,
  user_digest text not null,
  scopes jsonb not null,
  family text not null,
  grant_id bigint references oauth_grants (id) on delete cascade,
  is_denied boolean not null default false,
  authenticated_at timestamptz,
  interval_seconds integer not null,
  polled_at timestamptz,
  expires_at timestamptz not null
);

create unique index oauth_device_codes_digest_unique on oauth_device_codes (digest);

create unique index oauth_device_codes_user_unique on oauth_device_codes (user_digest);

create index oauth_device_codes_application on oauth_device_codes (application_id);

create index oauth_device_codes_grant on oauth_device_codes (grant_id);

create index oauth_device_codes_expiry on oauth_device_codes (expires_at);

create table oauth_signing_keys (
  kid text primary key,
  sealed_key text not null,
  created_at timestamptz not null
);

create table oauth_tokens (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  digest text not null,
  refresh_digest text not null,
  scopes jsonb not null,
  expires_at timestamptz not null,
  revoked boolean not null default false,
  created_at timestamptz not null,
  application_id bigint references oauth_applications (id) on delete cascade,
  grant_id bigint references oauth_grants (id) on delete cascade,
  family text not null
);

create unique index oauth_tokens_digest_unique on oauth_tokens (digest);

create unique index oauth_tokens_refresh_unique on oauth_tokens (refresh_digest);

create index oauth_tokens_user on oauth_tokens (user_id);

create index oauth_tokens_application on oauth_tokens (application_id);

create index oauth_tokens_grant on oauth_tokens (grant_id);

create index oauth_tokens_family on oauth_tokens (family);

create table pipeline_schedules (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  owner_id bigint references users (id) on delete set null,
  description text not null,
  ref text not null,
  cron text not null,
  cron_timezone text not null,
  active boolean not null,
  next_run_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index pipeline_schedules_order on pipeline_schedules (project_id, id);

create index pipeline_schedules_owner on pipeline_schedules (owner_id);

create index pipeline_schedules_due on pipeline_schedules (next_run_at, id) where active = true;

create table pipeline_schedule_variables (
  id integer primary key autoincrement,
  schedule_id bigint not null references pipeline_schedules (id) on delete cascade,
  key text not null,
  variable_type text not null,
  sealed_value text not null
);

create unique index pipeline_schedule_variables_key_unique on pipeline_schedule_variables (schedule_id, key);

create table pipelines (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  iid integer not null,
  sha text not null,
  before_sha text,
  ref text not null,
  tag boolean not null default false,
  protected boolean not null default false,
  status text not null,
  source text not null,
  name text,
  yaml_errors text,
  schedule_id bigint,
  schedule_run text,
  push_id bigint,
  user_id bigint references users (id) on delete set null,
  started_at timestamptz,
  finished_at timestamptz,
  committed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index pipelines_iid_unique on pipelines (project_id, iid);

create unique index pipelines_external_unique on pipelines (project_id, sha, ref) where source = 'external';

create unique index pipelines_push_unique on pipelines (push_id, ref, tag) where push_id is not null;

create unique index pipelines_run_unique on pipelines (schedule_id, schedule_run) where schedule_run is not null;

create index pipelines_order on pipelines (project_id, id);

create index pipelines_ref on pipelines (project_id, ref, id);

create index pipelines_schedule on pipelines (schedule_id, id) where schedule_id is not null;

create index pipelines_sha on pipelines (project_id, sha, id);

create index pipelines_user on pipelines (user_id);

create index pipelines_created on pipelines (created_at, id) where status = 'created';

create index pipelines_unfinished on pipelines (project_id, ref, id) where finished_at is null;

create index pipelines_successful on pipelines (project_id, ref, id) where status = 'success';

create index pipelines_status on pipelines (project_id, status, id);

create index pipelines_source on pipelines (project_id, source, id);

create index pipelines_updated on pipelines (project_id, updated_at, id);

create index pipelines_created_at on pipelines (project_id, created_at, id);

create index pipelines_project_user on pipelines (project_id, user_id, id);

create index pipelines_named on pipelines (project_id, name, id) where name is not null;

create index pipelines_invalid on pipelines (project_id, id) where yaml_errors is not null;

create index pipelines_tag on pipelines (project_id, tag, ref, id);

create index pipelines_schedule_listed on pipelines (schedule_id, status, id, project_id, created_at, updated_at) where schedule_id is not null;

create table ci_jobs (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  pipeline_id bigint not null references pipelines (id) on delete cascade,
  external boolean not null,
  sha text not null,
  ref text not null,
  stage text not null,
  stage_index integer not null default 0,
  name text not null,
  status text not null,
  failure_reason text,
  target_url text,
  description text,
  coverage double precision,
  allow_failure boolean not null default false,
  retried boolean not null default false,
  retries integer not null default 0,
  uses_needs boolean not null default false,
  run_when text not null default 'on_success',
  start_at timestamptz,
  start_in_seconds integer,
  timeout_seconds integer,
  protected boolean not null default false,
  interruptible boolean not null default false,
  resource_group text,
  tag_list jsonb not null default '[]',
  user_id bigint references users (id) on delete set null,
  runner_id bigint,
  runner_manager_id bigint,
  token_digest text,
  cancels_gracefully boolean not null default false,
  heartbeat_at timestamptz,
  queued_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  erased_at timestamptz,
  artifacts_expire_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index ci_jobs_latest_unique on ci_jobs (pipeline_id, name, external) where retried = false;

create unique index ci_jobs_token_unique on ci_jobs (token_digest) where token_digest is not null;

create index ci_jobs_pipeline on ci_jobs (pipeline_id, id);

create index ci_jobs_order on ci_jobs (project_id, id);

create index ci_jobs_sha on ci_jobs (project_id, sha, id);

create index ci_jobs_sha_pipeline on ci_jobs (project_id, sha, pipeline_id, id);

create index ci_jobs_user on ci_jobs (user_id);

create index ci_jobs_queue on ci_jobs (queued_at, id) where status = 'pending' and external = false;

create index ci_jobs_running on ci_jobs (heartbeat_at, id) where status in ('running', 'canceling') and external = false;

create index ci_jobs_running_runner on ci_jobs (runner_id, project_id) where status in ('running', 'canceling') and external = false;

create index ci_jobs_delayed on ci_jobs (start_at, id) where status = 'scheduled';

create index ci_jobs_resource on ci_jobs (project_id, resource_group, id) where resource_group is not null;

create index ci_jobs_runner on ci_jobs (runner_id, id) where runner_id is not null;

create index ci_jobs_listed on ci_jobs (project_id, status, id) where external = false;

create index ci_jobs_order_internal on ci_jobs (project_id, id) where external = false;

create index ci_jobs_listed_retried on ci_jobs (pipeline_id, project_id, retried, id) where external = false;

create index ci_jobs_listed_runner on ci_jobs (runner_id, status, id) where runner_id is not null;

create index ci_jobs_manager on ci_jobs (runner_manager_id, id) where runner_manager_id is not null;

create index ci_jobs_runner_read on ci_jobs (runner_id, status, project_id) where runner_id is not null;

create table ci_job_artifacts (
  id integer primary key autoincrement,
  job_id bigint not null references ci_jobs (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  file_type text not null,
  file_format text not null,
  file_name text not null,
  size_bytes bigint not null,
  sha256 text not null,
  storage_key text not null,
  access_level text not null,
  expire_at timestamptz,
  created_at timestamptz not null
);

create unique index ci_job_artifacts_type_unique on ci_job_artifacts (job_id, file_type);

create index ci_job_artifacts_project on ci_job_artifacts (project_id, id);

create index ci_job_artifacts_expiry on ci_job_artifacts (expire_at, id) where expire_at is not null;

create table ci_job_definitions (
  job_id bigint primary key references ci_jobs (id) on delete cascade,
  definition jsonb not null
);

create table ci_job_needs (
  job_id bigint not null references ci_jobs (id) on delete cascade,
  name text not null,
  artifacts boolean not null,
  optional boolean not null,
  primary key (job_id, name)
);

create table ci_job_trace_chunks (
  job_id bigint not null references ci_jobs (id) on delete cascade,
  first_byte bigint not null,
  size_bytes bigint not null,
  storage_key text not null,
  primary key (job_id, first_byte)
);

create table ci_job_traces (
  job_id bigint primary key references ci_jobs (id) on delete cascade,
  size_bytes bigint not null,
  storage_key text,
  read_at timestamptz
);

create table ci_job_variables (
  job_id bigint not null references ci_jobs (id) on delete cascade,
  key text not null,
  sealed_value text not null,
  from_report boolean not null,
  primary key (job_id, key, from_report)
);

create table ci_triggers (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  owner_id bigint not null references users (id) on delete cascade,
  token_digest text not null,
  sealed_token text not null,
  token_start text not null,
  description text not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index ci_triggers_token_unique on ci_triggers (token_digest);

create index ci_triggers_order on ci_triggers (project_id, id);

create index ci_triggers_owner on ci_triggers (owner_id);

create table pipeline_variables (
  id integer primary key autoincrement,
  pipeline_id bigint not null references pipelines (id) on delete cascade,
  key text not null,
  variable_type text not null,
  sealed_value text not null,
  raw boolean not null default false
);

create unique index pipeline_variables_key_unique on pipeline_variables (pipeline_id, key);

create table plan_limits (
  id integer primary key,
  changed jsonb not null,
  updated_at timestamptz not null
);

create table project_language_heads (
  project_id bigint primary key references projects (id) on delete cascade,
  commit_id text not null
);

create table project_languages (
  project_id bigint not null references projects (id) on delete cascade,
  name text not null,
  size_bytes bigint not null,
  primary key (project_id, name)
);

create index project_languages_name on project_languages (lower(name), project_id);

create table project_sizes (
  project_id integer primary key,
  repository_bytes bigint not null default 0,
  wiki_bytes bigint not null default 0,
  lfs_bytes bigint not null default 0,
  snippet_bytes bigint not null default 0,
  upload_bytes bigint not null default 0
);

create index project_sizes_storage on project_sizes ((repository_bytes + wiki_bytes + lfs_bytes + snippet_bytes + upload_bytes), project_id);

create index project_sizes_repository on project_sizes (repository_bytes, project_id);

create index project_sizes_wiki on project_sizes (wiki_bytes, project_id);

create table project_stars (
  project_id bigint not null references projects (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz not null,
  primary key (project_id, user_id)
);

create index project_stars_user on project_stars (user_id, project_id);

create table topics (
  id integer primary key autoincrement,
  name text not null,
  folded_name text not null,
  title text not null,
  description text,
  avatar text,
  total_projects_count bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index topics_name_unique on topics (folded_name);

create index topics_projects on topics (total_projects_count desc, id);

create virtual table topics_text using fts5 (name, title, content = '', contentless_delete = 1, tokenize = 'trigram');

insert into topics_text (rowid, name, title) select id, name, title from topics;

create trigger topics_text_insert after insert on topics begin insert into topics_text (rowid, name, title) values (new.id, new.name, new.title); end;

create trigger topics_text_delete after delete on topics begin delete from topics_text where rowid = old.id; end;

create trigger topics_text_update after update of name, title on topics when new.name is not old.name or new.title is not old.title
      begin delete from topics_text where rowid = old.id; insert into topics_text (rowid, name, title) values (new.id, new.name, new.title); end;

create table project_topics (
  project_id bigint not null references projects (id) on delete cascade,
  topic_id bigint not null references topics (id) on delete cascade,
  position integer not null,
  primary key (project_id, topic_id)
);

create index project_topics_topic on project_topics (topic_id, project_id);

create table protected_branches (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  name text not null,
  allow_force_push boolean not null default false,
  code_owner_approval_required boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((project_id is null) <> (namespace_id is null))
);

create unique index protected_branches_project_unique on protected_branches (project_id, name) where project_id is not null;

create unique index protected_branches_namespace_unique on protected_branches (namespace_id, name) where namespace_id is not null;

create table protected_branch_merge_access_levels (
  id integer primary key autoincrement,
  rule_id bigint not null references protected_branches (id) on delete cascade,
  access_level integer,
  user_id bigint references users (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  check (1 = (case when access_level is null then 0 else 1 end) + (case when user_id is null then 0 else 1 end) + (case when group_id is null then 0 else 1 end))
);

create index protected_branch_merge_access_levels_rule_id on protected_branch_merge_access_levels (rule_id);

create index protected_branch_merge_access_levels_user_id on protected_branch_merge_access_levels (user_id);

create index protected_branch_merge_access_levels_group_id on protected_branch_merge_access_levels (group_id);

create table protected_branch_push_access_levels (
  id integer primary key autoincrement,
  rule_id bigint not null references protected_branches (id) on delete cascade,
  access_level integer,
  user_id bigint references users (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  deploy_key_id bigint references keys (id) on delete cascade,
  check (1 = (case when access_level is null then 0 else 1 end) + (case when user_id is null then 0 else 1 end) + (case when group_id is null then 0 else 1 end) + (case when deploy_key_id is null then 0 else 1 end))
);

create index protected_branch_push_access_levels_rule_id on protected_branch_push_access_levels (rule_id);

create index protected_branch_push_access_levels_user_id on protected_branch_push_access_levels (user_id);

create index protected_branch_push_access_levels_group_id on protected_branch_push_access_levels (group_id);

create index protected_branch_push_access_levels_deploy_key_id on protected_branch_push_access_levels (deploy_key_id);

create table protected_branch_unprotect_access_levels (
  id integer primary key autoincrement,
  rule_id bigint not null references protected_branches (id) on delete cascade,
  access_level integer,
  user_id bigint references users (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  check (1 = (case when access_level is null then 0 else 1 end) + (case when user_id is null then 0 else 1 end) + (case when group_id is null then 0 else 1 end))
);

create index protected_branch_unprotect_access_levels_rule_id on protected_branch_unprotect_access_levels (rule_id);

create index protected_branch_unprotect_access_levels_user_id on protected_branch_unprotect_access_levels (user_id);

create index protected_branch_unprotect_access_levels_group_id on protected_branch_unprotect_access_levels (group_id);

create table protected_tags (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index protected_tags_project_unique on protected_tags (project_id, name);

create table protected_tag_create_access_levels (
  id integer primary key autoincrement,
  rule_id bigint not null references protected_tags (id) on delete cascade,
  access_level integer,
  user_id bigint references users (id) on delete cascade,
  group_id bigint references namespaces (id) on delete cascade,
  deploy_key_id bigint references keys (id) on delete cascade,
  check (1 = (case when access_level is null then 0 else 1 end) + (case when user_id is null then 0 else 1 end) + (case when group_id is null then 0 else 1 end) + (case when deploy_key_id is null then 0 else 1 end))
);

create index protected_tag_create_access_levels_rule_id on protected_tag_create_access_levels (rule_id);

create index protected_tag_create_access_levels_user_id on protected_tag_create_access_levels (user_id);

create index protected_tag_create_access_levels_group_id on protected_tag_create_access_levels (group_id);

create index protected_tag_create_access_levels_deploy_key_id on protected_tag_create_access_levels (deploy_key_id);

create table push_rules (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  commit_message_regex text,
  commit_message_negative_regex text,
  branch_name_regex text,
  author_email_regex text,
  file_name_regex text,
  deny_delete_tag boolean not null default false,
  member_check boolean not null default false,
  prevent_secrets boolean not null default false,
  max_file_size integer not null default 0,
  commit_committer_check boolean not null default false,
  commit_committer_name_check boolean not null default false,
  reject_unsigned_commits boolean not null default false,
  reject_non_dco_commits boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((project_id is null) <> (namespace_id is null))
);

create unique index push_rules_project_unique on push_rules (project_id);

create unique index push_rules_namespace_unique on push_rules (namespace_id);

create table relation_exports (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  relation text not null,
  status integer not null,
  error text,
  batched boolean not null,
  objects_count bigint not null,
  ticket text not null,
  run text,
  user_id bigint references users (id) on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((project_id is null) <> (namespace_id is null))
);

create unique index relation_exports_project_unique on relation_exports (project_id, relation);

create unique index relation_exports_namespace_unique on relation_exports (namespace_id, relation);

create index relation_exports_run on relation_exports (run);

create index relation_exports_status on relation_exports (status, updated_at);

create index relation_exports_user on relation_exports (user_id);

create table relation_export_files (
  export_id bigint not null references relation_exports (id) on delete cascade,
  number integer not null,
  status integer not null,
  error text,
  objects_count bigint not null,
  size_bytes bigint not null,
  sha256 text not null,
  updated_at timestamptz not null,
  primary key (export_id, number)
);

create table relation_export_users (
  export_id bigint not null references relation_exports (id) on delete cascade,
  user_id bigint not null,
  primary key (export_id, user_id)
);

create table releases (
  id integer primary key autoincrement,
  project_id bigint not null references projects (id) on delete cascade,
  tag text not null,
  name text,
  description text,
  sha text,
  author_id bigint references users (id) on delete set null,
  released_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index releases_tag_unique on releases (project_id, tag);

create index releases_created on releases (project_id, created_at, id);

create index releases_author on releases (author_id);

create index releases_order_released on releases (released_at, id);

create index releases_order_created on releases (created_at, id);

create index releases_released on releases (project_id, released_at, id, updated_at);

create table release_evidences (
  id integer primary key autoincrement,
  release_id bigint not null references releases (id) on delete cascade,
  job_id bigint not null,
  sha text not null,
  summary text not null,
  collected_at timestamptz not null
);

create unique index release_evidences_job_unique on release_evidences (release_id, job_id);

create index release_evidences_order on release_evidences (release_id, id);

create table release_links (
  id integer primary key autoincrement,
  release_id bigint not null references releases (id) on delete cascade,
  name text not null,
  url text not null,
  filepath text,
  link_type text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index release_links_url_unique on release_links (release_id, url);

create unique index release_links_name_unique on release_links (release_id, name);

create unique index release_links_filepath_unique on release_links (release_id, filepath);

create index release_links_order on release_links (release_id, id);

create table release_milestones (
  release_id bigint not null references releases (id) on delete cascade,
  milestone_id bigint not null references milestones (id) on delete cascade,
  primary key (release_id, milestone_id)
);

create index release_milestones_milestone on release_milestones (milestone_id);

create table geo_checksums (
  type text not null,
  replicable_id bigint not null,
  state text not null,
  version bigint not null default 1,
  checksum text,
  checksummed_at timestamptz,
  failure text,
  due_at timestamptz not null,
  primary key (type, replicable_id)
);

create index geo_checksums_due on geo_checksums (due_at);

create table geo_confirmed_reads (
  caller text not null,
  action text not null,
  resource text not null,
  type text,
  replicable_id bigint,
  confirmed_at timestamptz not null,
  primary key (caller, action, resource)
);

create index geo_confirmed_reads_age on geo_confirmed_reads (confirmed_at);

create table geo_events (
  id integer primary key autoincrement,
  type text,
  replicable_id bigint not null,
  action text not null,
  checksum text,
  created_at timestamptz not null
);

create index geo_events_created_at on geo_events (created_at);

create table geo_nodes (
  id integer primary key autoincrement,
  name text not null,
  name_key text not null,
  url text not null,
  internal_url text,
  is_primary boolean not null,
  enabled boolean not null,
  files_max_capacity bigint not null,
  repos_max_capacity bigint not null,
  container_repositories_max_capacity bigint not null,
  verification_max_capacity bigint not null,
  selective_sync_type text,
  selective_sync_shards jsonb not null,
  minimum_reverification_interval bigint not null,
  sync_object_storage boolean not null,
  access_key text,
  sealed_secret text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index geo_nodes_name_unique on geo_nodes (name_key);

create unique index geo_nodes_primary_unique on geo_nodes (is_primary) where is_primary = true;

create unique index geo_nodes_access_key_unique on geo_nodes (access_key) where access_key is not null;

create table geo_node_namespaces (
  node_id bigint not null references geo_nodes (id) on delete cascade,
  namespace_id bigint not null references namespaces (id) on delete cascade,
  primary key (node_id, namespace_id)
);

create index geo_node_namespaces_namespace on geo_node_namespaces (namespace_id);

create table geo_node_statuses (
  node_id bigint primary key references geo_nodes (id) on delete cascade,
  status jsonb not null,
  reported_at timestamptz not null
);

create table geo_replicas (
  id integer primary key autoincrement,
  type text not null,
  replicable_id bigint not null,
  project_id bigint,
  group_id bigint,
  storage text,
  size_bytes bigint not null,
  version bigint not null default 1,
  changed_at timestamptz not null,
  state text not null default 'pending',
  location text,
  synced_at timestamptz,
  attempted_at timestamptz,
  retry_count integer not null default 0,
  retry_at timestamptz,
  failure text,
  missing_on_primary boolean not null default false,
  primary_checksum text,
  checksum text,
  verification text not null default 'none',
  verified_at timestamptz,
  verification_retry_count integer not null default 0,
  verification_retry_at timestamptz,
  verification_failure text,
  checksum_mismatch boolean not null default false
);

create unique index geo_replicas_replicable_unique on geo_replicas (type, replicable_id);

create index geo_replicas_state on geo_replicas (state, type, changed_at, id);

create index geo_replicas_verification on geo_replicas (verification, type, changed_at, id);

create index geo_replicas_project on geo_replicas (project_id, id);

create table geo_replica_parts (
  replica_id bigint not null references geo_replicas (id) on delete cascade,
  kind text not null,
  name text not null,
  digest text not null,
  media_type text,
  size_bytes bigint not null,
  primary key (replica_id, kind, name)
);

create index geo_replica_parts_digest on geo_replica_parts (digest);

create table geo_request_counts (
  day date not null,
  kind text not null,
  count bigint not null,
  primary key (day, kind)
);

create table geo_sync_state (
  name text primary key,
  value jsonb not null
);

create table runners (
  id integer primary key autoincrement,
  runner_type text not null,
  namespace_id bigint references namespaces (id) on delete cascade,
  creator_id bigint references users (id) on delete set null,
  token_digest text not null,
  token_expires_at timestamptz,
  description text,
  maintenance_note text,
  paused boolean not null,
  locked boolean not null,
  run_untagged boolean not null,
  access_level text not null,
  maximum_timeout bigint,
  tag_list jsonb not null,
  name text,
  version text,
  revision text,
  platform text,
  architecture text,
  executor text,
  ip_address text,
  contacted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index runners_token_unique on runners (token_digest);

create index runners_creator on runners (creator_id) where creator_id is not null;

create index runners_namespace on runners (namespace_id, id, paused) where namespace_id is not null;

create index runners_type on runners (runner_type, id, paused, namespace_id);

create table runner_managers (
  id integer primary key autoincrement,
  runner_id bigint not null references runners (id) on delete cascade,
  system_id text not null,
  version text,
  revision text,
  platform text,
  architecture text,
  executor text,
  ip_address text,
  contacted_at timestamptz,
  created_at timestamptz not null
);

create unique index runner_managers_unique on runner_managers (runner_id, system_id);

create table runner_projects (
  id integer primary key autoincrement,
  runner_id bigint not null references runners (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade
);

create unique index runner_projects_unique on runner_projects (runner_id, project_id);

create index runner_projects_project on runner_projects (project_id, runner_id);

create table sessions (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  digest text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ip text,
  user_agent text,
  viewed_user_id bigint references users (id) on delete set null
);

create unique index sessions_digest_unique on sessions (digest);

create index sessions_user on sessions (user_id, id);

create index sessions_expiry on sessions (expires_at);

create index sessions_viewed on sessions (viewed_user_id) where viewed_user_id is not null;

create table spam_logs (
  id integer primary key autoincrement,
  user_id bigint references users (id) on delete cascade,
  kind text not null,
  verified boolean not null default false,
  created_at timestamptz not null,
  title text not null default '',
  user_agent text not null default '',
  ip_address text not null default '',
  solvable boolean not null default true
);

create index spam_logs_user on spam_logs (user_id);

create index spam_logs_created on spam_logs (created_at);

create table user_agent_details (
  id integer primary key autoincrement,
  subject_type text not null,
  subject_id bigint not null,
  project_id bigint references projects (id) on delete cascade,
  user_agent text not null,
  ip_address text not null,
  akismet_submitted boolean not null default false,
  created_at timestamptz not null
);

create unique index user_agent_details_unique on user_agent_details (subject_type, subject_id);

create index user_agent_details_project on user_agent_details (project_id);

create table group_storage_moves (
  id integer primary key autoincrement,
  container_id bigint not null references namespaces (id) on delete cascade,
  state text not null,
  source_storage_name text not null,
  destination_storage_name text not null,
  created_at timestamptz not null
);

create unique index group_storage_moves_active_unique on group_storage_moves (container_id) where state in ('scheduled', 'started');

create index group_storage_moves_container on group_storage_moves (container_id, created_at, id);

create index group_storage_moves_created on group_storage_moves (created_at, id);

create table project_storage_moves (
  id integer primary key autoincrement,
  container_id bigint not null references projects (id) on delete cascade,
  state text not null,
  source_storage_name text not null,
  destination_storage_name text not null,
  created_at timestamptz not null
);

create unique index project_storage_moves_active_unique on project_storage_moves (container_id) where state in ('scheduled', 'started');

create index project_storage_moves_container on project_storage_moves (container_id, created_at, id);

create index project_storage_moves_created on project_storage_moves (created_at, id);

create table snippet_storage_moves (
  id integer primary key autoincrement,
  container_id bigint not null references snippets (id) on delete cascade,
  state text not null,
  source_storage_name text not null,
  destination_storage_name text not null,
  created_at timestamptz not null
);

create unique index snippet_storage_moves_active_unique on snippet_storage_moves (container_id) where state in ('scheduled', 'started');

create index snippet_storage_moves_container on snippet_storage_moves (container_id, created_at, id);

create index snippet_storage_moves_created on snippet_storage_moves (created_at, id);

create table suggestions (
  id integer primary key autoincrement,
  note_id bigint not null references notes (id) on delete cascade,
  position integer not null,
  lines_above integer not null,
  lines_below integer not null,
  to_content text not null,
  commit_sha text
);

create unique index suggestions_position_unique on suggestions (note_id, position);

create table access_tokens (
  id integer primary key autoincrement,
  kind text not null,
  user_id bigint not null references users (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  family_id bigint,
  access_level integer,
  name text not null,
  description text,
  digest text not null,
  scopes jsonb not null,
  revoked boolean not null default false,
  expires_at date,
  last_used_at timestamptz,
  created_at timestamptz not null,
  expiry_recorded boolean not null default false
);

create unique index access_tokens_digest_unique on access_tokens (digest);

create index access_tokens_user on access_tokens (user_id, id);

create index access_tokens_project on access_tokens (project_id);

create index access_tokens_namespace on access_tokens (namespace_id);

create index access_tokens_family on access_tokens (family_id);

create index access_tokens_expiry on access_tokens (expires_at, id) where revoked = false and expiry_recorded = false;

create index access_tokens_created on access_tokens (created_at, id, kind);

create index access_tokens_name on access_tokens (name, id);

create index access_tokens_expires on access_tokens (expires_at, id, kind, revoked);

create index access_tokens_used on access_tokens (last_used_at, id, kind);

create virtual table access_tokens_text using fts5 (name, content = '', contentless_delete = 1, tokenize = 'trigram');

insert into access_tokens_text (rowid, name) select id, name from access_tokens;

create trigger access_tokens_text_insert after insert on access_tokens begin insert into access_tokens_text (rowid, name) values (new.id, new.name); end;

create trigger access_tokens_text_delete after delete on access_tokens begin delete from access_tokens_text where rowid = old.id; end;

create trigger access_tokens_text_update after update of name on access_tokens when new.name is not old.name
      begin delete from access_tokens_text where rowid = old.id; insert into access_tokens_text (rowid, name) values (new.id, new.name); end;

create table deploy_tokens (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  name text not null,
  username text not null,
  digest text not null,
  scopes jsonb not null,
  expires_at timestamptz,
  revoked boolean not null default false,
  created_by_id bigint references users (id) on delete set null,
  created_at timestamptz not null
);

create unique index deploy_tokens_digest_unique on deploy_tokens (digest);

create index deploy_tokens_project on deploy_tokens (project_id);

create index deploy_tokens_namespace on deploy_tokens (namespace_id);

create index deploy_tokens_created_by on deploy_tokens (created_by_id);

create table uploads (
  id integer primary key autoincrement,
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  secret text not null,
  filename text not null,
  size_bytes bigint not null,
  sha256 text not null,
  user_id bigint references users (id) on delete set null,
  created_at timestamptz not null,
  check ((project_id is null) <> (namespace_id is null))
);

create unique index uploads_project_unique on uploads (secret, project_id);

create unique index uploads_namespace_unique on uploads (secret, namespace_id);

create index uploads_project_order on uploads (project_id, created_at, id) where project_id is not null;

create index uploads_namespace_order on uploads (namespace_id, created_at, id) where namespace_id is not null;

create index uploads_user on uploads (user_id);

create table identities (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  provider text not null,
  extern_uid text not null
);

create unique index identities_extern_uid_unique on identities (provider, extern_uid);

create unique index identities_user_unique on identities (user_id, provider);

create table recovery_codes (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  digest text not null
);

create unique index recovery_codes_digest_unique on recovery_codes (user_id, digest);

create table two_factors (
  user_id bigint primary key references users (id) on delete cascade,
  sealed_secret text not null,
  last_step bigint,
  created_at timestamptz not null
);

create table user_emails (
  id integer primary key autoincrement,
  user_id bigint not null references users (id) on delete cascade,
  email text not null,
  confirmed_at timestamptz,
  created_at timestamptz not null
);

create unique index user_emails_email_unique on user_emails (lower(email));

create index user_emails_user on user_emails (user_id, id);

create table user_follows (
  id integer primary key autoincrement,
  follower_id bigint not null references users (id) on delete cascade,
  followed_id bigint not null references users (id) on delete cascade
);

create unique index user_follows_unique on user_follows (follower_id, followed_id);

create index user_follows_follower on user_follows (follower_id, id);

create index user_follows_followed on user_follows (followed_id, id);

create table user_statuses (
  user_id bigint primary key references users (id) on delete cascade,
  emoji text not null,
  message text,
  availability text,
  clear_status_at timestamptz
);

create table users_perhaps_without_projects (
  id integer primary key autoincrement,
  user_id bigint not null
);

create index users_perhaps_without_projects_user on users_perhaps_without_projects (user_id);

create table ci_variables (
  id integer primary key autoincrement,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  key text not null,
  environment_scope text not null,
  sealed_value text not null,
  variable_type text not null,
  protected boolean not null,
  masked boolean not null,
  hidden boolean not null,
  raw boolean not null,
  description text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create unique index ci_variables_namespace_unique on ci_variables (namespace_id, key, environment_scope) where namespace_id is not null;

create unique index ci_variables_project_unique on ci_variables (project_id, key, environment_scope) where project_id is not null;

create unique index ci_variables_instance_unique on ci_variables (key) where namespace_id is null and project_id is null;

create index ci_variables_namespace_order on ci_variables (namespace_id, id) where namespace_id is not null;

create index ci_variables_project_order on ci_variables (project_id, id) where project_id is not null;

create table wiki_pages (
  id integer primary key autoincrement,
  repository_id bigint not null references repositories (id) on delete cascade,
  slug text not null,
  digest text not null,
  created_at timestamptz not null
);

create unique index wiki_pages_digest_unique on wiki_pages (repository_id, digest);

create trigger projects_insert_marks after insert on projects for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'project', new.id; end;

create trigger projects_delete_marks after delete on projects for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'project', old.id; insert into namespace_marks (source, source_id) select 'lfs', old.id; insert into namespace_marks (source, source_id) select 'snippets', old.id; insert into namespace_marks (source, source_id) select 'uploads', old.id; end;

create trigger projects_update_pending_delete_marks after update of pending_delete on projects for each row when (new.pending_delete is distinct from old.pending_delete) begin insert into namespace_marks (source, source_id) select 'project', new.id; insert into namespace_marks (source, source_id) select 'lfs', new.id; insert into namespace_marks (source, source_id) select 'snippets', new.id; insert into namespace_marks (source, source_id) select 'uploads', new.id; end;

create trigger projects_update_namespace_id_marks after update of namespace_id on projects for each row when (new.namespace_id is distinct from old.namespace_id) begin insert into namespace_marks (source, source_id) select 'project', new.id; insert into namespace_marks (source, source_id) select 'lfs', new.id; insert into namespace_marks (source, source_id) select 'snippets', new.id; insert into namespace_marks (source, source_id) select 'uploads', new.id; insert into namespace_marks (source, source_id) select 'members', new.id; end;

create trigger repositories_insert_marks after insert on repositories for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'project', new.project_id where new.project_id is not null; insert into namespace_marks (source, source_id) select 'snippets', n.project_id from snippets n where n.id = new.snippet_id and n.project_id is not null; end;

create trigger repositories_delete_marks after delete on repositories for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'project', old.project_id where old.project_id is not null; insert into namespace_marks (source, source_id) select 'snippets', n.project_id from snippets n where n.id = old.snippet_id and n.project_id is not null; end;

create trigger repositories_update_size_bytes_marks after update of size_bytes on repositories for each row when (new.size_bytes is distinct from old.size_bytes) begin insert into namespace_marks (source, source_id) select 'project', new.project_id where new.project_id is not null; insert into namespace_marks (source, source_id) select 'snippets', n.project_id from snippets n where n.id = new.snippet_id and n.project_id is not null; end;

create trigger lfs_objects_projects_insert_marks after insert on lfs_objects_projects for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'lfs', new.project_id; end;

create trigger lfs_objects_projects_delete_marks after delete on lfs_objects_projects for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'lfs', old.project_id; end;

create trigger snippets_delete_marks after delete on snippets for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'snippets', old.project_id where old.project_id is not null; end;

create trigger uploads_insert_marks after insert on uploads for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'uploads', new.project_id where new.project_id is not null; insert into namespace_marks (source, source_id) select 'namespace', new.namespace_id where new.namespace_id is not null; end;

create trigger uploads_delete_marks after delete on uploads for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'uploads', old.project_id where old.project_id is not null; insert into namespace_marks (source, source_id) select 'namespace', old.namespace_id where old.namespace_id is not null; end;

create trigger uploads_update_size_bytes_marks after update of size_bytes, project_id, namespace_id on uploads for each row when (new.size_bytes is distinct from old.size_bytes or new.project_id is distinct from old.project_id or new.namespace_id is distinct from old.namespace_id) begin insert into namespace_marks (source, source_id) select 'uploads', old.project_id where old.project_id is not null; insert into namespace_marks (source, source_id) select 'namespace', old.namespace_id where old.namespace_id is not null; insert into namespace_marks (source, source_id) select 'uploads', new.project_id where new.project_id is not null; insert into namespace_marks (source, source_id) select 'namespace', new.namespace_id where new.namespace_id is not null; end;

create trigger members_insert_marks after insert on members for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'member', new.id; end;

create trigger members_delete_marks after delete on members for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'member', old.id; end;

create trigger members_update_namespace_id_marks after update of namespace_id, project_id, user_id on members for each row when (new.namespace_id is distinct from old.namespace_id or new.project_id is distinct from old.project_id or new.user_id is distinct from old.user_id) begin insert into namespace_marks (source, source_id) select 'member', new.id; end;

create trigger namespaces_insert_marks after insert on namespaces for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'namespace', new.id where new.owner_id is not null; end;

create trigger namespaces_delete_marks after delete on namespaces for each row when (1 = 1) begin insert into namespace_marks (source, source_id) select 'namespace', old.id; end;

create trigger namespaces_update_owner_id_marks after update of owner_id on namespaces for each row when (new.owner_id is distinct from old.owner_id) begin insert into namespace_marks (source, source_id) select 'namespace', new.id; end;

create trigger users_update_state_marks after update of state, bot_kind on users for each row when (new.state is distinct from old.state or new.bot_kind is distinct from old.bot_kind) begin insert into namespace_marks (source, source_id) select 'user', new.id; end;

create trigger award_emoji_insert after insert on award_emoji for each row when (new.name = 'thumbsup' and new.noteable_id is not null) begin insert into award_votes (noteable_type, noteable_id, project_id, upvotes)
    values (new.noteable_type, new.noteable_id, new.project_id, 1)
    on conflict (noteable_type, noteable_id) do update set upvotes = award_votes.upvotes + 1; end;

create trigger award_emoji_delete after delete on award_emoji for each row when (old.name = 'thumbsup' and old.noteable_id is not null) begin delete from award_votes where noteable_type = old.noteable_type and noteable_id = old.noteable_id and upvotes = 1;
    update award_votes set upvotes = upvotes - 1 where noteable_type = old.noteable_type and noteable_id = old.noteable_id; end;

create trigger projects_sizes_insert after insert on projects for each row when (1 = 1) begin insert into project_sizes (project_id) values (new.id); end;

create trigger projects_sizes_delete after delete on projects for each row when (1 = 1) begin delete from project_sizes where project_id = old.id; end;

create trigger repositories_sizes_insert after insert on repositories for each row when (new.size_bytes <> 0) begin update project_sizes set repository_bytes = repository_bytes + case new.kind when 'project' then new.size_bytes else 0 end,
        wiki_bytes = wiki_bytes + case new.kind when 'wiki' then new.size_bytes else 0 end, snippet_bytes = snippet_bytes + case new.kind when 'snippet' then new.size_bytes else 0 end
      where project_id = coalesce(new.project_id, (select s.project_id from snippets s where s.id = new.snippet_id)); end;

create trigger repositories_sizes_update after update of size_bytes on repositories for each row when (new.size_bytes <> old.size_bytes) begin update project_sizes set repository_bytes = repository_bytes + case new.kind when 'project' then (new.size_bytes - old.size_bytes) else 0 end,
        wiki_bytes = wiki_bytes + case new.kind when 'wiki' then (new.size_bytes - old.size_bytes) else 0 end, snippet_bytes = snippet_bytes + case new.kind when 'snippet' then (new.size_bytes - old.size_bytes) else 0 end
      where project_id = coalesce(new.project_id, (select s.project_id from snippets s where s.id = new.snippet_id)); end;

create trigger repositories_sizes_delete after delete on repositories for each row when (old.size_bytes <> 0) begin update project_sizes set repository_bytes = repository_bytes + case old.kind when 'project' then -old.size_bytes else 0 end,
        wiki_bytes = wiki_bytes + case old.kind when 'wiki' then -old.size_bytes else 0 end, snippet_bytes = snippet_bytes + case old.kind when 'snippet' then -old.size_bytes else 0 end
      where project_id = coalesce(old.project_id, (select s.project_id from snippets s where s.id = old.snippet_id)); end;

create trigger snippets_sizes_delete before delete on snippets for each row when (old.project_id is not null) begin update project_sizes set snippet_bytes = snippet_bytes - coalesce((select r.size_bytes from repositories r
    where r.snippet_id = old.id ), 0)
        where project_id = old.project_id; end;

create trigger lfs_objects_projects_sizes_insert after insert on lfs_objects_projects for each row when (1 = 1) begin update project_sizes set lfs_bytes = lfs_bytes + (select o.size_bytes from lfs_objects o where o.id = new.object_id) where project_id = new.project_id; end;

create trigger lfs_objects_projects_sizes_delete after delete on lfs_objects_projects for each row when (1 = 1) begin update project_sizes set lfs_bytes = lfs_bytes - (select o.size_bytes from lfs_objects o where o.id = old.object_id) where project_id = old.project_id; end;

create trigger uploads_sizes_insert after insert on uploads for each row when (1 = 1) begin update project_sizes set upload_bytes = upload_bytes + new.size_bytes where project_id = new.project_id; end;

create trigger uploads_sizes_delete after delete on uploads for each row when (1 = 1) begin update project_sizes set upload_bytes = upload_bytes - old.size_bytes where project_id = old.project_id; end;

create trigger users_insert_without_projects after insert on users for each row when (1 = 1) begin insert into users_perhaps_without_projects (user_id) select new.id; end;

create trigger members_delete_without_projects after delete on members for each row when (old.project_id is not null) begin insert into users_perhaps_without_projects (user_id) select old.user_id; end;

create trigger members_update_without_projects after update of project_id, user_id on members for each row when (old.project_id is not null
      and (new.project_id is distinct from old.project_id or new.user_id is distinct from old.user_id)) begin insert into users_perhaps_without_projects (user_id) select old.user_id; end;

create trigger projects_delete_without_projects after delete on projects for each row when (1 = 1) begin insert into users_perhaps_without_projects (user_id) select n.owner_id from namespaces n where n.id = old.namespace_id and n.owner_id is not null; end;

create trigger projects_update_without_projects after update of namespace_id on projects for each row when (new.namespace_id is distinct from old.namespace_id) begin insert into users_perhaps_without_projects (user_id) select n.owner_id from namespaces n where n.id = old.namespace_id and n.owner_id is not null; end;

create trigger namespaces_delete_without_projects after delete on namespaces for each row when (old.owner_id is not null) begin insert into users_perhaps_without_projects (user_id) select old.owner_id; end;

create trigger namespaces_update_without_projects after update of owner_id on namespaces for each row when (old.owner_id is not null and new.owner_id is distinct from old.owner_id) begin insert into users_perhaps_without_projects (user_id) select old.owner_id; end;
