import { notFound, type Operation } from '../../../api/index.ts'
import type { Html } from '../../html/index.ts'
import { type Page, page, type Visit } from '../../page.ts'
import { nameOfObject } from '../cells.tsx'
import { crumbsOfOne } from '../crumbs.ts'
import type { KnownAny, KnownFamily } from '../declared.ts'
import { fieldNames, OperationForm } from '../operation-form.tsx'
import { addressOfOne, type Call, nestedCall, oneCall, readOne, rootOf } from '../place.ts'

type RemovalProps = {
  visit: Visit
  family: KnownAny
  remove: Operation
  call: Call
  /** Where the browser goes after the deletion, */
  then: string
  /** and without it. */
  back: string
}

/** The button that deletes, after the question, and the way back. */
export function Removal({ visit, family, remove, call, then, back }: RemovalProps): Html {
  const { one: word, without, removal = 'Delete' } = family
  return (
    <>
      <OperationForm
        visit={visit}
        family={family}
        operation={remove}
        call={call}
        values={{}}
        choices={{}}
        verb={`${removal} ${word}`}
        then={then}
        names={fieldNames(remove, { without }, call)}
        kind="danger"
      />
      <p>
        <a class="button" href={back}>
          Keep it
        </a>
      </p>
    </>
  )
}

/** Asks before one is deleted. */
export function deletePage(family: KnownFamily, remove: Operation): Page {
  const { at, path, one: word, columns, removal = 'Delete' } = family
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
            <Removal
              visit={visit}
              family={family}
              remove={remove}
              call={call}
              then={rootOf(visit, family)}
              back={address}
            />
          </div>
        ),
      }
    },
  })
}
