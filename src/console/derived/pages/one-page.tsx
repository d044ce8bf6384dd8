import { isObject, type Json, type Schema } from '../../forms/schema.ts'
import type { Child } from '../../html/index.ts'
import { type Page, page, type Visit } from '../../page.ts'
import { words } from '../../parts/words.ts'
import {
  ActionButton,
  AskedActions,
  hasMembers,
  type Possible,
  possibleActions,
  Secret,
  shownOnce,
} from '../actions.tsx'
import { Cell, labelOf, nameOfObject } from '../cells.tsx'
import { crumbsOfOne } from '../crumbs.ts'
import type { KnownAny, KnownFamily } from '../declared.ts'
import { type Choices, fieldNames, OperationForm, readChoices } from '../operation-form.tsx'
import {
  addressOfOne,
  below,
  type Call,
  isBusy,
  nestedCall,
  oneCall,
  readFile,
  readOne,
  rootOf,
  rowSchema,
} from '../place.ts'

type FactsProps = { family: KnownAny; schema: Schema; one: Json; without: readonly string[] }

/** Besides ids: the address of a page is no news on that page. */
const neverFacts = /(^i?id$|_html$|^_links$|avatar_url$|^web_url$|_id$)/

function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === undefined || value === null || value === '' || (isObject(value) && nameOfObject(value) === '')
}

/** What one is called: its first column, with what it is where that is a number. */
function titleOf({ columns, one: kind }: KnownFamily, one: Json): string {
  const [first = ''] = columns
  const name = String(one[first] ?? nameOfObject(one))
  return first === 'id' ? `${words(kind)} ${name}` : name
}

/** The members of one that no field of the form has. */
export function Facts({ family, schema, one, without }: FactsProps) {
  const hidden = new Set([...without, ...without.map((name) => family.from?.[name] ?? name)])
  const known = Object.keys(one).filter((name) => schema.members[name] && !hidden.has(name) && !neverFacts.test(name))
  const names = (family.facts ?? known).filter((name) => !isNothing(one[name]))
  if (names.length === 0) return <></>
  return (
    <dl class="members">
      {names.map((name) => (
        <>
          <dt>{labelOf(name, family.words?.[name])}</dt>
          <dd>
            <Cell schema={schema.members[name]} name={name} value={one[name]} said={family.words?.[name]} isWhole />
          </dd>
        </>
      ))}
    </dl>
  )
}

type HeadProps = { visit: Visit; family: KnownAny; address: string; possible: readonly Possible[]; mayRemove: boolean }

/** The buttons beside the title. */
export function headOf({ visit, family, address, possible, mayRemove }: HeadProps): Child {
  const buttons = possible.filter(({ action }) => !action.asks)
  return [
    (family.related ?? []).map(([path, label]) => (
      <a class="button" href={below(address, path)}>
        {label}
      </a>
    )),
    buttons.map((one) => <ActionButton visit={visit} possible={one} then={address} />),
    mayRemove && (
      <a class="button danger" href={below(address, 'delete')}>
        {family.removal ?? 'Delete'}
      </a>
    ),
  ]
}

type BodyProps = {
  visit: Visit
  family: KnownFamily
  one: Json
  call: Call
  possible: readonly Possible[]
  choices: Choices
  mayUpdate: boolean
}

function Body({ visit, family, one, call, possible, choices, mayUpdate }: BodyProps) {
  const { get, list, update } = family
  const names = update && mayUpdate ? fieldNames(update, family, call) : []
  const isRead = get && !('raw' in get.result[1])
  const schema = isRead ? rowSchema(get, { spread: family.spread }) : rowSchema(list, family)
  return (
    <div class="derived">
      <Secret visit={visit} members={shownOnce(family)} />
      {update && mayUpdate && (
        <OperationForm
          visit={visit}
          family={family}
          operation={update}
          call={call}
          values={one}
          choices={choices}
          verb="Save"
          then={rootOf(visit, family)}
        />
      )}
      <AskedActions visit={visit} family={family} possible={possible} choices={choices} then={visit.path} />
      <Facts family={family} schema={schema} one={one} without={names} />
    </div>
  )
}

/** The page of one: its form for those who may change it, its members for the others. */
export function onePage(family: KnownFamily): Page {
  const { at, path, get, update, actions, remove, removable = {} } = family
  return page({
    at,
    path: `${path}/:one`,
    performs: [...(update ? [update] : []), ...actions.map(({ operation }) => operation)],
    async show(visit) {
      const one = await readOne(visit, family)
      const call = oneCall(visit, family, one)
      if (get && 'raw' in get.result[1] && hasMembers(one, family.hasFile ?? {})) {
        return { file: await readFile(visit, get, call) }
      }
      const [possible, mayUpdate, mayRemove, choices] = await Promise.all([
        possibleActions(visit, family, one, (parameter) => oneCall(visit, family, one, parameter)),
        update ? visit.may(update, nestedCall(call)) : false,
        remove && hasMembers(one, removable) ? visit.may(remove, nestedCall(call)) : false,
        readChoices(visit, family, update ?? family.list, call),
      ])
      const address = addressOfOne(visit, family, one)
      return {
        title: titleOf(family, one),
        crumbs: crumbsOfOne(visit, family),
        // What is being written into a form would be lost.
        refreshes: !mayUpdate && isBusy(family, one),
        actions: headOf({ visit, family, address, possible, mayRemove }),
        body: (
          <Body
            visit={visit}
            family={family}
            one={one}
            call={call}
            possible={possible}
            choices={choices}
            mayUpdate={mayUpdate}
          />
        ),
      }
    },
  })
}
