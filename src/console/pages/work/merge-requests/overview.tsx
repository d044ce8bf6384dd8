import type { Html } from '../../../html/index.ts'
import {
  approvalsApprove,
  approvalsUnapprove,
  type DiscussionObject,
  draftNotesPublishAll,
  mergeRequestsCancelAutoMerge,
  mergeRequestsCloses,
  mergeRequestsMerge,
  mergeRequestsRebase,
  mergeRequestsUpdate,
  mergeTrainsAdd,
  requestBlocksCreate,
  requestBlocksDelete,
  requestStatusChecksRetry,
  suggestionsApply,
  suggestionsApplySeveral,
  todosDone,
} from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import {
  CommentForm,
  Discussion,
  draftOperations,
  ObjectReactions,
  pathOfUrl,
  performedIn,
  readTalk,
  type Talk,
} from '../../../parts/discussion/index.ts'
import { Do } from '../../../parts/form.tsx'
import { Title } from '../../../parts/parts.tsx'
import { Problem } from '../../../parts/refusal.tsx'
import { Prose } from '../../../parts/writing/index.ts'
import { readDeployed } from '../../delivery/parts.tsx'
import { noChoices, readChoices } from '../choices.ts'
import { ForYou, LockButton, Participants, readPersonal } from '../personal.tsx'
import { TimeTracking } from '../time.tsx'
import { RequestHead, requestAddress, requestCrumbs } from './head.tsx'
import { MergeBox } from './merging/merge-box.tsx'
import { readMergeFacts } from './merging/merge-facts.ts'
import { requestConversation, requestOperations } from './names.ts'
import { Plan } from './plan.tsx'
import { type ReadRequest, readRequest } from './read.ts'
import { ReviewBox, readReview } from './review/box.tsx'
import { ApplyTogether, mayApplyIn, Suggestions } from './suggestions.tsx'

type OfProps = { visit: Visit; of: ReadRequest }

/** Whether all may comment. */
function Talking({ visit, of: { request, call, mayPlan } }: OfProps): Html {
  if (!mayPlan) return <></>
  const isLocked = request.discussion_locked === true
  return (
    <section>
      <h2>Discussion</h2>
      <p class="shown">{isLocked ? 'Locked: only members comment.' : 'Open to all who see it.'}</p>
      <div class="side-buttons">
        <LockButton planned={{ visit, performs: mergeRequestsUpdate, call, mayPlan }} isLocked={isLocked} />
      </div>
    </section>
  )
}

/** Closes the merge request, opens it again, and makes it a draft or ready. */
function Actions({ visit, of }: OfProps): Html {
  const { request, call, mayChange } = of
  const { state, draft } = request
  if (!mayChange || state === 'locked') return <></>
  const isOpen = state === 'opened'
  return (
    <div class="item-actions">
      <a class="button" href={requestAddress(visit, request, '/edit')}>
        Edit
      </a>
      {isOpen && (
        <Do
          visit={visit}
          performs={requestConversation.comment}
          form="draft"
          call={{ ...call, body: draft ? '/ready' : '/draft' }}
        >
          {draft ? 'Mark as ready' : 'Mark as draft'}
        </Do>
      )}
      {state !== 'merged' && (
        <Do
          visit={visit}
          performs={mergeRequestsUpdate}
          form="state"
          call={{ ...call, state_event: isOpen ? 'close' : 'reopen' }}
        >
          {isOpen ? 'Close' : 'Open it again'}
        </Do>
      )}
    </div>
  )
}

/** The line of a diff that a thread is about, with a link to it. */
function aboutLine({ visit, of }: OfProps, { id, notes }: DiscussionObject): Html | null {
  const position = notes[0]?.position
  if (!position) return null
  const { new_path: path, new_line: added, old_line: removed, line_range: range } = position
  const last = added ?? removed
  const first = range ? (range.start.new_line ?? range.start.old_line) : last
  return (
    <p class="about-line">
      <a href={`${requestAddress(visit, of.request, '/diffs')}?thread=${id}`}>
        <code>{path}</code> {first === last ? `line ${last}` : `lines ${first} to ${last}`}
      </a>
    </p>
  )
}

/** The address of the first thread that is not resolved. */
function firstOpenThread({ entries }: Talk): string | null {
  const open = entries.flatMap((entry) => ('discussion' in entry ? entry.discussion.notes : []))
  const note = open.find(({ resolvable, resolved }) => resolvable && resolved === false)
  return note ? `#note_${note.id}` : null
}

/** The issues that the merge closes. */
async function closedIssues(visit: Visit, { call, request }: ReadRequest): Promise<Html | null> {
  const found = await visit.find(mergeRequestsCloses, { ...call, per_page: 20 })
  if (!found || found.items.length === 0) return null
  return (
    <p class="closes">
      {request.state === 'merged' ? 'Closed ' : 'Closes '}
      {found.items.map((issue) => (
        <a href={pathOfUrl(issue.web_url)}>
          {issue.project_id === request.project_id && `#${issue.iid} `}
          <Title text={issue.title} />
        </a>
      ))}
    </p>
  )
}

/** States in which the page is read again: something is being found out or done. */
const isBusy = ({ request }: ReadRequest): boolean =>
  request.state === 'locked' ||
  request.rebase_in_progress === true ||
  (request.state === 'opened' && ['checking', 'unchecked'].includes(request.detailed_merge_status))

/** A merge request: what it is for, whether it can be merged, and what is said about it. */
export const overview = page({
  at: 'project',
  path: 'merge_requests/:iid',
  performs: [
    ...performedIn(requestConversation),
    ...Object.values(requestOperations).filter(({ method }) => method !== 'GET'),
    ...[
      mergeRequestsUpdate,
      mergeRequestsMerge,
      mergeRequestsRebase,
      mergeRequestsCancelAutoMerge,
      mergeTrainsAdd,
      requestStatusChecksRetry,
      requestBlocksCreate,
      requestBlocksDelete,
    ],
    ...[approvalsApprove, approvalsUnapprove, suggestionsApply, suggestionsApplySeveral, todosDone],
    ...[...draftOperations, draftNotesPublishAll],
  ],
  async show(visit) {
    const of = await readRequest(visit)
    const { request, call, mayPlan } = of
    const [found, review, facts, personal, choices, closes, mayUpload, deployed] = await Promise.all([
      readTalk(visit, requestConversation, call),
      readReview(visit, of),
      readMergeFacts(visit, of),
      readPersonal(visit, { type: 'MergeRequest', item: request, call, operations: requestOperations }),
      mayPlan ? readChoices(visit) : noChoices,
      closedIssues(visit, of),
      visit.may(requestOperations.upload, { id: call.id }),
      request.state === 'merged' ? readDeployed(visit, { merge_request_iid: request.iid }) : null,
    ])
    const talk = found && { ...found, review }
    const openThread = talk && firstOpenThread(talk)
    const discussions = talk?.entries.flatMap((entry) => ('discussion' in entry ? [entry.discussion] : [])) ?? []
    const mayApply = await mayApplyIn(visit, discussions)
    const shown = new Set(discussions.map(({ id }) => id))
    const others = review?.drafts.filter(({ discussion_id: id }) => id === null || !shown.has(id)) ?? []
    return {
      title: `${request.title} (${request.reference})`,
      isBare: true,
      refreshes: isBusy(of) || facts.train.isOn,
      crumbs: requestCrumbs(visit),
      body: (
        <div class="item">
          <RequestHead visit={visit} of={of} tab="">
            <Refusal visit={visit} of={of} />
            <Actions visit={visit} of={of} />
          </RequestHead>
          <div class="two">
            <div>
              {request.description ? (
                <Prose visit={visit} text={request.description} lead />
              ) : (
                <p class="soft">No description.</p>
              )}
              {closes}
              {talk && <ObjectReactions visit={visit} talk={talk} />}
              <MergeBox visit={visit} of={of} facts={facts} openThread={openThread} deployed={deployed} />
              {mayApply && <ApplyTogether visit={visit} discussions={discussions} />}
              {talk && (
                <Discussion
                  visit={visit}
                  talk={talk}
                  about={(discussion) => aboutLine({ visit, of }, discussion)}
                  below={(note) => <Suggestions visit={visit} note={note} mayApply={mayApply} />}
                />
              )}
              {review && (
                <ReviewBox visit={visit} of={of} review={review} others={others} approvals={facts.approvals} />
              )}
              {talk?.mayComment && (
                <CommentForm visit={visit} talk={talk} uploads={mayUpload} quickActions="merge_request" />
              )}
            </div>
            <aside aria-label="About the merge request">
              <Plan visit={visit} of={of} choices={choices} reviewers={facts.reviewers} />
              <TimeTracking
                visit={visit}
                stats={request.time_stats}
                call={call}
                mayPlan={mayPlan}
                operations={requestOperations}
              />
              <ForYou
                visit={visit}
                call={call}
                personal={personal}
                isSubscribed={request.subscribed}
                operations={requestOperations}
              />
              <Talking visit={visit} of={of} />
              <Participants personal={personal} />
            </aside>
          </div>
        </div>
      ),
    }
  },
})

const buttons: readonly string[] = [
  ...[approvalsApprove.id, approvalsUnapprove.id],
  ...[mergeRequestsRebase.id, mergeRequestsCancelAutoMerge.id, mergeRequestsMerge.id, mergeTrainsAdd.id],
  ...[requestStatusChecksRetry.id, requestBlocksDelete.id],
]

/** Why a button did nothing. The form of the merge says it itself, where it is shown. */
function Refusal({ visit: { refused }, of: { request } }: OfProps): Html {
  if (!refused) return <></>
  const isOfButton = buttons.includes(refused.operation) || ['draft', 'state'].includes(refused.form ?? '')
  const isInForm = refused.operation === mergeRequestsMerge.id && request.detailed_merge_status === 'mergeable'
  if (!isOfButton || isInForm) return <></>
  return <Problem>{refused.sentence}</Problem>
}
