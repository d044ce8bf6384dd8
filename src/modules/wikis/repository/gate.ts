import { now, type Tx } from '../../../infra/database/index.ts'
import { branchName, isZeroOid, type RefName } from '../../../infra/git/index.ts'
import {
  type AppliedChange,
  type Platform,
  type RecordRefs,
  type RefListener,
  type RefRule,
  react,
} from '../../../platform/index.ts'
import { insertEvents } from '../../events/index.ts'
import { type PageChange, pageChanges } from '../pages/page-changes.ts'
import { titleOfSlug } from '../pages/titles.ts'
import { givePageIds, movePageId, pageIds } from '../store.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** Pages of the wiki of a project were changed, with the commit after that; null when there is none any more. */
    'wiki.changed': {
      projectId: number
      repositoryId: number
      userId: number | null
      sha: string | null
      pages: readonly { action: 'created' | 'updated' | 'destroyed'; slug: string }[]
    }
  }
}

/** The branch of the pages cannot be deleted, like the default branch of a project (contract 22 R8). */
export const wikiBranchRule: RefRule = async (_platform, { row, repository, changes }) => {
  if (row.kind !== 'wiki' || !changes.some((change) => isZeroOid(change.new))) return null
  const head = await repository.head()
  const isDeleted = changes.some((change) => change.ref === head && isZeroOid(change.new))
  return isDeleted ? ['The default branch of a project cannot be deleted.'] : null
}

const nothing: RecordRefs = async () => {}

const targetType = 'WikiPage::Meta'

const eventActions = { created: 'created', updated: 'updated', moved: 'updated', destroyed: 'destroyed' } as const

/** Stores the ids of pages and, in projects, the events. */
async function record(
  platform: Platform,
  tx: Tx,
  { row, writer }: AppliedChange,
  { pages, sha }: { pages: readonly PageChange[]; sha: string | null },
  moment: string,
) {
  for (const page of pages) {
    if (page.action === 'moved') await movePageId(tx, row.id, page.from, page.slug)
  }
  const slugs = pages.map(({ slug }) => slug)
  await givePageIds(tx, row.id, slugs, moment)
  const { project_id: projectId } = row
  if (projectId === null) return
  const ids = await pageIds(tx, row.id, slugs)
  const event = { project_id: projectId, author_id: writer.userId, target_type: targetType, created_at: moment }
  const events = pages.map(({ action, slug }) => {
    return { ...event, action: eventActions[action], target_id: ids.get(slug) ?? 0, target_title: titleOfSlug(slug) }
  })
  await insertEvents(tx, events)
  const changed = pages.map(({ action, slug }) => ({ action: eventActions[action], slug }))
  const where = { projectId, repositoryId: row.id, userId: writer.userId, sha }
  await react(platform, tx, 'wiki.changed', { ...where, pages: changed })
}

/** The branch of the pages. When it does not exist, the first branch that is created becomes it. */
async function branchOf({ row, repository, changes }: AppliedChange): Promise<RefName> {
  const head = await repository.head()
  const exists =
    changes.some(({ ref }) => ref === head) ||
    (await repository.refs(row.generation)).branch(branchName(head) ?? '') !== null
  const first = changes.find((change) => branchName(change.ref) !== null && !isZeroOid(change.new))
  if (exists || !first) return head
  await repository.setHead(first.ref)
  return first.ref
}

/**
 * Follows changes of a wiki's refs: the first branch becomes the branch of the pages, pages get or keep their ids, and
 * changes of pages become events of the project (contract 22 R5, R8).
 */
export const wikiListener: RefListener = {
  async prepare(platform, applied) {
    if (applied.row.kind !== 'wiki') return nothing
    const branch = await branchOf(applied)
    const change = applied.changes.find(({ ref }) => ref === branch)
    if (!change) return nothing
    const pages = await pageChanges(applied.repository, {
      before: isZeroOid(change.old) ? null : change.old,
      after: isZeroOid(change.new) ? null : change.new,
    })
    if (pages.length === 0) return nothing
    const moment = now(platform.clock)
    const sha = isZeroOid(change.new) ? null : change.new
    return (tx) => record(platform, tx, applied, { pages, sha }, moment)
  },
}
