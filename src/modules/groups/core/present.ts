import { computed, fact, forms, from, nullable, object, of, type Static, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { attributesOfAll } from '../../custom-attributes/index.ts'
import { type NamespaceRow, namespaceAvatarUrl, namespaceWebUrl, totalsOf } from '../../namespaces/index.ts'
import { levelOfProtection } from '../settings/branch-protection.ts'
import { PackageSettings, packageSettingsIn } from '../settings/packages.ts'
import {
  type GroupSettings,
  projectCreationLevels,
  settingsOfGroup,
  subgroupCreationLevels,
} from '../settings/settings.ts'

const inPremium = { tier: 'premium' } as const
const inUltimate = { tier: 'ultimate' } as const
const text = Type.String()
const flag = Type.Boolean()
const integer = Type.Integer()
const words = (values: readonly string[]) => Type.String({ enum: [...values] })
const accessLevels = Type.Array(Type.Object({ access_level: Type.Integer() }))

/** Bytes of a group or project by what takes them. */
type SizesRow = {
  repository_bytes: number
  wiki_bytes: number
  lfs_bytes: number
  snippet_bytes: number
  upload_bytes: number
  package_bytes: number
}

/** Bytes by what takes them; of artifacts they are not counted. */
export const sizes = of<SizesRow>().fields({
  storage_size: computed(
    integer,
    (row) =>
      row.repository_bytes + row.wiki_bytes + row.lfs_bytes + row.snippet_bytes + row.upload_bytes + row.package_bytes,
  ),
  repository_size: from(integer, 'repository_bytes'),
  wiki_size: from(integer, 'wiki_bytes'),
  lfs_objects_size: from(integer, 'lfs_bytes'),
  job_artifacts_size: computed(integer, () => 0),
  pipeline_artifacts_size: computed(integer, () => 0),
  packages_size: from(integer, 'package_bytes'),
  snippets_size: from(integer, 'snippet_bytes'),
  uploads_size: from(integer, 'upload_bytes'),
})
const Sizes = object(null, of<SizesRow>(), sizes)

/** A group with all of its settings. */
type ShownGroup = GroupSettings & NamespaceRow
export const withSettings = (row: NamespaceRow): ShownGroup => ({ ...settingsOfGroup(row), ...row })

/** How groups are shown to a caller. */
export type GroupView = {
  externalUrl: string
  db: Reader
  isAdministrator: boolean
  withStatistics: boolean
  withAttributes: boolean
}

const idsOf = (rows: readonly NamespaceRow[]) => rows.map(({ id }) => id)

const groups = of<ShownGroup, GroupView>().facts({
  attributes: (rows, { db }) => attributesOfAll(db, 'group', idsOf(rows)),
  totals: (rows, { db }) => totalsOf(db, idsOf(rows)),
})

const isRoot = ({ parent_id }: NamespaceRow) => parent_id === null

/** A group as lists show it (contract 21, Group). */
export const Group = object('Group', groups, {
  id: forms.id,
  web_url: computed(text, (row, { externalUrl }) => namespaceWebUrl(externalUrl, row)),
  name: text,
  path: text,
  description: forms.nullableString,
  visibility: words(['private', 'internal', 'public']),
  archived: flag,
  share_with_group_lock: flag,
  require_two_factor_authentication: flag,
  two_factor_grace_period: integer,
  project_creation_level: words(projectCreationLevels),
  auto_devops_enabled: nullable(flag),
  subgroup_creation_level: words(subgroupCreationLevels),
  emails_disabled: computed(flag, ({ emails_enabled }) => !emails_enabled),
  emails_enabled: flag,
  mentions_disabled: nullable(flag),
  lfs_enabled: flag,
  math_rendering_limits_enabled: flag,
  lock_math_rendering_limits_enabled: flag,
  default_branch: forms.nullableString,
  default_branch_protection: computed(integer, (row) => levelOfProtection(row.default_branch_protection_defaults)),
  default_branch_protection_defaults: Type.Object({
    allowed_to_push: accessLevels,
    allow_force_push: flag,
    allowed_to_merge: accessLevels,
    developer_can_initial_push: flag,
  }),
  avatar_url: computed(forms.nullableString, (row, { externalUrl }) => namespaceAvatarUrl(externalUrl, row, null)),
  request_access_enabled: flag,
  full_name: text,
  full_path: text,
  created_at: forms.timestamp,
  parent_id: forms.nullableInteger,
  organization_id: computed(integer, () => 1),
  shared_runners_setting: text,
  ...groups.ifView(({ withAttributes }) => withAttributes, {
    custom_attributes: fact(
      Type.Array(Type.Object({ key: text, value: text })),
      'attributes',
      ({ id }, { attributes }) => attributes.get(id) ?? [],
    ),
  }),
  ...groups.ifView(({ withStatistics }) => withStatistics, {
    statistics: fact(Type.Optional(Sizes), 'totals', ({ id }, { totals }) => {
      const found = totals.get(id)
      return found && Sizes.present(found.own)
    }),
    ...groups.ifRow(isRoot, {
      root_storage_statistics: fact(Type.Optional(Sizes), 'totals', ({ id }, { totals }) => {
        const found = totals.get(id)
        return found && Sizes.present(found.below)
      }),
    }),
  }),
  ...groups.ifView(({ isAdministrator }) => isAdministrator, {
    repository_storage: computed(text, ({ repository_storage: storage }) => storage ?? 'default'),
  }),
  ...groups.ifEdition(inPremium, {
    ldap_cn: forms.nullableString,
    ldap_access: forms.nullableInteger,
    file_template_project_id: forms.nullableInteger,
    marked_for_deletion_on: forms.nullableDay,
    wiki_access_level: text,
    duo_features_enabled: flag,
    lock_duo_features_enabled: flag,
  }),
})
export type PresentedGroup = Static<typeof Group>

/** An invited group with its invitation. */
export type InvitedGroup = {
  group: NamespaceRow
  access_level: number
  expires_at: string | null
  member_role_id: number | null
}

/** A group that a group or project was shared with (contract 21, `shared_with_groups`). */
export const SharedWithGroup = object('SharedWithGroup', of<InvitedGroup>(), {
  group_id: from(forms.id, 'group', 'id'),
  group_name: from(text, 'group', 'name'),
  group_full_path: from(text, 'group', 'full_path'),
  group_access_level: from(integer, 'access_level'),
  expires_at: forms.nullableDay,
  member_role_id: forms.nullableInteger,
})

/** How one group is shown. */
type DetailView = {
  /** Whether the caller is an owner of the group or an administrator. */
  owns: boolean
  invited: readonly InvitedGroup[]
  /** Objects of the projects in the group, and of those that are shared with it, unless they are not wanted. */
  projects?: object[]
  shared_projects?: object[]
}

const details = groups.inView<DetailView>()
const ifOwned = ({ owns }: DetailView) => owns

/** Projects are defined above groups, so the schema refers to them by title. */
const Projects = Type.Optional(Type.Array(Type.Ref('Project')))

/** One group with its projects and invited groups (contract 21, GroupDetail). */
export const GroupDetail = object('GroupDetail', details, {
  ...Group.fields,
  shared_with_groups: computed(Type.Array(SharedWithGroup), (_, { invited }) =>
    invited.map((one) => SharedWithGroup.present(one)),
  ),
  ...details.ifView(ifOwned, {
    runners_token: forms.nullableString,
    enabled_git_access_protocol: text,
    package_settings: computed(PackageSettings, (row) => packageSettingsIn(row)),
  }),
  ...details.ifRow(isRoot, { prevent_sharing_groups_outside_hierarchy: flag }),
  projects: computed(Projects, (_, { projects }) => projects),
  shared_projects: computed(Projects, (_, { shared_projects }) => shared_projects),
  ...details.ifEdition(inPremium, {
    shared_runners_minutes_limit: forms.nullableInteger,
    extra_shared_runners_minutes_limit: forms.nullableInteger,
    prevent_forking_outside_group: nullable(flag),
    membership_lock: flag,
    service_access_tokens_expiration_enforced: flag,
    ip_restriction_ranges: forms.nullableString,
    allowed_email_domains_list: forms.nullableString,
  }),
  ...details.ifEdition(inUltimate, {
    ...details.ifView(ifOwned, {
      ...details.ifRow(isRoot, {
        unique_project_download_limit: integer,
        unique_project_download_limit_interval_in_seconds: integer,
        unique_project_download_limit_allowlist: forms.strings,
        unique_project_download_limit_alertlist: Type.Array(integer),
        auto_ban_user_on_excessive_projects_download: flag,
      }),
    }),
  }),
})
export type PresentedGroupDetail = Static<typeof GroupDetail>
