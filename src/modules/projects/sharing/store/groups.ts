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

/** For each `project_creation_level` the groups in and below which the caller has the role that it asks for. */
export type Takers = { developer: number[]; maintainer: number[]; owner: number[] }

/** Groups that let the caller make projects: `mayCreateIn`, for a query. */
function takes(db: Reader, takers: Takers | 'everybody'): RawBuilder<boolean> {
  const level = sql`coalesce(namespaces.settings ->> 'project_creation_level', 'developer')`
  if (takers === 'everybody') return sql<boolean>`${level} <> 'noone'`
  return sql<boolean>`(case ${level}
    when 'developer' then ${isAtOrBelow(db, takers.developer)}
    when 'maintainer' then ${isAtOrBelow(db, takers.maintainer)}
    when 'owner' then ${isAtOrBelow(db, takers.owner)}
    else (1 = 0) end)`
}

/**
 * Groups that take new projects and are not about to be deleted.
 * @param options.takers who asks, by their roles; `everybody` for whoever may as soon as anybody may
 */
export function groupsTakingProjects(
  db: Reader,
  { search, exceptId, takers }: { search: string | undefined; exceptId: number; takers: Takers | 'everybody' },
): NamespaceQuery {
  return groups(db, search)
    .where('marked_for_deletion_on', 'is', null)
    .where('id', '<>', exceptId)
    .where(takes(db, takers))
}

/** Groups that are not above a project, and that it is not shared with. */
export function groupsNotAround(
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

export type WantedInvited = {
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
  const places = [
    ...(wanted.direct ? [sql<boolean>`l.project_id = ${project.id}`] : []),
    ...(wanted.inherited ? [inherited] : []),
  ]
  const invited = sql<boolean>`namespaces.id in (select l.group_id from group_links l
        where (${sql.join(places, sql` or `)}) and (l.expires_at is null or l.expires_at > ${wanted.today}))`
  return groups(db, wanted.search).where(invited)
}

/** Of these groups those of certain visibilities, and those that are among some or lie below them. */
export function openOrReached(
  db: Reader,
  chosen: NamespaceQuery,
  visibilities: readonly string[],
  ids: readonly number[],
): NamespaceQuery {
  const open = within(db, 'namespaces.visibility', visibilities)
  return chosen.where(sql<boolean>`(${open} or ${isAtOrBelow(db, ids)})`)
}

/** Of these groups those that are among some or lie below them. */
export function reached(db: Reader, chosen: NamespaceQuery, ids: readonly number[]): NamespaceQuery {
  return chosen.where(isAtOrBelow(db, ids))
}

/** A page of these groups, by name. */
export async function pageByName(db: Reader, chosen: NamespaceQuery, page: PageRequest): Promise<Page<NamespaceRow>> {
  const byName = (query: NamespaceQuery) => query.orderBy('namespaces.name').orderBy('namespaces.id')
  return pageOfNamespaces(db, chosen, byName, page)
}
