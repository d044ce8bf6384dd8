import { type Schema, schemaOf } from '../forms/schema.ts'
import type { Visit } from '../page.ts'
import { inSentence, wordOf } from '../parts/words.ts'
import { labelOf, valueWords } from './cells.tsx'
import type { KnownFamily } from './declared.ts'

const searches = ['search', 'query']
const orders = ['sort', 'order_by', 'in']

/** The parameters by which a list can be filtered on its page. */
export function filtersOf({ list, filters }: KnownFamily): string[] {
  const { params = {} } = list
  if (filters) return filters.filter((name) => name in params)
  return Object.keys(params).filter(
    (name) =>
      searches.includes(name) ||
      (schemaOf(params[name]?.schema).values !== null && !orders.includes(name) && !list.path.includes(`:${name}`)),
  )
}

/** What is chosen in the address of a list. */
export function chosenFilters(visit: Visit, family: KnownFamily): Record<string, string> {
  const chosen = filtersOf(family).map((name) => [name, visit.query[name] ?? ''] as const)
  return Object.fromEntries(chosen.filter(([, value]) => value !== ''))
}

const booleans = { values: ['true', 'false'], words: { true: 'Yes', false: 'No' } }

type FilterProps = { name: string; schema: Schema; value: string; family: KnownFamily }

function Filter({ name, schema, value, family }: FilterProps) {
  const said = family.words?.[name]
  const label = labelOf(name, said)
  if (schema.values === null && schema.kind !== 'boolean') {
    return <input type="search" name={name} value={value} placeholder={label} aria-label={label} />
  }
  const values = schema.values ?? booleans.values
  const named = valueWords(said) ?? (schema.values ? {} : booleans.words)
  return (
    <select name={name} aria-label={label}>
      <option value="">{label}: any</option>
      {values.map((one) => (
        <option value={String(one)} selected={String(one) === value}>
          {schema.values ? '' : `${label}: `}
          {named[String(one) as keyof typeof named] ?? wordOf(name, one)}
        </option>
      ))}
    </select>
  )
}

/** A small form above a list. */
export function Filters({ visit, family }: { visit: Visit; family: KnownFamily }) {
  const names = filtersOf(family)
  const [address = ''] = visit.path.split('?', 1)
  return (
    <form class="filter" method="get" action={address} role="search" aria-label={`Filter ${inSentence(family.title)}`}>
      {names.map((name) => (
        <Filter
          name={name}
          schema={schemaOf(family.list.params?.[name]?.schema)}
          value={visit.query[name] ?? ''}
          family={family}
        />
      ))}
      <button>Filter</button>
      {names.some((name) => visit.query[name]) && <a href={address}>Clear</a>}
    </form>
  )
}
