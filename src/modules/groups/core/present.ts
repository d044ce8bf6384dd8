import { forms, nullable, onlyIn, type Static, Type } from '../../../api/index.ts'
import type { Attribute } from '../../custom-attributes/index.ts'
import { type NamespaceRow, type NamespaceTotals, namespaceAvatarUrl, namespaceWebUrl } from '../../namespaces/index.ts'
import { levelOfProtection } from '../settings/branch-protection.ts'
import { projectCreationLevels, settingsOfGroup, subgroupCreationLevels } from '../settings/settings.ts'

const inPremium = { tier: 'premium' } as const
const inUltimate = { tier: 'ultimate' } as const
const text = Type.String()
const flag = Type.Boolean()
const nullableFlag = nullable(flag)
const words = (values: readonly string[]) => Type.String({ enum: [...values] })
const accessLevels = Type.Array(Type.Object({ access_level: Type.Integer() }))

/** Bytes of a group or project by what takes them. */
export const sizeMembers = {
  storage_size: Type.Integer(),
  repository_size: Type.Integer(),
  wiki_size: Type.Integer(),
  lfs_objects_size: Type.Integer(),
  job_artifacts_size: Type.Integer(),
  pipeline_artifacts_size: Type.Integer(),
  packages_size: Type.Integer(),
  snippets_size: Type.Integer(),
  uploads_size: Type.Integer(),
}

const listed = {
  id: forms.id,
  web_url: text,
  name: text,
  path: text,
  description: forms.nullableString,
  visibility: words(['private', 'internal', 'public']),
  share_with_group_lock: flag,
  require_two_factor_authentication: flag,
  two_factor_grace_period: Type.Integer(),
  project_creation_level: words(projectCreationLevels),
  auto_devops_enabled: nullableFlag,
  subgroup_creation_level: words(subgroupCreationLevels),
  emails_disabled: flag,
  emails_enabled: flag,
  mentions_disabled: nullableFlag,
  lfs_enabled: flag,
  math_rendering_limits_enabled: flag,
  lock_math_rendering_limits_enabled: flag,
  default_branch: forms.nullableString,
  default_branch_protection: Type.Integer(),
  default_branch_protection_defaults: Type.Object({
    allowed_to_push: accessLevels,
    allow_force_push: flag,
    allowed_to_merge: accessLevels,
    developer_can_initial_push: flag,
  }),
  avatar_url: forms.nullableString,
  request_access_enabled: flag,
  full_name: text,
  full_path: text,
  created_at: forms.timestamp,
  parent_id: forms.nullableInteger,
  organization_id: Type.Integer(),
  shared_runners_setting: text,
  custom_attributes: Type.Optional(Type.Array(Type.Object({ key: text, value: text }))),
  statistics: Type.Optional(Type.Object(sizeMembers)),
  root_storage_statistics: Type.Optional(Type.Object(sizeMembers)),
  repository_storage: Type.Optional(text),
  ldap_cn: onlyIn(inPremium, forms.nullableString),
  ldap_access: onlyIn(inPremium, forms.nullableInteger),
  file_template_project_id: onlyIn(inPremium, forms.nullableInteger),
  marked_for_deletion_on: onlyIn(inPremium, forms.nullableDay),
  wiki_access_level: onlyIn(inPremium, text),
  duo_features_enabled: onlyIn(inPremium, flag),
  lock_duo_features_enabled: onlyIn(inPremium, flag),
}

/** A group as lists show it (contract 21, Group). */
export const Group = Type.Object(listed, { title: 'Group' })
export type PresentedGroup = Static<typeof Group>

/** A group that a group or project was shared with (contract 21, `shared_with_groups`). */
export const SharedWithGroup = Type.Object(
  {
    group_id: forms.id,
    group_name: text,
    group_full_path: text,
    group_access_level: Type.Integer(),
    expires_at: forms.nullableDay,
    member_role_id: forms.nullableInteger,
  },
  { title: 'SharedWithGroup' },
)

/** Members of GroupDetail besides the projects. */
const detailed = {
  shared_with_groups: Type.Array(SharedWithGroup),
  runners_token: Type.Optional(forms.nullableString),
  enabled_git_access_protocol: Type.Optional(text),
  prevent_sharing_groups_outside_hierarchy: Type.Optional(flag),
}

const premium = {
  shared_runners_minutes_limit: onlyIn(inPremium, forms.nullableInteger),
  extra_shared_runners_minutes_limit: onlyIn(inPremium, forms.nullableInteger),
  prevent_forking_outside_group: onlyIn(inPremium, nullableFlag),
  membership_lock: onlyIn(inPremium, flag),
  service_access_tokens_expiration_enforced: onlyIn(inPremium, flag),
  ip_restriction_ranges: onlyIn(inPremium, forms.nullableString),
  allowed_email_domains_list: onlyIn(inPremium, forms.nullableString),
  unique_project_download_limit: onlyIn(inUltimate, Type.Optional(Type.Integer())),
  unique_project_download_limit_interval_in_seconds: onlyIn(inUltimate, Type.Optional(Type.Integer())),
  unique_project_download_limit_allowlist: onlyIn(inUltimate, Type.Optional(forms.strings)),
  unique_project_download_limit_alertlist: onlyIn(inUltimate, Type.Optional(Type.Array(Type.Integer()))),
  auto_ban_user_on_excessive_projects_download: onlyIn(inUltimate, Type.Optional(flag)),
}

/** Projects are defined above groups, so the schema refers to them by title. */
const projects = Type.Optional(Type.Array(Type.Ref('Project')))

/** One group with its projects and invited groups (contract 21, GroupDetail). */
export const GroupDetail = Type.Object(
  { ...listed, ...detailed, projects, shared_projects: projects, ...premium },
  { title: 'GroupDetail' },
)
export type PresentedGroupDetail = Static<typeof GroupDetail>

/** Bytes of the repositories, wikis, LFS objects, snippets and uploads of projects, and of the uploads of groups. */
type Sizes = {
  repositoryBytes: number
  wikiBytes: number
  lfsBytes: number
  snippetBytes: number
  uploadBytes: number
}

/** Job artifacts and packages are not counted. */
export function presentSizes({ repositoryBytes, wikiBytes, lfsBytes, snippetBytes, uploadBytes }: Sizes) {
  return {
    storage_size: repositoryBytes + wikiBytes + lfsBytes + snippetBytes + uploadBytes,
    repository_size: repositoryBytes,
    wiki_size: wikiBytes,
    lfs_objects_size: lfsBytes,
    job_artifacts_size: 0,
    pipeline_artifacts_size: 0,
    packages_size: 0,
    snippets_size: snippetBytes,
    uploads_size: uploadBytes,
  }
}

function presentTotals(totals: NamespaceTotals) {
  return presentSizes({
    repositoryBytes: totals.repository_bytes,
    wikiBytes: totals.wiki_bytes,
    lfsBytes: totals.lfs_bytes,
    snippetBytes: totals.snippet_bytes,
    uploadBytes: totals.upload_bytes,
  })
}

type GroupFacts = {
  externalUrl: string
  administrator: boolean
  /** Only when requested. */
  customAttributes?: Attribute[] | undefined
  /** Of the group itself; only when requested. */
  own?: NamespaceTotals | undefined
  /** With everything below; only of top-level groups. */
  below?: NamespaceTotals | undefined
}

export function presentGroup(row: NamespaceRow, facts: GroupFacts): PresentedGroup {
  const { externalUrl, administrator } = facts
  const settings = settingsOfGroup(row)
  const protection = settings.default_branch_protection_defaults as PresentedGroup['default_branch_protection_defaults']
  return {
    ...settings,
    ...row,
    web_url: namespaceWebUrl(externalUrl, row),
    emails_disabled: !settings.emails_enabled,
    default_branch_protection: levelOfProtection(protection),
    default_branch_protection_defaults: protection,
    avatar_url: namespaceAvatarUrl(externalUrl, row, null),
    organization_id: 1,
    custom_attributes: facts.customAttributes,
    statistics: facts.own && presentTotals(facts.own),
    root_storage_statistics: facts.below && presentTotals(facts.below),
    repository_storage: administrator ? (settings.repository_storage ?? 'default') : undefined,
  }
}

/** An invited group with its invitation. */
export type InvitedGroup = { group: NamespaceRow; access_level: number; expires_at: string | null }

function presentSharedWithGroup({ group, access_level, expires_at }: InvitedGroup) {
  return {
    group_id: group.id,
    group_name: group.name,
    group_full_path: group.full_path,
    group_access_level: access_level,
    expires_at,
    member_role_id: null,
  }
}

const downloadLimits = [
  'unique_project_download_limit',
  'unique_project_download_limit_interval_in_seconds',
  'unique_project_download_limit_allowlist',
  'unique_project_download_limit_alertlist',
  'auto_ban_user_on_excessive_projects_download',
]
/** Settings that only owners see. */
const forOwners = ['runners_token', 'enabled_git_access_protocol', ...downloadLimits]
/** Settings that only top-level groups show. */
const forRoots = ['prevent_sharing_groups_outside_hierarchy', ...downloadLimits]

/** @param owns whether the caller is an owner of the group or an administrator */
export function presentDetail(
  row: NamespaceRow,
  facts: GroupFacts,
  more: { owns: boolean; invited: readonly InvitedGroup[]; projects?: object[]; shared_projects?: object[] },
): PresentedGroupDetail {
  const { owns, invited, projects, shared_projects } = more
  const hidden = [...(owns ? [] : forOwners), ...(row.parent_id === null ? [] : forRoots)]
  return {
    // With all settings; the schema selects.
    ...presentGroup(row, facts),
    ...Object.fromEntries(hidden.map((name) => [name, undefined])),
    shared_with_groups: invited.map(presentSharedWithGroup),
    projects,
    shared_projects,
  } as PresentedGroupDetail
}
