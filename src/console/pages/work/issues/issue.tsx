import type { Html } from '../../../html/index.ts'
import {
  issueLinksCreate,
  issueLinksDelete,
  issuesUpdate,
  issueTasksUpdate,
  named,
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
import { RelatedLists, readRelated } from './links.tsx'
import { issueConversation, issueOperations } from './names.ts'
import { Plan } from './plan.tsx'
import { noIssueChoices, type ReadIssue, readIssue, readIssueChoices } from './read.ts'

const alerts = named('alerts.list')
type AlertOfIncident = { iid: number; title: string; severity: string; issue: { iid: number } | null }

/** The alert for which an incident was opened. */
async function alertOf(visit: Visit, { issue, call: { id } }: ReadIssue): Promise<AlertOfIncident | null> {
  if (issue.issue_type !== 'incident') return null
  const found = (await visit.find(alerts, { id, issue_id: issue.id })) as { items: AlertOfIncident[] } | null
  return found?.items[0] ?? null
}

function Incident({ visit, of, alert }: { visit: Visit; of: ReadIssue; alert: AlertOfIncident | null }): Html {
  if (of.issue.issue_type !== 'incident') return <></>
  return (
    <p class="incident">
      <span class="tagged">incident</span>
      {alert && (
        <>
          {' opened for the alert '}
          <a href={addressIn(visit, `alert_management/${alert.iid}/details`)}>{alert.title}</a>
        </>
      )}
    </p>
  )
}

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
  ],
  async show(visit) {
    const of = await readIssue(visit)
    const { call, mayPlan } = of
    const [talk, related, personal, alert, choices, mayUpload] = await Promise.all([
      readTalk(visit, issueConversation, call),
      readRelated(visit, of),
      readPersonal(visit, { type: 'Issue', item: of.issue, call, operations: issueOperations }),
      alertOf(visit, of),
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
              <Incident visit={visit} of={of} alert={alert} />
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
