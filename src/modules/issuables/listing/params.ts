import { allTakenIn, type Param, t, takenIn } from '../../../api/index.ts'
import type { SearchedColumn } from '../../../infra/database/index.ts'
import { type DueWord, dueWords } from './due-dates.ts'

/** What a list may be ordered by; `id` in keyset pages only. */
export type OrderName =
  | 'id'
  | 'created_at'
  | 'updated_at'
  | 'merged_at'
  | 'due_date'
  | 'weight'
  | 'milestone_due'
  | 'title'
  | 'popularity'
  | 'label_priority'
  | 'priority'
  | 'relative_position'

/** An id or a number, or one of several words in lower case. */
export type Wanted<Word extends string> = number | Word

const optionalText = <T>(param: Param<T, false>): Param<T, false> => ({ ...param, emptyIsAbsent: true })

/** One of these words; an empty text means that none is given (contract 16, Filters). */
export const word = <const V extends string>(values: readonly V[], description?: string) =>
  optionalText(t.oneOf(values, description === undefined ? {} : { description }))

/** Text; an empty one means that none is given. */
export const text = (description: string) => optionalText(t.string({ description }))

/** One of these words in any case; its value is the word as it stands here. */
export function wordInAnyCase<const V extends string>(values: readonly V[], description: string): Param<V, false> {
  const known = t.oneOf(values)
  const find = (value: unknown) =>
    typeof value === 'string' ? (values.find((one) => one.toLowerCase() === value.toLowerCase()) ?? value) : value
  return {
    ...optionalText(known),
    schema: { type: 'string', description },
    read: (value, name, problems) => known.read(find(value), name, problems),
  }
}

const quoted = (value: unknown) =>
  typeof value === 'string' ? value.slice(0, 100) : JSON.stringify(value)?.slice(0, 100)

/** A number or one of these words in any case, such as `None` (contract 16, Filters). */
export function numberOr<const W extends string>(words: readonly W[], description: string): Param<Wanted<W>, false> {
  const number = t.integer()
  return {
    ...number,
    schema: { anyOf: [{ type: 'integer' }, { type: 'string', enum: [...words] }], description },
    read(value, name, problems) {
      const known = typeof value === 'string' ? words.find((one) => one === value.trim().toLowerCase()) : undefined
      if (known !== undefined) return known
      const read = number.read(value, name, [])
      if (read !== undefined) return read
      const wordList = `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`
      const expected = `should be an integer, ${wordList}, however got ${quoted(value)}`
      problems.push({ name, missing: false, text: expected })
      return undefined
    },
  }
}

/** More names have no use, and each is a condition of the query. */
const mostNames = 100

/** Names in a list or separated by commas. */
const names = (description: string) => t.array(t.string(), { commaSeparated: true, maximum: mostNames, description })

const premium = { tier: 'premium' } as const

/** User names; a comma does not separate them. */
const usernames = t.array(t.string(), {
  maximum: mostNames,
  description: 'The issuable must be assigned to all of them.',
})

/** Below the tier that knows several assignees, one name (contract 16, Filters). */
const oneUsername: Param<string[], false> = {
  ...usernames,
  read(value, name, problems) {
    const read = usernames.read(value, name, problems)
    if (read === undefined || read.length <= 1) return read
    problems.push({ name, missing: false, text: `allows one value, but found ${read.length}: ${read.join(', ')}` })
    return undefined
  },
}
const assigneeUsername = takenIn(premium, usernames, oneUsername)

/** Ids of assignees; below the tier that knows several, the first one counts (contract 16, x.issue_create). */
export function assigneeIds(description: string): Param<number[], false> {
  const several = t.array(t.integer(), { commaSeparated: true, description })
  const first: Param<number[], false> = {
    ...several,
    read: (value, name, problems) => several.read(value, name, problems)?.slice(0, 1),
  }
  return takenIn(premium, several, first)
}

/** Columns of `search`; unknown ones are dropped (contract 16, Filters). */
const searchedColumns: Param<SearchedColumn[], false> = (() => {
  const list = names('`title`, `description`; default both.')
  return {
    ...list,
    read: (value, name, problems) =>
      list
        .read(value, name, problems)
        ?.map((column) => column.trim())
        .filter((column): column is SearchedColumn => column === 'title' || column === 'description'),
  }
})()

/** Names of labels, trimmed. */
export const labelNames: Param<string[], false> = (() => {
  const list = names('Labels that must all be present; also `None`, `Any`, `key::*`.')
  return {
    ...list,
    read: (value, name, problems) =>
      list
        .read(value, name, problems)
        ?.map((label) => label.trim())
        .filter((label) => label !== ''),
  }
})()

const iids = t.array(t.integer(), { commaSeparated: true, description: 'Only issuables with these iids.' })

/** Lists whose elements are invalid are invalid as a whole: `iids is invalid`. */
const wholeList = <T>(list: Param<T[], false>): Param<T[], false> => ({
  ...list,
  read(value, name, problems) {
    const read = list.read(value, name, [])
    if (read === undefined) problems.push({ name, missing: false, text: 'is invalid' })
    return read
  },
})

/** `iids` of lists. */
export const wantedIids = wholeList(iids)

const milestoneWords = ['None', 'Any', 'Upcoming', 'Started'] as const

const scopes = ['created_by_me', 'assigned_to_me', 'all'] as const
const scopesWithAliases = [...scopes, 'created-by-me', 'assigned-to-me'] as const

const authors = {
  author_id: t.integer(),
  author_username: text('User name of the author.'),
}

const milestones = {
  milestone: text('Title of the milestone; also `None`, `Any`, `#upcoming`, `#started`.'),
  milestone_id: word(milestoneWords),
}

/** Filters of issues and merge requests (contract 16 and 19). */
export const commonFilters = {
  assignee_id: numberOr(['none', 'any'], 'Id of an assignee, `None` or `Any`.'),
  assignee_username: assigneeUsername,
  ...authors,
  created_after: t.datetime(),
  created_before: t.datetime(),
  updated_after: t.datetime(),
  updated_before: t.datetime(),
  in: searchedColumns,
  labels: labelNames,
  ...milestones,
  my_reaction_emoji: text('Name of an emoji with which the caller reacted; also `None`, `Any`.'),
  search: text('Words that must all occur; a phrase in double quotes is one word.'),
}

/** Which issuables a list is about, with the aliases of lists. */
export const scopeParam = word(scopesWithAliases)
/** As `scopeParam`, without the aliases (contract 16, x.issue_stats). */
export const strictScopeParam = word(scopes)

/** A scope without its alias. */
export type Scope = (typeof scopes)[number]
export const scopeOf = (scope: (typeof scopesWithAliases)[number] | undefined): Scope | undefined =>
  scope?.replaceAll('-', '_') as Scope | undefined

/** Filters of issues only (contract 16, Filters). */
export const issueFilters = {
  ...commonFilters,
  confidential: t.boolean(),
  iids: wantedIids,
  ...allTakenIn(premium, {
    epic_id: numberOr(['none', 'any'], 'Id of an epic, `None` or `Any`; direct children only.'),
    iteration_id: numberOr(['none', 'any', 'current'], 'Id of an iteration, `None`, `Any` or `Current`.'),
    iteration_title: text('Title of the iteration.'),
    weight: numberOr(['none', 'any'], 'A weight, `None` or `Any`.'),
  }),
  health_status: takenIn(
    { tier: 'ultimate' },
    wordInAnyCase(
      ['on_track', 'needs_attention', 'at_risk', 'none', 'any'],
      '`on_track`, `needs_attention`, `at_risk`, `None` or `Any`.',
    ),
  ),
  not: t.object(
    {
      assignee_id: t.integer(),
      assignee_username: usernames,
      ...authors,
      iids: wantedIids,
      labels: labelNames,
      ...milestones,
      ...allTakenIn(premium, {
        iteration_id: numberOr(['none', 'any', 'current'], 'As `iteration_id`.'),
        iteration_title: text('As `iteration_title`.'),
        weight: t.integer(),
      }),
    },
    { description: 'Filters of which the issuables may meet none.' },
  ),
}

const orders = [
  'created_at',
  'updated_at',
  'due_date',
  'weight',
  'milestone_due',
  'title',
  'popularity',
  'label_priority',
  'priority',
  'relative_position',
  'id',
] as const

/** Filters of lists, which statistics do not have. */
export const issueListFilters = {
  ...issueFilters,
  due_date: word(dueWords) as Param<DueWord, false>,
  issue_type: word(['issue', 'incident', 'test_case', 'task']),
  state: word(['all', 'opened', 'closed']),
  with_labels_details: t.boolean(),
  order_by: takenIn(premium, word(orders), word(orders.filter((order) => order !== 'weight'))),
  sort: word(['asc', 'desc']),
}

/** Pairs of which one may be given (contract 16, Filters). */
const exclusivePairs = [
  ['assignee_id', 'assignee_username'],
  ['author_id', 'author_username'],
  ['milestone_id', 'milestone'],
  ['iteration_id', 'iteration_title'],
] as const

const isGiven = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.every((one) => one === ''))

/** The pairs of these parameters that are both given, with their names in errors. */
export function pairsIn(params: Readonly<Record<string, unknown>>, nameOf = (name: string) => name): string[][] {
  return exclusivePairs
    .filter((pair) => pair.every((name) => isGiven(params[name])))
    .map((pair) => pair.map((name) => nameOf(name)))
}
