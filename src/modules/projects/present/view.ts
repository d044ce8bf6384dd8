import { type Actor, computed, from, isAdministrator, of, type TSchema, Type } from '../../../api/index.ts'
import { type Platform, registryHost } from '../../../platform/index.ts'
import { type Attribute, attributesOfAll } from '../../custom-attributes/index.ts'
import { schemaOf } from '../../settings/index.ts'
import { type PresentingUsers, presentingUsers } from '../../users/index.ts'
import { featureSwitches, type ProjectSettings, projectSettings } from '../settings/settings.ts'
import type { ProjectFacts } from './facts.ts'
import { sizesOf } from './store.ts'

/** How projects are shown: the same for all of an answer. */
export type View = {
  platform: Platform
  actor: Actor
  externalUrl: string
  /** What precedes a project's path in its addresses for git: `https://…/` and `git@host:`. */
  httpPrefix: string
  sshPrefix: string
  /** Host and port of the registry; undefined when the instance has none. */
  registryHost: string | undefined
  /** For the presentation of users. */
  users: PresentingUsers
  /** Whether more than the basic level is shown. */
  isFull: boolean
  /** Shows the caller's roles: only in reads and lists (contract 21, `permissions`). */
  permissions: boolean
  statistics: boolean
  /** Custom attributes by project, when they are shown. */
  customAttributes: ReadonlyMap<number, Attribute[]> | undefined
}

export type PresentOptions = {
  /** Only the basic level, as `simple=true` requests; anonymous users never get more. */
  simple?: boolean
  /** Shows the caller's roles in the project: in reads and lists, not in the answers to writes. */
  permissions?: boolean
  statistics?: boolean
  /** For administrators. */
  customAttributes?: boolean
}

/** The view in which projects are shown to a caller. */
export async function viewOf(
  platform: Platform,
  actor: Actor,
  options: PresentOptions,
  ids: readonly number[],
): Promise<View> {
  const { settings, config, externalUrl, sshPrefix, database } = platform
  const { permissions = false, statistics = false, simple = false } = options
  const withAttributes = options.customAttributes === true && isAdministrator(actor)
  const root = (await settings.current()).custom_http_clone_url_root || externalUrl
  return {
    ...{ platform, actor, externalUrl, sshPrefix, permissions, statistics },
    httpPrefix: `${root.replace(/\/+$/, '')}/`,
    registryHost: config.registryEnabled ? registryHost(platform) : undefined,
    users: await presentingUsers(platform),
    isFull: !simple && actor.kind !== 'anonymous',
    customAttributes: withAttributes ? await attributesOfAll(database.read, 'project', ids) : undefined,
  }
}

const idsOf = (rows: readonly ProjectFacts[]) => rows.map(({ project }) => project.id)

/** What projects are presented from. */
export const basic = of<ProjectFacts, View>()
export const projects = basic.facts({
  sizes: (rows, { platform }) => sizesOf(platform.database.read, idsOf(rows)),
  projectLevels: (rows, { platform, actor }) =>
    platform.ports['projects.notification_levels'](platform, actor, 'project', idsOf(rows)),
  groupLevels: (rows, { platform, actor }) => {
    const ids = rows.map(({ context }) => context.namespace_id)
    return platform.ports['projects.notification_levels'](platform, actor, 'group', ids)
  },
  registrySizes: (rows, { platform }) => platform.ports['projects.registry_sizes'](platform, idsOf(rows)),
})

type SettingFields<N extends keyof ProjectSettings> = {
  [K in N]: ReturnType<typeof from<ReturnType<typeof Type.Unsafe<ProjectSettings[K]>>, 'settings', K>>
}

/** Settings that are shown as they are, in this order. */
export function plain<const N extends keyof typeof projectSettings>(...names: N[]) {
  const fields = names.map((name) => {
    const schema = schemaOf(projectSettings[name] as never) as unknown as TSchema
    return [name, from(schema, 'settings', name)]
  })
  return Object.fromEntries(fields) as SettingFields<N>
}

/** Whether the caller has a feature of this level (contract 00, "Visibility and code access"). */
export function hasFeature(facts: Pick<ProjectFacts, 'isMember'>, level: string): boolean {
  return level === 'private' ? facts.isMember : level !== 'disabled'
}

/** Whether a feature is available to the caller, under its older name. */
export const isOn = (name: keyof typeof featureSwitches) =>
  computed(Type.Boolean(), (facts: ProjectFacts) => hasFeature(facts, facts.settings[featureSwitches[name]]))
