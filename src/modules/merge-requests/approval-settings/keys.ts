import type { InstanceSettings } from '../../../platform/settings/index.ts'
import type { GroupSettings } from '../../groups/index.ts'
import { type ProjectSettings, settingsOf } from '../../projects/index.ts'

/** One setting about approvals: what it is called at each level, and which value is a restriction (contract 24, ApprovalSetting). */
type Key = {
  project: Extract<
    keyof ProjectSettings,
    | 'merge_requests_author_approval'
    | 'merge_requests_disable_committers_approval'
    | 'disable_overriding_approvers_per_merge_request'
    | 'reset_approvals_on_push'
    | 'selective_code_owner_removals'
    | 'require_reauthentication_to_approve'
  >
  /** Whether the setting of the project says the opposite. */
  isNegated: boolean
  group: Extract<
    keyof GroupSettings,
    | 'allow_author_approval'
    | 'allow_committer_approval'
    | 'allow_overrides_to_approver_list_per_merge_request'
    | 'retain_approvals_on_push'
    | 'selective_code_owner_removals'
    | 'require_reauthentication_to_approve'
  >
  /** The setting of the instance that restricts when it is on. */
  instance: Extract<keyof InstanceSettings, `prevent_merge_requests_${string}` | `disable_overriding_${string}`> | null
  /** The value that locks the key below; null: it has no consequence below. */
  restriction: boolean | null
  /** Whether the free tier has it: its projects decide alone. */
  isFree?: true
}

const reauthentication = {
  project: 'require_reauthentication_to_approve',
  isNegated: false,
  group: 'require_reauthentication_to_approve',
  instance: null,
  restriction: true,
} as const

/** The keys of ApprovalSetting, in their order. */
export const approvalKeys = {
  allow_author_approval: {
    ...{ project: 'merge_requests_author_approval', isNegated: false, group: 'allow_author_approval' },
    ...{ instance: 'prevent_merge_requests_author_approval', restriction: false, isFree: true },
  },
  allow_committer_approval: {
    ...{ project: 'merge_requests_disable_committers_approval', isNegated: true, group: 'allow_committer_approval' },
    ...{ instance: 'prevent_merge_requests_committers_approval', restriction: false },
  },
  allow_overrides_to_approver_list_per_merge_request: {
    ...{ project: 'disable_overriding_approvers_per_merge_request', isNegated: true },
    group: 'allow_overrides_to_approver_list_per_merge_request',
    ...{ instance: 'disable_overriding_approvers_per_merge_request', restriction: false },
  },
  retain_approvals_on_push: {
    ...{ project: 'reset_approvals_on_push', isNegated: true, group: 'retain_approvals_on_push' },
    ...{ instance: null, restriction: false, isFree: true },
  },
  selective_code_owner_removals: {
    ...{ project: 'selective_code_owner_removals', isNegated: false, group: 'selective_code_owner_removals' },
    ...{ instance: null, restriction: null },
  },
  require_password_to_approve: reauthentication,
  require_reauthentication_to_approve: reauthentication,
} as const satisfies Record<string, Key>

export type ApprovalKey = keyof typeof approvalKeys
const names = Object.keys(approvalKeys) as ApprovalKey[]

/** What is decided above a project or group: by the instance, and by the top-level group where that is another one. */
export type Above = {
  instance: Pick<InstanceSettings, NonNullable<Key['instance']>> | null
  group: GroupSettings | null
}

/** An instance that restricts nothing. */
export const noRestrictions: NonNullable<Above['instance']> = {
  prevent_merge_requests_author_approval: false,
  prevent_merge_requests_committers_approval: false,
  disable_overriding_approvers_per_merge_request: false,
}

/** The value of a key that holds, and who has locked it. */
export type KeyView = { value: boolean; locked: boolean; inherited_from: 'instance' | 'group' | null }
export type ApprovalSettings = Readonly<Record<ApprovalKey, KeyView>>

/** What a project or group itself has stored of a key; undefined: nothing. */
type Own = (key: Key) => boolean | undefined

const unrestricted = ({ restriction }: Key) => (restriction === null ? false : !restriction)

/** What a project has stored. */
export function storedByProject(row: Parameters<typeof settingsOf>[0]): Own {
  const settings = settingsOf(row)
  return ({ project, isNegated }) => (settings[project] ?? false) !== isNegated
}

/** What a group has stored. */
export function storedByGroup(settings: GroupSettings): Own {
  return ({ group }) => settings[group]
}

function lockedBy({ instance, group, restriction }: Key, above: Above): KeyView['inherited_from'] {
  if (instance !== null && above.instance?.[instance]) return 'instance'
  return restriction !== null && above.group?.[group] === restriction ? 'group' : null
}

/** The view of one key: a restriction above decides, else what is stored (contract 24, Approvals). */
export function viewOfKey(name: ApprovalKey, above: Above, own: Own): KeyView {
  const key: Key = approvalKeys[name]
  const by = lockedBy(key, above)
  if (by !== null) return { value: key.restriction ?? false, locked: true, inherited_from: by }
  return { value: own(key) ?? unrestricted(key), locked: false, inherited_from: null }
}

/** The view of all keys. */
export function viewOfKeys(above: Above, own: Own): ApprovalSettings {
  return Object.fromEntries(names.map((name) => [name, viewOfKey(name, above, own)])) as ApprovalSettings
}

/** Leaves out what the free tier does not have. */
export function ofFreeTier(own: Own): Own {
  return (key) => (key.isFree ? own(key) : undefined)
}

type Given = Readonly<Partial<Record<ApprovalKey, boolean>>>

function openKeys(given: Given, views: ApprovalSettings): [Key, boolean][] {
  return names.flatMap((name) => {
    const value = given[name]
    return value === undefined || views[name].locked ? [] : [[approvalKeys[name], value] as [Key, boolean]]
  })
}

/** Changes of keys as changes of the settings of a project; keys that are locked are left out. */
export function changesOfProject(given: Given, views: ApprovalSettings): Partial<Record<Key['project'], boolean>> {
  return Object.fromEntries(
    openKeys(given, views).map(([{ project, isNegated }, value]) => [project, value !== isNegated]),
  )
}

/** Changes of keys as changes of the settings of a group. */
export function changesOfGroup(given: Given, views: ApprovalSettings): Partial<Record<Key['group'], boolean>> {
  return Object.fromEntries(openKeys(given, views).map(([{ group }, value]) => [group, value]))
}
