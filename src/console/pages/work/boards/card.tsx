import type { Html } from '../../../html/index.ts'
import { issuesUpdate, type ListedIssue } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { pathOfUrl } from '../../../parts/discussion/index.ts'
import { Form, visitOfForm } from '../../../parts/form.tsx'
import { Avatar, Icon, Label, Time, Title } from '../../../parts/parts.tsx'
import { labelsOf } from '../labels.tsx'
import { type Column, moveOf } from './columns.ts'

type CardProps = {
  visit: Visit
  issue: ListedIssue
  column: Column
  /** All columns of the board. */
  columns: readonly Column[]
  isOfProject: boolean
  mayMove: boolean
}

/** The choice of another column. The script fills it in when a card is dragged, or moved by keys. */
function Move({ visit, issue, column, columns }: CardProps): Html {
  const form = `${column.key}-${issue.id}`
  const others = columns.filter(({ key }) => key !== column.key)
  return (
    <details class="move" open={visitOfForm(visit, issuesUpdate, form).refused !== null}>
      <summary class="quiet">
        Move<span class="hidden"> {issue.references.short} to another column</span>
      </summary>
      <Form
        visit={visit}
        performs={issuesUpdate}
        form={form}
        call={{ id: issue.project_id, issue_iid: issue.iid }}
        class="move-form"
      >
        <select name="_choice" aria-label={`Column for ${issue.references.short}`}>
          {others.map((to) => (
            <option value={moveOf(issue, column, to)} data-to={to.key}>
              {to.title}
            </option>
          ))}
        </select>
        <button>Move</button>
      </Form>
    </details>
  )
}

/** An issue in a column. */
export function Card(props: CardProps): Html {
  const { visit, issue, column, columns, isOfProject, mayMove } = props
  const { due_date: due, weight } = issue
  const isMovable = mayMove && columns.length > 1
  return (
    <li class="card" id={`card-${column.key}-${issue.id}`} data-card={isMovable ? issue.id : undefined}>
      <p class="card-title">
        <a class="strong" href={pathOfUrl(issue.web_url)}>
          <Title text={issue.title} />
        </a>{' '}
        {issue.confidential && <Icon name="lock" label="Confidential" />}
      </p>
      {issue.labels.length > 0 && (
        <p class="card-labels">
          {labelsOf(issue.labels).map(({ name, color }) => (
            <Label name={name} color={color} />
          ))}
        </p>
      )}
      <div class="card-foot">
        <span class="sub">
          {isOfProject ? issue.references.short : issue.references.relative}
          {due && (
            <>
              {' · due '}
              <Time at={due} />
            </>
          )}
          {typeof weight === 'number' && ` · weight ${weight}`}
        </span>
        <span class="people">
          {issue.assignees.map(({ name, username }) => (
            <a href={`/${username}`} title={`Assigned to ${name}`}>
              <Avatar name={name} />
              <span class="hidden">Assigned to {name}</span>
            </a>
          ))}
        </span>
      </div>
      {isMovable && <Move {...props} visit={visit} />}
    </li>
  )
}
