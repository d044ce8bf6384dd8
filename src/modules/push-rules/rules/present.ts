import { forms, Type } from '../../../api/index.ts'

const members = {
  created_at: forms.timestamp,
  commit_message_regex: forms.nullableString,
  commit_message_negative_regex: forms.nullableString,
  branch_name_regex: forms.nullableString,
  author_email_regex: forms.nullableString,
  file_name_regex: forms.nullableString,
  deny_delete_tag: Type.Boolean(),
  member_check: Type.Boolean(),
  prevent_secrets: Type.Boolean(),
  max_file_size: Type.Integer({ description: 'In MiB; 0 for any size.' }),
  commit_committer_check: Type.Boolean(),
  commit_committer_name_check: Type.Boolean(),
  reject_unsigned_commits: Type.Boolean(),
  reject_non_dco_commits: Type.Boolean(),
}

/** The push rule of a project (contract 22, PushRule). */
export const PushRule = Type.Object({ id: forms.id, project_id: forms.id, ...members }, { title: 'PushRule' })

/** The push rule that a group gives to its new projects. */
export const GroupPushRule = Type.Object({ id: forms.id, ...members }, { title: 'GroupPushRule' })
