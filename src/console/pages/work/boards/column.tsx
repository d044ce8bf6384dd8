import type { Html } from '../../../html/index.ts'
import type { Visit } from '../../../page.ts'
import { Do } from '../../../parts/form.tsx'
import { Dot, withQuery } from '../../../parts/parts.tsx'
import { addressIn } from '../places.ts'
import { Card } from './card.tsx'
import { type BoardLevel, type FilledColumn, mostIssues, operationsAt, type ReadBoard } from './read.ts'

type ColumnProps = { visit: Visit; at: BoardLevel; of: ReadBoard; column: FilledColumn }

/** Moves a list to the left or to the right, or deletes it. */
function Manage({ visit, at, of: { call, board }, column: { list, title } }: ColumnProps): Html {
  if (!list) return <></>
  const { lists } = operationsAt(at)
  const own = { ...call, list_id: list.id }
  const shift = (by: number, label: string) => (
    <Do
      visit={visit}
      performs={lists.move}
      form={`${by}-${list.id}`}
      call={{ ...own, position: list.position + by }}
      kind="quiet"
    >
      {label}
    </Do>
  )
  return (
    <details class="menu">
      <summary class="quiet">
        <span aria-hidden="true">…</span>
        <span class="hidden">Change the list {title}</span>
      </summary>
      <div class="popup">
        {list.position > 0 && shift(-1, 'Move left')}
        {list.position < board.lists.length - 1 && shift(1, 'Move right')}
        <Do visit={visit} performs={lists.delete} form={`delete-${list.id}`} call={own} kind="danger">
          Delete the list
        </Do>
      </div>
    </details>
  )
}

function More({ visit, column: { key, kind, hasMore, asked } }: ColumnProps): Html {
  if (!hasMore) return <></>
  const isLast = asked >= mostIssues
  const state = kind === 'closed' ? 'closed' : null
  const address = isLast
    ? withQuery(addressIn(visit, 'issues'), { state })
    : `${withQuery(visit.path, { [key]: Math.min(mostIssues, asked + 20) })}#${key}`
  return (
    <p class="more">
      <a href={address}>{isLast ? 'All issues' : 'Show more'}</a>
    </p>
  )
}

/** A column with its cards. */
export function ColumnOf(props: ColumnProps): Html {
  const { visit, at, of, column } = props
  const { key, title, issues, total, list } = column
  return (
    <section class="column" data-column={key} aria-labelledby={key}>
      <div class="column-head">
        <h2 id={key}>
          {list?.label && <Dot color={list.label.color} />} {title}
        </h2>
        {total !== undefined && <span class="count">{total}</span>}
        {of.mayChange && <Manage {...props} />}
      </div>
      {issues.length === 0 && <p class="soft none">No issues</p>}
      <ul class="cards">
        {issues.map((issue) => (
          <Card
            visit={visit}
            issue={issue}
            column={column}
            columns={of.columns}
            isOfProject={at === 'project'}
            mayMove={of.planned.has(issue.project_id)}
          />
        ))}
      </ul>
      <More {...props} />
    </section>
  )
}
