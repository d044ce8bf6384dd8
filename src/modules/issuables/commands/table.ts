import { badRequest, dayOf, parseDate } from '../../../api/index.ts'
import { usableIteration } from '../../iterations/index.ts'
import { usableLabels } from '../../labels/index.ts'
import { usableMilestonesTitled } from '../../milestones/index.ts'
import { addTodo, markTodosDone } from '../../notes/index.ts'
import { usersByIds, usersByUsernames } from '../../users/index.ts'
import { answersOf } from '../answers.ts'
import { setSubscription } from '../participation/participation.ts'
import { placesOf } from '../references/paths.ts'
import { referencesIn, type TextReference } from '../references/text.ts'
import { parseWorkingTime } from '../time/duration.ts'
import { humanTime } from '../time/present.ts'
import { changeEstimate, changeSpent } from '../time/time.ts'
import type { Command, CommandChanges, CommandContext, Step } from './command.ts'
import { namesIn, usernamesIn } from './parse.ts'

/** @throws ApiError 400: the argument is missing, or names nothing that the command can use */
function cannotApply(name: string): never {
  throw badRequest(`Could not apply ${name} command.`)
}

const nounOf = ({ issuable: { type } }: CommandContext) =>
  ({ Issue: 'issue', MergeRequest: 'merge request', Epic: 'epic' })[type]

/** A step that sets parameters of the update, which are also what changes. */
const setting = (update: CommandChanges, summary: string): Step => ({ update, changes: update, summary })

const change = (run: Command['run']): Command => ({ needs: 'mayChange', run })
const plan = (run: Command['run']): Command => ({ needs: 'mayPlan', run })
const own = (run: Command['run']): Command => ({ needs: null, run })

const state = {
  close: change((context) =>
    context.issuable.state === 'opened' ? setting({ state_event: 'close' }, `Closed this ${nounOf(context)}.`) : null,
  ),
  reopen: change((context) =>
    context.issuable.state === 'closed'
      ? setting({ state_event: 'reopen' }, `Reopened this ${nounOf(context)}.`)
      : null,
  ),
  title: change((_context, title) =>
    title === '' ? cannotApply('title') : setting({ title }, `Changed the title to "${title}".`),
  ),
  confidential: change((context) =>
    context.issuable.confidential
      ? null
      : setting({ confidential: true }, `Made this ${nounOf(context)} confidential.`),
  ),
  lock: plan(({ issuable }) =>
    issuable.discussionLocked ? null : setting({ discussion_locked: true }, 'Locked the discussion.'),
  ),
  unlock: plan(({ issuable }) =>
    issuable.discussionLocked ? setting({ discussion_locked: false }, 'Unlocked the discussion.') : null,
  ),
}

async function peopleIn({ platform, actor, issuable }: CommandContext, argument: string) {
  const db = platform.database.read
  const users = await usersByUsernames(db, usernamesIn(argument, actor.username))
  const ids = users.map(({ id }) => id)
  const readers = await answersOf(platform, issuable.type)?.readersOf(platform, db, issuable, ids)
  const found = users.filter(({ id }) => readers?.has(id))
  if (found.length === 0) throw badRequest('Failed to assign a user because no user was found.')
  return found
}

const mentions = (users: readonly { username: string }[]) => users.map(({ username }) => `@${username}`).join(', ')

const people = {
  assign: plan(async (context, argument) => {
    const users = await peopleIn(context, argument)
    const ids = [...new Set([...context.assigneeIds, ...users.map(({ id }) => id)])]
    context.assigneeIds.splice(0, Infinity, ...ids)
    return setting({ assignee_ids: ids }, `Assigned ${mentions(users)}.`)
  }),
  unassign: plan(async (context, argument) => {
    const present = [...(await usersByIds(context.platform.database.read, context.assigneeIds)).values()]
    const names = usernamesIn(argument, context.actor.username)
    const gone = present.filter(({ username }) => names.length === 0 || names.includes(username.toLowerCase()))
    if (gone.length === 0) return null
    const ids = context.assigneeIds.filter((id) => !gone.some((user) => user.id === id))
    context.assigneeIds.splice(0, Infinity, ...ids)
    return setting({ assignee_ids: ids }, `Removed ${gone.length > 1 ? 'assignees' : 'assignee'} ${mentions(gone)}.`)
  }),
}

async function labelsIn({ platform, parent }: CommandContext, name: string, argument: string): Promise<string[]> {
  const found = await usableLabels(platform.database.read, parent, namesIn(argument, '~'))
  return found.size === 0 ? cannotApply(name) : [...found.keys()]
}

const named = (titles: readonly string[]) =>
  `${titles.map((title) => `~"${title}"`).join(' ')} ${titles.length > 1 ? 'labels' : 'label'}`

/** The ids of the labels, which `commands_changes` has, are known after the update. */
const labelling = (update: CommandChanges, summary: string): Step => ({ update, changes: { label_ids: [] }, summary })

const labels = {
  label: plan(async (context, argument) => {
    const titles = await labelsIn(context, 'label', argument)
    return labelling({ add_labels: titles }, `Added ${named(titles)}.`)
  }),
  unlabel: plan(async (context, argument) => {
    if (argument === '') return labelling({ labels: [] }, 'Removed all labels.')
    const titles = await labelsIn(context, 'unlabel', argument)
    return labelling({ remove_labels: titles }, `Removed ${named(titles)}.`)
  }),
  relabel: plan(async (context, argument) => {
    const titles = await labelsIn(context, 'relabel', argument)
    return labelling({ labels: titles }, `Replaced all labels with ${named(titles)}.`)
  }),
}

const days: Readonly<Record<string, number>> = { day: 1, days: 1, week: 7, weeks: 7 }

/** A day: `2026-01-31`, `today`, `tomorrow`, `in 2 days`. */
function dayIn(argument: string, today: Date): string | null {
  const text = argument.toLowerCase()
  const [, count = '', unit = ''] = /^in (\d{1,4}) (days?|weeks?)$/.exec(text) ?? []
  const later = text === 'today' ? 0 : text === 'tomorrow' ? 1 : unit ? Number(count) * (days[unit] ?? 1) : null
  if (later === null) return parseDate(text)
  return dayOf(new Date(today.getTime() + later * 86_400_000))
}

/** The number of the one issuable of a type to which an argument refers. */
export async function referredTo(context: CommandContext, type: TextReference['type'], argument: string) {
  const { platform, actor, issuable } = context
  const references = referencesIn(argument, platform.externalUrl).filter((one) => one.type === type)
  const places = (await placesOf(platform.database.read, references.slice(0, 1), issuable)).get(type) ?? []
  const answers = answersOf(platform, type)
  const [found] = (await answers?.byPlaces(platform.database.read, places)) ?? []
  const readable = found && (await answers?.readable(platform, actor, [found.id]))
  return found && readable?.has(found.id) ? found : null
}

const clears = (attribute: keyof CommandChanges, summary: string) => plan(() => setting({ [attribute]: null }, summary))

const oneOf = (name: string, attribute: 'health_status' | 'severity', values: readonly string[], noun: string) =>
  plan((_context, argument) => {
    const value = argument.toLowerCase()
    return values.includes(value) ? setting({ [attribute]: value }, `Set ${noun} to ${value}.`) : cannotApply(name)
  })

const plans = {
  milestone: plan(async ({ platform, parent }, argument) => {
    const [title = ''] = namesIn(argument, '%')
    const found = (await usableMilestonesTitled(platform.database.read, parent, [title])).get(title)
    return found ? setting({ milestone_id: found.id }, `Set the milestone to %"${title}".`) : cannotApply('milestone')
  }),
  remove_milestone: clears('milestone_id', 'Removed the milestone.'),
  due: plan(({ platform }, argument) => {
    const day = dayIn(argument, platform.clock.now())
    return day === null ? cannotApply('due') : setting({ due_date: day }, `Set the due date to ${day}.`)
  }),
  remove_due_date: clears('due_date', 'Removed the due date.'),
  weight: plan((_context, argument) =>
    /^\d{1,9}$/.test(argument)
      ? setting({ weight: Number(argument) }, `Set weight to ${argument}.`)
      : cannotApply('weight'),
  ),
  clear_weight: clears('weight', 'Cleared weight.'),
  epic: plan(async (context, argument) => {
    const epic = await referredTo(context, 'Epic', argument)
    return epic ? setting({ epic_id: epic.id }, `Added an issue to epic &${epic.iid}.`) : cannotApply('epic')
  }),
  remove_epic: clears('epic_id', 'Removed an issue from an epic.'),
  iteration: plan(async ({ platform, parent }, argument) => {
    const id = Number(/^\*iteration:(\d{1,15})$/.exec(argument)?.[1] ?? 0)
    const found = id > 0 && (await usableIteration(platform.database.read, parent.namespaceId, id))
    return found ? setting({ iteration_id: id }, `Set the iteration to *iteration:${id}.`) : cannotApply('iteration')
  }),
  remove_iteration: clears('iteration_id', 'Removed the iteration.'),
  health_status: oneOf('health_status', 'health_status', ['on_track', 'needs_attention', 'at_risk'], 'health status'),
  clear_health_status: clears('health_status', 'Cleared health status.'),
  severity: oneOf('severity', 'severity', ['unknown', 'low', 'medium', 'high', 'critical'], 'severity'),
}

const time = {
  estimate: plan(({ platform, issuable, actor }, argument) => {
    const seconds = parseWorkingTime(argument)
    if (seconds === null || seconds <= 0) return cannotApply('estimate')
    const effect = () => changeEstimate(platform, issuable, actor.userId, seconds)
    return { effect, changes: { time_estimate: seconds }, summary: `Set time estimate to ${humanTime(seconds)}.` }
  }),
  remove_estimate: plan(({ platform, issuable, actor }) => {
    const effect = () => changeEstimate(platform, issuable, actor.userId, 0)
    return { effect, changes: { time_estimate: 0 }, summary: 'Removed time estimate.' }
  }),
  spend: plan(({ platform, issuable, actor }, argument) => {
    const add = parseWorkingTime(argument)
    if (!add) return cannotApply('spend')
    const effect = () => changeSpent(platform, issuable, actor.userId, { add })
    const verb = add < 0 ? 'Subtracted' : 'Added'
    return {
      effect,
      changes: { spend_time: { duration: add } },
      summary: `${verb} ${humanTime(Math.abs(add))} spent time.`,
    }
  }),
  remove_time_spent: plan(({ platform, issuable, actor }) => {
    const effect = () => changeSpent(platform, issuable, actor.userId, 'reset')
    return { effect, changes: { spend_time: { duration: 'reset' } }, summary: 'Removed spent time.' }
  }),
}

const subscription = (event: 'subscribe' | 'unsubscribe') =>
  own((context) => ({
    effect: () => setSubscription(context.platform, context.issuable, context.actor.userId, event === 'subscribe'),
    changes: { subscription_event: event },
    summary: `${event === 'subscribe' ? 'Subscribed to' : 'Unsubscribed from'} this ${nounOf(context)}.`,
  }))

const personal = {
  subscribe: subscription('subscribe'),
  unsubscribe: subscription('unsubscribe'),
  todo: own(({ platform, issuable, actor: { userId } }) => {
    const todo = { userId, authorId: userId, action: 'marked' as const }
    const effect = () => platform.database.write((tx) => addTodo(platform, tx, issuable, todo))
    return { effect, changes: { todo_event: 'add' }, summary: 'Added a to-do item.' }
  }),
  done: own(({ platform, issuable, actor: { userId } }) => {
    const effect = () => platform.database.write((tx) => markTodosDone(platform, tx, issuable, userId))
    return { effect, changes: { todo_event: 'done' }, summary: 'Marked to-do item as done.' }
  }),
}

/** The quick actions that several kinds of issuables have (contract 16, "Rules"). */
export const commonCommands = { ...state, ...people, ...labels, ...plans, ...time, ...personal } satisfies Record<
  string,
  Command
>
export type CommandName = keyof typeof commonCommands
