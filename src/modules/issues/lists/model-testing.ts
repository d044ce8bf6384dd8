import { type DueWord, dueWindow } from '../../issuables/index.ts'
import type { World, WorldIssue } from './world-testing.ts'

/** Parameters of a list, as they stand in the query. */
export type Query = Record<string, string>
export type Place = { kind: 'instance' } | { kind: 'group' } | { kind: 'project'; id: number }

type Test = (issue: WorldIssue) => boolean

/** A naive evaluation of the lists of contract 16 over all issues, for comparison. */
export function modelOf(world: World, today: string) {
  const milestones = new Map(world.milestones.map((one) => [one.id, one]))
  const iterations = new Map(world.iterations.map((one) => [one.id, one]))
  const projects = new Map(world.projects.map((one) => [one.id, one]))
  const people = new Map([world.reader, ...world.others].map((one) => [one.username, one.id]))
  const milestoneOf = (issue: WorldIssue) => milestones.get(issue.milestoneId ?? 0)
  const iterationOf = (issue: WorldIssue) => iterations.get(issue.iterationId ?? 0)
  const idOf = (name: string) => people.get(name.toLowerCase()) ?? -1
  const me = world.reader.id

  function isVisible(issue: WorldIssue, place: Place, query: Query): boolean {
    const project = projects.get(issue.projectId)
    if (!project || !(project.level >= 10 || project.public)) return false
    if (place.kind === 'project' && project.id !== place.id) return false
    if (place.kind === 'group' && !project.inGroup) return false
    if (place.kind !== 'project' && project.archived && query.non_archived !== 'false') return false
    return !issue.confidential || issue.authorId === me || issue.assigneeIds.includes(me) || project.level >= 15
  }

  function word(value: string, is: (issue: WorldIssue) => unknown, equal: (issue: WorldIssue) => boolean): Test {
    const known = value.toLowerCase()
    if (known === 'none') return (issue) => !is(issue)
    return known === 'any' ? (issue) => Boolean(is(issue)) : equal
  }

  function labelTest(name: string): Test {
    const known = name.toLowerCase()
    if (['none', 'no label', 'no+label'].includes(known)) return ({ labels }) => labels.length === 0
    if (known === 'any') return ({ labels }) => labels.length > 0
    if (name.endsWith('::*')) {
      return ({ labels }) =>
        labels.some((title) => title.slice(0, Math.max(0, title.lastIndexOf('::'))) === name.slice(0, -3))
    }
    return ({ labels }) => labels.includes(name)
  }

  function milestoneTest(value: string): Test {
    const during = value.toLowerCase().replace('#', '')
    if (during === 'upcoming') {
      return (issue) => milestoneOf(issue)?.state === 'active' && (milestoneOf(issue)?.due ?? '') > today
    }
    if (during === 'started') {
      return (issue) => milestoneOf(issue)?.state === 'active' && (milestoneOf(issue)?.start ?? '9') <= today
    }
    return word(value, milestoneOf, (issue) => milestoneOf(issue)?.title === value)
  }

  function iterationTest(value: string): Test {
    if (value.toLowerCase() === 'current') {
      return (issue) => (iterationOf(issue)?.start ?? '9') <= today && (iterationOf(issue)?.due ?? '') >= today
    }
    return word(value, iterationOf, ({ iterationId }) => iterationId === Number(value))
  }

  function dueTest(value: string): Test {
    if (value === '0') return ({ dueDate }) => dueDate === null
    const { from = '0', to = '9' } = dueWindow(value as Exclude<DueWord, '0'>, today)
    return ({ dueDate }) => dueDate !== null && dueDate >= from && dueDate <= to
  }

  function searchTest(search: string, columns = ''): Test {
    const wanted = columns.split(',').map((one) => one.trim())
    const named = ['title', 'description'].filter((one) => wanted.includes(one)) as ('title' | 'description')[]
    const used = named.length > 0 ? named : (['title', 'description'] as const)
    const terms = [...search.matchAll(/"([^"]*)"|([^\s"]+|")/g)].map(([, phrase, one]) => (phrase ?? one ?? '').trim())
    return (issue) =>
      terms.every((term) => used.some((column) => (issue[column] ?? '').toLowerCase().includes(term.toLowerCase())))
  }

  const tests: Record<string, (value: string, query: Query) => Test> = {
    assignee_id: (value) =>
      word(
        value,
        ({ assigneeIds }) => assigneeIds.length,
        ({ assigneeIds }) => assigneeIds.includes(Number(value)),
      ),
    assignee_username:
      (value) =>
      ({ assigneeIds }) =>
        assigneeIds.includes(idOf(value)),
    author_id:
      (value) =>
      ({ authorId }) =>
        authorId === Number(value),
    author_username:
      (value) =>
      ({ authorId }) =>
        authorId === idOf(value),
    confidential:
      (value) =>
      ({ confidential }) =>
        confidential === (value === 'true'),
    created_after:
      (value) =>
      ({ createdAt }) =>
        createdAt >= value,
    updated_before:
      (value) =>
      ({ updatedAt }) =>
        updatedAt <= value,
    due_date: dueTest,
    health_status: (value) =>
      word(
        value,
        ({ health }) => health,
        ({ health }) => health === value.toLowerCase(),
      ),
    iids:
      (value) =>
      ({ iid }) =>
        value.split(',').map(Number).includes(iid),
    issue_type:
      (value) =>
      ({ issueType }) =>
        issueType === value,
    iteration_id: iterationTest,
    iteration_title: (value) => (issue) => iterationOf(issue)?.title === value,
    labels: (value) => {
      const names = value.split(',').map((one) => one.trim())
      const none = names.find((one) => ['none', 'no label', 'no+label'].includes(one.toLowerCase()))
      return (issue) => (none ? [none] : names).every((one) => labelTest(one)(issue))
    },
    milestone: milestoneTest,
    milestone_id: milestoneTest,
    my_reaction_emoji: (value) =>
      word(
        value,
        ({ reactions }) => reactions.length,
        ({ reactions }) => reactions.includes(value),
      ),
    scope: (value) => (issue) => {
      if (value === 'all') return true
      return value.startsWith('created') ? issue.authorId === me : issue.assigneeIds.includes(me)
    },
    search: (value, query) => searchTest(value, query.in),
    state:
      (value) =>
      ({ state }) =>
        value === 'all' || state === value,
    weight: (value) =>
      word(
        value,
        ({ weight }) => weight !== null,
        ({ weight }) => weight === Number(value),
      ),
    'not[assignee_id]':
      (value) =>
      ({ assigneeIds }) =>
        !assigneeIds.includes(Number(value)),
    'not[author_username]':
      (value) =>
      ({ authorId }) =>
        authorId !== idOf(value),
    'not[iids]':
      (value) =>
      ({ iid }) =>
        !value.split(',').map(Number).includes(iid),
    'not[labels]': (value) => (issue) => value.split(',').every((one) => !labelTest(one)(issue)),
    'not[milestone]': (value) => (issue) => !milestoneTest(value)(issue),
    'not[milestone_id]': (value) => (issue) =>
      !milestoneTest(value)(issue) && (['None', 'Any'].includes(value) || issue.milestoneId !== null),
    'not[iteration_id]': (value) => (issue) => !iterationTest(value)(issue),
    'not[weight]':
      (value) =>
      ({ weight }) =>
        weight !== Number(value),
  }

  function priorityOf(issue: WorldIssue, { labels = '' }: Query): number | null {
    const ignored = labels.split(',').map((one) => one.trim())
    const { priorities } = projects.get(issue.projectId) ?? { priorities: new Map<string, number>() }
    const found = issue.labels.filter((one) => !ignored.includes(one)).flatMap((one) => priorities.get(one) ?? [])
    return found.length > 0 ? Math.min(...found) : null
  }

  type Key = string | number | null
  const keys: Record<string, (issue: WorldIssue, query: Query) => Key[]> = {
    created_at: ({ createdAt }) => [createdAt],
    updated_at: ({ updatedAt }) => [updatedAt],
    due_date: ({ dueDate }) => [dueDate],
    weight: ({ weight }) => [weight],
    milestone_due: (issue) => [milestoneOf(issue)?.due ?? null],
    title: ({ title }) => [Buffer.from(title.replace(/[A-Z]/g, (one) => one.toLowerCase())).toString('hex')],
    popularity: ({ upvotes }) => [upvotes],
    label_priority: (issue, query) => [priorityOf(issue, query)],
    priority: (issue, query) => [milestoneOf(issue)?.due ?? null, priorityOf(issue, query)],
    relative_position: ({ id }) => [id],
  }

  function compare(query: Query, left: WorldIssue, right: WorldIssue): number {
    const keysOf = keys[query.order_by ?? 'created_at'] as (typeof keys)[string]
    const others = keysOf(right, query)
    for (const [index, key] of keysOf(left, query).entries()) {
      const other = others[index] ?? null
      if (key === other) continue
      if (key === null || other === null) return key === null ? 1 : -1
      return (key < other ? -1 : 1) * (query.sort === 'asc' ? 1 : -1)
    }
    return right.id - left.id
  }

  return {
    /** The ids of the issues of a list, in its order. */
    ids(place: Place, query: Query): number[] {
      const wanted = Object.entries(place.kind === 'instance' ? { scope: 'created_by_me', ...query } : query)
      const used = wanted.flatMap(([name, value]) => tests[name]?.(value, query) ?? [])
      const found = world.issues.filter((issue) => isVisible(issue, place, query) && used.every((test) => test(issue)))
      return found.sort((left, right) => compare(query, left, right)).map(({ id }) => id)
    },
  }
}
