import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { countRows, type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type GroupDomainRow, groupDomains } from '../tables.ts'

export const { byId: domainById, insert: insertDomain, update: updateDomain, remove: deleteDomain } = rows(groupDomains)

/** A page of the domains of a project, the oldest first. */
export async function pageOfDomains(db: Reader, projectId: number, page: PageRequest): Promise<Page<GroupDomainRow>> {
  return pageOfRows(
    db,
    db.selectFrom('group_domains').selectAll().where('project_id', '=', projectId).orderBy('id'),
    page,
  )
}

/** A page of the domains of all projects, by name. @param domain in lower case, selects one */
export async function pageOfAllDomains(
  db: Reader,
  domain: string | undefined,
  page: PageRequest,
): Promise<Page<GroupDomainRow>> {
  const all = db.selectFrom('group_domains').selectAll()
  const chosen = domain === undefined ? all : all.where('domain', '=', domain)
  return pageOfRows(db, chosen.orderBy('domain'), page)
}

export async function countDomains(db: Reader, projectId: number): Promise<number> {
  return countRows(db.selectFrom('group_domains').where('project_id', '=', projectId))
}

/** The domain of a host, whichever project has it. @param domain in lower case */
export async function domainNamed(db: Reader, domain: string): Promise<GroupDomainRow | null> {
  return (await db.selectFrom('group_domains').selectAll().where('domain', '=', domain).executeTakeFirst()) ?? null
}

/** @param domain in lower case */
export async function domainOf(db: Reader, projectId: number, domain: string): Promise<GroupDomainRow | null> {
  const query = db.selectFrom('group_domains').selectAll().where('project_id', '=', projectId)
  return (await query.where('domain', '=', domain).executeTakeFirst()) ?? null
}

/** Deletes the domains that stayed unverified for too long. */
export async function deleteUnverified(tx: Tx, moment: string): Promise<void> {
  await tx.deleteFrom('group_domains').where('verified', '=', false).where('remove_at', '<=', moment).execute()
}

/**
 * The next domains, by id, whose code has to be looked up: all unverified ones, and verified ones of which the last success
 * is a day old.
 * @param until `enabled_until` of a verification that is a day old
 */
export async function domainsToCheck(
  db: Reader,
  afterId: number,
  until: string,
  limit: number,
): Promise<GroupDomainRow[]> {
  return db
    .selectFrom('group_domains')
    .selectAll()
    .where('id', '>', afterId)
    .where((eb) => eb.or([eb('verified', '=', false), eb('enabled_until', '<=', until)]))
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The top-level group that has verified this domain; null when none has. */
export async function groupOfDomain(db: Reader, domain: string): Promise<number | null> {
  const query = db
    .selectFrom('group_domains as d')
    .innerJoin('projects as p', 'p.id', 'd.project_id')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'p.namespace_id')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('n.id')
    .where('d.domain', '=', domain)
    .where('d.verified', '=', true)
    .where('n.parent_id', 'is', null)
    .where('n.kind', '=', 'group')
  return (await query.executeTakeFirst())?.id ?? null
}
