import { type EventChoices, type Level, type NotificationEvent, withDefaults } from '../settings/levels.ts'

/** Why a user is notified. */
export type Reason =
  | 'mentioned'
  | 'subscribed'
  | 'concerned'
  | 'author'
  | 'assigned'
  | 'review'
  | 'commented'
  | 'watching'
  | 'custom'

/** How a user takes part in an object, besides subscriptions. */
export type Part = Extract<Reason, 'author' | 'assigned' | 'review' | 'commented'> | 'named'

/** What decides whether a user is notified of something. */
export type Standing = {
  /** The level that counts: that of the project, else of the nearest group, else their own. */
  level: Exclude<Level, 'global'>
  choices: EventChoices
  parts: readonly Part[]
  /** What they have said of the object itself; null: nothing. */
  subscribed: boolean | null
  /** Whether the text of this occasion mentions them. */
  isMentioned: boolean
  /** Whether the occasion is about them: they were assigned, or no longer are. */
  isConcerned: boolean
}

/** Events of which watchers are not told, as there are many of them; neither of those that have to be chosen. */
const unwatched: ReadonlySet<NotificationEvent> = new Set(['push_to_merge_request'])

/** Events of which only users are notified who have chosen them: of them even those who take part are not. */
const chosenOnly: ReadonlySet<NotificationEvent> = new Set(['issue_due', 'success_pipeline'])

/** Events that a user at the level `custom` who takes part can switch off. */
const refusable: ReadonlySet<NotificationEvent> = new Set([...chosenOnly, 'failed_pipeline', 'fixed_pipeline'])

const order = ['review', 'assigned', 'author', 'commented'] as const

const partOf = ({ isConcerned, parts }: Standing): Reason | null => {
  if (isConcerned) return 'concerned'
  const found = order.find((part) => parts.includes(part))
  if (found) return found
  return parts.includes('named') ? 'mentioned' : null
}

/**
 * Whether a user is notified of something, and why (contract 25, section 5). A mention is above an ended subscription; a subscription of a
 * user who takes part in no other way is above every level.
 * @param event null: only those who are mentioned are notified
 */
export function decide(standing: Standing, event: NotificationEvent | null): Reason | null {
  const { level, choices, subscribed, isMentioned } = standing
  if (isMentioned && level !== 'disabled') return 'mentioned'
  if (event === null || subscribed === false) return null
  const part = partOf(standing)
  if (subscribed === true && part === null) return 'subscribed'
  if (level === 'disabled' || level === 'mention') return null
  const isChosen = level === 'custom' && withDefaults(choices)[event]
  if (chosenOnly.has(event) || (level === 'custom' && refusable.has(event))) return isChosen ? part : null
  if (part !== null) return part
  if (level === 'watch') return unwatched.has(event) ? null : 'watching'
  return isChosen ? 'custom' : null
}
