import { type RawBuilder, sql } from 'kysely'
import type { PredicateUse, Reader } from '../../../../infra/database/index.ts'
import { live, type OwnRoles, role } from '../../../access/index.ts'
import { groupsAmong } from '../../../groups/index.ts'
import { isReached, matchesSearch, type NamespaceChoice, type NamespaceQuery } from '../../../namespaces/index.ts'
import type { ProjectRow } from '../../tables.ts'

type PlacedProject = Pick<ProjectRow, 'id' | 'namespace_id'>

/** Groups where a caller with these roles may create projects: `mayCreateIn` as a condition. */
function accepts(db: Reader, roles: OwnRoles | null, use: PredicateUse): RawBuilder<boolean> {
  const level = sql`coalesce(namespaces.settings ->> 'project_creation_level', 'developer')`
  if (roles === null) return sql<boolean>`${level} <> 'noone'`
  // All of them are developers, so one set finds the groups.
  return sql<boolean>`(${isReached(db, roles, role.developer, use)} and case ${level}
    when 'developer' then (1 = 1)
    when 'maintainer' then ${isReached(db, roles, role.maintainer, 'tests')}
    when 'owner' then ${isReached(db, roles, role.owner, 'tests')}
    else (1 = 0) end)`
}

type WantedAccepting = {
  groups: NamespaceQuery
  exceptId: number
  /** The caller's levels by namespace; null for administrators. */
  roles: OwnRoles | null
}

/** Those of the groups that accept new projects and are not marked for deletion. */
export function groupsAcceptingProjects(db: Reader, { groups, exceptId, roles }: WantedAccepting): NamespaceChoice {
  const others = groups.where('marked_for_deletion_on', 'is', null).where('id', '<>', exceptId)
  return (use) => others.where(accepts(db, roles, use))
}

/** Those of the groups that are not above a project and that it is not shared with. */
export function groupsNotSharedWith(groups: NamespaceQuery, project: PlacedProject, today: string): NamespaceQuery {
  const above = sql<boolean>`namespaces.id in (
        select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id})`
  const invited = sql<boolean>`namespaces.id in (select group_id from group_links where project_id = ${project.id}
        and ${live('group_links', today)})`
  return groups.where(sql<boolean>`not ${above} and not ${invited}`)
}

type WantedInvited = {
  search: string | undefined
  /** Those that were invited to the project itself. */
  direct: boolean
  /** Those that were invited to a group above it. */
  inherited: boolean
  today: string
}

/** Groups that were invited to a project, or to a group above it. */
export function groupsInvitedTo(db: Reader, project: PlacedProject, wanted: WantedInvited): NamespaceQuery {
  const inherited = sql<boolean>`l.namespace_id in (
        select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id})`
  const sources = [
    ...(wanted.direct ? [sql<boolean>`l.project_id = ${project.id}`] : []),
    ...(wanted.inherited ? [inherited] : []),
  ]
  const invited = sql<boolean>`namespaces.id in (select l.group_id from group_links l
        where (${sql.join(sources, sql` or `)}) and ${live('l', wanted.today)})`
  const groups = groupsAmong(db, invited)
  return wanted.search ? groups.where(matchesSearch(wanted.search)) : groups
}
