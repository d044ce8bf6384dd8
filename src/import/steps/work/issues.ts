import { Refused } from '../../clients/errors.ts'
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
  timeOf,
} from '../../clients/values.ts'
import { milestoneOf } from '../classification.ts'
import { attempt, bringEach, type ImportContext, type Place, writeAs } from '../context.ts'
import { withoutActions } from '../texts.ts'
import { withAttachments } from './attachments.ts'
import { bringNotes } from './notes.ts'

/** Issues keep their numbers and times. */
export async function bringIssues(context: ImportContext, place: Place): Promise<void> {
  const list = 'issues?scope=all&state=all&order_by=created_at&sort=asc'
  await bringEach(context, place, { list, what: 'issue', nameOf: (item) => `#${numberOf(item, 'iid')}` }, (issue) =>
    bringIssue(context, place, issue),
  )
}

async function bringIssue(context: ImportContext, place: Place, issue: Item): Promise<void> {
  const { state, target } = context
  const iid = requireNumber(issue, 'iid')
  const key = `issue ${place.from} ${iid}`
  const mark = textOf(issue, 'updated_at') ?? ''
  // The same time as before means that neither the issue nor its comments have changed.
  if (mark !== '' && state.value(`whole ${key}`) === mark) return
  const to = `${place.to}/issues/${iid}`
  await state.once(key, {
    find: async () => ((await target.find(to)) ? iid : null),
    make: async () => {
      await createIssue(context, place, issue)
      return iid
    },
  })
  const commented = {
    place,
    what: `issue #${iid}`,
    from: `${place.from}/issues/${iid}`,
    to,
    url: textOf(issue, 'web_url'),
  }
  if (numberOf(issue, 'user_notes_count') !== 0) await bringNotes(context, commented)
  await bringTimes(context, place, issue, to)
  await classify(context, issue, to)
  state.finish(`whole ${key}`, mark)
}

async function createIssue(context: ImportContext, place: Place, issue: Item): Promise<Item> {
  const given = {
    ...plainOf(issue, ['iid', 'confidential', 'issue_type']),
    title: requireText(issue, 'title'),
    created_at: timeOf(issue, 'created_at'),
  }
  const text = await withAttachments(context, place, withoutActions(textOf(issue, 'description') ?? ''))
  const from = { text, url: textOf(issue, 'web_url') }
  const write = (as: string | undefined, description: string, type: object = {}) =>
    context.target.write('POST', `${place.to}/issues`, { ...given, description, ...type }, as)
  return writeAs(context, issue, from, async (as, description) =>
    write(as, description).catch((error) => {
      // The source may know more kinds of issues.
      if (!(error instanceof Refused) || error.status !== 400 || textOf(issue, 'issue_type') === undefined) throw error
      return write(as, description, { issue_type: undefined })
    }),
  )
}

/** What the author may not decide, and the state. */
async function classify(context: ImportContext, issue: Item, to: string): Promise<void> {
  const { target, people } = context
  const isClosed = textOf(issue, 'state') === 'closed'
  const updatedAt = timeOf(issue, 'updated_at')
  const closedAt = isClosed ? (timeOf(issue, 'closed_at') ?? updatedAt) : undefined
  const assignee_ids = await people.idsOf(itemsOf(issue, 'assignees'))
  const labels = textsOf(issue, 'labels')
  const milestone_id = milestoneOf(context, itemOf(issue, 'milestone'))
  await target.write('PUT', to, {
    ...plainOf(issue, ['due_date', 'weight']),
    ...(labels.length > 0 ? { labels: labels.join(',') } : {}),
    ...(assignee_ids.length > 0 ? { assignee_ids } : {}),
    ...(milestone_id === undefined ? {} : { milestone_id }),
    ...(flagOf(issue, 'discussion_locked') === true ? { discussion_locked: true } : {}),
    state_event: isClosed ? 'close' : 'reopen',
    updated_at: closedAt ?? updatedAt,
  })
  if (closedAt !== updatedAt) await target.write('PUT', to, { title: textOf(issue, 'title'), updated_at: updatedAt })
}

const secondsInMinute = 60

/** The estimate and the time spent, each as one amount. */
async function bringTimes(context: ImportContext, place: Place, issue: Item, to: string): Promise<void> {
  const { state, target } = context
  const stats = itemOf(issue, 'time_stats') ?? {}
  const amounts = {
    time_estimate: numberOf(stats, 'time_estimate'),
    add_spent_time: numberOf(stats, 'total_time_spent'),
  }
  for (const [operation, seconds = 0] of Object.entries(amounts)) {
    const minutes = Math.round(seconds / secondsInMinute)
    if (minutes === 0) continue
    const key = `${operation} ${place.from} ${numberOf(issue, 'iid')}`
    const report = { key: `item ${key}`, place: place.path, what: `times of issue #${numberOf(issue, 'iid')}` }
    await attempt(context, report, () =>
      state.once(key, {
        find: async () => {
          const found = itemOf((await target.find(to)) ?? {}, 'time_stats') ?? {}
          const name = operation === 'time_estimate' ? operation : 'total_time_spent'
          return (numberOf(found, name) ?? 0) > 0 ? minutes : null
        },
        make: async () => {
          await target.write('POST', `${to}/${operation}`, { duration: `${minutes}m` })
          return minutes
        },
      }),
    )
  }
}
