import { NotBrought } from '../../clients/errors.ts'
import {
  flagOf,
  type Item,
  itemOf,
  itemsOf,
  numberOf,
  plainOf,
  requireNumber,
  requireText,
  textOf,
  textsOf,
} from '../../clients/values.ts'
import { milestoneOf } from '../classification.ts'
import { bringEach, type Copy, type ImportContext, type Place, writeAs } from '../context.ts'
import { settledKey } from '../repository.ts'
import { withoutActions } from '../texts.ts'
import { withAttachments } from './attachments.ts'
import { bringNotes } from './notes.ts'
import { branchesOf, placeBranches, type RequestBranches, type RequestPlace, repeatMerge } from './request-branches.ts'

/** More numbers in a row are not left free. */
const mostFree = 1000

/**
 * Merge requests are made in the order of their numbers, with their branches where they were: a number that is free at the source is left
 * free here. A merge is repeated by pushing the commit that it led to.
 */
export async function bringMergeRequests(context: ImportContext, place: Place, copy: Copy | null): Promise<void> {
  const list = 'merge_requests?scope=all&state=all&order_by=created_at&sort=asc'
  const nameOf = (item: Item) => `!${numberOf(item, 'iid')}`
  await bringEach(context, place, { list, what: 'merge request', nameOf }, async (request) => {
    const iid = requireNumber(request, 'iid')
    const key = keyOf(place, iid)
    const mark = textOf(request, 'updated_at') ?? ''
    if (mark !== '' && context.state.value(`whole ${key}`) === mark) return
    if (context.state.value(`made ${key}`) === undefined) {
      if (!copy) throw new NotBrought('the repository could not be brought')
      await make({ context, place, copy }, iid)
    }
    const number = context.state.value(key)
    const to = `${place.to}/merge_requests/${number}`
    const url = textOf(request, 'web_url')
    const what = `merge request !${iid}`
    await bringNotes(context, { place, what, from: `${place.from}/merge_requests/${iid}`, to, url })
    await finish(context, { place, request, to })
    context.state.finish(`whole ${key}`, mark)
  })
}

const keyOf = (place: Place, iid: number) => `merge_request ${place.from} ${iid}`

/** Makes a merge request with its versions and its merge. After a run that ended in between, it does so again with the same one. */
async function make(at: RequestPlace, iid: number): Promise<void> {
  const { context, place } = at
  const { state } = context
  const key = keyOf(place, iid)
  const request = await context.source.get(`${place.from}/merge_requests/${iid}`)
  const branches = await branchesOf(at, request, iid)
  const isSettled = state.value(settledKey(place)) !== undefined
  const [first, ...later] = branches.versions
  if (!isSettled && first) await placeBranches(at, branches, first)
  if (typeof state.value(key) !== 'number') await leaveFree(at, iid, branches)
  const number = await state.once(key, {
    find: () => madeBefore(at, request),
    make: () => create(at, request, branches),
  })
  state.finish(nextNumberKey(place), number + 1)
  const report = (about: string, reason: string) =>
    state.reportProblem(`${about} ${key}`, { place: place.path, what: `merge request !${iid}`, reason })
  if (number !== iid) report('number', `it has the number !${number} here: the API does not let a number be chosen`)
  if (branches.isLost) report('lost', 'the source no longer has its commits: it is here without them')
  if (!isSettled) {
    for (const version of later) await placeBranches(at, branches, version)
    const isSquashed = await repeatMerge(at, request, branches)
    if (isSquashed)
      report('squashed', 'it was squashed when it was merged: its last version here is the squashed commit')
  }
  state.finish(`made ${key}`, number)
}

async function create({ context, place }: RequestPlace, request: Item, branches: RequestBranches): Promise<number> {
  const { sourceBranch: source_branch, targetBranch: target_branch } = branches
  const given = { source_branch, target_branch, title: requireText(request, 'title'), ...plainOf(request, ['squash']) }
  const text = await withAttachments(context, place, withoutActions(textOf(request, 'description') ?? ''))
  const from = { text, url: textOf(request, 'web_url'), isDated: false }
  const made = await writeAs(context, request, from, (as, description) =>
    context.target.write('POST', `${place.to}/merge_requests`, { ...given, description }, as),
  )
  return requireNumber(made, 'iid')
}

/** The number of the merge request that an interrupted run has made. */
async function madeBefore(at: RequestPlace, request: Item): Promise<number | null> {
  const newest = await newestOf(at)
  const isNew = newest && newest.iid >= nextNumberOf(at) && newest.title === textOf(request, 'title')
  return isNew ? newest.iid : null
}

async function newestOf({ context, place }: RequestPlace): Promise<{ iid: number; title: string | undefined } | null> {
  const list = `${place.to}/merge_requests?scope=all&state=all&order_by=created_at&sort=desc`
  for await (const item of context.target.list(list)) {
    return { iid: requireNumber(item, 'iid'), title: textOf(item, 'title') }
  }
  return null
}

const nextNumberKey = (place: Place) => `next_number ${place.from}`

/** The number that the next merge request gets here. */
function nextNumberOf({ context, place }: RequestPlace): number {
  const known = context.state.value(nextNumberKey(place))
  return typeof known === 'number' ? known : 1
}

const placeholderTitle = 'A number that is free at the source'

/** Makes and deletes merge requests until the next one gets this number. */
async function leaveFree(at: RequestPlace, iid: number, branches: RequestBranches): Promise<void> {
  const { context, place } = at
  const { sourceBranch: source_branch, targetBranch: target_branch } = branches
  const list = `${place.to}/merge_requests`
  const newest = await newestOf(at)
  if (newest?.title === placeholderTitle) await context.target.write('DELETE', `${list}/${newest.iid}`)
  let next = Math.max(nextNumberOf(at), (newest?.iid ?? 0) + 1)
  if (iid - next > mostFree) return
  while (next < iid) {
    const given = { source_branch, target_branch, title: placeholderTitle }
    const made = requireNumber(await context.target.write('POST', list, given), 'iid')
    next = made + 1
    context.state.finish(nextNumberKey(place), next)
    await context.target.write('DELETE', `${list}/${made}`)
  }
}

type Finished = { place: Place; request: Item; to: string }

/** What is decided about a merge request, and its state. */
async function finish(context: ImportContext, { place, request, to }: Finished): Promise<void> {
  const { target, people, state } = context
  const labels = textsOf(request, 'labels')
  const milestone_id = milestoneOf(context, itemOf(request, 'milestone'))
  const assignee_ids = await people.idsOf(itemsOf(request, 'assignees'))
  const reviewer_ids = await people.idsOf(itemsOf(request, 'reviewers'))
  const changes = {
    ...(labels.length > 0 ? { labels: labels.join(',') } : {}),
    ...(milestone_id === undefined ? {} : { milestone_id }),
    ...(assignee_ids.length > 0 ? { assignee_ids } : {}),
    ...(reviewer_ids.length > 0 ? { reviewer_ids } : {}),
    ...(flagOf(request, 'discussion_locked') === true ? { discussion_locked: true } : {}),
  }
  if (Object.keys(changes).length > 0) await target.write('PUT', to, changes)
  const there = textOf(await target.get(to), 'state')
  const wanted = textOf(request, 'state') ?? ''
  if (['closed', 'merged'].includes(wanted) && there === 'opened')
    await target.write('PUT', to, { state_event: 'close' })
  if (wanted === 'merged' && there !== 'merged') {
    const iid = requireNumber(request, 'iid')
    const reason = 'the commits that were merged are not in its target branch: it is closed here'
    state.reportProblem(`merged ${keyOf(place, iid)}`, { place: place.path, what: `merge request !${iid}`, reason })
  }
}
