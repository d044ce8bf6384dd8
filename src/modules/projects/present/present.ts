import { setImmediate } from 'node:timers/promises'
import { type Actor, isAdministrator } from '../../../api/index.ts'
import { type Platform, registryHost } from '../../../platform/index.ts'
import type { OwnRoles } from '../../access/index.ts'
import { attributesOfAll } from '../../custom-attributes/index.ts'
import { presentingUsers } from '../../users/index.ts'
import type { Project } from '../core/access.ts'
import type { ProjectRow } from '../tables.ts'
import { presentBasic } from './basic.ts'
import { loadFacts, type ProjectFacts } from './facts.ts'
import type { View } from './field.ts'
import { type PresentedProject, presentFull } from './full.ts'

export { type PresentedProject, ProjectObject } from './full.ts'

type PresentOptions = {
  /** Only the basic level, as `simple=true` requests; anonymous users never get more. */
  simple?: boolean
  /** Shows the caller's roles in the project: in reads and lists, not in the answers to writes. */
  permissions?: boolean
  statistics?: boolean
  /** For administrators. */
  customAttributes?: boolean
  /** The caller's roles, when they are loaded already. */
  roles?: OwnRoles
}

async function viewOf(
  platform: Platform,
  actor: Actor,
  options: PresentOptions,
  ids: readonly number[],
): Promise<View> {
  const { settings, config, externalUrl, sshPrefix } = platform
  const { permissions = false, statistics = false } = options
  const withAttributes = options.customAttributes === true && isAdministrator(actor)
  const root = (await settings.current()).custom_http_clone_url_root || externalUrl
  return {
    actor,
    externalUrl,
    httpPrefix: `${root.replace(/\/+$/, '')}/`,
    sshPrefix,
    registryHost: config.registryEnabled ? registryHost(platform) : undefined,
    renderDescription: (id, text) => platform.ports['projects.render_description'](platform, id, text),
    users: await presentingUsers(platform),
    permissions,
    statistics,
    customAttributes: withAttributes ? await attributesOfAll(platform.database.read, 'project', ids) : undefined,
  }
}

/** Presents projects in the order of `rows`, a page at once; one that was deleted meanwhile is left out (contract 21, Project). */
export async function presentProjects(
  platform: Platform,
  rows: readonly (ProjectRow | Project)[],
  actor: Actor,
  options: PresentOptions = {},
): Promise<PresentedProject[]> {
  if (rows.length === 0) return []
  const [view, loaded] = await Promise.all([
    viewOf(
      platform,
      actor,
      options,
      rows.map(({ id }) => id),
    ),
    loadFacts(platform, rows, actor, options),
  ])
  const isFull = !options.simple && actor.kind !== 'anonymous'
  const present: (facts: ProjectFacts, view: View) => PresentedProject = isFull ? presentFull : presentBasic
  const presented: PresentedProject[] = []
  for (const facts of loaded) {
    presented.push(present(facts, view))
    // The Markdown of a page of descriptions would hold up other requests.
    if (isFull && facts.project.description) await setImmediate()
  }
  return presented
}

/** Presents one project, at the full level for users. */
export async function presentProject(
  platform: Platform,
  project: ProjectRow | Project,
  actor: Actor,
  options: PresentOptions = {},
): Promise<PresentedProject> {
  const [presented] = await presentProjects(platform, [project], actor, options)
  if (!presented) throw new Error(`project ${project.id} was deleted while it was presented`)
  return presented
}
