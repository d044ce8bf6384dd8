import type { Clock } from '../../infra/clock/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import { branchName, isZeroOid, type RefName } from '../../infra/git/index.ts'
import { recordEvents } from '../events/index.ts'
import type { AppliedChange, RecordRefs, RefListener, RefRule } from '../repositories/index.ts'
import { type PageChange, pageChanges } from './page-changes.ts'
import { givePageIds, movePageId, pageIds } from './store.ts'
import { titleOfSlug } from './titles.ts'

/** The branch that holds the pages stays, as the default branch of a project does (contract 22 R8). */
export const wikiBranchRule: RefRule = async ({ row, repository, changes }) => {
  if (row.kind !== 'wiki' || !changes.some((change) => isZeroOid(change.new))) return null
  const kept = await repository.head()
  const isDeleted = changes.some((change) => change.ref === kept && isZeroOid(change.new))
  return isDeleted ? ['The default branch of a project cannot be deleted.'] : null
}

const nothing: RecordRefs = async () => {}

const targetType = 'WikiPage::Meta'

const eventActions = { created: 'created', updated: 'updated', moved: 'updated', destroyed: 'destroyed' } as const

/** Writes down what became of pages: their numbers, and in projects what people have done. */
async function record(tx: Tx, { row, mover }: AppliedChange, pages: readonly PageChange[], moment: string) {
  for (const page of pages) {
    if (page.action === 'moved') await movePageId(tx, row.id, page.from, page.slug)
  }
  const slugs = pages.map(({ slug }) => slug)
  await givePageIds(tx, row.id, slugs, moment)
  const { project_id: projectId } = row
  if (projectId === null) return
  const ids = await pageIds(tx, row.id, slugs)
  await recordEvents(
    tx,
    pages.map(({ action, slug }) => ({
      projectId,
      authorId: mover.userId,
      action: eventActions[action],
      target: { type: targetType, id: ids.get(slug) ?? 0, title: titleOfSlug(slug) },
      now: moment,
    })),
  )
}

/**
 * What follows when the refs of a wiki move, pushed or through the API: the first branch becomes that of the pages, pages
 * keep or get their numbers, and what was done to them is an event of the project (contract 22 R5, R8).
 */
export function wikiListener({ clock }: { clock: Clock }): RefListener {
  /** The branch of the pages, after a first push of another one has made that the one. */
  async function branchOf({ row, repository, changes }: AppliedChange): Promise<RefName> {
    const head = await repository.head()
    const isThere =
      changes.some(({ ref }) => ref === head) ||
      (await repository.refs(row.generation)).branch(branchName(head) ?? '') !== null
    const first = changes.find((change) => branchName(change.ref) !== null && !isZeroOid(change.new))
    if (isThere || !first) return head
    await repository.setHead(first.ref)
    return first.ref
  }

  return {
    async prepare(applied) {
      if (applied.row.kind !== 'wiki') return nothing
      const branch = await branchOf(applied)
      const change = applied.changes.find(({ ref }) => ref === branch)
      if (!change) return nothing
      const pages = await pageChanges(applied.repository, {
        before: isZeroOid(change.old) ? null : change.old,
        after: isZeroOid(change.new) ? null : change.new,
      })
      if (pages.length === 0) return nothing
      const moment = now(clock)
      return (tx) => record(tx, applied, pages, moment)
    },
  }
}
