import type { Html } from '../../../html/index.ts'
import {
  incidentMetricImagesCreate,
  incidentMetricImagesDelete,
  issueLinksCreate,
  issueLinksDelete,
  issuesUpdate,
  issueTasksUpdate,
  todosDone,
} from '../../../operations.ts'
import { numberIn, page, type Visit } from '../../../page.ts'
import { CommentForm, Discussion, ObjectReactions, performedIn, readTalk } from '../../../parts/discussion/index.ts'
import { Do } from '../../../parts/form.tsx'
import { ItemHead } from '../item-head.tsx'
import { ForYou, Participants, readPersonal } from '../personal.tsx'
import { addressIn } from '../places.ts'
import { TimeTracking } from '../time.tsx'
import { Access } from './access.tsx'
import { Description } from './description.tsx'
import { Incident, IncidentImages, readIncident } from './incident.tsx'
import { RelatedLists, readRelated } from './links.tsx'
import { issueConversation, issueOperations } from './names.ts'
import { Plan } from './plan.tsx'
import { noIssueChoices, type ReadIssue, readIssue, readIssueChoices } from './read.ts'

/** Closes the issue or opens it again. */
function StateButton({ visit, of: { issue, call, mayChange } }: { visit: Visit; of: ReadIssue }): Html {
  if (!mayChange) return <></>
  const isOpen = issue.state === 'opened'
  return (
    <Do visit={visit} performs={issuesUpdate} form="state" call={{ ...call, state_event: isOpen ? 'close' : 'reopen' }}>
      {isOpen ? 'Close the issue' : 'Open it again'}
    </Do>
  )
}

/** An issue with its discussion, its plans and its history. */
export const issue = page({
  at: 'project',
  path: 'issues/:iid',
  performs: [
    ...performedIn(issueConversation),
    ...Object.values(issueOperations).filter(({ method }) => method !== 'GET'),
    ...[issuesUpdate, issueTasksUpdate, issueLinksCreate, issueLinksDelete, todosDone],
    ...[incidentMetricImagesCreate, incidentMetricImagesDelete],
  ],
  async show(visit) {
    const of = await readIssue(visit)
    const { call, mayPlan } = of
    const [talk, related, personal, incident, choices, mayUpload] = await Promise.all([
      readTalk(visit, issueConversation, call),
      readRelated(visit, of),
      readPersonal(visit, { type: 'Issue', item: of.issue, call, operations: issueOperations }),
      readIncident(visit, of),
      mayPlan || of.issue.labels.length > 0 ? readIssueChoices(visit) : noIssueChoices,
      visit.may(issueOperations.upload, { id: call.id }),
    ])
    const reference = `#${of.issue.iid}`
    return {
      title: `${of.issue.title} (${reference})`,
      isBare: true,
      crumbs: [['Issues', addressIn(visit, 'issues')]],
      body: (
        <div class="two item">
          <div>
            <ItemHead item={of.issue}>
              <Incident visit={visit} of={incident} />
              {of.mayChange && (
                <div class="item-actions">
                  <a class="button" href={addressIn(visit, `issues/${of.issue.iid}/edit`)}>
                    Edit
                  </a>
                  <StateButton visit={visit} of={of} />
                </div>
              )}
            </ItemHead>
            <Description visit={visit} of={of} />
            <IncidentImages visit={visit} of={of} incident={incident} />
            {talk && <ObjectReactions visit={visit} talk={talk} />}
            <RelatedLists visit={visit} of={of} related={related} />
            {talk && <Discussion visit={visit} talk={talk} />}
            {talk?.mayComment && (
              <CommentForm visit={visit} talk={talk} uploads={mayUpload} mayBeInternal={mayPlan} quickActions="issue" />
            )}
          </div>
          <aside aria-label="About the issue">
            <Plan visit={visit} of={of} choices={choices} />
            <TimeTracking
              visit={visit}
              stats={of.issue.time_stats}
              call={call}
              mayPlan={mayPlan}
              operations={issueOperations}
            />
            <ForYou
              visit={visit}
              call={call}
              personal={personal}
              isSubscribed={of.issue.subscribed}
              operations={issueOperations}
            />
            <Access visit={visit} of={of} />
            <Participants personal={personal} />
          </aside>
        </div>
      ),
    }
  },
})

/** The address that an incident has besides that of its issue. */
export const incident = page({
  at: 'project',
  path: 'issues/incident/:iid',
  show: async (visit) => ({ redirect: addressIn(visit, `issues/${numberIn(visit, 'iid')}`) }),
})
