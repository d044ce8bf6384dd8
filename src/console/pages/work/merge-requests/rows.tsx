import type { Html } from '../../../html/index.ts'
import type { ListedMergeRequest } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { pathOfUrl } from '../../../parts/discussion/index.ts'
import { Avatar, Icon, type IconName, Status, Time, Title } from '../../../parts/parts.tsx'
import { LabelLinks, labelsOf } from '../labels.tsx'

type Row = ListedMergeRequest

const icons: Readonly<Record<string, readonly [icon: IconName, word: string]>> = {
  opened: ['branch', 'Open'],
  merged: ['done', 'Merged'],
  closed: ['failed', 'Closed'],
  locked: ['running', 'Being merged'],
}

/** The state of a merge request, as a drawing. */
function State({ state }: { state: string }): Html {
  const [icon, word] = icons[state] ?? ['open', state]
  return (
    <span class={`state ${state}`}>
      <Icon name={icon} label={word} />
    </span>
  )
}

function People({ request: { assignees = [], reviewers = [] } }: { request: Row }): Html {
  const people = [
    ...assignees.map((person) => ({ ...person, role: 'Assigned to' })),
    ...reviewers.map((person) => ({ ...person, role: 'Reviewed by' })),
  ]
  return (
    <span class="people">
      {people.map(({ name, username, role }) => (
        <a href={`/${username}`} title={`${role} ${name}`}>
          <Avatar name={name} />
          <span class="hidden">
            {role} {name}
          </span>
        </a>
      ))}
    </span>
  )
}

/** How far the review is: the approvals that were given, and how many are missing. */
function Approvals({ request }: { request: Row }): Html {
  const { approvals_given: given = 0, approvals_left: left = 0, state } = request
  if (given === 0 && (left === 0 || state !== 'opened')) return <></>
  const words = left > 0 && state === 'opened' ? `${given} of ${given + left} approvals` : `approved (${given})`
  return <span class={left === 0 ? 'tagged good' : 'tagged'}>{words}</span>
}

function About({ request, isOfProject }: { request: Row; isOfProject: boolean }): Html {
  const { author, created_at, milestone, source_branch: source, target_branch: target, merged_at, state } = request
  const reference = isOfProject ? request.references?.short : request.references?.full
  return (
    <p class="sub">
      {reference} · opened <Time at={created_at} /> by {author && <a href={`/${author.username}`}>{author.name}</a>}
      {state === 'merged' && (
        <>
          {' · merged '}
          <Time at={merged_at} />
        </>
      )}
      {milestone && (
        <>
          {' · '}
          <a href={pathOfUrl(milestone.web_url)}>{milestone.title}</a>
        </>
      )}
      {' · '}
      <span class="branch-name">{source}</span>
      {' → '}
      <span class="branch-name">{target}</span>
    </p>
  )
}

function RequestRow({ visit, request, isOfProject }: { visit: Visit; request: Row; isOfProject: boolean }): Html {
  const { head_pipeline: pipeline, user_notes_count: comments = 0 } = request
  return (
    <li>
      <State state={request.state} />
      <div class="grow">
        <a class="strong" href={pathOfUrl(request.web_url)}>
          <Title text={request.title} />
        </a>{' '}
        <LabelLinks labels={labelsOf(request.labels ?? [])} list={visit.path} />
        <About request={request} isOfProject={isOfProject} />
      </div>
      <span class="row-facts">
        {request.has_conflicts && <span class="tagged bad">conflicts</span>}
        <Approvals request={request} />
        {pipeline && <Status status={pipeline.status} href={pathOfUrl(pipeline.web_url)} />}
        <People request={request} />
        {comments > 0 && (
          <span class="meta">
            <Icon name="comment" label="Comments" />
            {comments}
          </span>
        )}
      </span>
    </li>
  )
}

/** Merge requests, one in each row. @param isOfProject whether the list is of one project */
export function RequestRows(props: { visit: Visit; requests: readonly Row[]; isOfProject: boolean }): Html {
  const { visit, requests, isOfProject } = props
  return (
    <ul class="rows">
      {requests.map((request) => (
        <RequestRow visit={visit} request={request} isOfProject={isOfProject} />
      ))}
    </ul>
  )
}
