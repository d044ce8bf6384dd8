import { forbidden } from '../../../../api/index.ts'
import { issuesUpdate } from '../../../operations.ts'
import { type Page, page } from '../../../page.ts'
import { Field, Form, visitOfForm } from '../../../parts/form.tsx'
import { Empty, Pages } from '../../../parts/parts.tsx'
import { addressIn } from '../places.ts'
import { ColumnOf } from './column.tsx'
import { type BoardLevel, operationsAt, readBoard, readBoardAlone, readTargets } from './read.ts'
import { DeleteBoard, EditBoard, NewList } from './settings.tsx'

/** The boards of a project or group. */
const listAt = (at: BoardLevel): Page => {
  const { boards } = operationsAt(at)
  return page({
    at,
    path: 'boards',
    nav: { section: 'Plan', label: 'Boards', operation: boards.list },
    performs: [boards.create],
    async show(visit) {
      const call = { id: visit[at].id }
      const [found, mayCreate] = await Promise.all([
        visit.read(boards.list, { ...call, page: visit.number }),
        visit.may(boards.create, call),
      ])
      return {
        title: 'Boards',
        body: (
          <div class="sections">
            {found.items.length === 0 ? (
              <Empty title="No boards.">
                <p>A board shows the issues in columns: by label, milestone, iteration or assignee.</p>
              </Empty>
            ) : (
              <ul class="rows">
                {found.items.map(({ id, name, lists }) => (
                  <li>
                    <div class="grow">
                      <a class="strong" href={addressIn(visit, `boards/${id}`)}>
                        {name}
                      </a>
                      <p class="sub">
                        {lists.length} {lists.length === 1 ? 'list' : 'lists'}
                      </p>
                    </div>
                  </li>
                ))}
              </ul>
            )}
            <Pages path={visit.path} page={visit.number} of={found} />
            {mayCreate && (
              <details open={visitOfForm(visit, boards.create).refused !== null || found.items.length === 0}>
                <summary class="quiet">New board</summary>
                <Form
                  visit={visit}
                  performs={boards.create}
                  call={call}
                  then={`${addressIn(visit, 'boards')}/{id}`}
                  class="stack"
                >
                  <Field visit={visit} operation={boards.create} name="name" />
                  <button class="primary">Create the board</button>
                </Form>
              </details>
            )}
          </div>
        ),
      }
    },
  })
}

/** A board with its columns. */
const boardAt = (at: BoardLevel): Page => {
  const { boards, lists } = operationsAt(at)
  return page({
    at,
    path: 'boards/:board',
    performs: [issuesUpdate, lists.create, lists.move, lists.delete],
    async show(visit) {
      const of = await readBoard(visit, at)
      const { board, call, mayChange } = of
      const [targets, mayDelete] = await Promise.all([
        mayChange && readTargets(visit, at),
        visit.may(boards.delete, call),
      ])
      return {
        title: board.name,
        crumbs: [['Boards', addressIn(visit, 'boards')]],
        actions: (
          <>
            {targets && <NewList visit={visit} at={at} of={of} targets={targets} />}
            {(mayChange || mayDelete) && (
              <a class="button" href={addressIn(visit, `boards/${board.id}/edit`)}>
                Edit
              </a>
            )}
          </>
        ),
        body: (
          <div class="board" data-board={board.id} role="region" aria-label="Columns" tabindex={0}>
            {of.columns.map((column) => (
              <ColumnOf visit={visit} at={at} of={of} column={column} />
            ))}
          </div>
        ),
      }
    },
  })
}

/** Changes or deletes a board. */
const editAt = (at: BoardLevel): Page => {
  const { boards } = operationsAt(at)
  return page({
    at,
    path: 'boards/:board/edit',
    performs: [boards.update, boards.delete],
    async show(visit) {
      const of = await readBoardAlone(visit, at)
      if (!of.mayChange) throw forbidden()
      const [targets, mayDelete] = await Promise.all([readTargets(visit, at), visit.may(boards.delete, of.call)])
      const address = addressIn(visit, `boards/${of.board.id}`)
      return {
        title: 'Edit board',
        crumbs: [
          ['Boards', addressIn(visit, 'boards')],
          [of.board.name, address],
        ],
        actions: mayDelete && <DeleteBoard visit={visit} at={at} of={of} />,
        body: <EditBoard visit={visit} at={at} of={of} targets={targets} />,
      }
    },
  })
}

/** The pages of the boards of projects and groups. */
export const boardPages: readonly Page[] = (['group', 'project'] as const).flatMap((at) => [
  listAt(at),
  boardAt(at),
  editAt(at),
])
