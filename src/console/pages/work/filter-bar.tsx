import type { Operation } from '../../../api/index.ts'
import { type Schema, schemaOf } from '../../forms/schema.ts'
import type { Child, Html } from '../../html/index.ts'
import type { Visit } from '../../page.ts'
import { withQuery } from '../../parts/parts.tsx'
import { inSentence, wordOf, words } from '../../parts/words.ts'

/** What a list has besides filters: its page, and what the page of the list chooses itself. */
const noFilters = new Set([
  ...['with_labels_details', 'with_review_details', 'with_merge_status_recheck', 'view'],
  ...['page', 'per_page', 'state', 'scope', 'sort', 'order_by', 'in', 'iids'],
])

/** The filters of a list by the names of their fields. Those of an object, such as `not`, are each one: `not[labels]`. */
function filtersOf({ params = {}, path }: Operation): ReadonlyMap<string, Schema> {
  const isField = (name: string) => !noFilters.has(name) && !path.includes(`:${name}`)
  const found = Object.keys(params)
    .filter(isField)
    .flatMap((name): [string, Schema][] => {
      const schema = schemaOf(params[name]?.schema)
      if (schema.kind !== 'object') return [[name, schema]]
      const members = Object.entries(schema.members).filter(([member]) => isField(member))
      return members.map(([member, inner]) => [`${name}[${member}]`, inner])
    })
  return new Map(found)
}

/** The parameters of a list that its filter bar has. */
export const filterNames = (list: Operation): string[] => [...filtersOf(list).keys()]

const labels: Readonly<Record<string, string>> = {
  author_username: 'Author',
  assignee_username: 'Assignee',
  assignee_id: 'Assignee id, None or Any',
  author_id: 'Author id',
  epic_id: 'Epic id, None or Any',
  iteration_id: 'Iteration id, None, Any or Current',
  iteration_title: 'Iteration',
  milestone_id: 'Milestone is',
  my_reaction_emoji: 'My reaction',
  due_date: 'Due',
  issue_type: 'Type',
  non_archived: 'Without archived projects',
  health_status: 'Health',
  reviewer_username: 'Reviewer',
  reviewer_id: 'Reviewer id, None or Any',
  merge_user_username: 'Merged by',
  merge_user_id: 'Id of the merger',
  wip: 'Draft',
  approved_by_ids: 'Id of an approver, None or Any',
  approved_by_usernames: 'Approved by',
  approver_ids: 'Id of an eligible approver',
  source_project_id: 'Id of the source project',
}
/** What a filter is called; one of `not` as the filter that it negates. */
function labelOf(name: string): string {
  const [, negated] = /^not\[(\w+)\]$/.exec(name) ?? []
  return negated ? `Not: ${inSentence(labelOf(negated))}` : (labels[name] ?? words(name))
}

const yesAndNo = ['true', 'false'] as const

function Filter({ visit, name, schema }: { visit: Visit; name: string; schema: Schema }): Html {
  const { kind, values } = schema
  const label = labelOf(name)
  const value = visit.query[name] ?? ''
  const choices = values ?? (kind === 'boolean' ? yesAndNo : null)
  if (!choices) {
    const type = kind === 'moment' ? 'date' : name === 'search' ? 'search' : 'text'
    return (
      <label class="filter-field">
        <span>{label}</span>
        <input type={type} name={name} value={value} />
      </label>
    )
  }
  return (
    <label class="filter-field">
      <span>{label}</span>
      <select name={name}>
        <option value="">Any</option>
        {choices.map((one) => (
          <option value={String(one)} selected={String(one) === value}>
            {values ? wordOf(name, one) : one === 'true' ? 'Yes' : 'No'}
          </option>
        ))}
      </select>
    </label>
  )
}

type Order = readonly [value: string, label: string]

/** The orders of a list, of those that have words here, as `order_by-sort`. */
const orders: readonly Order[] = [
  ['created_at-desc', 'Newest'],
  ['created_at-asc', 'Oldest'],
  ['updated_at-desc', 'Recently updated'],
  ['updated_at-asc', 'Least recently updated'],
  ['merged_at-desc', 'Recently merged'],
  ['due_date-asc', 'Due soon'],
  ['milestone_due-asc', 'Milestone due soon'],
  ['priority-asc', 'Priority'],
  ['label_priority-asc', 'Priority of labels'],
  ['popularity-desc', 'Popular'],
  ['weight-desc', 'Heaviest'],
  ['weight-asc', 'Lightest'],
  ['title-asc', 'Title'],
  ['relative_position-asc', 'Manual order'],
]

/** The part of a call that an order stands for. */
export function orderOf({ query }: Visit): Record<string, string> {
  const [, order_by, sort] = /^([a-z_]+)-(asc|desc)$/.exec(query.order ?? '') ?? []
  return order_by && sort ? { order_by, sort } : {}
}

type FilterBarProps = {
  visit: Visit
  list: Operation
  /** The filters that are always shown; the others are folded. */
  first: readonly string[]
  /** Parameters of the address that the form keeps. */
  keeps: readonly string[]
}

/** The filters of a list: a form whose address is the list. */
export function FilterBar({ visit, list, first, keeps }: FilterBarProps): Html {
  const [address = ''] = visit.path.split('?', 1)
  const filters = [...filtersOf(list)]
  const names = filters.map(([name]) => name)
  const shown = first.flatMap((name) => filters.filter(([one]) => one === name))
  const others = filters.filter(([name]) => !first.includes(name))
  const byOrder = schemaOf(list.params?.order_by?.schema).values ?? []
  const isFiltered = [...names, 'order'].some((name) => visit.query[name])
  return (
    <form class="filter-bar" method="get" action={address} role="search" aria-label="This list">
      {keeps.map((name) => visit.query[name] && <input type="hidden" name={name} value={visit.query[name]} />)}
      <div class="filter-fields">
        {shown.map(([name, schema]) => (
          <Filter visit={visit} name={name} schema={schema} />
        ))}
        <label class="filter-field">
          <span>Order</span>
          <select name="order">
            {orders
              .filter(([value]) => byOrder.includes(value.split('-', 1)[0] ?? ''))
              .map(([value, label], index) => (
                <option value={index === 0 ? '' : value} selected={visit.query.order === value}>
                  {label}
                </option>
              ))}
          </select>
        </label>
        <button>Filter</button>
        {isFiltered && <a href={withQuery(address, given(visit, keeps))}>Clear</a>}
      </div>
      {others.length > 0 && (
        <details open={others.some(([name]) => visit.query[name])}>
          <summary class="quiet">More filters</summary>
          <div class="filter-fields">
            {others.map(([name, schema]) => (
              <Filter visit={visit} name={name} schema={schema} />
            ))}
          </div>
        </details>
      )}
    </form>
  )
}

const given = ({ query }: Visit, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, query[name] || null]))

/** The address without the fields that were left empty; null when there are none. */
export function tidyAddress({ path, query }: Visit): string | null {
  const empty = Object.keys(query).filter((name) => query[name] === '')
  return empty.length === 0 ? null : withQuery(path, Object.fromEntries(empty.map((name) => [name, null])))
}

type Tab = { value: string; label: Child; count?: number | undefined }

/** Tabs that choose a value of a parameter; the first one is the default. */
export function Tabs({
  visit,
  name,
  label,
  tabs,
}: {
  visit: Visit
  name: string
  label: string
  tabs: readonly Tab[]
}) {
  const chosen = visit.query[name] ?? tabs[0]?.value
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab, index) => (
        <a
          href={withQuery(visit.path, { [name]: index === 0 ? null : tab.value, page: null })}
          aria-current={tab.value === chosen ? 'page' : undefined}
        >
          {tab.label}
          {tab.count !== undefined && <span class="count">{tab.count.toLocaleString('en')}</span>}
        </a>
      ))}
    </nav>
  )
}
