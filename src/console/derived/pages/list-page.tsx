import type { Json } from '../../forms/schema.ts'
import type { Child } from '../../html/index.ts'
import { type Page, page, type Visit } from '../../page.ts'
import { Empty, Pages } from '../../parts/parts.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { inSentence } from '../../parts/words.ts'
import { ActionButton, hasMembers, type Possible, possibleActions, Secret, shownOnce } from '../actions.tsx'
import { Cell, labelOf } from '../cells.tsx'
import { crumbsOf } from '../crumbs.ts'
import type { KnownFamily } from '../declared.ts'
import { chosenFilters, Filters, filtersOf } from '../filters.tsx'
import { addressOfOne, below, isBusy, nestedCall, oneCall, placeCall, readRows, rootOf, rowSchema } from '../place.ts'

/** A row with what the caller may do with it. */
type Row = { row: Json; possible: readonly Possible[]; mayRemove: boolean }

async function rowOf(visit: Visit, family: KnownFamily, row: Json): Promise<Row> {
  const { remove, hasOwnPage, removable = {} } = family
  const [possible, mayRemove] = await Promise.all([
    possibleActions(visit, family, row, (parameter) => oneCall(visit, family, row, parameter)),
    remove && !hasOwnPage && hasMembers(row, removable)
      ? visit.may(remove, nestedCall(oneCall(visit, family, row)))
      : false,
  ])
  return { row, possible: possible.filter(({ action }) => !action.asks), mayRemove }
}

type TableProps = { visit: Visit; family: KnownFamily; rows: readonly Row[]; mayOpen: boolean }

function nameOfRow({ columns }: KnownFamily, row: Json): string {
  return String(row[columns[0] ?? ''] ?? '')
}

/** What can be done with one, at the end of its row. */
function Acts({ visit, family, shown }: { visit: Visit; family: KnownFamily; shown: Row }) {
  const { row, possible, mayRemove } = shown
  const name = nameOfRow(family, row)
  return (
    <td class="acts">
      {possible.map((one) => (
        <ActionButton visit={visit} possible={one} then={visit.path} of={name} kind="quiet" />
      ))}
      {mayRemove && (
        <a class="button quiet" href={below(addressOfOne(visit, family, row), 'delete')}>
          {family.removal ?? 'Delete'}
          <span class="hidden"> {name}</span>
        </a>
      )}
    </td>
  )
}

function Table({ visit, family, rows, mayOpen }: TableProps) {
  const { columns, words, title, list } = family
  const { members } = rowSchema(list, family)
  const hasActs = rows.some(({ possible, mayRemove }) => possible.length > 0 || mayRemove)
  const cell = (row: Json, name: string): Child => (
    <Cell schema={members[name]} name={name} value={row[name]} said={words?.[name]} />
  )
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={title}>
      <table class="list">
        <thead>
          <tr>
            {columns.map((name) => (
              <th scope="col">{labelOf(name, words?.[name])}</th>
            ))}
            {hasActs && (
              <th scope="col">
                <span class="hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((shown) => (
            <tr>
              {columns.map((name, index) => (
                <td data-label={index === 0 ? undefined : labelOf(name, words?.[name])}>
                  {index === 0 && mayOpen ? (
                    <a class="strong" href={addressOfOne(visit, family, shown.row)}>
                      {cell(shown.row, name)}
                    </a>
                  ) : (
                    cell(shown.row, name)
                  )}
                </td>
              ))}
              {hasActs && <Acts visit={visit} family={family} shown={shown} />}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function NoRows({ visit, family, mayCreate }: { visit: Visit; family: KnownFamily; mayCreate: boolean }) {
  const { title, empty, one } = family
  if (Object.keys(chosenFilters(visit, family)).length > 0) {
    return <Empty title={`No ${inSentence(title)} match.`} />
  }
  return (
    <Empty title={`No ${inSentence(title)} yet.`}>
      <p>{empty}</p>
      {mayCreate && (
        <p>
          <a href={`${rootOf(visit, family)}/new`}>New {one}</a>
        </p>
      )}
    </Empty>
  )
}

/** The list of a family. */
export function listPage(family: KnownFamily): Page {
  const { at, path, section, title, one, list, get, create, remove, actions } = family
  const isNested = path.includes(':')
  // Some lists of the administration may be read by more callers than they are for.
  const operation = path.startsWith('admin/') && create ? [list, create] : list
  const isFor = family.isOfTopLevel ? ({ group }: Visit) => group.parent_id === null : undefined
  return page({
    at,
    path,
    ...(!isNested && { nav: { section, label: title, operation, ...(isFor && { isFor }) } }),
    performs: [...actions.map(({ operation }) => operation), ...(remove && !family.hasOwnPage ? [remove] : [])],
    async show(visit) {
      const found = await readRows(visit, family, { ...chosenFilters(visit, family), page: visit.number })
      const [first] = found.items
      const [rows, mayOpen, mayCreate] = await Promise.all([
        Promise.all(found.items.map((row) => rowOf(visit, family, row))),
        get && first ? visit.may(get, nestedCall(oneCall(visit, family, first))) : true,
        create ? visit.may(create, nestedCall(placeCall(visit, family))) : false,
      ])
      const isFiltered = Object.keys(chosenFilters(visit, family)).length > 0
      return {
        title,
        crumbs: crumbsOf(visit, family),
        actions: mayCreate && rows.length > 0 && (
          <a class="button primary" href={`${rootOf(visit, family)}/new`}>
            New {one}
          </a>
        ),
        refreshes: found.items.some((row) => isBusy(family, row)),
        body: (
          <div class="derived">
            <Refusal visit={visit} />
            <Secret visit={visit} members={shownOnce(family)} />
            {filtersOf(family).length > 0 && (rows.length > 0 || isFiltered) && (
              <Filters visit={visit} family={family} />
            )}
            {rows.length === 0 ? (
              <NoRows visit={visit} family={family} mayCreate={mayCreate} />
            ) : (
              <Table visit={visit} family={family} rows={rows} mayOpen={mayOpen} />
            )}
            <Pages path={visit.path} page={visit.number} of={found} />
          </div>
        ),
      }
    },
  })
}
