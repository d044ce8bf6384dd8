import { ApiError, notFound, type Operation } from '../../../api/index.ts'
import { isObject, type Json } from '../../forms/schema.ts'
import { named } from '../../operations.ts'
import { type Page, page, type Visit } from '../../page.ts'
import { Empty } from '../../parts/parts.tsx'
import { inSentence } from '../../parts/words.ts'
import { AskedActions, possibleActions, Secret, shownOnce } from '../actions.tsx'
import { crumbsOf } from '../crumbs.ts'
import type { KnownSingle } from '../declared.ts'
import { fieldNames, OperationForm, readChoices } from '../operation-form.tsx'
import { answerSchema, type Call, nestedCall, placeCall, rootOf } from '../place.ts'
import { Removal } from './delete-page.tsx'
import { Facts, headOf } from './one-page.tsx'

/** What an operation of the family may do here: null where the caller may not. */
async function permitted(visit: Visit, operation: Operation | null, call: Call): Promise<Operation | null> {
  return operation && (await visit.may(operation, nestedCall(call))) ? operation : null
}

type FormProps = { visit: Visit; family: KnownSingle; operation: Operation | null; call: Call; one: Json }

async function formOf({ visit, family, operation, call, one }: FormProps) {
  if (!operation) return null
  return (
    <OperationForm
      visit={visit}
      family={family}
      operation={operation}
      call={call}
      values={one}
      choices={await readChoices(visit, family, operation, call)}
      verb="Save"
      then={`${rootOf(visit, family)}?saved=1`}
    />
  )
}

/** Whether the object is one that the server writes, and that is not there at first. */
const isReport = ({ create, update, empty }: KnownSingle) => !create && !update && empty !== undefined

/** Reads the object; null where it need not be there and is not. Operations answer that as 404, and one as 400. */
async function readSingle(visit: Visit, family: KnownSingle, call: Call): Promise<Json | null> {
  const { get, create } = family
  try {
    const found: unknown = await visit.read(get, call)
    return isObject(found) ? found : null
  } catch (error) {
    if ((create || isReport(family)) && error instanceof ApiError && (error.status === 400 || error.status === 404))
      return null
    throw error
  }
}

/** The page of an object of which its place has one: settings, or rules that need not be there. */
export function singlePage(family: KnownSingle): Page {
  const { at, path, section, title, get, create, update, remove, actions, empty, foundFor } = family
  const operation = update ?? create ?? get
  const line = { section, label: title, operation, ...(foundFor && { or: named(foundFor) }) }
  return page({
    at,
    path,
    ...(!path.includes(':') && { nav: line }),
    performs: [...[create, update].filter((one) => one !== null), ...actions.map(({ operation }) => operation)],
    async show(visit) {
      const call = placeCall(visit, family)
      const one = await readSingle(visit, family, call)
      const operation = await permitted(visit, one ? update : create, call)
      if (!one && !operation && !isReport(family)) throw notFound('Page')
      const possible = one ? await possibleActions(visit, family, one, () => call) : []
      const mayRemove = one !== null && (await permitted(visit, remove, call)) !== null
      const names = operation ? fieldNames(operation, family, call) : []
      return {
        title,
        crumbs: crumbsOf(visit, family),
        actions: headOf({ visit, family, address: rootOf(visit, family), possible, mayRemove }),
        body: (
          <div class="derived">
            {visit.query.saved && <p role="status">Saved.</p>}
            <Secret visit={visit} members={shownOnce(family)} />
            {!one && empty && (
              <Empty title={`No ${inSentence(title)} yet.`}>
                <p>{empty}</p>
              </Empty>
            )}
            {await formOf({ visit, family, operation, call, one: one ?? {} })}
            <AskedActions
              visit={visit}
              family={family}
              possible={possible}
              choices={await readActionChoices(visit, family, call)}
              then={visit.path}
            />
            {one && <Facts family={family} schema={answerSchema(get)} one={one} without={names} />}
          </div>
        ),
      }
    },
  })
}

/** What the fields of actions can be chosen from. */
async function readActionChoices(visit: Visit, family: KnownSingle, call: Call) {
  const asking = family.actions.filter(({ asks }) => asks)
  const read = await Promise.all(asking.map(({ operation }) => readChoices(visit, family, operation, call)))
  return Object.assign({}, ...read)
}

/** Asks before the object is deleted. */
export function deleteSinglePage(family: KnownSingle, remove: Operation): Page {
  const { at, path, one: word, title, leaves, removal = 'Delete' } = family
  return page({
    at,
    path: `${path}/delete`,
    performs: [remove],
    async show(visit) {
      const call = placeCall(visit, family)
      if (!(await permitted(visit, remove, call))) throw notFound('Page')
      const root = rootOf(visit, family)
      const name = { project: visit.project?.name, group: visit.group?.name, instance: '' }[at]
      return {
        title: `${removal} ${word}`,
        crumbs: [[title, root]],
        body: (
          <div class="derived">
            <p class="lead">
              {removal} the {word}
              {name && (
                <>
                  {' '}
                  of <b>{name}</b>
                </>
              )}
              ?
            </p>
            <Removal visit={visit} family={family} remove={remove} call={call} then={leaves ?? root} back={root} />
          </div>
        ),
      }
    },
  })
}
