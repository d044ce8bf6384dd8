/** What of an imported project or group may differ from the exported one, and why. */
import type { Allowed } from './comparing.ts'

export const mayDifferInProjects: Allowed = [
  [/ imported(_from)?$/, 'rows say that they were imported'],
  [/^project_import\.get /, 'one of them was imported'],
  [/^projects\.get value (import_status|created_at|updated_at|last_activity_at)$/, 'the project is new'],
  [/ next_run_at$/, 'counted from the time at which the project was made'],
  [
    /^(job_token_allowlist|projects\.storage|project_export\.get|project_boards).* (created_at|last_activity_at)$/,
    'the project is new',
  ],
  [/^projects\.storage value disk_path$/, 'the repository is another one'],
  [/^pages\.get value url$/, 'its own address'],
  [/^project_members\..* created_by( \w+)?$/, 'the importer has added the members'],
  [/^project_members\..* created_at$/, 'the owner of the namespace is a member since the project was made'],
  [/^project_audit_events\./, 'not in archives'],
  [/^events\.of_project /, 'an import is one event'],
  [/ (evidences|evidence_file_path)$/, 'evidence is not in archives'],
  [/^repository\.(archive|snapshot) /, 'the folder in it has the name of the project; packs are written anew'],
  [/^merge_requests\.merge_ref value commit_id$/, 'a commit that is made when it is asked for'],
  [/_discussions\.(list|get) value id$/, 'new ids'],
  [/\.user_agent_detail /, 'not in archives'],
  [/^feature_flag_clients\.get /, 'a secret of the project'],
  [/^pipeline_schedules\..* (active|owner \w+)$/, 'schedules are inactive, and of the importer'],
  [
    /^project_uploads\.list .*(created_at|uploaded_by \w+)$/,
    'archives have the files of uploads, without who has uploaded them',
  ],
  [/^project_export\./, 'one of them was exported'],
]

export const mayDifferInGroups: Allowed = [
  [/ imported(_from)?$/, 'rows say that they were imported'],
  [/^group_import\.get value import_status$/, 'one of them was imported'],
  [/^group_export\./, 'one of them was exported'],
  [/^(groups\.\w+|group_import\.get) value created_at$/, 'the groups are new'],
  [/^(group|billable)_members\.\w+ value created_at$/, 'the importer is a member since the group was made'],
  [/^group_audit_events\./, 'not in archives'],
  [/^group_custom_attributes\./, 'not in archives of groups'],
  [/_discussions\.(list|get) value id$/, 'new ids'],
]
