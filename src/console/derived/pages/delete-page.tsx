import { notFound, type Operation } from '../../../api/index.ts'
import { type Page, page } from '../../page.ts'
import { nameOfObject } from '../cells.tsx'
import { crumbsOfOne } from '../crumbs.ts'
import type { KnownFamily } from '../declared.ts'
import { fieldNames, OperationForm } from '../operation-form.tsx'
import { addressOfOne, nestedCall, oneCall, readOne, rootOf } from '../place.ts'

/** Asks before one is deleted. */
export function deletePage(family: KnownFamily, remove: Operation): Page {
  const { at, path, one: word, columns, without, removal = 'Delete' } = family
  return page({
    at,
    path: `${path}/:one/delete`,
    performs: [remove],
    async show(visit) {
      const one = await readOne(visit, family)
      const call = oneCall(visit, family, one)
      if (!(await visit.may(remove, nestedCall(call)))) throw notFound('Page')
      const name = String(one[columns[0] ?? ''] ?? nameOfObject(one))
      const address = addressOfOne(visit, family, one)
      return {
        title: `${removal} ${word}`,
        crumbs: [...crumbsOfOne(visit, family), [name, address]],
        body: (
          <div class="derived">
            <p class="lead">
              {removal} the {word} <b>{name}</b>? This cannot be undone.
            </p>
            <OperationForm
              visit={visit}
              family={family}
              operation={remove}
              call={call}
              values={{}}
              choices={{}}
              verb={`${removal} ${word}`}
              then={rootOf(visit, family)}
              names={fieldNames(remove, { without }, call)}
              kind="danger"
            />
            <p>
              <a class="button" href={address}>
                Keep it
              </a>
            </p>
          </div>
        ),
      }
    },
  })
}
