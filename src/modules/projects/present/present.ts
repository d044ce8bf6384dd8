import type { Actor } from '../../../api/index.ts'
import type { Settings } from '../../settings/index.ts'
import type { Project } from '../core/access.ts'
import type { ProjectRow } from '../tables.ts'
import { presentBasic } from './basic.ts'
import { type CallerRoles, createFacts, type FactsNeeds, type ProjectFacts } from './facts.ts'
import type { View } from './field.ts'
import { type PresentedProject, presentFull } from './full.ts'

export { BasicProject, type PresentedBasicProject } from './basic.ts'
export { type PresentedProject, ProjectObject } from './full.ts'

export type PresenterNeeds = FactsNeeds & {
  settings: Pick<Settings, 'current'>
  externalUrl: string
  /** What stands before a project's path in its address for git over SSH: `git@host:`, `ssh://git@host:2222/`. */
  sshPrefix: string
  /** Host and port of the container registry; undefined while the instance has none. */
  registryHost?: string
}

export type PresentOptions = {
  /** Only the basic level, as `simple=true` asks for; callers without credentials never get more. */
  simple?: boolean
  /** Tells the caller's roles in the project: in reads and lists, not in the answers to writes. */
  permissions?: boolean
  statistics?: boolean
  /** For administrators. */
  customAttributes?: boolean
  /** The caller's roles, where they are at hand already. */
  roles?: CallerRoles
}

export type ProjectPresenter = ReturnType<typeof createProjectPresenter>

/** Turns projects into what the API shows of them to a caller, a whole page at once (contract 21, Project). */
export function createProjectPresenter(needs: PresenterNeeds) {
  const { settings, externalUrl, sshPrefix, registryHost } = needs
  const facts = createFacts(needs)

  async function viewOf(actor: Actor, options: PresentOptions): Promise<View> {
    const { permissions = false, statistics = false, customAttributes = false } = options
    const instance = await settings.current()
    const root = instance.custom_http_clone_url_root || externalUrl
    return {
      actor,
      externalUrl,
      httpPrefix: `${root.replace(/\/+$/, '')}/`,
      sshPrefix,
      registryHost,
      users: {
        externalUrl,
        now: facts.moment(),
        gravatar: instance.gravatar_enabled,
        commitEmailHostname: instance.commit_email_hostname,
      },
      permissions,
      statistics,
      customAttributes,
    }
  }

  /** Projects in the order of `rows`; one that has been removed meanwhile is left out. */
  async function presentProjects(
    rows: readonly (ProjectRow | Project)[],
    actor: Actor,
    options: PresentOptions = {},
  ): Promise<PresentedProject[]> {
    if (rows.length === 0) return []
    const [view, loaded] = await Promise.all([viewOf(actor, options), facts.load(rows, actor, options)])
    const present: (facts: ProjectFacts, view: View) => PresentedProject =
      options.simple || actor.kind === 'anonymous' ? presentBasic : presentFull
    return loaded.map((one) => present(one, view))
  }

  return {
    /** The roles that decide what a caller sees in lists. */
    callerRoles: facts.callerRoles,
    presentProjects,
    /** One project, at the full level for callers who are known. */
    async presentProject(project: ProjectRow | Project, actor: Actor, options: PresentOptions = {}) {
      const [presented] = await presentProjects([project], actor, options)
      if (!presented) throw new Error(`project ${project.id} went away while it was shown`)
      return presented
    },
  }
}
