import type { Html } from '../../../html/index.ts'
import {
  epicIssuesAdd,
  epicIssuesMove,
  epicIssuesRemove,
  epicsGet,
  epicsUpdate,
  issuesGet,
} from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import {
  CommentForm,
  Discussion,
  ObjectReactions,
  pathOfUrl,
  performedIn,
  readTalk,
} from '../../../parts/discussion/index.ts'
import { Do } from '../../../parts/form.tsx'
import { Dot, Time } from '../../../parts/parts.tsx'
import { Prose } from '../../../parts/writing/index.ts'
import { IssueRow } from '../issues/rows.tsx'
import { ItemHead } from '../item-head.tsx'
import { addressIn } from '../places.ts'
import { LabelsField } from '../planning.tsx'
import { Edited, nothing } from '../side.tsx'
import { EpicRows } from './lists.tsx'
import { epicConversation, ofGroups, type ReadEpic, readEpic } from './read.ts'

type EpicProps = { visit: Visit; of: ReadEpic }

/** The place of an issue in the order of the epic: buttons that change it with its neighbour. */
function Order({ visit, of: { call, issues }, index }: EpicProps & { index: number }): Html {
  const own = issues[index]
  const [before, after] = [issues[index - 1], issues[index + 1]]
  if (!own) return <></>
  const moved = { ...call, epic_issue_id: own.epic_issue_id }
  const performs = epicIssuesMove
  return (
    <span class="order">
      {before && (
        <Do visit={visit} performs={performs} call={{ ...moved, move_before_id: before.epic_issue_id }} kind="quiet">
          <span aria-hidden="true">↑</span>
          <span class="hidden">Move {own.title} up</span>
        </Do>
      )}
      {after && (
        <Do visit={visit} performs={performs} call={{ ...moved, move_after_id: after.epic_issue_id }} kind="quiet">
          <span aria-hidden="true">↓</span>
          <span class="hidden">Move {own.title} down</span>
        </Do>
      )}
    </span>
  )
}

function Issues({ visit, of }: EpicProps): Html {
  const { issues, call, mayAssign } = of
  const closed = issues.filter(({ state }) => state === 'closed').length
  const asked = visit.query.issue
  return (
    <section>
      <h2>
        Issues{' '}
        {issues.length > 0 && (
          <span class="soft">
            {closed} of {issues.length} closed
          </span>
        )}
      </h2>
      <ul class="rows">
        {issues.map((issue, index) => (
          <li>
            <IssueRow visit={visit} issue={issue} isOfProject={false} />
            {mayAssign && <Order visit={visit} of={of} index={index} />}
            {mayAssign && (
              <Do
                visit={visit}
                performs={epicIssuesRemove}
                call={{ ...call, epic_issue_id: issue.epic_issue_id }}
                kind="quiet"
              >
                Remove<span class="hidden"> {issue.title}</span>
              </Do>
            )}
          </li>
        ))}
      </ul>
      {mayAssign && (
        <form class="filter" method="get" action={visit.path.split('?', 1)[0] ?? ''}>
          <input
            type="text"
            name="issue"
            value={asked ?? ''}
            placeholder="group/project#1"
            aria-label="Issue to add"
            required
          />
          <button>Find an issue to add</button>
        </form>
      )}
    </section>
  )
}

/** The issue that the address names, to be added. The operation takes its id. */
async function askedIssue(visit: Visit) {
  const [, id, iid] = /^\s*(.+)#(\d{1,9})\s*$/.exec(visit.query.issue ?? '') ?? []
  return id && iid ? visit.find(issuesGet, { id, issue_iid: iid }) : null
}

function Add({ visit, of: { call }, issue }: EpicProps & { issue: Awaited<ReturnType<typeof askedIssue>> }): Html {
  if (visit.query.issue === undefined) return <></>
  if (!issue) return <p class="problem">There is no such issue, or you may not see it.</p>
  return (
    <p>
      {issue.references.full} <b>{issue.title}</b>{' '}
      <Do
        visit={visit}
        performs={epicIssuesAdd}
        call={{ ...call, issue_id: issue.id }}
        then={visit.path.split('?', 1)[0] ?? ''}
        kind="primary"
      >
        Add it to the epic
      </Do>
    </p>
  )
}

function Side({ visit, of: { epic, call, labels, mayChange } }: EpicProps): Html {
  const edited = { visit, performs: epicsUpdate, call }
  return (
    <aside aria-label="About the epic">
      <LabelsField
        planned={{ ...edited, mayPlan: mayChange }}
        labels={epic.labels}
        choices={labels}
        list={addressIn(visit, 'epics')}
      />
      {(['start', 'due'] as const).map((day) => {
        const [date, fixed] = [epic[`${day}_date`], epic[`${day}_date_fixed`]]
        const name = `${day}_date_fixed`
        const title = day === 'start' ? 'First day' : 'Due date'
        return (
          <Edited
            {...edited}
            title={title}
            form={day}
            shown={date ? <Time at={date} /> : nothing}
            call={{ ...call, [`${day}_date_is_fixed`]: true }}
          >
            {mayChange && <input type="date" name={name} aria-label={title} value={fixed ?? ''} />}
          </Edited>
        )
      })}
      <Edited {...edited} title="Colour" form="color" shown={<Dot color={epic.color} />}>
        {mayChange && <input type="color" name="color" aria-label="Colour" value={epic.color} />}
      </Edited>
      {mayChange && (
        <section>
          <h2>Who reads it</h2>
          <Do
            visit={visit}
            performs={epicsUpdate}
            form="confidential"
            call={{ ...call, confidential: !epic.confidential }}
          >
            {epic.confidential ? 'Make it open' : 'Make it confidential'}
          </Do>
        </section>
      )}
    </aside>
  )
}

function StateButton({ visit, of: { epic, call } }: EpicProps): Html {
  const isOpen = epic.state === 'opened'
  return (
    <Do visit={visit} performs={epicsUpdate} form="state" call={{ ...call, state_event: isOpen ? 'close' : 'reopen' }}>
      {isOpen ? 'Close the epic' : 'Open it again'}
    </Do>
  )
}

/** The epic above one, where it is of the same group. */
async function parentOf(visit: Visit, { epic: { parent_iid: iid, _links: links }, call: { id } }: ReadEpic) {
  const [, group] = /\/groups\/(\d+)\/epics\/\d+$/.exec(links.parent ?? '') ?? []
  return iid === null ? null : visit.find(epicsGet, { id: group ?? id, epic_iid: iid })
}

/** An epic with its issues in their order, the epics below it and its discussion. */
export const epic = page({
  at: 'group',
  path: 'epics/:iid',
  performs: [
    ...performedIn(epicConversation),
    ...[epicsUpdate, epicIssuesAdd, epicIssuesMove, epicIssuesRemove, ofGroups.upload],
  ],
  async show(visit) {
    const of = await readEpic(visit)
    const [parent, asked, talk, mayUpload] = await Promise.all([
      parentOf(visit, of),
      askedIssue(visit),
      // Comments name the epic by its id, reactions by its iid (contract 26 R1).
      readTalk(visit, epicConversation, { ...of.call, epic_id: of.epic.id }),
      visit.may(ofGroups.upload, { id: of.call.id }),
    ])
    const address = addressIn(visit, `epics/${of.epic.iid}`)
    return {
      title: `${of.epic.title} (&${of.epic.iid})`,
      isBare: true,
      crumbs: [
        ['Epics', addressIn(visit, 'epics')],
        ...(parent ? [[parent.title, pathOfUrl(parent.web_url)] as const] : []),
      ],
      body: (
        <div class="two item">
          <div class="sections">
            <ItemHead item={of.epic}>
              {of.mayChange && (
                <div class="item-actions">
                  <a class="button" href={`${address}/edit`}>
                    Edit
                  </a>
                  <StateButton visit={visit} of={of} />
                </div>
              )}
            </ItemHead>
            {of.epic.description ? (
              <Prose visit={visit} text={of.epic.description} lead />
            ) : (
              <p class="soft">No description.</p>
            )}
            {talk && <ObjectReactions visit={visit} talk={talk} />}
            {(of.children.length > 0 || of.mayChange) && (
              <section>
                <h2>Epics below</h2>
                <EpicRows visit={visit} epics={of.children} />
                {of.mayChange && (
                  <a class="button" href={`${addressIn(visit, 'epics/new')}?parent_id=${of.epic.id}`}>
                    New epic below
                  </a>
                )}
              </section>
            )}
            <Issues visit={visit} of={of} />
            <Add visit={visit} of={of} issue={asked} />
            {talk && <Discussion visit={visit} talk={talk} />}
            {talk?.mayComment && (
              <CommentForm
                visit={visit}
                talk={talk}
                uploads={mayUpload}
                mayBeInternal={of.mayChange}
                quickActions="epic"
              />
            )}
          </div>
          <Side visit={visit} of={of} />
        </div>
      ),
    }
  },
})
