import { isAdministrator, nullable, type Static, Type } from '../../../api/index.ts'
import { role } from '../../access/index.ts'
import { presentSizes, SharedWithGroup, sizeMembers } from '../../groups/index.ts'
import type { ProjectFacts } from './facts.ts'
import { hasFeature, text, type View } from './field.ts'

export const Links = Type.Object({
  self: text,
  issues: Type.Optional(text),
  merge_requests: Type.Optional(text),
  repo_branches: text,
  labels: text,
  events: text,
  members: text,
  cluster_agents: text,
})

export function linksOf(facts: ProjectFacts, view: View): Static<typeof Links> {
  const self = `${view.externalUrl}/api/v4/projects/${facts.project.id}`
  const { issues_access_level: issues, merge_requests_access_level: mergeRequests } = facts.settings
  return {
    self,
    issues: hasFeature(facts, issues) ? `${self}/issues` : undefined,
    merge_requests: hasFeature(facts, mergeRequests) ? `${self}/merge_requests` : undefined,
    repo_branches: `${self}/repository/branches`,
    labels: `${self}/labels`,
    events: `${self}/events`,
    members: `${self}/members`,
    cluster_agents: `${self}/cluster_agents`,
  }
}

const Access = nullable(Type.Object({ access_level: Type.Integer(), notification_level: Type.Integer() }))

export const Permissions = Type.Object({ project_access: Access, group_access: Access })

/** The notification level of the account: there are none for projects yet. */
const globalNotification = 3

function accessOf(level: number | null) {
  return level === null ? null : { access_level: level, notification_level: globalNotification }
}

export function permissionsOf({ project }: ProjectFacts, view: View): Static<typeof Permissions> | undefined {
  if (!view.permissions || view.actor.kind !== 'user') return undefined
  return { project_access: accessOf(project.role.projectLevel), group_access: accessOf(project.role.groupLevel) }
}

export const Statistics = Type.Object({
  commit_count: Type.Integer(),
  ...sizeMembers,
  container_registry_size: Type.Integer(),
})

/** Sizes in bytes and the number of commits; for reporters and above, on request. */
export function statisticsOf(facts: ProjectFacts, view: View): Static<typeof Statistics> | undefined {
  const isReporter = isAdministrator(view.actor) || facts.project.role.level >= role.reporter
  if (!view.statistics || !isReporter) return undefined
  const { context, sizes, registryBytes } = facts
  return {
    commit_count: context.commit_count ?? 0,
    ...presentSizes({
      repositoryBytes: sizes?.repository_bytes ?? 0,
      wikiBytes: sizes?.wiki_bytes ?? 0,
      lfsBytes: sizes?.lfs_bytes ?? 0,
      snippetBytes: sizes?.snippet_bytes ?? 0,
      uploadBytes: sizes?.upload_bytes ?? 0,
    }),
    // Not a part of storage_size: what projects share is stored once.
    container_registry_size: registryBytes,
  }
}

export const SharedWithGroups = Type.Array(SharedWithGroup)

export function sharedWithGroups({ relations }: ProjectFacts): Static<typeof SharedWithGroups> {
  return relations.links.map(({ group_visibility: _, ...link }) => ({ ...link, member_role_id: null }))
}
