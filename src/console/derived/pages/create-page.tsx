import { notFound, type Operation } from '../../../api/index.ts'
import { isObject, type Json } from '../../forms/schema.ts'
import { type Page, page, type Visit } from '../../page.ts'
import { Secret, shownOnce } from '../actions.tsx'
import { crumbsOf } from '../crumbs.ts'
import type { KnownFamily } from '../declared.ts'
import { fieldNames, OperationForm, readChoices } from '../operation-form.tsx'
import { nestedCall, placeCall, rootOf } from '../place.ts'

/** The values that an operation says a new one begins with. */
async function beginningOf(visit: Visit, { begins }: KnownFamily): Promise<Json> {
  const found: unknown = begins && (await visit.find(begins.operation, {}))
  if (!begins || !isObject(found)) return {}
  return Object.fromEntries(begins.members.map((name) => [name, found[name]]))
}

/**
 * The page with the form for a new one. The address may have values for its fields.
 * @param listAddress where the list is, when it is not a page of the family
 */
export function createPage(family: KnownFamily, create: Operation, listAddress?: string): Page {
  const { at, path, one, list, initial, opens, shows } = family
  return page({
    at,
    path: `${path}/new`,
    performs: [create],
    async show(visit) {
      const call = placeCall(visit, family)
      // Operations that act on several kinds of places say who may only when they run; the list is of this place.
      const mays = await Promise.all([list, create].map((one) => visit.may(one, nestedCall(call))))
      if (mays.includes(false)) throw notFound('Page')
      const choices = await readChoices(visit, family, create, call)
      const names = fieldNames(create, family, call)
      const asked = Object.fromEntries(Object.entries(visit.query).filter(([name]) => names.includes(name)))
      const root = listAddress ?? rootOf(visit, family)
      return {
        title: `New ${one}`,
        crumbs: [...crumbsOf(visit, family), [family.title, root]],
        body: visit.answered ? (
          <div class="derived">
            <Secret visit={visit} members={shownOnce(family)} />
            <p>
              <a class="button" href={root}>
                To the list
              </a>
            </p>
          </div>
        ) : (
          <OperationForm
            visit={visit}
            family={family}
            operation={create}
            call={call}
            values={{ ...initial, ...(await beginningOf(visit, family)), ...asked }}
            choices={choices}
            verb={`Create ${one}`}
            then={opens ? ':made' : root}
            names={names}
            shows={shows !== undefined}
          />
        ),
      }
    },
  })
}
