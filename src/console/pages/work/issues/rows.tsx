import type { Html } from '../../../html/index.ts'
import type { ListedIssue } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { pathOfUrl } from '../../../parts/discussion/index.ts'
import { Avatar, Icon, Time, Title } from '../../../parts/parts.tsx'
import { LabelLinks, labelsOf } from '../labels.tsx'

type Row = Pick<
  ListedIssue,
  | 'title'
  | 'state'
  | 'labels'
  | 'web_url'
  | 'author'
  | 'created_at'
  | 'milestone'
  | 'assignees'
  | 'due_date'
  | 'confidential'
  | 'user_notes_count'
  | 'task_completion_status'
  | 'issue_type'
  | 'references'
  | 'weight'
  | 'upvotes'
>

function Progress({ issue: { task_completion_status: tasks } }: { issue: Row }): Html {
  const { count, completed_count: done } = tasks
  return count === 0 ? (
    <></>
  ) : (
    <>
      {' · '}
      {done} of {count} tasks
    </>
  )
}

export function IssueRow({ visit, issue, isOfProject }: { visit: Visit; issue: Row; isOfProject: boolean }): Html {
  const { milestone, due_date: due, weight } = issue
  const reference = isOfProject ? issue.references.short : issue.references.full
  return (
    <>
      <Icon name={issue.state === 'opened' ? 'open' : 'done'} label={issue.state === 'opened' ? 'Open' : 'Closed'} />
      <div class="grow">
        <a class="strong" href={pathOfUrl(issue.web_url)}>
          <Title text={issue.title} />
        </a>{' '}
        {issue.confidential && <Icon name="lock" label="Confidential" />}{' '}
        {issue.issue_type === 'incident' && <span class="tagged">incident</span>}{' '}
        <LabelLinks labels={labelsOf(issue.labels)} list={visit.path} />
        <p class="sub">
          {reference} · opened <Time at={issue.created_at} /> by{' '}
          <a href={`/${issue.author.username}`}>{issue.author.name}</a>
          {milestone && (
            <>
              {' · '}
              <a href={pathOfUrl(milestone.web_url)}>{milestone.title}</a>
            </>
          )}
          {due && (
            <>
              {' · due '}
              <Time at={due} />
            </>
          )}
          {typeof weight === 'number' && ` · weight ${weight}`}
          <Progress issue={issue} />
        </p>
      </div>
      <span class="people">
        {issue.assignees.map(({ name, username }) => (
          <a href={`/${username}`} title={`Assigned to ${name}`}>
            <Avatar name={name} />
            <span class="hidden">Assigned to {name}</span>
          </a>
        ))}
      </span>
      {issue.user_notes_count > 0 && (
        <span class="meta">
          <Icon name="comment" label="Comments" />
          {issue.user_notes_count}
        </span>
      )}
    </>
  )
}

/** Issues, one in each row. @param isOfProject whether the list is of one project */
export function IssueRows({
  visit,
  issues,
  isOfProject,
}: {
  visit: Visit
  issues: readonly Row[]
  isOfProject: boolean
}) {
  return (
    <ul class="rows">
      {issues.map((issue) => (
        <li>
          <IssueRow visit={visit} issue={issue} isOfProject={isOfProject} />
        </li>
      ))}
    </ul>
  )
}
