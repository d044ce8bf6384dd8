import { type RawBuilder, sql } from 'kysely'
import type { Page, PageRequest } from '../../../../api/index.ts'
import { contains, type Reader, within } from '../../../../infra/database/index.ts'
import { isAtOrBelow, type NamespaceQuery, type NamespaceRow, pageOfNamespaces } from '../../../namespaces/index.ts'
import type { ProjectRow } from '../../tables.ts'

type PlacedProject = Pick<ProjectRow, 'id' | 'namespace_id'>

function groups(db: Reader, search: string | undefined): NamespaceQuery {
  const all = db.selectFrom('namespaces').where('kind', '=', 'group').where('pending_delete', '=', false)
  if (!search) return all
  return all.where((eb) => eb.or([contains('namespaces.name', search), contains('namespaces.path', search)]))
}

/** For each `project_creation_level` the groups in and below which the caller has the required role. */
type Creators = { developer: number[]; maintainer: number[]; owner: number[] }

/** Groups where the caller may create projects: `mayCreateIn` as a condition. */
function accepts(db: Reader, creators: Creators | null): RawBuilder<boolean> {
  const level = sql`coalesce(namespaces.settings ->> 'project_creation_level', 'developer')`
  if (creators === null) return sql<boolean>`${level} <> 'noone'`
  return sql<boolean>`(case ${level}
    when 'developer' then ${isAtOrBelow(db, creators.developer)}
    when 'maintainer' then ${isAtOrBelow(db, creators.maintainer)}
    when 'owner' then ${isAtOrBelow(db, creators.owner)}
    else (1 = 0) end)`
}

/**
 * Groups that accept new projects and are not marked for deletion.
 * @param wanted.creators the caller's roles; null for administrators
 */
export function groupsAcceptingProjects(
  db: Reader,
  { search, exceptId, creators }: { search: string | undefined; exceptId: number; creators: Creators | null },
): NamespaceQuery {
  return groups(db, search)
    .where('marked_for_deletion_on', 'is', null)
    .where('id', '<>', exceptId)
    .where(accepts(db, creators))
}

/** Groups that are not above a project and that it is not shared with. */
export function groupsNotSharedWith(
  db: Reader,
  project: PlacedProject,
  { search, today }: { search: string | undefined; today: string },
): NamespaceQuery {
  const above = sql<boolean>`namespaces.id in (
        select ancestor_id from namespace_ancestors where namespace_id = ${project.namespace_id})`
  const invited = sql<boolean>`namespaces.id in (select group_id from group_links where project_id = ${project.id}
        and (expires_at is null or expires_at > ${today}))`
  return groups(db, search).where(sql<boolean>`not ${above} and not ${invited}`)
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
        where (${sql.join(sources, sql` or `)}) and (l.expires_at is null or l.expires_at > ${wanted.today}))`
  return groups(db, wanted.search).where(invited)
}

/** Of these groups those of certain visibilities, and those with one of the ids or below one of them. */
export function openOrReached(
  db: Reader,
  chosen: NamespaceQuery,
  visibilities: readonly string[],
  ids: readonly number[],
): NamespaceQuery {
  const open = within(db, 'namespaces.visibility', visibilities)
  return chosen.where(sql<boolean>`(${open} or ${isAtOrBelow(db, ids)})`)
}

/** Of these groups those with one of the ids or below one of them. */
export function reached(db: Reader, chosen: NamespaceQuery, ids: readonly number[]): NamespaceQuery {
  return chosen.where(isAtOrBelow(db, ids))
}

/** A page of these groups, by name. */
export async function pageByName(db: Reader, chosen: NamespaceQuery, page: PageRequest): Promise<Page<NamespaceRow>> {
  const byName = (query: NamespaceQuery) => query.orderBy('namespaces.name').orderBy('namespaces.id')
  return pageOfNamespaces(db, chosen, byName, page)
}
