/** The shapes of what gitbeaker's types promise of a repository; what is looser here is so by the contract. */
import type {
  BranchSchema,
  CommitCommentSchema,
  CommitDiffSchema,
  CommitReferenceSchema,
  CommitSchema,
  CommitStatusSchema,
  DeployKeySchema,
  DiscussionNoteSchema,
  DiscussionSchema,
  ExpandedCommitSchema,
  ProjectRemoteMirrorSchema,
  ProtectedBranchSchema,
  ProtectedTagSchema,
  PushRuleSchema,
  ReleaseLinkSchema,
  ReleaseSchema,
  RepositoryCompareSchema,
  RepositoryContributorSchema,
  RepositoryFileExpandedSchema,
  RepositoryTreeSchema,
  SimpleUserSchema,
  TagSchema,
  WikiAttachmentSchema,
  WikiSchema,
} from '@gitbeaker/rest'
import { absent, anything, date, flag, hex, integer, listOf, orNull, shape, text } from './promised.ts'

const commitMembers = {
  id: hex,
  short_id: text,
  title: text,
  message: text,
  author_email: text,
  author_name: text,
  created_at: date,
  parent_ids: listOf(hex),
  authored_date: date,
  committer_name: text,
  committer_email: text,
  committed_date: date,
  web_url: text,
}
export const commit = shape<CommitSchema>(commitMembers)

const stats = shape<ExpandedCommitSchema['stats']>({ additions: integer, deletions: integer, total: integer })
const pipeline = shape<ExpandedCommitSchema['last_pipeline']>({
  id: integer,
  ref: orNull(text),
  sha: hex,
  status: text,
})

/** Without a pipeline there is no status. */
export const commitDetail = shape<ExpandedCommitSchema>({
  ...commitMembers,
  stats,
  status: orNull(text),
  last_pipeline: orNull(pipeline),
})

type Author = Pick<SimpleUserSchema, 'id' | 'name' | 'username' | 'state' | 'avatar_url' | 'web_url'>
const author = shape<Author>({
  id: integer,
  name: text,
  username: text,
  state: text,
  avatar_url: orNull(text),
  web_url: text,
})

export const diff = shape<CommitDiffSchema>({
  diff: text,
  new_path: text,
  old_path: text,
  a_mode: text,
  b_mode: text,
  new_file: flag,
  renamed_file: flag,
  deleted_file: flag,
})

export const reference = shape<CommitReferenceSchema>({ type: text, name: text })

export const status = shape<CommitStatusSchema>({
  status: text,
  created_at: date,
  started_at: orNull(date),
  name: text,
  allow_failure: flag,
  author,
  description: orNull(text),
  sha: hex,
  target_url: orNull(text),
  finished_at: orNull(date),
  id: integer,
  ref: text,
})

/** A comment on no line has no place. */
export const comment = shape<CommitCommentSchema>({
  note: text,
  author,
  line_type: orNull(text),
  path: orNull(text),
  line: orNull(integer),
})

/** A commit is noted by its `commit_id`, not by a number; `attachment` is of an earlier time. */
export const note = shape<DiscussionNoteSchema>({
  id: integer,
  type: orNull(text),
  body: text,
  attachment: absent,
  author,
  created_at: date,
  updated_at: date,
  system: flag,
  noteable_id: orNull(integer),
  noteable_type: text,
  noteable_iid: orNull(integer),
  resolvable: flag,
})
export const discussion = shape<DiscussionSchema>({ id: hex, individual_note: flag, notes: listOf(note) })

export const branch = shape<BranchSchema>({
  name: text,
  merged: flag,
  protected: flag,
  default: flag,
  developers_can_push: flag,
  developers_can_merge: flag,
  can_push: flag,
  web_url: text,
  commit,
})

type Level = NonNullable<ProtectedBranchSchema['push_access_levels']>[number]
const level = shape<Level>({
  id: integer,
  access_level: orNull(integer),
  access_level_description: text,
  user_id: orNull(integer),
  group_id: orNull(integer),
})
export const protectedBranch = shape<ProtectedBranchSchema>({
  id: integer,
  name: text,
  push_access_levels: listOf(level),
  merge_access_levels: listOf(level),
  unprotect_access_levels: listOf(level),
  allow_force_push: flag,
  code_owner_approval_required: flag,
})
export const protectedTag = shape<ProtectedTagSchema>({ name: text, create_access_levels: listOf(level) })

export const deployKey = shape<DeployKeySchema>({
  id: integer,
  title: text,
  key: text,
  created_at: date,
  fingerprint: text,
  fingerprint_sha256: text,
  expires_at: orNull(date),
  can_push: flag,
})

export const file = shape<RepositoryFileExpandedSchema>({
  file_name: text,
  file_path: text,
  size: integer,
  encoding: text,
  content: text,
  content_sha256: text,
  ref: text,
  blob_id: hex,
  commit_id: hex,
  last_commit_id: hex,
})
export const entry = shape<RepositoryTreeSchema>({ id: hex, name: text, type: text, path: text, mode: text })
export const comparison = shape<RepositoryCompareSchema>({
  commit,
  commits: listOf(commit),
  diffs: listOf(diff),
  compare_timeout: flag,
  compare_same_ref: flag,
})
export const contributor = shape<RepositoryContributorSchema>({
  name: text,
  email: text,
  commits: integer,
  additions: integer,
  deletions: integer,
})

export const tag = shape<TagSchema>({
  commit,
  release: orNull(shape<TagSchema['release']>({ tag_name: text, description: orNull(text) })),
  name: text,
  target: hex,
  message: text,
  protected: flag,
  created_at: orNull(date),
})

/** Whether a link leads elsewhere (`external`) is no longer told. */
export const releaseLink = shape<ReleaseLinkSchema>({
  id: integer,
  name: text,
  url: text,
  external: absent,
  link_type: text,
})
const source = shape<NonNullable<ReleaseSchema['assets']['sources']>[number]>({ format: text, url: text })
/** The path of the evidence is there once there is evidence. */
const assets = shape<ReleaseSchema['assets']>({
  count: integer,
  sources: listOf(source),
  links: listOf(releaseLink),
  evidence_file_path: anything,
})
const linksAround = shape<ReleaseSchema['_links']>({
  closed_issues_url: text,
  closed_merge_requests_url: text,
  edit_url: text,
  merged_merge_requests_url: text,
  opened_issues_url: text,
  opened_merge_requests_url: text,
  self: text,
})
export const release = shape<ReleaseSchema>({
  name: text,
  tag_name: text,
  description: orNull(text),
  created_at: date,
  released_at: date,
  upcoming_release: flag,
  author,
  commit,
  milestones: listOf(anything),
  commit_path: text,
  tag_path: text,
  assets,
  evidences: listOf(
    shape<{ sha: string; filepath: string; collected_at: string }>({ sha: text, filepath: text, collected_at: date }),
  ),
  _links: linksAround,
})

export const wikiPage = shape<WikiSchema>({ content: text, format: text, slug: text, title: text, encoding: text })
export const attachment = shape<WikiAttachmentSchema>({
  file_name: text,
  file_path: text,
  branch: text,
  link: shape<WikiAttachmentSchema['link']>({ url: text, markdown: text }),
})

/** A rule that says nothing is null. */
export const pushRule = shape<PushRuleSchema>({
  id: integer,
  commit_message_regex: orNull(text),
  commit_message_negative_regex: orNull(text),
  branch_name_regex: orNull(text),
  deny_delete_tag: flag,
  created_at: date,
  member_check: flag,
  prevent_secrets: flag,
  author_email_regex: orNull(text),
  file_name_regex: orNull(text),
  max_file_size: integer,
  commit_committer_check: flag,
  reject_unsigned_commits: flag,
})

export const remoteMirror = shape<ProjectRemoteMirrorSchema>({
  enabled: flag,
  id: integer,
  last_error: orNull(text),
  last_successful_update_at: orNull(date),
  last_update_at: orNull(date),
  last_update_started_at: orNull(date),
  only_protected_branches: flag,
  keep_divergent_refs: flag,
  update_status: text,
  url: text,
})
