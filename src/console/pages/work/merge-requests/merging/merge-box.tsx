import type { Child, Html } from '../../../../html/index.ts'
import {
  mergeRequestsCancelAutoMerge,
  mergeRequestsMerge,
  mergeRequestsRebase,
  requestStatusChecksRetry,
} from '../../../../operations.ts'
import type { Visit } from '../../../../page.ts'
import { pathOfUrl } from '../../../../parts/discussion/index.ts'
import { Do, Form, visitOfForm } from '../../../../parts/form.tsx'
import { Copy, Icon, Status, Time } from '../../../../parts/parts.tsx'
import { at } from '../../../code/places.ts'
import { ApprovalsOf } from '../approvals/box.tsx'
import type { ReadRequest } from '../read.ts'
import { OnTrain, TrainForm } from '../trains/box.tsx'
import { AddDependency, Blocking } from './dependencies.tsx'
import { type Fact, factsInWords, type MergeFacts, statusInWords, waitsForPipeline } from './merge-facts.ts'

type BoxProps = {
  visit: Visit
  of: ReadRequest
  facts: MergeFacts
  /** The address of the first thread that is not resolved. */
  openThread: string | null
  /** Where the merge was deployed. */
  deployed: Child
}

const marks = {
  missing: { name: 'failed', label: 'Missing' },
  waiting: { name: 'running', label: 'Waiting' },
  there: { name: 'done', label: 'Done' },
} as const

function Line({ fact, children }: { fact: Fact; children?: Child }): Html {
  return (
    <li class={fact.standing}>
      <Icon {...marks[fact.standing]} />
      <span>
        {fact.text} {children}
      </span>
    </li>
  )
}

function Conflicts({ files }: { files: readonly string[] }): Html {
  if (files.length === 0) return <>histories without a common commit.</>
  return (
    <>
      {files.slice(0, 20).map((path) => (
        <code>{path} </code>
      ))}
      {files.length > 20 && `and ${files.length - 20} more. `}
      Merge or rebase locally, resolve the conflicts, and push.
    </>
  )
}

/** What a merge depends on, one sentence in each line. */
function Facts({ visit, of, facts, openThread }: BoxProps): Html {
  const { request, call } = of
  const { head_pipeline: pipeline } = request
  return (
    <ul class="merge-facts">
      {factsInWords(request, facts).map((fact) => (
        <Line fact={fact}>
          {fact.about === 'conflicts' && <Conflicts files={facts.conflicts} />}
          {fact.about === 'threads' && openThread && <a href={openThread}>To the first one</a>}
          {fact.block && <Blocking visit={visit} of={of} facts={facts} block={fact.block} />}
          {fact.about === 'pipeline' && pipeline && (
            <Status status={pipeline.status} href={pathOfUrl(pipeline.web_url)} />
          )}
          {fact.failedCheck !== undefined && facts.mayRetryChecks && (
            <Do
              visit={visit}
              performs={requestStatusChecksRetry}
              call={{ ...call, external_status_check_id: fact.failedCheck }}
            >
              Send it again
            </Do>
          )}
        </Line>
      ))}
    </ul>
  )
}

function Choice({ name, label, isChosen }: { name: string; label: string; isChosen: boolean }): Html {
  return (
    <label>
      <input type="hidden" name={name} value="false" />
      <input type="checkbox" name={name} value="true" checked={isChosen} /> {label}
    </label>
  )
}

function Messages({ squashes }: { squashes: boolean }): Html {
  return (
    <details class="messages">
      <summary class="quiet">Messages</summary>
      <div class="field">
        <label for="merge-message">Message of the merge commit</label>
        <textarea
          id="merge-message"
          name="merge_commit_message"
          rows={4}
          placeholder="By the template of the project"
        />
      </div>
      {squashes && (
        <div class="field">
          <label for="squash-message">Message of the squashed commit</label>
          <textarea id="squash-message" name="squash_commit_message" rows={3} placeholder="The title" />
        </div>
      )}
    </details>
  )
}

/** The form that merges, now or when what it waits for is there. */
function MergeForm({ visit, of: { request, call } }: BoxProps): Html {
  const { detailed_merge_status: status, should_remove_source_branch: asked, sha } = request
  const isMergeable = status === 'mergeable'
  const isBlocked = status === 'merge_request_blocked'
  const mayWait = isBlocked || (waitsForPipeline(request) && (isMergeable || status === 'ci_still_running'))
  if (!isMergeable && !mayWait) return <></>
  const { squash_option: squashOption } = visit.project
  const refused = visitOfForm(visit, mergeRequestsMerge).refused?.values
  const chosen = (name: string, otherwise: boolean) => (refused ? refused[name] === 'true' : otherwise)
  const removes = asked ?? request.force_remove_source_branch ?? false
  return (
    <Form visit={visit} performs={mergeRequestsMerge} call={{ ...call, sha }} class="merge-form">
      <div class="merge-choices">
        <Choice
          name="should_remove_source_branch"
          label={`Delete ${request.source_branch}`}
          isChosen={chosen('should_remove_source_branch', removes)}
        />
        {squashOption === 'always' && <span class="soft">The commits become one.</span>}
        {squashOption !== 'always' && squashOption !== 'never' && (
          <Choice name="squash" label="Squash the commits" isChosen={chosen('squash', request.squash)} />
        )}
      </div>
      <Messages squashes={squashOption !== 'never'} />
      <div class="buttons">
        {mayWait && (
          <button class="primary" name="auto_merge" value="true">
            {isBlocked ? 'Merge after those that it depends on' : 'Merge when the pipeline succeeds'}
          </button>
        )}
        {isMergeable && <button class={mayWait ? undefined : 'primary'}>{mayWait ? 'Merge now' : 'Merge'}</button>}
      </div>
    </Form>
  )
}

/** What a merge waits for, in the middle of a sentence. */
function untilWhen(
  { detailed_merge_status: status }: BoxProps['of']['request'],
  { mayAdd }: MergeFacts['train'],
): string {
  if (status === 'merge_request_blocked') return 'those that it depends on are merged'
  return mayAdd ? 'its checks have passed' : 'its pipeline has succeeded'
}

/** The merge that waits, for the pipeline, for other merge requests or for the train, and its end. */
function Waiting({ visit, of: { request, call, mayChange }, facts: { train } }: BoxProps): Html {
  const asked = request.merge_user && `, as ${request.merge_user.name} asked`
  return (
    <>
      {train.car ? (
        <OnTrain visit={visit} train={train} />
      ) : (
        <p>
          <Icon name="running" /> It is merged{train.mayAdd && ', or added to the merge train,'} when{' '}
          {untilWhen(request, train)}
          {asked}.
        </p>
      )}
      {(request.user.can_merge || mayChange) && (
        <Do visit={visit} performs={mergeRequestsCancelAutoMerge} call={call}>
          {train.car ? 'Take it off the merge train' : 'Cancel the merge'}
        </Do>
      )}
    </>
  )
}

function Rebase({ visit, of: { request, call, mayPlan } }: BoxProps): Html {
  if (request.rebase_in_progress) return <p class="soft">The branch is being rebased.</p>
  if (!mayPlan || (request.diverged_commits_count ?? 0) === 0) return <></>
  return (
    <Do
      visit={visit}
      performs={mergeRequestsRebase}
      call={call}
      kind={request.detailed_merge_status === 'need_rebase' ? 'primary' : undefined}
    >
      Rebase {request.source_branch}
    </Do>
  )
}

function Merged({ visit, of: { request } }: BoxProps): Html {
  const sha = request.squash_commit_sha ?? request.merge_commit_sha ?? request.sha
  return (
    <p>
      <Icon name="done" /> Merged into <code>{request.target_branch}</code> <Time at={request.merged_at} /> as{' '}
      <a class="sha" href={at(visit, `commit/${sha}`)}>
        {sha.slice(0, 8)}
      </a>
      .
    </p>
  )
}

/** What is between an open merge request and its merge, and the buttons that bring it there. */
function Open(props: BoxProps): Html {
  const { of } = props
  const { request } = of
  const isMergeable = request.detailed_merge_status === 'mergeable'
  return (
    <>
      <p class={isMergeable ? 'verdict there' : 'verdict missing'}>{statusInWords(request)}</p>
      <Facts {...props} />
      <AddDependency {...props} />
      {request.merge_when_pipeline_succeeds ? (
        <Waiting {...props} />
      ) : request.user.can_merge ? (
        <>
          <TrainForm visit={props.visit} of={of} train={props.facts.train} />
          <MergeForm {...props} />
        </>
      ) : (
        isMergeable && <p class="soft">You may not merge into {request.target_branch}.</p>
      )}
      <Rebase {...props} />
      <details class="locally">
        <summary class="quiet">Check it out</summary>
        <Copy
          text={`git fetch origin refs/merge-requests/${request.iid}/head && git checkout FETCH_HEAD`}
          label="Command that checks out the commits"
        />
      </details>
    </>
  )
}

/** Whether a merge request can be merged, what is missing, and the merge. */
export function MergeBox(props: BoxProps): Html {
  const { visit, of, facts } = props
  const { state } = of.request
  return (
    <section class="panel merge-box" aria-label="Merge">
      {facts.approvals && <ApprovalsOf visit={visit} of={of} facts={facts} />}
      <div class="merge-part">
        {state === 'opened' && <Open {...props} />}
        {state === 'merged' && <Merged {...props} />}
        {props.deployed}
        {state === 'closed' && <p>It is closed: its commits were not merged.</p>}
        {state === 'locked' && <p>It is being merged.</p>}
      </div>
    </section>
  )
}
